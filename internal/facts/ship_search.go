package facts

import (
	"bytes"
	"context"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// shipSearch fills the evidence of one unit from one history.
type shipSearch struct {
	repo   *refstore.Repo
	policy policy.Policy
	tip    refstore.OID
	ev     *ship.Evidence

	found    []ancestry.Commit // beside ev.Candidates; messages dropped
	leases   [][]string        // their Dos-Lease trailers
	reverts  []revert
	boundary []refstore.OID
}

// revert is a commit that undoes others.
type revert struct {
	commit ancestry.Commit // message dropped
	takes  []ship.Taken
}

func (s *shipSearch) run(ctx context.Context) error {
	if err := s.plans(ctx); err != nil {
		return err
	}
	if err := s.walk(ctx); err != nil {
		return err
	}
	s.ev.History = ship.Complete
	if len(s.boundary) > 0 {
		s.ev.History = ship.Shallow
	}
	if len(s.found) == 0 {
		return nil
	}
	if err := s.edges(ctx); err != nil {
		return err
	}
	if err := s.paths(ctx); err != nil {
		return err
	}
	return s.undone(ctx)
}

// plans lists the plan files that share the number the plan is known by.
func (s *shipSearch) plans(ctx context.Context) error {
	number := s.ev.Query.Number()
	if number == "" {
		return nil
	}
	glob := lane.NewScope([]string{s.policy.Paths.PlansGlob})
	for path, err := range ancestry.Files(ctx, s.repo.Git, s.tip) {
		if err != nil {
			return err
		}
		if ship.PlanNumber(path[strings.LastIndexByte(path, '/')+1:]) == number && glob.Contains(path) {
			s.ev.Query.SameNumber = append(s.ev.Query.SameNumber, path)
		}
	}
	return nil
}

func (s *shipSearch) walk(ctx context.Context) error {
	recorded := map[string]bool{}
	for _, e := range s.ev.Ledger {
		if s.ev.Query.Is(e.Plan, e.Phase) {
			recorded[e.Commit] = true
		}
	}
	log := ancestry.Walk(s.repo.Git, s.tip)
	for c, err := range log.Commits(ctx) {
		if err != nil {
			return err
		}
		if takes := ship.Reverts(c.Message); len(takes) > 0 {
			s.reverts = append(s.reverts, revert{bare(c), takes})
		}
		if recorded[string(c.ID)] || s.ev.Query.MayName(c.Message) {
			s.consider(c, recorded[string(c.ID)])
		}
	}
	s.boundary = log.Boundary()
	return nil
}

// bare drops what would make the evidence grow with the messages.
func bare(c ancestry.Commit) ancestry.Commit {
	c.Message, c.Encoding = nil, ""
	return c
}

// maxLease bounds a Dos-Lease trailer worth reading. maxKept bounds what is
// kept of a subject, well above the longest that can stamp.
const (
	maxLease = 200
	maxKept  = 128 << 10
)

// consider keeps a commit that names the unit or that the ledger says does. A
// message with a NUL is not what git shows of it, so it names nothing.
func (s *shipSearch) consider(c ancestry.Commit, recorded bool) {
	candidate := ship.Candidate{ID: string(c.ID)}
	var leases []string
	if bytes.IndexByte(c.Message, 0) < 0 {
		candidate.Subject = c.Subject()
		for _, t := range c.Trailers() {
			switch {
			case strings.EqualFold(t.Key, "Dos-Ship") && s.ev.Query.IsUnit(t.Value):
				candidate.Units = append(candidate.Units, t.Value)
			case strings.EqualFold(t.Key, "Dos-Lease") && len(t.Value) <= maxLease:
				leases = append(leases, t.Value)
			}
		}
	}
	if n := s.ev.Query.Naming(candidate.Subject, candidate.Units); recorded || n != (ship.Naming{}) {
		candidate.Subject = candidate.Subject[:min(len(candidate.Subject), maxKept)]
		s.ev.Candidates = append(s.ev.Candidates, candidate)
		s.found = append(s.found, bare(c))
		s.leases = append(s.leases, leases)
	}
}

// edges marks the candidates that every edge of a shallow history leads to.
func (s *shipSearch) edges(ctx context.Context) error {
	for i := range s.ev.Candidates {
		whole, err := ancestry.ReachesAll(ctx, s.repo.Git, s.found[i].ID, s.boundary)
		if err != nil {
			return err
		}
		s.ev.Candidates[i].Whole = ship.FactOf(whole)
	}
	return nil
}
