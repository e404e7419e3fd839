package facts

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// shipSearch fills the evidence of units from one history.
type shipSearch struct {
	repo   *refstore.Repo
	policy policy.Policy
	tip    refstore.OID
	scope  ShipScope

	units    []*unitSearch
	undoing  undoSearch
	boundary []refstore.OID

	index   *shipindex.Index // nil when all was walked
	indexed refstore.OID     // the tip of what was not
}

// unitSearch is the part of a search that concerns one unit.
type unitSearch struct {
	ev       *ship.Evidence
	needles  [][]string            // a row that may name the unit holds all of one group
	recorded map[refstore.OID]bool // commits that SHIP entries of the unit name
	found    []*find
	ids      map[refstore.OID]bool // of rows that were considered: one may come twice
}

// A find is a commit that may be a ship of the unit.
type find struct {
	ship.Candidate
	trace
	leases []string // its Dos-Lease trailers
	signed bool
}

func (s *shipSearch) run(ctx context.Context, list []ship.Evidence) error {
	s.undoing.repo, s.undoing.tip, s.undoing.minor = s.repo, s.tip, minorOf(s.policy)
	for i := range list {
		s.units = append(s.units, newUnitSearch(&list[i], s.scope.Explain))
	}
	if err := s.plans(ctx); err != nil {
		return err
	}
	if err := s.walk(ctx); err != nil {
		return err
	}
	if err := s.planDoc(ctx); err != nil {
		return err
	}
	if err := s.edges(ctx); err != nil {
		return err
	}
	// What the candidates changed and what undoes them are asked at once.
	undone := make(chan error, 1)
	go func() { undone <- inTurn(ctx, s.indexedReverts, s.undone) }()
	if err := errors.Join(inTurn(ctx, s.paths, s.trees, s.signatures), <-undone); err != nil {
		return err
	}
	for _, u := range s.units {
		u.ev.History = ship.Complete
		if len(s.boundary) > 0 {
			u.ev.History = ship.Shallow
		}
		u.finish()
	}
	return nil
}

// inTurn takes the steps up to the first that fails.
func inTurn(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func newUnitSearch(ev *ship.Evidence, explain bool) *unitSearch {
	u := &unitSearch{ev: ev, recorded: map[refstore.OID]bool{}, ids: map[refstore.OID]bool{}, needles: ev.Query.Needles()}
	if explain {
		u.needles = append(u.needles, ev.Query.PhaseNeedles()...)
	}
	for _, e := range ev.Ledger {
		u.recorded[refstore.OID(e.Commit)] = true
	}
	return u
}

// finish hands the candidates over, newest first.
func (u *unitSearch) finish() {
	slices.SortFunc(u.found, func(a, b *find) int { return newestFirst(a.trace, b.trace) })
	for _, f := range u.found {
		u.ev.Candidates = append(u.ev.Candidates, f.Candidate)
	}
}

// plans lists the plan files that share the number a plan is known by.
func (s *shipSearch) plans(ctx context.Context) error {
	byNumber := map[string][]*unitSearch{}
	for _, u := range s.units {
		if n := u.ev.Query.Number(); n != "" {
			byNumber[n] = append(byNumber[n], u)
		}
	}
	if len(byNumber) == 0 {
		return nil
	}
	glob := lane.NewScope([]string{s.policy.Paths.PlansGlob})
	for path, err := range ancestry.Files(ctx, s.repo.Git, s.tip) {
		if err != nil {
			return err
		}
		sharing := byNumber[ship.PlanNumber(path[strings.LastIndexByte(path, '/')+1:])]
		if len(sharing) == 0 || !glob.Contains(path) {
			continue
		}
		for _, u := range sharing {
			u.ev.Query.SameNumber = append(u.ev.Query.SameNumber, path)
		}
	}
	return nil
}

// walk takes in every row of the history. An index that turns out unusable
// half-way leaves nothing behind.
func (s *shipSearch) walk(ctx context.Context) error {
	err := s.eachRow(ctx, s.consider)
	if errors.Is(err, shipindex.ErrNoIndex) {
		s.undoing.reverts, s.undoing.seen, s.boundary, s.index = nil, nil, nil, nil
		for _, u := range s.units {
			u.found, u.ids, u.ev.Near = nil, map[refstore.OID]bool{}, 0
		}
		err = s.coldRows(ctx, nil, "", s.consider)
	}
	return err
}

// indexedReverts takes in the reverts that walk left in the index, since most
// questions find nothing that could be reverted.
func (s *shipSearch) indexedReverts(ctx context.Context) error {
	if s.index == nil || len(s.finds()) == 0 {
		return nil
	}
	err := s.rows(s.indexed, shipindex.Query{Takes: true}, s.undoing.see)
	if len(s.undoing.titles) > 0 && err == nil {
		var q shipindex.Query
		for title := range s.undoing.titles {
			q.Any = append(q.Any, []string{title})
		}
		err = s.rows(s.indexed, q, s.undoing.see)
	}
	if errors.Is(err, shipindex.ErrNoIndex) {
		err = s.coldRows(ctx, nil, "", s.undoing.see) // none of what it saw before is untrue
	}
	return err
}

// consider keeps a row that names a unit, that the ledger says does, or that
// undoes other commits.
func (s *shipSearch) consider(r shipindex.Row) {
	s.undoing.see(r)
	text := r.Text()
	for _, u := range s.units {
		if u.recorded[r.ID] || slices.ContainsFunc(u.needles, func(group []string) bool { return holdsAll(text, group) }) {
			u.consider(r, s.scope.Explain)
		}
	}
}

func holdsAll(text string, group []string) bool {
	return !slices.ContainsFunc(group, func(needle string) bool { return !strings.Contains(text, needle) })
}

func (u *unitSearch) consider(r shipindex.Row, explain bool) {
	if u.ids[r.ID] {
		return
	}
	u.ids[r.ID] = true
	f := newFind(r, u.ev.Query)
	n := u.ev.Query.Naming(f.Subject, f.Body, f.Units)
	near := !u.recorded[r.ID] && !n.Trailer && n.Rung == ""
	switch {
	case !near || explain && u.ev.Query.InText(r.Subject, r.Units):
		u.found = append(u.found, f)
	case u.ev.Query.InText(r.Subject, r.Units):
		u.ev.Near++
	}
}

func newFind(r shipindex.Row, q ship.Query) *find {
	f := &find{trace: traceOf(r), leases: r.Leases, signed: r.Signed}
	f.Candidate = ship.Candidate{ID: string(r.ID), Subject: r.Subject, Body: r.Body, Merge: len(r.Parents) > 1, Signed: ship.No}
	for _, unit := range r.Units {
		if q.IsUnit(unit) {
			f.Units = append(f.Units, unit)
		}
	}
	return f
}

func commitOf(r shipindex.Row) ancestry.Commit {
	return ancestry.Commit{ID: r.ID, Parents: r.Parents, CommitTime: unixTime(r.Time)}
}

// edges marks the candidates that every edge of a shallow history leads to.
func (s *shipSearch) edges(ctx context.Context) error {
	for _, f := range s.finds() {
		whole, err := ancestry.ReachesAll(ctx, s.repo.Git, f.commit.ID, s.boundary)
		if err != nil {
			return err
		}
		f.Whole = ship.FactOf(whole)
	}
	return nil
}

// finds are the candidates of all units.
func (s *shipSearch) finds() []*find {
	var all []*find
	for _, u := range s.units {
		all = append(all, u.found...)
	}
	return all
}
