package admit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A standing is the local authority of a trunk that a worktree stands on. To
// move the branch by its ref alone would leave that worktree behind, so git
// fast-forwards it there, files and all, before the lanes move. Both happen
// under the lock under which the leases were read, so no lease moves between.
type standing struct {
	*refstore.Local
	repo   *refstore.Repo
	branch string
	where  string // the worktree
}

// Txn implements refstore.Authority. Cut off after the fast-forward it leaves
// a trunk that has the commit and lanes that do not say so; the next push adds
// what is missing.
func (a *standing) Txn(ctx context.Context, moves []refstore.Move) refstore.Outcome {
	var lanes []refstore.Move
	for _, m := range moves {
		if m.Ref != a.branch {
			lanes = append(lanes, m)
			continue
		}
		if o, ok := a.forward(ctx, m); !ok {
			return o
		}
	}
	return a.Local.Txn(ctx, lanes)
}

// forward moves the branch and the files of its worktree.
func (a *standing) forward(ctx context.Context, m refstore.Move) (refstore.Outcome, bool) {
	_, _, err := a.there().Run(ctx, git.Call{Args: []string{"merge", "--quiet", "--ff-only", string(m.New)}})
	now, rerr := a.repo.RefID(context.WithoutCancel(ctx), a.branch)
	switch {
	case rerr != nil:
		return refstore.Outcome{Result: refstore.Unknown, Ref: a.branch, Err: errors.Join(err, rerr)}, false
	case now == m.New:
		return refstore.Outcome{}, true
	case now != m.Expect:
		return refstore.Outcome{Result: refstore.Lost, Ref: a.branch}, false
	}
	if err == nil {
		err = fmt.Errorf("it has left %s", short(a.branch))
	}
	return refstore.Outcome{Result: refstore.Denied, Ref: a.branch, Words: fmt.Sprintf("%s: %s", a.where, err)}, false
}

func (a *standing) there() git.Runner { return git.Runner{Dir: a.where, Foreign: true} }

// clean reports whether the worktree has no uncommitted change to a tracked
// file, which a fast-forward could run into.
func (a *standing) clean(ctx context.Context) (bool, error) {
	out, err := a.there().Output(ctx, "status", "--porcelain", "--untracked-files=no")
	return len(out) == 0, err
}

// standingOn returns the authority of a branch that a worktree, this one
// included, stands on; nil when none does.
func (d *Desk) standingOn(ctx context.Context, branch string) (*standing, error) {
	all, err := d.worktreesOn(ctx, branch)
	switch {
	case err != nil || len(all) == 0:
		return nil, err
	case len(all) > 1:
		return nil, &CheckedOutError{
			Branch: branch, Where: all[0], Why: "and in " + strings.Join(all[1:], " and in ") + ", and only one of them could follow it",
			Hint: fmt.Sprintf("git -C %q switch --detach, then git dos push again", all[1]),
		}
	}
	switch info, err := os.Stat(all[0]); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &CheckedOutError{
			Branch: branch, Where: all[0], Why: "which does not exist",
			Hint: "git worktree prune forgets it, once it is not locked; git worktree repair finds one that was moved",
		}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no directory, and git has it as the worktree on %s: see git worktree list", all[0], short(branch))
	}
	return &standing{d.Repo.Local(), d.Repo, branch, all[0]}, nil
}

// worktreesOn lists the worktrees that stand on a branch. One whose directory
// is gone, so that git would drop it, stands on nothing.
func (d *Desk) worktreesOn(ctx context.Context, branch string) ([]string, error) {
	list := []string{"worktree", "list", "--porcelain"}
	end := "\x00"
	out, err := d.Repo.Git.Output(ctx, append(list, "-z")...)
	var g *git.Error
	if errors.As(err, &g) && g.Code == badUsage { // before git 2.36
		end = "\n"
		out, err = d.Repo.Git.Output(ctx, list...)
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for entry := range strings.SplitSeq(string(out), end+end) {
		lines := strings.Split(entry, end)
		path, ok := strings.CutPrefix(lines[0], "worktree ")
		pruned := slices.ContainsFunc(lines[1:], func(s string) bool { return s == "prunable" || strings.HasPrefix(s, "prunable ") })
		if ok && !pruned && slices.Contains(lines[1:], "branch "+branch) {
			found = append(found, path)
		}
	}
	return found, nil
}

// badUsage is how git exits on an option it does not know.
const badUsage = 129

// A CheckedOutError means that the trunk is checked out where it cannot be
// fast-forwarded.
type CheckedOutError struct {
	Branch, Where string
	Why           string // what is in the way, after the place
	Hint          string // what to run
}

func (e *CheckedOutError) Error() string {
	return fmt.Sprintf("%s is checked out in %s, %s", short(e.Branch), e.Where, e.Why)
}

func uncommitted(branch, where string) error {
	return &CheckedOutError{
		Branch: branch, Where: where, Why: "which has uncommitted changes",
		Hint: fmt.Sprintf("commit or put aside what is changed in %s, then git dos push again", where),
	}
}
