package guard

import "strings"

const switchOptions = " guess q,quiet recurse-submodules? progress m,merge conflict= d,detach t,track? f,force orphan= overwrite-ignore ignore-other-worktrees"

const restoreOptions = " ours theirs p,patch ignore-skip-worktree-bits overlay U,unified? inter-hunk-context?" + pathFileOptions

var ruleElsewhere = rule{"", "it checks out a branch that another work tree has", "use that work tree"}

// discarding are the commands that change files of the work tree.
func discarding() map[string]judgement {
	return map[string]judgement{
		"reset": {
			options: "q,quiet mixed soft hard merge keep recurse-submodules? p,patch N,intent-to-add refresh U,unified? inter-hunk-context?" + pathFileOptions,
			deny:    map[string]rule{"hard": ruleDiscard, "merge": ruleDiscard, "soft": ruleAmend, "keep": ruleAmend},
			check:   (*call).reset,
		},
		"clean": {
			options: "q,quiet n,dry-run f,force i,interactive d e,exclude= x X",
			check:   (*call).clean,
		},
		"checkout": {
			options: "b= B= l 2 3" + switchOptions + restoreOptions,
			deny:    map[string]rule{"b": ruleBranch, "B": ruleBranch, "orphan": ruleBranch, "track": ruleBranch, "force": ruleDiscard, "ignore-other-worktrees": ruleElsewhere},
			check:   func(c *call) { c.paths(ruleDiscard) },
		},
		"switch": {
			options: "c,create= C,force-create= discard-changes" + switchOptions,
			deny: map[string]rule{
				"create": ruleBranch, "force-create": ruleBranch, "orphan": ruleBranch, "track": ruleBranch,
				"force": ruleDiscard, "discard-changes": ruleDiscard, "ignore-other-worktrees": ruleElsewhere,
			},
		},
		"restore": {
			options: "s,source= S,staged W,worktree ignore-unmerged q,quiet recurse-submodules? progress m,merge conflict= 2 3" + restoreOptions,
			check:   func(c *call) { c.paths(ruleDiscard) },
		},
		"stash": {
			options: "p,patch S,staged k,keep-index q,quiet u,include-untracked a,all m,message= index only-include print to-ref stat name-only name-status U,unified?" + pathFileOptions,
			check:   (*call).stash,
		},
		"read-tree": {
			options: "index-output= empty v,verbose m trivial aggressive reset u prefix= i n,dry-run recurse-submodules? sparse-checkout no-sparse-checkout debug-unpack q,quiet",
			deny:    map[string]rule{"reset": ruleDiscard, "u": ruleDiscard},
			check: func(c *call) {
				if g, ok := c.option("index-output"); ok && g.value != nil {
					c.written(c.words, *g.value)
				}
			},
		},
		"checkout-index": {
			options: "a,all f,force q,quiet n,no-create u,index temp stage= prefix= z stdin ignore-skip-worktree-bits",
			deny:    map[string]rule{"force": ruleDiscard},
		},
		"worktree": {
			options: "f,force b= B= d,detach checkout lock reason= orphan guess-remote track q,quiet v,verbose porcelain z n,dry-run expire= relative-paths",
			check:   (*call).worktree,
		},
	}
}

// reset looks at what it resets to: with no path it moves the branch.
func (c *call) reset() {
	if g, ok := c.option("pathspec-from-file"); ok {
		c.unsure("the paths are read from a file that is not seen", "name the paths", g.word)
	}
	if len(c.operands) != 1 || len(c.behind) > 0 || c.operands[0].is("HEAD", "@", ".") {
		return
	}
	w := c.operands[0]
	if strings.ContainsAny(w.text, "~^") || strings.Contains(w.text, "@{") {
		c.blocked(ruleAmend, w)
		return
	}
	c.unsure("this is a path, or a commit that the branch would move to", "a path stands behind --: git reset -- PATH", w)
}

// clean looks for what makes it remove files, and for what keeps it from that.
func (c *call) clean() {
	if g, ok := c.option("force", "interactive"); ok && (!c.has("dry-run") || c.has("no-dry-run")) {
		c.blocked(ruleDiscard, g.word)
	}
}

// stash looks at the verb, and at whose changes are meant.
func (c *call) stash() {
	verb := literal("push")
	if len(c.operands) > 0 {
		verb = c.operands[0]
		c.operands = c.operands[1:]
	}
	named := len(c.operands) > 0
	switch {
	case verb.is("list", "show", "create", "store", "apply"):
	case verb.is("push"):
		if !named && len(c.behind) == 0 {
			c.blocked(ruleStash, c.args...)
		}
		c.paths(ruleStash)
	case verb.is("branch"):
		c.blocked(ruleBranch, verb)
	case verb.is("clear", "save"), verb.is("pop", "drop") && !named:
		c.blocked(ruleStash, verb)
	case verb.is("pop", "drop"):
	default:
		c.unsure("this verb of git stash is not known here", "git stash push -- PATHS", verb)
	}
}

// worktree looks at the verb.
func (c *call) worktree() {
	verbs := c.all()
	switch {
	case len(verbs) == 0:
	case verbs[0].is("list", "lock", "unlock", "prune", "repair"):
	case verbs[0].is("add"):
		c.blocked(ruleWorktree, verbs[0])
	case verbs[0].is("remove", "move") && c.has("force"):
		c.blocked(ruleDiscard, verbs[0])
	case verbs[0].is("remove"):
	default:
		c.unsure("what it does to work trees of others is not known", "ask a person", verbs[0])
	}
}
