package lease

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// checkRide says what is wrong with a claim inside a lease as a whole.
func (ev AcquireEvidence) checkRide() error {
	switch {
	case len(ev.Requests) != 1 || ev.Any || ev.Force || ev.Delegate:
		return errors.New("a part of a lease is claimed alone: without several lanes, any lane, force or a node")
	case ev.Unit == "" && ev.Seat == "" && len(ev.Requests[0].Tree) == 0:
		return errors.New("nothing is claimed inside the lease: name a unit, a seat or a tree")
	}
	_, err := lane.CleanTree(ev.Requests[0].Tree)
	return err
}

// ride decides on a claim inside a lease. Rungs, first that applies:
//
//  1. the lease is not held, not admitted, past its own deadline or over: RIDE_OVER
//  2. the tree is not within that of the lease: TREE_OUTSIDE_LANE
//  3. another claim inside the lease has a part of the tree: COLLISION
//  4. another lease or claim has the unit or the seat, but for the ridden lease
//     itself: UNIT_CLAIMED, SEAT_TAKEN
//
// The claim is admitted like a lease: its slot and the order move together. Where it
// stands on what a node has on the remote, that lane is renewed in the same
// transaction, so that it cannot go back meanwhile. Elsewhere the ridden lease does
// not move, and the answer holds when one more read finds it held, see [Table.Stands].
func (ev AcquireEvidence) ride() (Verdict, []Write, error) {
	d := ev.draft(nil)
	p := &part{req: ev.Requests[0], lane: ev.Rides.Lane}
	d.parts = []*part{p}
	for _, chain := range ev.Table.chains() {
		if r := ev.Table.Chains[chain]; r.Nonce == ev.Stamp.Nonce && r.Rides != nil && r.State == lane.Held && *r.Rides == *ev.Rides {
			p.have, p.mine, p.had = r, true, ev.Table.Order.admits(r)
		}
	}
	no, err := d.board(p)
	if err == nil && no.Outcome == "" {
		no, err = d.book()
	}
	switch {
	case err != nil:
		return Verdict{}, nil, err
	case no.Outcome == Refused:
		return d.refused(no)
	}
	return d.concluded()
}

// board judges the lease that is ridden and the tree, and makes the record.
func (d *draft) board(p *part) (Verdict, error) {
	m, err := d.Table.Mount(*d.Rides)
	if err != nil {
		return Verdict{}, err
	}
	if why := d.unfitToRide(m); why != "" {
		v := refuse(p.lane, RideOver, why)
		v.Next = "stop work under this lease; git dos lease show --lane " + verdict.ShellWord(p.lane)
		return v, nil
	}
	tree, err := lane.CleanTree(p.req.Tree)
	if err != nil {
		return Verdict{}, err
	}
	if len(tree) > 0 && !d.Algebra.Within(tree, m.Tree) {
		v := refuse(p.lane, lane.TreeOutsideLane, fmt.Sprintf("%s is not within the tree of the lease that is ridden, %s", strings.Join(tree, " "), strings.Join(m.Tree, " ")))
		return v, nil
	}
	if v, err := d.besides(tree); err != nil || v.Outcome == Refused {
		return v, err
	}
	return d.seat(p, *m, tree)
}

// unfitToRide says why nothing can be claimed inside a lease, "" where it can.
func (d *draft) unfitToRide(m *Record) string {
	switch {
	case m == nil || !d.Table.Order.admits(*m):
		return "the lease that is to be ridden is not held"
	case m.Lapsed(d.Stamp.Now) || d.Table.alone(m.Chain(), d.Lapsing).Over:
		return "the lease that is to be ridden has lapsed"
	case d.orphaned(*m) != "":
		return d.orphaned(*m)
	}
	if own := d.Delegations[m.Lane]; d.Under && !own.Usable(d.Clock, d.Lapsing) {
		return "its node has to renew what it has of the lane first"
	}
	return ""
}

// besides refuses a tree of which another claim inside the same lease has a part.
func (d *draft) besides(tree []string) (Verdict, error) {
	if len(tree) == 0 {
		return Verdict{}, nil
	}
	for _, chain := range d.Table.unreadChains() {
		if g := d.Table.Order.Lanes[chain]; g.Rides == d.Rides.chain() || d.Table.mute() && lane.IsSlot(chain) {
			return Verdict{}, &UnreadError{chain, d.Table.Unread[chain]}
		}
	}
	for _, chain := range d.work.chains() {
		if r := d.work.Chains[chain]; !d.skip[chain] && d.parts[0].have.Chain() != chain && d.overlaps(r, tree) {
			v := refuse(d.Rides.Lane, lane.Collision, r.Holder.String()+" has "+strings.Join(r.Tree, " ")+" inside the lease")
			v.Next = "claim another part, or wait for the end of that one: git dos lease live"
			return d.inTheWay(v, r), nil
		}
	}
	return Verdict{}, nil
}

// overlaps reports whether a claim that lives inside the ridden lease has a part of
// the tree.
func (d *draft) overlaps(r Record, tree []string) bool {
	return r.Rides != nil && r.State == lane.Held && r.Rides.chain() == d.Rides.chain() && r.Rides.stands() == d.Rides.stands() &&
		len(r.Tree) > 0 && len(tree) > 0 && !d.Algebra.Disjoint(r.Tree, tree)
}

// seat makes the record of a claim, or renews that of one which was had.
func (d *draft) seat(p *part, m Record, tree []string) (Verdict, error) {
	now := stampSeconds(d.Stamp)
	if tree == nil {
		tree = []string{}
	}
	r := Record{
		V: Version, LaneKind: lane.Keyword, Tree: tree, Scope: d.Scope, State: lane.Held,
		Nonce: d.Stamp.Nonce, Holder: d.Stamp.Holder, RunID: d.RunID, Unit: d.Unit, Seat: d.Seat, Proc: d.Proc,
		TTL: int64(d.TTL / time.Second), AcquiredAt: now, RenewedAt: now, Policy: d.Stamp.Policy, Rides: d.Rides,
	}
	p.op, p.rec = OpAcquire, r
	have := p.have
	switch {
	case p.mine && slices.Equal(have.Tree, tree) && have.Unit == r.Unit && have.Seat == r.Seat:
		p.op, p.rec = OpHeartbeat, have
		p.rec.RenewedAt, p.rec.Reason = now, ""
	case p.mine:
		d.rest.Chains[have.Chain()] = freed(have, "", d.Stamp)
		p.rec.Slot, p.had = have.Slot, false
	default:
		var err error
		if p.rec.Slot, err = d.work.slot(d.skip); err != nil {
			v := refuse(p.lane, lane.ClassBudgetExhausted, fmt.Sprintf("%s, %d", errNoSlot, maxSlots))
			v.Next = "git dos lease live"
			return v, nil
		}
	}
	if p.op == OpAcquire {
		p.rec.Lane = rideName(m.Lane, p.rec.Slot)
		p.rec.Gen = max(d.work.Chains[p.rec.Slot].Gen, d.Table.Order.Lanes[p.rec.Slot].Gen) + 1
	}
	d.work.Chains[p.rec.Chain()] = p.rec
	delete(d.skip, p.rec.Chain())
	return Verdict{}, nil
}

// rides reports whether a lease is the one that the claim stands on.
func (d *draft) rides(r Record) bool { return d.Rides != nil && d.Rides.carries(r) }

// borrowed reports whether the ridden lease itself has booked what is claimed: it
// stays booked for that.
func (d *draft) borrowed(what, key string) bool {
	if d.Rides == nil {
		return false
	}
	m := d.Table.Chains[d.Rides.chain()]
	return d.Rides.carries(m) && sameKey(m.books(what), key)
}

// rideLapse is the lapse of a lease for this admission. That the caller's own lease
// has lapsed ends no claim inside it: the caller may have renewed it meanwhile.
func (d *draft) rideLapse(chain string, r Record) Lapse {
	if r.Rides != nil {
		if m := d.Table.Chains[r.Rides.chain()]; r.Rides.carries(m) && d.owns(m) {
			return d.Table.alone(chain, d.Lapsing)
		}
		if m := d.Table.Chains[r.Rides.chain()]; r.Rides.carries(m) && d.orphaned(m) != "" {
			return Lapse{Over: true, Why: rideEnded}
		}
	}
	return d.Table.Lapse(chain, d.Lapsing)
}

// inRide reports whether a lapsed lease or claim stands against the admission where
// one of the two is a claim inside a lease: by the slot, by the tree inside one
// lease, or because the lane of the ridden lease is taken anew.
func (d *draft) inRide(r Record) bool {
	for _, p := range d.parts {
		switch {
		case p.had:
		case p.rec.Chain() == r.Chain():
			return true
		case d.Rides != nil:
			return d.overlaps(Record{Slot: r.Slot, Rides: r.Rides, State: lane.Held, Tree: r.Tree}, p.rec.Tree)
		case r.Rides != nil && p.rec.Chain() == r.Rides.chain():
			return true
		}
	}
	return false
}

// unseat ends with each lease that ends the claims inside it. A claim that ends
// because the lease it rides has lapsed takes that with it, from the very tip that
// was judged: a late renewal and the admission cannot both land.
func (d *draft) unseat() {
	for _, w := range slices.Clone(d.ended) {
		r := d.Table.Chains[w.Chain]
		if r.Rides != nil && !d.Table.alone(w.Chain, d.Lapsing).Over {
			on := r.Rides.chain()
			if _, over := d.lapsed[on]; over && r.Rides.carries(d.work.Chains[on]) && d.work.Chains[on].State != lane.Free {
				d.succeedTo(on)
			}
		}
	}
	for _, w := range slices.Clone(d.ended) {
		for _, r := range d.Table.Riders(d.Table.Chains[w.Chain]) {
			if d.work.Chains[r.Chain()].State == lane.Free || d.Table.Unread[r.Chain()] != nil {
				continue
			}
			if _, over := d.lapsed[r.Chain()]; !over {
				d.lapsed[r.Chain()] = freed(r, "lapsed: "+rideEnded, d.Stamp)
			}
			d.succeedTo(r.Chain())
		}
	}
}

// mounted words the answer about a claim: its time is also that of the lease it
// rides, and it holds when one more read finds that held.
func (d *draft) mounted(v Verdict, admits bool) Verdict {
	m := d.Table.Chains[d.Rides.chain()]
	v = v.nearer(m).workUntil(m, d.Lapsing)
	if v.Reason = "it rides lane " + d.Rides.Lane; len(d.over) > 0 {
		v.Reason = d.succeeded() + "; " + v.Reason
	}
	if v.Lane = d.Rides.Lane; !admits || d.Rides.Through == "" {
		v.sure = time.Unix(0, 1)
	}
	return v
}

// heartbeats renews, with a claim that stands on what a node has on the remote, that
// lane.
func (d *draft) heartbeats(admits bool) []Write {
	if d.Rides.Through == "" || !admits {
		return nil
	}
	r := d.Table.Chains[d.Rides.chain()]
	r.Reason, r.Ship, r.Taking = "", nil, false
	r.Proc, r.RenewedAt = r.proc(d.Table.Watch.Gone[r.Chain()]), stampSeconds(d.Stamp)
	return []Write{laneWrite(OpHeartbeat, r)}
}

// stillMounted is the answer that the lease a claim rides has ended meanwhile.
func (t Table) stillMounted(r Record) (Verdict, bool, error) {
	if r.Rides == nil {
		return Verdict{}, true, nil
	}
	m, err := t.Mount(*r.Rides)
	if err != nil || m != nil {
		return Verdict{}, err == nil, err
	}
	return rideLost(r), false, nil
}

func rideLost(r Record) Verdict {
	return Verdict{Outcome: LostLease, Lane: r.Rides.Lane, ReasonClass: RideOver, Reason: rideEnded, Next: "stop work under this lease"}
}

// Unseat ends the claims that ride a lease through what its node has on the remote,
// where the node has ended that lease.
func (t Table) Unseat(nonces map[string]bool, s Stamp) []Write {
	var riders []Record
	for _, chain := range t.chains() {
		if r := t.Chains[chain]; r.Rides != nil && r.State != lane.Free && r.Rides.Through != "" && nonces[r.Rides.Nonce] {
			riders = append(riders, r)
		}
	}
	if len(riders) == 0 {
		return nil
	}
	return append(endRides(riders, rideEnded, s), t.Order.end(riders...)...)
}
