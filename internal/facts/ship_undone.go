package facts

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A trace is what may tie a commit to the reverts that mean it: its id, the
// ids it was picked from, and its title.
type trace struct {
	commit  ancestry.Commit // its message dropped
	copies  []string
	subject string
}

func traceOf(r shipindex.Row) trace { return trace{commitOf(r), r.Copies, r.Subject} }

// newestFirst orders by the committer's time, so that neither the order of a
// walk nor that of the index can show.
func newestFirst(a, b trace) int {
	return cmp.Or(b.commit.CommitTime.Compare(a.commit.CommitTime), cmp.Compare(a.commit.ID, b.commit.ID))
}

// revert is a commit that undoes others.
type revert struct {
	trace
	takes []ship.Taken
}

// undoSearch relates commits to the reverts that bear on them.
type undoSearch struct {
	repo    *refstore.Repo
	tip     refstore.OID
	reverts []revert
	seen    map[refstore.OID]bool // their ids, and those of merges
	titles  map[string]bool       // that reverts quote which name no id
	merges  map[string][]trace    // by those titles
	minor   minorPaths
	targets []trace
	paths   map[refstore.OID]map[string]bool // of reverts: what each changed, nil where that is unknown
}

// see takes in a row of the history, which may be a revert or a merge that one
// quotes. A row may come more than once.
func (s *undoSearch) see(r shipindex.Row) {
	if len(r.Takes) == 0 && (len(r.Parents) < 2 || len(s.titles) == 0) || s.seen[r.ID] {
		return
	}
	if s.seen == nil {
		s.seen, s.titles, s.merges = map[refstore.OID]bool{}, map[string]bool{}, map[string][]trace{}
	}
	if title := ship.Title(r.Subject); len(r.Parents) > 1 && s.titles[title] {
		s.seen[r.ID] = true
		s.merges[title] = append(s.merges[title], traceOf(r))
	}
	if len(r.Takes) == 0 {
		return
	}
	s.seen[r.ID] = true
	s.reverts = append(s.reverts, revert{traceOf(r), r.Takes})
	for _, t := range r.Takes {
		if t.ID == "" {
			s.titles[ship.Title(t.Title)] = true
		}
	}
}

// undone tells every unit the reverts that bear on any candidate.
func (s *shipSearch) undone(ctx context.Context) error {
	for _, f := range s.finds() {
		s.undoing.targets = append(s.undoing.targets, f.trace)
	}
	reverts, err := s.undoing.run(ctx)
	for _, unit := range s.units {
		unit.ev.Reverts = reverts
	}
	return err
}

// run finds the reverts that bear on the targets: those that name one, those
// that name a merge which brought one in, and in turn those that undo such a
// revert. The answer follows from what is related alone.
func (s *undoSearch) run(ctx context.Context) ([]ship.Revert, error) {
	if len(s.reverts) == 0 || len(s.targets) == 0 {
		return nil, nil
	}
	slices.SortFunc(s.reverts, func(a, b revert) int { return newestFirst(a.trace, b.trace) })
	slices.SortFunc(s.targets, newestFirst)
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
		if queued[target.commit.ID] {
			continue
		}
		queued[target.commit.ID] = true
		list, err := by.of(ctx, target)
		if err != nil {
			return nil, err
		}
		for _, i := range list {
			r := s.reverts[i]
			if r.commit.ID == target.commit.ID {
				continue
			}
			u, err := s.undo(ctx, by, r.commit, target.commit.ID)
			if err != nil {
				return nil, err
			}
			kept[i].ID, kept[i].Undoes = string(r.commit.ID), append(kept[i].Undoes, u)
			queue = append(queue, r.trace)
		}
	}
	return slices.DeleteFunc(kept, func(r ship.Revert) bool { return r.ID == "" }), nil
}

// undo is what revert r does to a commit. What it changed matters only where
// that is a revert too.
func (s *undoSearch) undo(ctx context.Context, by *undoers, r ancestry.Commit, target refstore.OID) (ship.Undo, error) {
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

// covers reports whether a revert changes every substantive path that the revert
// it undoes had changed.
func (s *undoSearch) covers(ctx context.Context, by, undone ancestry.Commit) (ship.Fact, error) {
	was, err := s.changed(ctx, undone)
	if err != nil || was == nil {
		return ship.Unknown, err
	}
	if len(was) == 0 {
		return ship.Yes, nil
	}
	is, err := s.changed(ctx, by)
	if err != nil || is == nil {
		return ship.Unknown, err
	}
	for path := range was {
		if !is[path] {
			return ship.No, nil
		}
	}
	return ship.Yes, nil
}

// changed are the substantive paths a revert changed, nil where they cannot be
// read.
func (s *undoSearch) changed(ctx context.Context, c ancestry.Commit) (map[string]bool, error) {
	if known, ok := s.paths[c.ID]; ok {
		return known, nil
	}
	if s.paths == nil {
		s.paths = map[refstore.OID]map[string]bool{}
	}
	paths := map[string]bool{}
	for change, err := range ancestry.Changed(ctx, s.repo.Git, c) {
		if errors.Is(err, ancestry.ErrMissing) {
			paths = nil
			break
		}
		if err != nil {
			return nil, err
		}
		if !s.minor.has(change.Path) {
			paths[change.Path] = true
		}
	}
	s.paths[c.ID] = paths
	return paths, nil
}
