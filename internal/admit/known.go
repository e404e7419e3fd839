package admit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
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

// unknownLane is the error of a lane that s has no record of. To a caller who
// offers an identity that no other lane has, the lane is not unknown but over:
// what is left of one that is not declared is a slot, and slots are used again.
func (d *Desk) unknownLane(name string, s refstore.Snapshot, id lease.Identity) error {
	e := &UnknownLaneError{Lane: name, Known: d.Declared()}
	for _, tip := range s.List("lane") {
		r, err := record(tip)
		if err != nil || r.Slot != "" && r.State == lane.Free {
			continue
		}
		e.Known = append(e.Known, r.Lane)
		if r.State != lane.Free && id.Owns(r) {
			e.Held = append(e.Held, r.Lane)
		}
	}
	if id != (lease.Identity{}) && len(e.Held) == 0 {
		return nil
	}
	held, _ := d.RecallAll() // for a hint only
	for _, h := range held {
		e.Held = append(e.Held, h.Lane)
	}
	for _, list := range []*[]string{&e.Known, &e.Held} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return e
}

// lookFor is look for a verb about one lane. A lane that is not there is looked
// for once more, in a fresh read of the lanes and of the rules, before it is an
// *UnknownLaneError.
func (d *Desk) lookFor(ctx context.Context, name string, cached bool) (refstore.Snapshot, place, error) {
	s, err := d.look(ctx, cached)
	if err != nil {
		return s, place{}, err
	}
	at, err := d.placeIn(ctx, s, name)
	if err != nil || d.accounted(at, name) {
		return s, at, err
	}
	if d.remote != nil && !cached {
		if err := d.Refresh(ctx, true); err != nil {
			return s, at, err
		}
		if s, err = d.look(ctx, true); err != nil {
			return s, at, err
		}
		if at, err = d.placeIn(ctx, s, name); err != nil || d.accounted(at, name) {
			return s, at, err
		}
	}
	return s, at, d.unknownLane(name, s, lease.Identity{})
}

// placeIn finds a lane for a reader, who shows what the chain says also where
// the order cannot be read.
func (d *Desk) placeIn(ctx context.Context, s refstore.Snapshot, name string) (place, error) {
	t, _ := d.table(ctx, s)
	if ctx.Err() != nil {
		return place{}, context.Cause(ctx)
	}
	return stand(t, name)
}

func (d *Desk) accounted(at place, name string) bool {
	return at.chain != "" || d.declared(name)
}
