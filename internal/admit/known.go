package admit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
)

// An UnknownLaneError means that a lane is neither declared nor held, and that
// no slot says it was held last, so that its name is probably a slip. It is no
// answer about a lane.
type UnknownLaneError struct {
	Lane  string
	Known []string // the lanes that are declared or held, in name order
	Held  []string // those among them that this worktree took
}

func (e *UnknownLaneError) Error() string {
	return fmt.Sprintf("no lane %q is declared or held", e.Lane)
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
		if r, err := record(tip); err == nil && (r.Slot == "" || r.State != lane.Free) {
			e.Known = append(e.Known, r.Lane)
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
func (d *Desk) lookFor(ctx context.Context, name string, cached bool) (view, place, error) {
	v, at, err := d.lookOnce(ctx, name, cached)
	if err != nil || d.accounted(at) {
		return v, at, err
	}
	if d.remote != nil && !cached {
		if err := d.Refresh(ctx, true); err != nil {
			return v, at, err
		}
		if v, at, err = d.lookOnce(ctx, name, true); err != nil || d.accounted(at) {
			return v, at, err
		}
	}
	return v, at, d.unknownLane(at.lane, v.snapshot)
}

func (d *Desk) lookOnce(ctx context.Context, name string, cached bool) (view, place, error) {
	s, err := d.look(ctx, cached)
	if err != nil {
		return view{}, place{}, err
	}
	v, err := d.viewOf(ctx, s)
	if err != nil {
		return v, place{}, err
	}
	at, err := d.placeOf(v.table, name)
	return v, at, err
}

func (d *Desk) accounted(at place) bool {
	return at.chain != "" || d.declared(at.lane)
}
