package facts

import (
	"context"
	"errors"
	"slices"

	"github.com/git-dos/git-dos/kernel/closes"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A ClosesRequest asks which issues a history closes.
type ClosesRequest struct {
	Ref    string // what to walk, "" for the trunk
	Issues []int  // nil for all that a commit says it closes
}

// Closes gathers the evidence on issues by one walk over the whole history of
// the ref. It keeps the commits that say they close one and those that take
// others back, then looks at what the former changed. A history that is not all
// here is evidence of its own; a ref that does not exist is an error.
func Closes(ctx context.Context, repo *refstore.Repo, req ClosesRequest) (closes.Evidence, error) {
	at, err := walkedRef(ctx, repo, req.Ref)
	s := closesSearch{repo: repo, tip: at.id, wanted: map[int]bool{}}
	s.ev = closes.Evidence{Ref: at.name, RefID: string(at.id), Asked: req.Issues, Mention: map[int]string{}}
	for _, n := range req.Issues {
		s.wanted[n] = true
	}
	if err == nil {
		return s.evidence(ctx)
	}
	return s.missing(err)
}

// evidence walks the history, which is empty where there is no commit yet.
func (s *closesSearch) evidence(ctx context.Context) (closes.Evidence, error) {
	if s.tip == "" {
		s.ev.History = ship.Complete
		return s.ev, nil
	}
	return s.missing(s.run(ctx))
}

// missing turns a history that is not all here into evidence of that.
func (s *closesSearch) missing(err error) (closes.Evidence, error) {
	if errors.Is(err, ancestry.ErrMissing) {
		s.ev.History, s.ev.Gap = ship.Missing, err.Error()
		err = nil
	}
	return s.ev, err
}

// closesSearch fills the evidence from one history.
type closesSearch struct {
	repo     *refstore.Repo
	tip      refstore.OID
	wanted   map[int]bool   // the issues asked about, empty for all
	tasks    map[string]int // what numbers stand for tasks, which trailers name
	ev       closes.Evidence
	found    []refstore.OID // beside ev.Closers
	undoing  undoSearch
	boundary []refstore.OID
}

func (s *closesSearch) run(ctx context.Context) error {
	log := ancestry.Walk(s.repo.Git, s.tip).ByDate()
	for c, err := range log.Commits(ctx) {
		if err != nil {
			return err
		}
		s.consider(c)
	}
	s.boundary = log.Boundary()
	s.ev.History = ship.Complete
	if len(s.boundary) > 0 {
		s.ev.History = ship.Shallow
	}
	for _, step := range []func(context.Context) error{s.edges, s.audit, s.undone} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// consider keeps what a commit says of issues, of the ones asked about where
// any were.
func (s *closesSearch) consider(c ancestry.Commit) {
	row := rowOf(c, policy.Stamp{})
	s.undoing.see(row)
	refs := closes.Read(row.Subject, c.Message)
	refs.Closing = append(refs.Closing, s.trailed(c)...)
	if len(s.wanted) > 0 {
		refs.Closing = s.asked(refs.Closing)
		for _, n := range s.asked(refs.Mentioned) {
			if _, ok := s.ev.Mention[n]; !ok {
				s.ev.Mention[n] = string(c.ID)
			}
		}
	}
	if len(refs.Closing) > 0 {
		s.found = append(s.found, c.ID)
		s.undoing.targets = append(s.undoing.targets, traceOf(row))
		s.ev.Closers = append(s.ev.Closers, closes.Closer{ID: string(c.ID), Issues: refs.Closing})
	}
}

func (s *closesSearch) asked(issues []int) []int {
	return slices.DeleteFunc(issues, func(n int) bool { return !s.wanted[n] })
}

// edges marks the closers that every edge of a shallow history leads to.
func (s *closesSearch) edges(ctx context.Context) error {
	for i, id := range s.found {
		whole, err := ancestry.ReachesAll(ctx, s.repo.Git, id, s.boundary)
		if err != nil {
			return err
		}
		s.ev.Closers[i].Whole = ship.FactOf(whole)
	}
	return nil
}

// audit looks at what the closers changed. One that cannot be read is left
// without a finding and hides no other.
func (s *closesSearch) audit(ctx context.Context) error {
	for from := 0; from < len(s.found); {
		next, err := s.auditFrom(ctx, from, len(s.found))
		if err != nil && errors.Is(err, ancestry.ErrMissing) && next < len(s.found) {
			if _, err = s.auditFrom(ctx, next, next+1); errors.Is(err, ancestry.ErrMissing) {
				err = nil
			}
			next++
		}
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// auditFrom audits the closers from..to in one pass and returns the first that
// it did not get to.
func (s *closesSearch) auditFrom(ctx context.Context, from, to int) (int, error) {
	for f, err := range AuditCommits(ctx, s.repo, false, ancestry.Read(ctx, s.repo.Git, s.found[from:to])) {
		if err != nil {
			return from, err
		}
		if f.Sha != s.ev.Closers[from].ID {
			return from, errors.New("the audit answered out of turn")
		}
		s.ev.Closers[from].Audit = &f
		from++
	}
	return from, nil
}

func (s *closesSearch) undone(ctx context.Context) error {
	var err error
	s.undoing.repo, s.undoing.tip = s.repo, s.tip
	s.ev.Reverts, err = s.undoing.run(ctx)
	return err
}
