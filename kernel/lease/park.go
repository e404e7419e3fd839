package lease

import "github.com/git-dos/git-dos/kernel/lane"

// Park judges keeping a lane for later: it stays its holder's, nobody renews it,
// and it does not lapse. The holder parks it, by nonce or run id, or an operator.
// A lane that its node has on the remote is kept there, so that it outlives the
// delegation: what is parked here goes back, see [Delegation.Return], and is then
// parked there, see KeepEvidence.For.
func Park(ev KeepEvidence) (Verdict, []Write) {
	cur, no, ok := ev.parkable()
	if !ok {
		return no, nil
	}
	if v, moved := ev.moved(cur); moved {
		return v, nil
	}
	switch {
	case cur.State == lane.Parked:
		return Verdict{Outcome: Parked, Lane: ev.Lane, Lease: &cur, Reason: "it is parked already"}, nil
	case cur.State != lane.Held:
		return refuse(ev.Lane, NotHeld, "the lane is "+string(cur.State)+", and not held").heldBy(cur), nil
	case cur.Delegate && ev.For == nil:
		v := refuse(ev.Lane, NotHeld, cur.Holder.String()+" has it for its workers, and only there is known whose it is to keep")
		v.Next = "park it on that machine; to free it: " + scavengeCommand(cur.Lane)
		return v.heldBy(cur), nil
	case ev.For != nil && len(ev.Beside) > 0:
		return refuse(ev.Lane, lane.Collision, "its node has lane "+ev.Beside[0].Lane+" too, which overlaps it").heldBy(cur), nil
	}
	sure := cur.sureUntil(ev.Gone, ev.Lapsing)
	cur.State, cur.Reason, cur.Operator, cur.Ship = lane.Parked, "parked", ev.Operator, nil
	cur = cur.keptFor(ev.For)
	v := Verdict{Outcome: Parked, Lane: ev.Lane, Lease: &cur, Reason: "it is kept until it is unparked, and does not lapse", sure: sure}
	v.Next = cur.unparkCommand()
	ended := ev.Order.end(ev.Riders...)
	writes := append([]Write{laneWrite(OpPark, cur)}, endRides(ev.Riders, "the lease that it rides is parked", ev.Stamp)...)
	if writes = append(writes, ended...); ev.For != nil && len(ended) == 0 {
		writes = append(writes, ev.Order.next().write(OpEnded)) // what was decided while it was no obstacle is overtaken
	}
	return v, writes
}

// Beside lists the other lanes that the node of a delegation has on the remote and
// that overlap it. Delegations of one node are no obstacle to each other; what is
// parked for a worker is one, so the node gives those back first.
func (t Table) Beside(chain string, g lane.Algebra) []Record {
	own := t.Chains[chain]
	var beside []Record
	for _, other := range t.chains() {
		r := t.Chains[other]
		if other != chain && r.Delegate && r.State != lane.Free && r.Holder.Node == own.Holder.Node && !g.Disjoint(r.Tree, own.Tree) {
			beside = append(beside, r)
		}
	}
	return beside
}

// keptFor is the record of a lane that its node gives to one of its workers, so
// that what is parked is that worker's, whatever becomes of the node.
func (r Record) keptFor(worker *Record) Record {
	if worker == nil {
		return r
	}
	r.Delegate, r.Holder, r.RunID, r.Proc, r.TTL = false, worker.Holder, worker.RunID, worker.Proc, worker.TTL
	return r
}

// Unpark judges the return of a parked lane to its holder, whose lease runs for
// another ttl.
func Unpark(ev KeepEvidence) (Verdict, []Write) {
	cur, no, ok := ev.parkable()
	if !ok {
		return no, nil
	}
	if v, moved := ev.moved(cur); moved {
		return v, nil
	}
	switch {
	case cur.State == lane.Held:
		return Verdict{Outcome: Unparked, Lane: ev.Lane, Lease: &cur, Reason: "it is not parked"}.until(cur), nil
	case cur.State != lane.Parked:
		return refuse(ev.Lane, NotHeld, "the lane is "+string(cur.State)+", and not parked").heldBy(cur), nil
	}
	cur.State, cur.Reason, cur.Operator, cur.RenewedAt = lane.Held, "", ev.Operator, stampSeconds(ev.Stamp)
	cur.Proc = cur.proc(ev.Gone)
	v := Verdict{Outcome: Unparked, Lane: ev.Lane, Lease: &cur, Reason: "its lease runs again"}
	return v.until(cur).workUntil(cur, ev.Lapsing), []Write{laneWrite(OpUnpark, cur)}
}

// parkable returns the lease on the lane when it was admitted and is the caller's,
// or an operator speaks.
func (ev KeepEvidence) parkable() (Record, Verdict, bool) {
	cur := ev.current()
	if ev.Operator == "" || cur == nil || cur.State == lane.Free {
		r, no, ok := ev.mine(Refused)
		if !ok {
			return r, no, false
		}
		cur = &r
	}
	if cur.Rides != nil {
		return *cur, refuse(ev.Lane, NotHeld, "it is a claim inside lane "+cur.Rides.Lane+", and ends when that is parked").heldBy(*cur), false
	}
	if !ev.Order.admits(*cur) {
		v := refuse(ev.Lane, NotAdmitted, "its admission was cut off half-way")
		v.Next = cur.again()
		return *cur, v.heldBy(*cur), false
	}
	no, ok := ev.delegated(*cur)
	return *cur, no, ok
}
