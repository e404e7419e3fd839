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
	return fmt.Sprintf("%s cannot be read, and what it holds may stand against this: %v", ChainName(e.Chain), e.Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }

// unreadChains lists the chains that cannot be read, in name order.
func (t Table) unreadChains() []string { return slices.Sorted(maps.Keys(t.Unread)) }

// mute reports whether the order does not say what its unreadable chains hold:
// one of an older layout, or one that is missing. A chain that is there may then
// have been leased.
func (t Table) mute() bool { return t.Order.Newest == nil }

// An Unread is a chain whose record cannot be read, as the lease that stands there
// at most.
type Unread struct {
	Chain      string
	lane.Lease // Lane is "" where a slot does not say whose it is
}

// Unreadable is the lease of a lane that a node has for its workers, when what it
// granted on it cannot be read.
func (r Record) Unreadable(err error) lane.Lease {
	l := r.asLive()
	l.Unreadable = err.Error()
	return l
}

// Unreadable lists the chains that cannot be read, in name order. One that the
// order knows nobody on is in the way of its name alone.
func (t Table) Unreadable() []Unread {
	var all []Unread
	for _, chain := range t.unreadChains() {
		g := t.Order.Lanes[chain]
		l := lane.Lease{Lane: g.lane(chain), State: lane.Held, Unreadable: t.Unread[chain].Error()}
		switch {
		case t.mute():
		case g.Kind == "" || g.Rides != "":
			l.NameOnly = true // of a claim inside a lease, that lease is what others meet
		default:
			l.Kind, l.Tree = g.Kind, g.Tree
			l.Exclusive = Record{LaneKind: g.Kind}.exclusive()
		}
		if lane.IsSlot(l.Lane) {
			l.Lane = ""
		}
		all = append(all, Unread{chain, l})
	}
	return all
}

// unreadLive are the unreadable chains as evidence. A slot that nobody is on is in
// nobody's way: its last lane is free to be had on another.
func (t Table) unreadLive() []lane.Lease {
	var live []lane.Lease
	for _, u := range t.Unreadable() {
		if u.NameOnly && lane.IsSlot(u.Chain) {
			continue
		}
		if u.Lane == "" {
			u.Lane = u.Chain
		}
		live = append(live, u.Lease)
	}
	return live
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
