package facts

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// footprint is what one candidate's paths say, read as they stream past.
type footprint struct {
	unit        *unitSearch
	find        *find
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
	minor := minorOf(s.policy)
	prints := map[refstore.OID][]*footprint{}
	var commits []ancestry.Commit
	for _, u := range s.units {
		for _, f := range u.found {
			if len(prints[f.commit.ID]) == 0 {
				commits = append(commits, f.commit)
			}
			prints[f.commit.ID] = append(prints[f.commit.ID], s.footprint(u, f))
		}
	}
	err := s.look(ctx, minor, prints, commits...)
	if !errors.Is(err, ancestry.ErrMissing) {
		return err
	}
	for id, list := range prints {
		for i, f := range list {
			prints[id][i] = s.footprint(f.unit, f.find)
		}
	}
	for _, c := range commits {
		if err := s.look(ctx, minor, prints, c); err != nil && !errors.Is(err, ancestry.ErrMissing) {
			return err
		}
	}
	return nil
}

// trees holds the SHIP entries to the tree of the commit they name.
func (s *shipSearch) trees(ctx context.Context) error {
	var ids []refstore.OID
	for _, u := range s.units {
		for _, f := range u.found {
			if u.recorded[f.commit.ID] {
				ids = append(ids, f.commit.ID)
			}
		}
	}
	trees := map[string]string{}
	for c, err := range ancestry.Read(ctx, s.repo.Git, ids) {
		if err != nil && (c.ID == "" || !errors.Is(err, ancestry.ErrMissing)) {
			return err
		}
		trees[string(c.ID)] = string(c.Tree)
	}
	for _, u := range s.units {
		for i := range u.ev.Ledger {
			e := &u.ev.Ledger[i]
			if tree, ok := trees[e.Commit]; ok && tree == "" {
				e.Leased = ship.Unknown
			} else if ok && tree != e.CommitTree {
				e.Leased = ship.No
			}
		}
	}
	return nil
}

// look fills the facts of these commits, or none of them.
func (s *shipSearch) look(ctx context.Context, minor minorPaths, prints map[refstore.OID][]*footprint, commits ...ancestry.Commit) error {
	for c, err := range ancestry.Changed(ctx, s.repo.Git, commits...) {
		if err != nil {
			return err
		}
		for _, f := range prints[c.Commit] {
			f.see(c.Path, minor)
		}
	}
	for _, c := range commits {
		for _, f := range prints[c.ID] {
			f.conclude()
		}
	}
	return nil
}

func (f *footprint) conclude() {
	f.find.Substantive = ship.FactOf(f.substantive)
	if f.find.Lane != "" {
		f.find.InTree = ship.FactOf(f.inTree)
	}
	for e := range f.leased {
		f.unit.ev.Ledger[e].Inside = ship.FactOf(!f.outside[e])
	}
}

func (s *shipSearch) footprint(u *unitSearch, found *find) *footprint {
	name, tree := s.laneOf(u, found)
	found.Lane = name
	f := &footprint{unit: u, find: found, inTree: true, tree: lane.NewScope(tree), leased: map[int]lane.Scope{}, outside: map[int]bool{}}
	for e, entry := range u.ev.Ledger {
		if entry.Commit == found.ID {
			f.leased[e] = lane.NewScope(entry.Tree)
		}
	}
	return f
}

// laneOf returns the lane a candidate's unit belongs to and its declared tree;
// an empty lane when none is known or its tree is not declared. [plans] decides
// where it names the plan, since the trunk wrote it; else a SHIP entry of the
// unit for a commit of this history, this commit's first; the commit's own
// Dos-Lease trailer comes last.
func (s *shipSearch) laneOf(u *unitSearch, f *find) (string, []string) {
	for _, plan := range slices.Sorted(maps.Keys(s.policy.Plans)) {
		if strings.EqualFold(plan, u.ev.Query.Plan) {
			return s.declared(s.policy.Plans[plan])
		}
	}
	word := ""
	for _, e := range u.ev.Ledger {
		mine := e.Commit == f.ID
		if mine || word == "" && u.ids[refstore.OID(e.Commit)] {
			word = e.Lane
		}
		if mine {
			break
		}
	}
	if word == "" && len(f.leases) == 1 {
		word, _, _ = strings.Cut(f.leases[0], "@")
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

func minorOf(p policy.Policy) minorPaths {
	return newMinorPaths(slices.Concat(p.Ship.ReleasePaths, p.Ship.LedgerPaths, p.Ship.PlanPaths))
}

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
