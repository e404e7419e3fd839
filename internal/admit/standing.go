package admit

import (
	"context"
	"errors"
	"fmt"
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
	out, err := d.Repo.Git.Output(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	where := ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if path, ok := strings.CutPrefix(line, "worktree "); ok {
			where = path
		}
		if line == "branch "+branch {
			return &standing{d.Repo.Local(), d.Repo, branch, where}, nil
		}
	}
	return nil, nil
}

// A CheckedOutError means that the worktree that stands on the trunk has
// changes of its own, and cannot be fast-forwarded.
type CheckedOutError struct{ Branch, Where string }

func (e *CheckedOutError) Error() string {
	return fmt.Sprintf("%s is checked out in %s, which has uncommitted changes", short(e.Branch), e.Where)
}
