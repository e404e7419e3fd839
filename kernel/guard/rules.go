package guard

import "maps"

// A judgement says how the arguments of a subcommand are read, which options
// are forbidden, and what else there is to look at.
type judgement struct {
	options string
	deny    map[string]rule
	check   func(*call)
}

// What is forbidden, and what to do instead.
var (
	ruleForce     = rule{"", "it overwrites what others have pushed", "git dos push"}
	ruleMirror    = rule{"", "it makes the remote a copy of this clone, and deletes what others have there", "git dos push"}
	ruleGone      = rule{"", "it deletes a ref that others may need", "leave the ref; a person deletes it"}
	ruleNoVerify  = rule{"", "it goes round the hooks, and the gates with them", "run it without; a gate that is wrong is answered in the way it says"}
	ruleDosRefs   = rule{"", "refs/dos is moved by git dos alone", "git dos sync"}
	ruleRefs      = rule{"", "it moves a ref behind the rules that git keeps for it", "git dos commit, and git dos push"}
	ruleAmend     = rule{NeverAmend, "it replaces a commit that others may have", "make a commit on top: git dos commit --lane L -m MESSAGE -- PATHS"}
	ruleRewrite   = rule{NeverAmend, "it makes commits anew that others may have", "make a commit on top that repairs or reverts: git revert COMMIT"}
	ruleSweep     = rule{"", "it takes in what others changed in the same work tree", "name the paths: git dos commit --lane L -m MESSAGE -- PATHS"}
	ruleDiscard   = rule{"", "it throws away changes that others may have in the same work tree", "name the paths: git restore -- PATHS, or take a work tree of your own: git dos worker run"}
	ruleStash     = rule{"", "it takes away changes of others in the same work tree, and the stash is one for all", "name the paths: git stash push -- PATHS, or commit them: git dos commit --lane L -m MESSAGE -- PATHS"}
	ruleBranch    = rule{"", "work goes to the trunk, and a branch of one's own leaves it", "stay on the trunk: git dos commit --lane L -m MESSAGE -- PATHS"}
	ruleWorktree  = rule{"", "a work tree that nobody knows of holds no lease", "git dos worker run --lane L -- COMMAND, which makes one"}
	ruleAutostash = rule{"", "it takes away changes of others in the same work tree for a while", "commit first: git dos commit --lane L -m MESSAGE -- PATHS"}
	rulePullBase  = rule{NeverAmend, "it makes commits anew that others may have, under the files of others", "git dos sync, then git dos push; or git pull --ff-only"}
	ruleExpire    = rule{"", "it gives up commits that only the log of a ref still keeps", "leave it to git gc without --prune"}
)

// judged is how the subcommands are judged that are judged by their arguments.
func judged() map[string]judgement {
	all := map[string]judgement{}
	for _, group := range []map[string]judgement{sharing(), committing(), discarding(), branching(), storing()} {
		maps.Copy(all, group)
	}
	all["stage"] = all["add"]
	return all
}

// refuse denies with one rule whatever the command is told.
func refuse(r rule) judgement {
	return judgement{check: func(c *call) {
		c.strange, c.blanks = nil, nil
		c.blocked(r, c.args[:min(len(c.args), 1)]...)
	}}
}
