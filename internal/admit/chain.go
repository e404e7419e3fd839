package admit

import (
	"context"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// ref is the ref of a chain, which is the canonical name of a lane or a slot.
func ref(chain string) (string, error) {
	if lane.IsSlot(chain) {
		return refstore.Ref("lane", chain), nil
	}
	leaf, err := lane.Leaf(chain)
	if err != nil {
		return "", err
	}
	return refstore.Ref("lane", leaf), nil
}

// chainOf is the inverse of ref.
func chainOf(tip refstore.Tip) (string, error) {
	name, ok := refstore.SplitRef(tip.Ref)
	switch {
	case !ok:
		return "", fmt.Errorf("%w: %s is no lane of git-dos", refstore.ErrBroken, tip.Ref)
	case lane.IsSlot(name.Leaf):
		return name.Leaf, nil
	}
	chain, err := lane.FromLeaf(name.Leaf)
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", refstore.ErrBroken, tip.Ref, err)
	}
	return chain, nil
}

// A place is where a lane stands on its authority.
type place struct {
	chain   string        // "" where no chain is the lane's
	current *lease.Record // nil when it was never leased, as far as the chain says
}

// stand finds the chain of a lane, or of a slot named as such.
func stand(t lease.Table, name string) (place, error) {
	if !lane.IsSlot(name) {
		chain, current, err := t.Stand(name)
		return place{chain, current}, err
	}
	at := place{chain: name}
	if err := t.Unread[name]; err != nil {
		return at, &lease.UnreadError{Chain: name, Err: err}
	}
	if r, ok := t.Lanes[name]; ok {
		at.current = &r
	}
	return at, nil
}

// recordAt reads the record at the tip of a chain. What the order says of it
// must bear it out: an admission of that generation is of that lane and tree,
// and a later generation was reached step by step.
func (d *Desk) recordAt(ctx context.Context, tip refstore.Tip, order lease.Order) (lease.Record, error) {
	r, err := record(tip)
	if err == nil {
		err = order.Vouch(r)
	}
	if err == nil {
		err = d.steps(ctx, tip, order.Lanes[r.Chain()].Gen)
	}
	return r, err
}

// maxSteps bounds how much of a chain is looked at for its generations. Only
// what was never admitted lies above the generation that the order has.
const maxSteps = 4096

// steps checks the generations above the one that the order knows: each entry
// has that of the entry below it, or one more, and the first entry has the
// first. A lane that is not ahead of the order is as the order says.
func (d *Desk) steps(ctx context.Context, tip refstore.Tip, known uint64) error {
	above, seen, jumped := tip.Entry.Gen, 0, false
	if above <= known {
		return nil
	}
	err := d.Repo.Chain(ctx, tip.Ref, tip.ID, func(t refstore.Tip) bool {
		seen++
		jumped = t.Entry.Gen > above || t.Entry.Gen+1 < above
		if !jumped {
			above = t.Entry.Gen
		}
		return !jumped && above > known && seen < maxSteps
	})
	switch {
	case err != nil:
		return err
	case jumped, above > max(known, 1):
		return fmt.Errorf("%s: %w: generation %d does not follow from the entry below generation %d", tip.Ref, lease.ErrRecord, tip.Entry.Gen, above)
	}
	return nil
}
