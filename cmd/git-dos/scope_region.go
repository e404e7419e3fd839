package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A scopeRegion is a lane as work is judged by it.
type scopeRegion struct {
	lane   string
	tree   []string
	policy string // where the tree was read
	desk   *admit.Desk
}

// scopeDesk is a desk whose rules are those that work is judged by.
func scopeDesk(c *cli.Context, repo *refstore.Repo) (*admit.Desk, error) {
	d, err := deskOf(c, repo, admit.Open)
	if err != nil {
		return nil, err
	}
	d.Rules, err = facts.ScopeRules(c.Context, repo, d.Rules)
	if errors.Is(err, ancestry.ErrNoRevision) {
		return nil, environmentf("find the trunk: %w", err).hint("[trunk] ref in dos.toml names it; git branch --all lists the branches")
	}
	return d, scopeError(err)
}

// scopeRegionOf finds the tree of a lane: the declared one, else that of the
// lease on it, as seen within the fleet's interval or, with cached set, at any
// time. That nobody holds it follows from a fresh look only, unless the user
// asked for none.
func scopeRegionOf(c *cli.Context, d *admit.Desk, word string, cached bool) (scopeRegion, error) {
	r := scopeRegion{desk: d}
	var err error
	if r.lane, err = canonicalLane(d, word); err != nil {
		return r, err
	}
	if r.declared() {
		return r, nil
	}
	held, _, err := d.Lease(c.Context, r.lane, cached)
	looked := err != nil && !cached
	if !c.Bool("cached") && !looked && d.Remote() != "" && scopeFree(held, err) {
		if err = d.Refresh(c.Context, true); err == nil {
			held, _, err = d.Lease(c.Context, r.lane, true)
		}
	}
	switch {
	case err == nil && r.declared(): // since a moment ago
		return r, nil
	case scopeFree(held, err):
		return r, scopeUnknown(r, held, err)
	case err != nil:
		return r, deskError(err)
	}
	r.tree, r.policy = held.Tree, "the lease on it"
	return r, nil
}

// declared takes the tree that the rules declare for the lane.
func (r *scopeRegion) declared() bool {
	p := r.desk.Rules.Policy
	name, known := p.Lane(r.lane)
	if known {
		r.tree, r.policy = p.Tree(name), r.desk.Rules.Source
	}
	return known
}

// others are the declared lanes that can be taken beside this one.
func (r scopeRegion) others() []scope.Region {
	var out []scope.Region
	p := r.desk.Rules.Policy
	for _, name := range p.Roster() {
		if folded, err := lane.Canonical(name); err == nil && folded != r.lane && !p.Exclusive(name) {
			out = append(out, scope.Region{Lane: folded, Tree: p.Tree(name)})
		}
	}
	return out
}

// scopeFree reports whether a look for a lane that is not declared found nobody
// who holds it.
func scopeFree(held *lease.Record, err error) bool {
	var unknown *admit.UnknownLaneError
	return errors.As(err, &unknown) || err == nil && (held == nil || held.State == lane.Free)
}

// scopeUnknown is the error over a lane that is neither declared nor held.
func scopeUnknown(r scopeRegion, held *lease.Record, err error) error {
	var unknown *admit.UnknownLaneError
	if !errors.As(err, &unknown) {
		unknown = &admit.UnknownLaneError{Lane: r.lane, Known: slices.DeleteFunc(r.desk.Declared(), func(n string) bool { return n == r.lane })}
		err = fmt.Errorf("lane %q is not declared in %s, and nobody holds it", r.lane, r.desk.Rules.Source)
	}
	return usagef("%w%s", err, scopeSeen(r.desk)).hint("%s", unknownLaneHint(unknown))
}

// scopeSeen says as of when the lanes of a fleet are known here.
func scopeSeen(d *admit.Desk) string {
	if d.Remote() == "" {
		return ""
	}
	at := d.AsOf(false)
	if at.IsZero() {
		return "; " + d.Remote() + " was never looked at"
	}
	return fmt.Sprintf("; as of %s on %s", at.Format(time.RFC3339), d.Remote())
}

// scopeRemembers reports whether this worktree may remember leases. Where it
// cannot, not even a directory is made to look.
func scopeRemembers(d *admit.Desk) bool {
	_, err := os.Lstat(filepath.Join(d.Repo.GitDir, "dos", "leases"))
	return !errors.Is(err, os.ErrNotExist)
}

// scopeError gives an error of package worktree or of reading a range its kind
// and hint.
func scopeError(err error) error {
	var path *worktree.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return usagef("%w", err).hint("%s", path.Hint)
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
