package lease

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// An UnreadError means that nothing can be decided because of a chain whose
// record cannot be read.
type UnreadError struct {
	Chain string
	Err   error
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("lane %s cannot be read, and what it holds may stand against this: %v", e.Chain, e.Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }

// unreadChains lists the chains that cannot be read, in name order.
func (t Table) unreadChains() []string { return slices.Sorted(maps.Keys(t.Unread)) }

// mute reports whether the order does not say what its unreadable chains hold:
// one of an older layout, or one that is missing where lanes have been leased.
func (t Table) mute() bool {
	return t.Order.Newest == nil && (t.Order.Seq > 0 || len(t.Lanes) > 0)
}

// unreadLive is what the unreadable chains hold at most. One that the order knows
// nobody on holds nothing but its own name.
func (t Table) unreadLive() []lane.Lease {
	var live []lane.Lease
	for _, chain := range t.unreadChains() {
		g := t.Order.Lanes[chain]
		l := lane.Lease{Lane: g.lane(chain), State: lane.Held, Unreadable: t.Unread[chain].Error()}
		switch {
		case t.mute():
		case g.Kind == "":
			continue
		default:
			l.Kind, l.Tree = g.Kind, g.Tree
			l.Exclusive = Record{LaneKind: g.Kind}.exclusive()
		}
		live = append(live, l)
	}
	return live
}

// unreadNames is what keeps an auto-pick from lanes whose own chain is unreadable
// and holds nothing.
func (t Table) unreadNames() []lane.Lease {
	var names []lane.Lease
	for _, chain := range t.unreadChains() {
		if !lane.IsSlot(chain) && t.Order.Lanes[chain].Kind == "" && !t.mute() {
			names = append(names, lane.Lease{Lane: chain, State: lane.Held, Unreadable: t.Unread[chain].Error(), NameOnly: true})
		}
	}
	return names
}

// unreadNamed is an *UnreadError when the chain of a lane cannot be read.
func (t Table) unreadNamed(name string) error {
	for _, chain := range t.unreadChains() {
		if g := t.Order.Lanes[chain]; chain == name || g.Kind != "" && g.lane(chain) == name {
			return &UnreadError{chain, t.Unread[chain]}
		}
	}
	return nil
}

// undecided turns the lack of a verdict into the error that says why.
func (t Table) undecided(k lane.Verdict) error {
	err := k.Err()
	if !errors.Is(err, lane.ErrUnreadable) {
		return err
	}
	for _, chain := range t.unreadChains() {
		if t.Order.Lanes[chain].lane(chain) == k.ConflictLane {
			return &UnreadError{chain, t.Unread[chain]}
		}
	}
	return &UnreadError{k.ConflictLane, err}
}
