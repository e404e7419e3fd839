package admit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
)

// An UnknownLaneError means that a lane is neither declared nor was ever
// leased, so that its name is probably a slip. It is no answer about a lane.
type UnknownLaneError struct {
	Lane  string
	Known []string // the lanes that are declared or were leased, in name order
	Held  []string // those among them that this worktree took
}

func (e *UnknownLaneError) Error() string {
	return fmt.Sprintf("no lane %q is declared or was ever leased", e.Lane)
}

// Declared lists the lanes that the rules declare, by canonical name.
func (d *Desk) Declared() []string {
	p := d.Rules.Policy.Lanes
	var names []string
	for _, name := range slices.Concat(p.Concurrent, p.Exclusive, p.Autopick, slices.Collect(maps.Keys(p.Trees))) {
		if folded, err := lane.Canonical(name); err == nil {
			names = append(names, folded)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// declared reports whether a lane exists without ever having been leased. The
// name is canonical.
func (d *Desk) declared(name string) bool {
	_, known := d.Rules.Policy.Lane(name)
	return known || lane.Reserved(name)
}

// unknownLane is the error of a lane that s has no record of.
func (d *Desk) unknownLane(name string, s refstore.Snapshot) error {
	e := &UnknownLaneError{Lane: name, Known: d.Declared()}
	for _, tip := range s.List("lane") {
		if leased, err := nameOf(tip); err == nil {
			e.Known = append(e.Known, leased)
		}
	}
	slices.Sort(e.Known)
	e.Known = slices.Compact(e.Known)
	held, _ := d.RecallAll() // for a hint only
	for _, h := range held {
		e.Held = append(e.Held, h.Lane)
	}
	return e
}

// lookFor is look for a verb about one lane. A lane that is not there is looked
// for once more, in a fresh read of the lanes and of the rules, before it is an
// *UnknownLaneError.
func (d *Desk) lookFor(ctx context.Context, name, target string, cached bool) (refstore.Snapshot, error) {
	s, err := d.look(ctx, cached)
	if err != nil || d.accounted(s, name, target) {
		return s, err
	}
	if d.remote != nil && !cached {
		if err := d.Refresh(ctx, true); err != nil {
			return s, err
		}
		if s, err = d.look(ctx, true); err != nil || d.accounted(s, name, target) {
			return s, err
		}
	}
	return s, d.unknownLane(name, s)
}

func (d *Desk) accounted(s refstore.Snapshot, name, target string) bool {
	tip := s.Tip(target)
	return tip.ID != "" || tip.Err != nil || d.declared(name)
}
