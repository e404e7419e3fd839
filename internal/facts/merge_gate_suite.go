package facts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/suite"
	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/mergegate"
	"github.com/git-dos/git-dos/refstore"
)

// runs merges the two sides in a place of its own and runs the suite there.
func (g *mergeGate) runs(ctx context.Context) (err error) {
	space, err := suite.Open(g.repo)
	if err != nil {
		return err
	}
	defer space.CloseWith(&err)
	tree, on, err := g.merged(ctx, space)
	if err != nil || g.ev.Conflict || g.req.NoSuite {
		return err
	}
	command := g.into.policy.Gates.CompileCommand
	if len(command) > 0 {
		if g.ev.Suite, err = g.run(ctx, space, tree, on); err != nil {
			return err
		}
	}
	if g.req.TestWitness {
		return g.witness(ctx, space, tree, on)
	}
	return nil
}

// merged is the tree that the merge would have. Where the branch holds the
// other side, that is its own; so it is where git is too old to merge here, and
// then whether it conflicts is found out by the merge itself.
func (g *mergeGate) merged(ctx context.Context, space *suite.Space) (refstore.OID, mergegate.TreeOf, error) {
	if g.base == g.into.id {
		return g.tip, mergegate.OnCandidate, nil
	}
	m, err := space.Merge(ctx, g.into.id, g.tip)
	switch {
	case errors.Is(err, suite.ErrCannotMerge):
		return g.tip, mergegate.OnCandidate, nil
	case err != nil:
		return "", "", err
	}
	g.ev.Conflict, g.ev.Conflicts = !m.Clean, m.Conflicts[:min(len(m.Conflicts), mergegate.MaxListed)]
	return m.Tree, mergegate.OnMerge, nil
}

func (g *mergeGate) run(ctx context.Context, space *suite.Space, tree refstore.OID, on mergegate.TreeOf) (mergegate.Suite, error) {
	gates := g.into.policy.Gates
	r, err := space.Run(ctx, tree, gates.CompileCommand, gates.CompileTimeout)
	if err != nil {
		return mergegate.Suite{}, err
	}
	return mergegate.Suite{
		Ran: true, Command: r.Command, Exit: r.Exit, TimedOut: r.TimedOut, Tree: string(r.Tree), On: on,
		Seconds: r.Took.Round(time.Millisecond).Seconds(), Submodules: r.Submodules, Output: r.Output, Cut: r.Cut,
	}, nil
}

// witness runs the suite on the tree that the branch began with, or on the other
// side's where the two were merged, with the tests of the branch laid over it,
// and compares.
func (g *mergeGate) witness(ctx context.Context, space *suite.Space, tree refstore.OID, on mergegate.TreeOf) error {
	from := g.base
	if on == mergegate.OnMerge {
		from = g.into.id
	}
	changes, err := space.Changes(ctx, from, tree)
	if err != nil {
		return err
	}
	var files []audit.File
	for _, c := range changes {
		files = append(files, audit.File{Path: c.Path})
	}
	tests := audit.Audit(audit.Change{Files: files}).TestFiles
	isTest := map[string]bool{}
	for _, path := range tests {
		isTest[path] = true
	}
	var baseline *mergegate.Suite
	if len(tests) > 0 && g.ev.Suite.Ran {
		laid, err := space.Overlay(ctx, from, slices.DeleteFunc(changes, func(c suite.Change) bool { return !isTest[c.Path] }))
		if err != nil {
			return err
		}
		s, err := g.run(ctx, space, laid, mergegate.OnBaseline)
		if err != nil {
			return err
		}
		baseline = &s
	}
	w := mergegate.Witness(tests, baseline, g.ev.Suite)
	w.Tests = w.Tests[:min(len(w.Tests), mergegate.MaxListed)]
	g.ev.Test = &w
	return nil
}
