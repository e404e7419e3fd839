package admit

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// ref is the ref of a chain, which is the canonical name of a lane or a slot.
func ref(chain string) (string, error) {
	leaf, err := lane.ChainLeaf(chain)
	if err != nil {
		return "", err
	}
	return refstore.Ref("lane", leaf), nil
}

// chainOf is the inverse of ref.
func chainOf(tip refstore.Tip) (string, error) {
	name, ok := refstore.SplitRef(tip.Ref)
	if !ok {
		return "", fmt.Errorf("%w: %s is no lane of git-dos", refstore.ErrBroken, tip.Ref)
	}
	chain, err := lane.Chain(name.Leaf)
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", refstore.ErrBroken, tip.Ref, err)
	}
	return chain, nil
}

// A place is where a lane stands on its authority.
type place struct {
	lane    string
	chain   string        // "" where no chain is the lane's
	current *lease.Record // nil when it was never leased, as far as the chain says
}

// placeOf finds the chain of a lane, or of a slot named as such. A word that has
// become an alias still names the lane that is held under it.
func (d *Desk) placeOf(t lease.Table, word string) (place, error) {
	at := place{lane: word}
	if lane.IsSlot(word) {
		return slotPlace(t, word)
	}
	if _, held := t.Holding(word); !held {
		var err error
		if at.lane, err = d.canonical(word); err != nil {
			return at, err
		}
	}
	var err error
	at.chain, at.current, err = t.Stand(at.lane)
	return at, err
}

func slotPlace(t lease.Table, slot string) (place, error) {
	at := place{lane: slot, chain: slot}
	if err := t.Unread[slot]; err != nil {
		return at, &lease.UnreadError{Chain: slot, Err: err}
	}
	r, ok := t.Chains[slot]
	switch {
	case ok:
		at.current = &r
	case !slices.Contains(t.Torn(), slot):
		at.chain = ""
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
	above, seen, jumped, more := tip.Entry.Gen, 0, false, false
	if above <= known {
		return nil
	}
	err := d.Repo.Chain(ctx, tip.Ref, tip.ID, func(t refstore.Tip) bool {
		if seen == maxSteps {
			more = true
			return false
		}
		seen++
		jumped = t.Entry.Gen > above || t.Entry.Gen+1 < above
		if !jumped {
			above = t.Entry.Gen
		}
		return !jumped && above > known
	})
	switch {
	case err != nil:
		return err
	case more:
		return fmt.Errorf("%s: its newest %d entries, the most that are looked at, do not go back to generation %d, the newest that the order of admissions knows",
			tip.Ref, maxSteps, known)
	case jumped, above > max(known, 1):
		return fmt.Errorf("%s: %w: generation %d does not follow from the entry below generation %d", tip.Ref, lease.ErrRecord, tip.Entry.Gen, above)
	}
	return nil
}
