package lane

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Ridden is a lane that is held already and divided among its holder's
// workers.
type Ridden struct {
	Lane string
	Tree []string // what the lease holds
}

// clean is the ridden lane in canonical form; nil for none.
func (l *Ridden) clean() (*Ridden, error) {
	if l == nil {
		return nil, nil
	}
	name, err := Canonical(l.Lane)
	if err != nil {
		return nil, err
	}
	tree, err := CleanTree(l.Tree)
	if err != nil {
		return nil, fmt.Errorf("lane %s: %w", verdict.Show(name), err)
	}
	if len(tree) == 0 {
		return nil, fmt.Errorf("lane %s has no tree to divide", verdict.Show(name))
	}
	return &Ridden{Lane: name, Tree: tree}, nil
}

// readWithin reads a worker of a ridden lane. It may name that lane or none.
func (w *priced) readWithin(in PriceWorker, r Roster, within Ridden) error {
	w.Lane, w.Source, w.Tree = within.Lane, SourceLane, within.Tree
	if in.Lane != "" {
		name, err := r.canonical(in.Lane)
		if err != nil {
			return err
		}
		if name != within.Lane {
			return fmt.Errorf("its lane is %s, and lane %s is the one divided", verdict.Show(name), verdict.Show(within.Lane))
		}
	}
	tree, err := CleanTree(in.Tree)
	if err != nil || len(tree) == 0 {
		return err
	}
	w.Source, w.Tree = SourceInput, tree
	if !NewScope(within.Tree).holdsAll(tree) {
		w.block(outsideLane(tree, within.Lane, within.Tree), AdviceNarrowToLane)
	}
	return nil
}
