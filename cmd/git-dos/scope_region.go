package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A scopeRegion is a lane as work is judged by it. unknown is why there is no
// such lane, nil when there is.
type scopeRegion struct {
	lane    string
	tree    []string
	policy  string
	rules   facts.Rules
	desk    *admit.Desk
	unknown *admit.UnknownLaneError
}

// scopeRegionOf finds the tree of a lane: the declared one, else that of the
// lease on it.
func scopeRegionOf(c *cli.Context, repo *refstore.Repo, word string) (r scopeRegion, err error) {
	if r.rules, err = facts.ScopeRules(c.Context, repo); err != nil {
		return r, deskError(err)
	}
	name, declared := r.rules.Policy.Lane(word)
	if r.lane, err = lane.Canonical(name); err != nil {
		return r, usagef("%w", err)
	}
	if r.desk, err = deskOf(c, repo, admit.Open); err != nil {
		return r, err
	}
	if r.policy = r.rules.Source; declared {
		r.tree = r.rules.Policy.Tree(name)
		return r, nil
	}
	held, _, err := r.desk.Lease(c.Context, r.lane, true)
	if errors.As(err, &r.unknown) {
		return r, nil
	}
	if err != nil {
		return r, deskError(err)
	}
	if held == nil || held.State == lane.Free {
		r.unknown = &admit.UnknownLaneError{Lane: r.lane, Known: r.desk.Declared()}
		return r, nil
	}
	r.tree, r.policy = held.Tree, "the lease on it"
	return r, nil
}

// scopeError gives an error of package worktree or of reading a range its kind
// and hint.
func scopeError(err error) error {
	var path *worktree.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return usagef("%w", err)
	case errors.Is(err, ancestry.ErrNoRevision), errors.Is(err, ancestry.ErrUnborn):
		return usagef("%w", err).hint("git log --oneline --all shows the commits there are")
	case errors.Is(err, facts.ErrNoCommonBase), errors.Is(err, ancestry.ErrMissing):
		return errorf(kindIndeterminate, "%w", err).hint("git fetch --unshallow brings the history of a shallow clone")
	case errors.Is(err, worktree.ErrUnreadable):
		return errorf(kindIndeterminate, "%w", err)
	case errors.Is(err, worktree.ErrBare):
		return environmentf("%w", err).hint("run it in a checkout, or name one with --workspace DIR")
	case errors.Is(err, worktree.ErrOtherGitDir):
		return environmentf("%w", err).hint("unset GIT_DIR")
	}
	return deskError(err)
}
