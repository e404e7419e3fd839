package facts

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// revert is a commit that undoes others.
type revert struct {
	commit ancestry.Commit // its message dropped
	takes  []ship.Taken
}

// undoSearch relates commits to the reverts that bear on them.
type undoSearch struct {
	repo    *refstore.Repo
	reverts []revert
	targets []refstore.OID
}

// undone tells every unit the reverts that bear on any candidate.
func (s *shipSearch) undone(ctx context.Context) error {
	u := undoSearch{repo: s.repo, reverts: s.reverts}
	for _, f := range s.finds() {
		u.targets = append(u.targets, f.commit.ID)
	}
	reverts, err := u.run(ctx)
	for _, unit := range s.units {
		unit.ev.Reverts = reverts
	}
	return err
}

// Undone reads which of these commits reverts on the history of tip take back;
// ship.Undone judges each of them. tip must reach the commits. A history that
// is not all here is ancestry.ErrMissing; one that is cut short has its reverts
// down to the cut.
func Undone(ctx context.Context, repo *refstore.Repo, tip refstore.OID, ids []refstore.OID) ([]ship.Revert, error) {
	s := shipSearch{repo: repo, policy: policy.Default(), tip: tip}
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	return (&undoSearch{repo: repo, reverts: s.reverts, targets: ids}).run(ctx)
}

// run finds the reverts that bear on the targets: those that name one, those
// that name a merge which brought one in, and in turn those that undo such a
// revert.
func (s *undoSearch) run(ctx context.Context) ([]ship.Revert, error) {
	if len(s.reverts) == 0 || len(s.targets) == 0 {
		return nil, nil
	}
	by, err := s.undoers(ctx)
	if err != nil {
		return nil, err
	}
	kept := make([]ship.Revert, len(s.reverts))
	queue := slices.Clone(s.targets)
	queued := map[refstore.OID]bool{}
	for len(queue) > 0 {
		target := queue[0]
		queue = queue[1:]
		if queued[target] {
			continue
		}
		queued[target] = true
		for _, i := range by.of(target) {
			r := s.reverts[i].commit
			if r.ID == target {
				continue
			}
			u, err := s.undo(ctx, by, r, target)
			if err != nil {
				return nil, err
			}
			kept[i].ID, kept[i].Undoes = string(r.ID), append(kept[i].Undoes, u)
			queue = append(queue, r.ID)
		}
	}
	return slices.DeleteFunc(kept, func(r ship.Revert) bool { return r.ID == "" }), nil
}

// undo is what revert r does to a commit. What it changed matters only where
// that is a revert too.
func (s *undoSearch) undo(ctx context.Context, by undoers, r ancestry.Commit, target refstore.OID) (ship.Undo, error) {
	u := ship.Undo{ID: string(target)}
	undone, ok := by.reverts[target]
	if !ok {
		return u, nil
	}
	var err error
	if u.Covers, err = s.covers(ctx, r, undone); u.Covers == ship.Yes && by.vague[r.ID] {
		u.Covers = ship.Unknown // it may have meant another
	}
	return u, err
}

// undoers answers which reverts undo a commit, as indices.
type undoers struct {
	reverts map[refstore.OID]ancestry.Commit
	named   map[string][]naming // by the first digits of the id a revert names
	brought map[refstore.OID][]int
	vague   map[refstore.OID]bool // reverts that name one of several commits
}

type naming struct {
	id     string
	revert int
}

// digits is how much of an id the shortest abbreviation has.
const digits = 4

func (u undoers) of(id refstore.OID) []int {
	list := slices.Clone(u.brought[id])
	for _, n := range u.named[string(id[:digits])] {
		if strings.HasPrefix(string(id), n.id) {
			list = append(list, n.revert)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// undoers reads what the reverts name. Where that is a merge, the revert also
// undoes the candidates and reverts which the merge brought in: all that its
// tip reaches and the side the revert went back to does not.
func (s *undoSearch) undoers(ctx context.Context) (undoers, error) {
	u := undoers{reverts: map[refstore.OID]ancestry.Commit{}, named: map[string][]naming{}, brought: map[refstore.OID][]int{}, vague: map[refstore.OID]bool{}}
	var names []string
	interesting := map[refstore.OID]bool{}
	for _, id := range s.targets {
		interesting[id] = true
	}
	for i, r := range s.reverts {
		interesting[r.commit.ID] = true
		u.reverts[r.commit.ID] = r.commit
		for _, t := range r.takes {
			u.named[t.ID[:digits]] = append(u.named[t.ID[:digits]], naming{t.ID, i})
			names = append(names, t.ID)
		}
	}
	full, err := ancestry.Expand(ctx, s.repo.Git, names)
	if err != nil {
		return u, err
	}
	commits, err := s.commits(ctx, full)
	if err != nil {
		return u, err
	}
	for i, r := range s.reverts {
		for _, t := range r.takes {
			meant := 0
			for _, id := range full[t.ID] {
				c, ok := commits[id]
				if !ok {
					continue
				}
				meant++
				if len(c.Parents) < 2 {
					continue
				}
				members, err := s.members(ctx, c, t.Base, interesting)
				if err != nil {
					return u, err
				}
				for _, id := range members {
					u.brought[id] = append(u.brought[id], i)
				}
			}
			u.vague[r.commit.ID] = u.vague[r.commit.ID] || meant > 1
		}
	}
	return u, nil
}

// commits returns those of the objects that are commits. What is not here was
// not merged here.
func (s *undoSearch) commits(ctx context.Context, full map[string][]refstore.OID) (map[refstore.OID]ancestry.Commit, error) {
	ids := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(full))...)))
	found := map[refstore.OID]ancestry.Commit{}
	for c, err := range ancestry.Read(ctx, s.repo.Git, slices.Compact(ids)) {
		switch {
		case errors.Is(err, ancestry.ErrMissing) && c.ID != "":
		case err != nil:
			return nil, err
		default:
			c.Message = nil
			found[c.ID] = c
		}
	}
	return found, nil
}

// members lists the interesting commits that a merge added to one of its
// parents, the first unless the revert says another.
func (s *undoSearch) members(ctx context.Context, merge ancestry.Commit, base string, interesting map[refstore.OID]bool) ([]refstore.OID, error) {
	kept := merge.Parents[0]
	for _, p := range merge.Parents {
		if base != "" && strings.HasPrefix(string(p), base) {
			kept = p
		}
	}
	var found []refstore.OID
	for c, err := range ancestry.Range(s.repo.Git, kept, merge.ID).Commits(ctx) {
		if err != nil {
			return nil, err
		}
		if interesting[c.ID] {
			found = append(found, c.ID)
		}
	}
	return found, nil
}

// covers reports whether a revert changes every path that the revert it undoes
// had changed.
func (s *undoSearch) covers(ctx context.Context, by, undone ancestry.Commit) (ship.Fact, error) {
	left := map[string]bool{}
	for _, c := range []ancestry.Commit{undone, by} {
		for change, err := range ancestry.Changed(ctx, s.repo.Git, c) {
			switch {
			case errors.Is(err, ancestry.ErrMissing):
				return ship.Unknown, nil
			case err != nil:
				return ship.Unknown, err
			case c.ID == undone.ID:
				left[change.Path] = true
			default:
				delete(left, change.Path)
			}
		}
		if c.ID == undone.ID && len(left) == 0 {
			return ship.Yes, nil
		}
	}
	return ship.FactOf(len(left) == 0), nil
}
