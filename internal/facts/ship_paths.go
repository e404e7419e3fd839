package facts

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// footprint is what one candidate's paths say, read as they stream past.
type footprint struct {
	substantive bool
	inTree      bool
	tree        lane.Scope
	leased      map[int]lane.Scope // by index of the ledger entry
	outside     map[int]bool
}

func (f *footprint) see(path string, minor minorPaths) {
	f.substantive = f.substantive || !minor.has(path)
	f.inTree = f.inTree && f.tree.Contains(path)
	for i, tree := range f.leased {
		if !tree.Contains(path) {
			f.outside[i] = true
		}
	}
}

// paths looks up what the candidates changed, all in one pass; where that
// fails, one by one, so that one unreadable commit leaves the others known.
func (s *shipSearch) paths(ctx context.Context) error {
	minor := newMinorPaths(slices.Concat(s.policy.Ship.ReleasePaths, s.policy.Ship.LedgerPaths, s.policy.Ship.PlanPaths))
	all := make([]int, len(s.found))
	for i := range s.found {
		all[i] = i
		s.ev.Candidates[i].Lane, _ = s.laneOf(i)
	}
	err := s.look(ctx, minor, all...)
	if !errors.Is(err, ancestry.ErrMissing) {
		return err
	}
	for _, i := range all {
		if err := s.look(ctx, minor, i); err != nil && !errors.Is(err, ancestry.ErrMissing) {
			return err
		}
	}
	return nil
}

// look fills the facts of the candidates at these indices, or none of them.
func (s *shipSearch) look(ctx context.Context, minor minorPaths, indices ...int) error {
	prints := map[refstore.OID]*footprint{}
	var commits []ancestry.Commit
	for _, i := range indices {
		commits = append(commits, s.found[i])
		prints[s.found[i].ID] = s.footprintOf(i)
	}
	for c, err := range ancestry.Changed(ctx, s.repo.Git, commits...) {
		if err != nil {
			return err
		}
		prints[c.Commit].see(c.Path, minor)
	}
	for _, i := range indices {
		f := prints[s.found[i].ID]
		c := &s.ev.Candidates[i]
		c.Substantive = ship.FactOf(f.substantive)
		if c.Lane != "" {
			c.InTree = ship.FactOf(f.inTree)
		}
		for e := range f.leased {
			s.ev.Ledger[e].Inside = ship.FactOf(!f.outside[e])
		}
	}
	return nil
}

func (s *shipSearch) footprintOf(i int) *footprint {
	_, tree := s.laneOf(i)
	f := &footprint{inTree: true, tree: lane.NewScope(tree), leased: map[int]lane.Scope{}, outside: map[int]bool{}}
	for e, entry := range s.ev.Ledger {
		if entry.Commit == string(s.found[i].ID) && s.ev.Query.Is(entry.Plan, entry.Phase) {
			f.leased[e] = lane.NewScope(entry.Tree)
		}
	}
	return f
}

// laneOf returns the lane a candidate's unit belongs to and its declared tree;
// an empty lane when none is known or its tree is not declared. [plans] decides
// where it names the plan, since the trunk wrote it; else a SHIP entry of the
// unit, this commit's first; the commit's own Dos-Lease trailer comes last.
func (s *shipSearch) laneOf(i int) (string, []string) {
	for _, plan := range slices.Sorted(maps.Keys(s.policy.Plans)) {
		if strings.EqualFold(plan, s.ev.Query.Plan) {
			return s.declared(s.policy.Plans[plan])
		}
	}
	word := ""
	for _, e := range s.ev.Ledger {
		mine := e.Commit == string(s.found[i].ID)
		if s.ev.Query.Is(e.Plan, e.Phase) && (word == "" || mine) {
			word = e.Lane
			if mine {
				break
			}
		}
	}
	if word == "" && len(s.leases[i]) == 1 {
		word, _, _ = strings.Cut(s.leases[i][0], "@")
	}
	return s.declared(word)
}

func (s *shipSearch) declared(word string) (string, []string) {
	name, _ := s.policy.Lane(word)
	tree := s.policy.Tree(name)
	if word == "" || len(tree) == 0 {
		return "", nil
	}
	return name, tree
}

// minorPaths are the globs of paths that ship nothing by themselves, compared
// without regard to case.
type minorPaths []lane.Scope

func newMinorPaths(globs []string) minorPaths {
	const atOnce = 500 // a scope of very many entries would hold nothing
	var m minorPaths
	for part := range slices.Chunk(globs, atOnce) {
		folded := make([]string, len(part))
		for i, g := range part {
			folded[i] = strings.ToLower(g)
		}
		m = append(m, lane.NewScope(folded))
	}
	return m
}

func (m minorPaths) has(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc(m, func(s lane.Scope) bool { return s.Contains(path) })
}
