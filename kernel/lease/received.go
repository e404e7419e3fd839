package lease

import (
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Received is what a push would do to the chains of the authority that it is sent
// to, and what that authority has.
type Received struct {
	Before Table                  // what stands before the push
	Lanes  map[string][]LaneEntry // what it puts on each chain, oldest first
	Order  []OrderEntry           // and on the order
	Blind  bool                   // one ref of the push is seen, and not the others

	// Reached tells whether what a SHIP entry says was pushed is on its branch once
	// the push has landed.
	Reached map[Reach]bool
}

// A Reach is a commit that is to be on a branch.
type Reach struct{ Ref, Commit string }

// Judge finds what is wrong with a push: at most one breach a chain, and what the
// order and the lanes do not bear out of each other. It finds none in what clients
// of this protocol write, in any of their flows: an admission, the takeover of a
// lapsed lease (a SCAVENGE, and the admission on top of it), force, waiting, parking,
// delegations, the end of what a crash has left, and chains that are given back to a
// server which lost them.
//
// Whether a lease has lapsed is not judged, and neither is whether trees overlap: a
// SCAVENGE is as good as the word of whoever sends it, and is on the chain for ever.
func (p Received) Judge() []Breach {
	var all []Breach
	add := func(b *Breach) {
		if b != nil {
			all = append(all, *b)
		}
	}
	order := p.Before.Order
	for _, e := range p.Order {
		if b := StepOrder(order, e); b != nil {
			add(b)
			break
		}
		order = e.Order
	}
	after := p.after(order)
	for _, chain := range slices.Sorted(maps.Keys(p.Lanes)) {
		add(p.chain(chain, order).on(chain))
		add(p.mounted(chain, after).on(chain))
	}
	if p.Blind || len(all) > 0 {
		return all
	}
	for _, chain := range slices.Sorted(maps.Keys(order.Lanes)) {
		add(p.borneOut(chain, after).on(chain))
	}
	add(p.bookings(after))
	return all
}

// after is the table once the push has landed.
func (p Received) after(order Order) Table {
	t := Table{Chains: maps.Clone(p.Before.Chains), Unread: maps.Clone(p.Before.Unread), Order: order}
	if t.Chains == nil {
		t.Chains = map[string]Record{}
	}
	for chain, entries := range p.Lanes {
		if len(entries) > 0 {
			t.Chains[chain] = entries[len(entries)-1].Record
			delete(t.Unread, chain)
		}
	}
	return t
}

// known is what the order knows of a chain, before the push and with it.
func (p Received) known(chain string) Known {
	k := Known{Had: p.Before.Order.Lanes[chain], Blind: p.Blind}
	last := k.Had
	for _, e := range p.Order {
		if g := e.Order.Lanes[chain]; g.Gen != last.Gen || g.Nonce != last.Nonce {
			k.Since, last = append(k.Since, g), g
		}
	}
	return k
}

// chain judges the entries of one lane's chain, and that its last lease was
// admitted.
func (p Received) chain(chain string, order Order) *Breach {
	if err := p.Before.Unread[chain]; err != nil {
		return breach(CannotJudge, fixUnread, "what stands there cannot be read: %v", err)
	}
	var before *Record
	if r, ok := p.Before.Chains[chain]; ok {
		before = &r
	}
	k, admits := p.known(chain), false
	for _, e := range p.Lanes[chain] {
		if b := Step(before, e, k); b != nil {
			return b
		}
		if b := p.shipped(e); b != nil {
			return b
		}
		before, admits = &e.Record, admits || laneOps()[e.Op].admits
	}
	if admits && !p.Blind && before.State != lane.Free && !order.admits(*before) {
		return breach(LaneWithoutOrder, fixAgain, "generation %d is admitted, and the order of admissions does not say so in the same push", before.Gen)
	}
	return nil
}

// mounted holds the claims that are admitted inside a lease to that: its chain has
// come to it, and is no claim itself. It may have ended since they were decided on,
// and then so have they.
func (p Received) mounted(chain string, after Table) *Breach {
	for _, e := range p.Lanes[chain] {
		m := e.Record.Rides
		if m == nil || !laneOps()[e.Op].admits || p.Blind {
			continue
		}
		r, ok := after.Chains[m.chain()]
		switch err := after.Unread[m.chain()]; {
		case err != nil:
			return breach(CannotJudge, fixUnread, "what stands on the lane that it rides cannot be read: %v", err)
		case !ok || r.Rides != nil || r.Gen < m.Gen || r.Gen == m.Gen && (r.Nonce != m.stands() || m.Through != "" && r.State == lane.Held && !r.Delegate):
			return breach(RideWithoutLease, fixAgain, "it rides generation %d of lane %s, which is not there", m.Gen, m.Lane)
		}
	}
	return nil
}

// shipped holds a SHIP entry to the branch it names.
func (p Received) shipped(e LaneEntry) *Breach {
	if s := e.Record.Ship; e.Op == OpShip && !p.Blind && !p.Reached[Reach{s.Ref, s.New}] {
		return breach(ForgedShip, fixPush, "it says that %.12s was pushed to %.100q, which does not hold it", s.New, s.Ref)
	}
	return nil
}

// borneOut holds what the order newly says of a chain to what stands there.
func (p Received) borneOut(chain string, after Table) *Breach {
	was, is := p.Before.Order.Lanes[chain], after.Order.Lanes[chain]
	if len(p.Order) == 0 || equalGrant(was, is) {
		return nil
	}
	r, ok := after.Chains[chain]
	same := was.Gen == is.Gen && was.Nonce == is.Nonce
	switch {
	case after.Unread[chain] != nil && same && was.Kind == is.Kind && len(is.Tree) == 0:
		return nil // only the trees were left out
	case after.Unread[chain] != nil:
		return breach(CannotJudge, fixUnread, "what stands there cannot be read: %v", after.Unread[chain])
	case !ok || r.Gen < is.Gen || r.State != lane.Free && r.Gen == is.Gen && r.Nonce != is.Nonce:
		return breach(OrderWithoutLane, fixAgain, "the order says that generation %d is admitted or ended, and the lane does not show it", is.Gen)
	case r.Gen > is.Gen || r.Nonce != is.Nonce || r.State == lane.Free && is.Kind == "":
		return nil // it is over
	case !grantOf(r).covers(is):
		return breach(OrderWithoutLane, fixAgain, "the order has another kind, tree, unit or seat than the lane under generation %d", is.Gen)
	}
	return nil
}

func equalGrant(a, b Grant) bool {
	return a.Gen == b.Gen && a.Nonce == b.Nonce && a.Lane == b.Lane && a.Kind == b.Kind && a.Unit == b.Unit && a.Seat == b.Seat && a.Rides == b.Rides && slices.Equal(a.Tree, b.Tree)
}

// covers reports whether what the order says of a lease is what it is, but for a
// tree that is too long for the order.
func (g Grant) covers(is Grant) bool {
	if len(is.Tree) == 0 {
		g.Tree = nil
	}
	if is.Rides == "" {
		g.Rides = "" // of a version that does not know it
	}
	return equalGrant(g, is)
}

// bookings finds a unit or a seat that the push takes from a lease which lives.
func (p Received) bookings(after Table) *Breach {
	if len(p.Order) == 0 {
		return nil
	}
	for _, what := range []string{bookUnit, bookSeat} {
		is := after.Order.bookings(what)
		for key, b := range p.Before.Order.bookings(what) {
			if is[key].Nonce == b.Nonce {
				continue
			}
			for _, chain := range after.chains() {
				if r := after.Chains[chain]; r.State != lane.Free && r.Nonce == b.Nonce && sameKey(r.books(what), key) {
					return breach(LiveBooking, fixAgain, "%s has %s %.100q, and the order gives it to nobody or to another", r.Holder, what, key)
				}
			}
		}
	}
	return nil
}
