package lease

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
)

// checkRide is I4: the trunk moves only under a lease that is current.
func (w *world) checkRide(t *transaction) {
	lanes := 0
	for _, m := range t.moves {
		if m.ref == trunkName {
			continue
		}
		lanes++
		ship := mustRecord(m.ref, m.new)
		cur := w.refs[m.ref]
		if cur == nil {
			w.fail("I4: trunk rides on lane %s, which was never leased", m.ref)
			return
		}
		now := mustRecord(m.ref, cur)
		if b, ok := w.beliefs[lotOf(now)]; now.State != lane.Held || now.Nonce != ship.Nonce || !w.rules.timed && (!ok || b.who != t.who) {
			w.fail("I4: trunk rides on lane %s of client %d, which holds nonce %q (%s) and not %q", m.ref, t.who, now.Nonce, now.State, ship.Nonce)
		}
	}
	if lanes == 0 {
		w.fail("I4: trunk rides on no lane")
	}
}

// apply moves one ref, by one entry or several, and checks what it means.
func (w *world) apply(t *transaction, m move) {
	old := w.refs[m.ref]
	var entries []*node
	n := m.new
	for ; n != nil && n != old && len(entries) < 4; n = n.parent {
		entries = append(entries, n)
	}
	if n != old {
		w.fail("I2: %s moved to an entry that does not follow its tip", m.ref)
	}
	for _, n := range slices.Backward(entries) {
		if old != nil && (n.gen < old.gen || (n.op == OpAcquire || n.op == OpDelegate) && n.gen == old.gen) {
			w.fail("I3: %s went from generation %d to %d by %s", m.ref, old.gen, n.gen, n.op)
		}
		w.refs[m.ref], old = n, n
		if w.realm != nil {
			w.realm.landed(t, m, n)
			continue
		}
		w.tellOf(t.who, m.ref, n)
		switch m.ref {
		case trunkName:
		case orderName:
			w.ordered(t)
		default:
			w.moved(t, n.op, mustRecord(m.ref, n))
		}
	}
}

// tellOf tells of an entry that has landed.
func (w *world) tellOf(who int, ref string, n *node) {
	switch ref {
	case trunkName:
		w.tell("client %d moved the trunk", who)
	case orderName:
		w.tell("client %d: %s, number %d in the order", who, n.op, n.gen)
	default:
		r := mustRecord(ref, n)
		w.tell("client %d: %s %s on %s g%d nonce %s, now %s, renewed %s %s", who, n.op, r.Lane, ref, r.Gen, short(r.Nonce), r.State, r.RenewedAt.Format("15:04:05"), r.Reason)
	}
}

// ordered checks what an entry in the order does to the leases of others: only
// force takes an admission away.
func (w *world) ordered(t *transaction) {
	o := w.order()
	for _, at := range w.believed() {
		if b := w.beliefs[at]; overrules(o, b.Record) && !b.overruled {
			forced := slices.ContainsFunc(t.moves, func(m move) bool { return m.ref == at.chain && m.forces(w.works(b)) })
			if !forced && !t.dismounts(b.Record) {
				w.fail("lease %s of client %d on lane %s taken out of the order by client %d", at.nonce, b.who, b.Lane, t.who)
			}
			b.overruled = true
			w.beliefs[at] = b
		}
	}
}

// overrules reports whether the order has given the lease's chain to another.
func overrules(o Order, r Record) bool {
	g := o.Lanes[r.Chain()]
	return g.Gen > r.Gen || g.Gen == r.Gen && g.Nonce != r.Nonce
}

// order is the order as it stands.
func (w *world) order() Order {
	n := w.refs[orderName]
	if n == nil {
		return Order{}
	}
	o, err := ParseOrder(n.gen, n.data)
	if err != nil {
		panic(err)
	}
	return o
}

// forces reports whether a move ends a lease by force or, where its holder does not
// work any more, because it has lapsed.
func (m move) forces(works bool) bool {
	for n := m.new; n != m.expect && n != nil; n = n.parent {
		if n.op == OpScavenge && (!works || !lapsed(mustRecord(m.ref, n))) {
			return true
		}
	}
	return false
}

// lapsed reports whether an entry ended a lease because it had lapsed, and not by an
// operator's word.
func lapsed(r Record) bool { return strings.HasPrefix(r.Reason, "lapsed: ") }

// moved checks what an entry on a chain does to the leases of others.
func (w *world) moved(t *transaction, op string, r Record) {
	for _, at := range w.believed() {
		b := w.beliefs[at]
		if at.chain != r.Chain() || r.State != lane.Free && r.Nonce == at.nonce {
			continue
		}
		scavenged := op == OpScavenge && (!lapsed(r) || !w.works(b) || b.overruled)
		if byRight := scavenged || op == OpRelease && b.who == t.who || t.dismounts(b.Record); !byRight {
			w.fail("lease %s of client %d on lane %s ended by %s of client %d", at.nonce, b.who, b.Lane, op, t.who)
		}
		delete(w.beliefs, at)
	}
	w.unhorse(r)
	if r.State == lane.Free {
		w.ended[admission{r.Chain(), r.Gen, r.Nonce}] = true
		return
	}
	if w.abandoned[lotOf(r)] || w.given[r.Nonce] {
		w.fail("I5: lane %s is held under nonce %s, which its acquirer gave up", r.Lane, r.Nonce)
	}
	if all, told := w.complete[r.Nonce]; told && !all[lotOf(r)] {
		w.fail("I5: lane %s on %s is held under nonce %s, and its acquirer does not know", r.Lane, r.Chain(), r.Nonce)
	}
}

func (w *world) believed() []lot { return slices.SortedFunc(maps.Keys(w.beliefs), lot.compare) }

// told records that a client was told to hold a lease, and checks I1.
func (w *world) told(who int, r Record) {
	at := lotOf(r)
	if w.ended[admission{at.chain, r.Gen, r.Nonce}] {
		return // an operator took it away before the answer arrived
	}
	had, ok := w.beliefs[at]
	if ok && had.who != who {
		w.fail("I1: clients %d and %d hold one lease of lane %s", had.who, who, r.Lane)
	}
	b := belief{Record: r, who: who, overruled: had.overruled || overrules(w.order(), r)}
	if r.Rides != nil && !w.stillRides(who, r) {
		delete(w.beliefs, at)
		return // the lease that it rides ended before the answer arrived
	}
	if w.rules.timed {
		if b.until = w.untilRide(who, r, w.until(who, r)); !w.works(b) {
			delete(w.beliefs, at) // told when it was over
			return
		}
	}
	w.tell("client %d has lane %s, nonce %s", who, r.Lane, short(r.Nonce))
	if w.beliefs[at] = b; b.overruled {
		return
	}
	for _, other := range w.believed() {
		b := w.beliefs[other]
		beside := fmt.Sprintf("client %d on lane %s (%s, %s) beside client %d on lane %s (%s, %s)", who, r.Lane, at.chain, at.nonce, b.who, b.Lane, other.chain, other.nonce)
		switch {
		case other == at, b.overruled, !w.works(b), !w.works(w.beliefs[at]):
		case r.Rides != nil || b.Rides != nil:
			w.abreast(r, b.Record, beside)
		case b.Lane == r.Lane, other.chain == at.chain, b.exclusive(), r.exclusive(), !lane.Glob.Disjoint(b.Tree, r.Tree):
			w.fail("I1: %s", beside)
		case r.Unit != "" && r.Unit == b.Unit:
			w.fail("I1: unit %s of %s", r.Unit, beside)
		case r.Seat != "" && r.Seat == b.Seat:
			w.fail("I1: seat %s of %s", r.Seat, beside)
		}
	}
}

// completed records all that a call was told to have under its own nonce.
func (w *world) completed(nonce string, leases []Record) {
	all := map[lot]bool{}
	for _, r := range leases {
		all[lotOf(r)] = true
	}
	w.complete[nonce] = all
	for _, ref := range w.chains() {
		if now := mustRecord(ref, w.refs[ref]); now.State != lane.Free && now.Nonce == nonce && !all[lotOf(now)] {
			w.fail("I5: lane %s on %s is held under nonce %s, and its acquirer does not know", now.Lane, ref, nonce)
		}
	}
}

func (w *world) abandon(nonce string, sent *Sent) {
	w.given[nonce] = true
	for _, r := range sent.Leases {
		w.abandoned[lotOf(r)] = true
	}
	for _, ref := range w.chains() {
		if now := mustRecord(ref, w.refs[ref]); now.State != lane.Free && (now.Nonce == nonce || w.abandoned[lotOf(now)]) {
			w.fail("I5: lane %s stays held after its acquirer gave up", ref)
		}
	}
}

// checkBookings is that the order says nothing of what an ended lease booked.
func (w *world) checkBookings(ended Record) {
	if o := w.order(); ended.State != lane.Free {
		if ended.Unit != "" && o.Units[ended.Unit].Nonce == ended.Nonce || ended.Seat != "" && o.Seats[ended.Seat].Nonce == ended.Nonce {
			w.fail("I5: the order has the bookings of lane %s, which was ended", ended.Lane)
		}
	}
}

// short is the end of a nonce, which is what differs.
func short(nonce string) string { return nonce[max(0, len(nonce)-4):] }
