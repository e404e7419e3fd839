package lease

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// KeepEvidence is everything the verbs on an existing lease may know. Current
// is the newest record of its chain, nil when no chain holds the lane or last held
// it; see [Table.Stand].
type KeepEvidence struct {
	Lane     string
	Chain    string // where it stands, "" when nowhere
	Current  *Record
	Order    Order // the zero Order admits nothing
	Identity Identity
	Rung     string // Heartbeat of a reserved lane only: stands from now on; "" leaves what stands
	Operator string // Scavenge, Park and Unpark only
	Stamp    Stamp
	Lapsing  Lapsing
	Lapse    Lapse // of the lease on the chain, for a Scavenge without an operator
	Gone     bool  // the process that the lease names has ended

	// Judged is the lease as it was when somebody decided that it be parked, or be
	// scavenged without an operator: what has moved since is left alone.
	Judged *Record

	Riders []Record // the claims inside the lease: they end with it, see [Table.Riders]
	Mount  *Record  // of a claim inside a lease: that lease while it is held, see [Table.Mount]

	Delegation *Delegation // of the lane, where the lease may have been granted under one
	Node       bool        // the node speaks, of a lane that it has for its workers: whom it gave the lane has its nonce too
	For        *Record     // Park only, of a delegation: the lease under it that is to be kept
	Beside     []Record    // with For: other lanes that the node has on the remote and that overlap, see [Table.Beside]
}

// chain is where the lane stands, or would stand by its own name.
func (ev KeepEvidence) chain() string {
	if ev.Chain != "" {
		return ev.Chain
	}
	return ev.Lane
}

// current is the record of this very lane, or of the slot that is named in its
// place. A slot may hold another's lane by now.
func (ev KeepEvidence) current() *Record {
	if ev.Current == nil || ev.Current.Lane != ev.Lane && ev.Current.Chain() != ev.Lane {
		return nil
	}
	return ev.Current
}

// gen is the generation the chain is at, 0 without a record.
func (ev KeepEvidence) gen() uint64 {
	if ev.Current == nil {
		return 0
	}
	return ev.Current.Gen
}

// Torn reports whether the order has admitted a later lease of the lane than it
// shows.
func (ev KeepEvidence) Torn() bool { return ev.Order.ahead(ev.chain(), ev.gen()) }

// Lost reports whether the lane is torn and no cut-off admission explains it,
// so that what it shows is not its state.
func (ev KeepEvidence) Lost() bool { return ev.Torn() && !ev.Order.explains(ev.chain(), ev.gen()) }

// Heartbeat judges a renewal. The lease must be the caller's by nonce or run
// id, and admitted; one that lapsed and that nobody took may still be renewed. A claim
// inside a lease is renewed while that is held and within its deadline. When
// the process that it names has ended, another works under it: it is named no more.
func Heartbeat(ev KeepEvidence) (Verdict, []Write) {
	cur, no, ok := ev.inUse(lane.Held, lane.Waiting)
	if !ok {
		return no, nil
	}
	cur.Reason = ""
	reason := "renewed in time"
	if cur.Lapsed(ev.Stamp.Now) {
		reason = fmt.Sprintf("renewed after it lapsed at %s; nobody had taken it", cur.Deadline().UTC().Format(time.RFC3339))
		cur.Reason = reason
	}
	sure := cur.sureUntil(ev.Gone, ev.Lapsing)
	cur.Ship, cur.Proc, cur.Taking = nil, cur.proc(ev.Gone), false
	cur.RenewedAt = stampSeconds(ev.Stamp)
	if ev.Rung != "" && lane.Reserved(cur.Lane) {
		cur.Rung = ev.Rung
	}
	v := Verdict{Outcome: Renewed, Lane: ev.Lane, Lease: &cur, Reason: reason, sure: sure}
	if cur.State == lane.Waiting {
		v.Reason += "; it waits still, and the lane is not yours to work on"
		v.Next = "git dos lease await --lane " + verdict.ShellWord(cur.Lane)
		return v.until(cur), []Write{laneWrite(OpHeartbeat, cur)}
	}
	v = v.until(cur).workUntil(cur, ev.Lapsing)
	if ev.Mount != nil && cur.Rides != nil {
		v = v.nearer(*ev.Mount).workUntil(*ev.Mount, ev.Lapsing)
	}
	return v, []Write{laneWrite(OpHeartbeat, cur)}
}

// Release judges the end of a lease by its holder. A lane that is already free
// is a success and says so; another's lease is refused even under the same
// owner's name.
func Release(ev KeepEvidence) (Verdict, []Write) {
	if cur := ev.current(); cur == nil || cur.State == lane.Free {
		return Verdict{Outcome: AlreadyFree, Lane: ev.Lane, Lease: cur, Reason: "nobody holds it"}, nil
	}
	cur, no, ok := ev.mine(Refused)
	if !ok {
		return no, nil
	}
	if cur.State == lane.Parked {
		v := refuse(ev.Lane, ParkedLane, "the lane is parked: unpark it, or have an operator scavenge it").heldBy(cur)
		v.Next = cur.unparkCommand() + "; or have an operator free it: " + scavengeCommand(cur.Lane)
		return v, nil
	}
	op, reason := OpRelease, "released by its holder"
	if cur.Delegate {
		op, reason = OpReturn, "given back by its node"
	}
	free := freed(cur, reason, ev.Stamp)
	v := Verdict{Outcome: Released, Lane: ev.Lane, Lease: &free, Reason: "the lane is free"}
	return v, ev.ending(op, cur, free)
}

// Scavenge takes a lease away: from anyone in an operator's name, else from a
// holder whose lease has lapsed, see [Table.Lapse]. An operator's word is not
// enough for the worker to stop: it may be at work until the deadline its lease
// gave it. By that word a torn lane is made whole too: free, at the generation of
// the order.
func Scavenge(ev KeepEvidence) (Verdict, []Write) {
	if ev.Torn() && ev.Operator != "" {
		return ev.settle()
	}
	cur := ev.current()
	if cur == nil || cur.State == lane.Free {
		return Verdict{Outcome: AlreadyFree, Lane: ev.Lane, Lease: cur, Reason: "nobody holds it"}, nil
	}
	held := *cur
	if ev.Operator == "" {
		return ev.reap(held)
	}
	free := freed(held, "scavenged by operator "+ev.Operator, ev.Stamp)
	free.Operator = ev.Operator
	v := Verdict{Outcome: Scavenged, Lane: ev.Lane, Lease: &free, Holder: &held.Holder,
		Reason: fmt.Sprintf("taken from %s by operator %s", held.Holder, ev.Operator)}
	if !held.Lapsed(ev.Stamp.Now) {
		d := held.Deadline().UTC()
		v.UnsafeUntil = &d
	}
	return v, ev.ending(OpScavenge, held, free)
}

// moved refuses a lease that is not as it was judged: another's, or renewed since.
func (ev KeepEvidence) moved(cur Record) (Verdict, bool) {
	was := ev.Judged
	if was == nil || was.Gen == cur.Gen && was.Nonce == cur.Nonce && was.State == cur.State && was.RenewedAt.Equal(cur.RenewedAt) {
		return Verdict{}, false
	}
	v := refuse(ev.Lane, StaleLease, fmt.Sprintf("it is not as it was judged: generation %d, renewed at %s", cur.Gen, cur.RenewedAt.UTC().Format(time.RFC3339)))
	return v.heldBy(cur), true
}

// reap frees a lane whose lease has lapsed.
func (ev KeepEvidence) reap(held Record) (Verdict, []Write) {
	if v, moved := ev.moved(held); moved {
		return v, nil
	}
	if !ev.Lapse.Over {
		v := refuse(ev.Lane, NotLapsed, held.Holder.String()+" has it").heldBy(held).until(held)
		v.Next = "by an operator's word: " + scavengeCommand(held.Lane)
		if held.State == lane.Parked {
			v.Reason += ", parked, and a parked lane does not lapse"
		} else {
			v = v.lapsing(ev.Lapse, held, ev.Stamp.Now)
		}
		return v, nil
	}
	free := freed(held, "lapsed: "+ev.Lapse.Why, ev.Stamp)
	v := Verdict{Outcome: Scavenged, Lane: ev.Lane, Lease: &free, Holder: &held.Holder, Reason: "taken from " + held.Holder.String() + ": " + ev.Lapse.Why}
	return v, ev.ending(OpScavenge, held, free)
}

// settle frees a torn lane, by an operator's word that nobody works on it.
func (ev KeepEvidence) settle() (Verdict, []Write) {
	var was Record
	if ev.Current != nil {
		was = *ev.Current
	}
	admitted := ev.Order.Lanes[ev.chain()]
	free := voided(was, ev.chain(), admitted, fmt.Sprintf("generation %d was in the order and not on the lane; scavenged by operator %s", admitted.Gen, ev.Operator), ev.Stamp)
	free.Operator = ev.Operator
	v := Verdict{Outcome: Scavenged, Lane: ev.Lane, Lease: &free,
		Reason: fmt.Sprintf("generation %d, which the lane did not show, was ended by operator %s; whoever had it may still be at work", admitted.Gen, ev.Operator)}
	if was.State != "" && was.State != lane.Free {
		v.Holder = &was.Holder
	}
	return v, append([]Write{laneWrite(OpScavenge, free)}, ev.Order.endAlone(ev.chain())...)
}

// inUse returns the current lease when it is the caller's, was admitted and is
// in one of the given states. A lane can be ahead of the order when its
// acquirer was cut off: it blocks others, but nobody may work under it yet.
func (ev KeepEvidence) inUse(states ...lane.State) (Record, Verdict, bool) {
	cur, no, ok := ev.mine(LostLease)
	switch {
	case !ok:
		return cur, no, false
	case cur.State == lane.Parked:
		v := refuse(ev.Lane, ParkedLane, "the lane is parked: unpark it first").heldBy(cur)
		v.Next = cur.unparkCommand()
		return cur, v, false
	case !slices.Contains(states, cur.State):
		return cur, refuse(ev.Lane, NotHeld, fmt.Sprintf("the lane is %q, and not held", cur.State)).heldBy(cur), false
	case !ev.Order.admits(cur):
		v := Verdict{Outcome: LostLease, Lane: ev.Lane, ReasonClass: NotAdmitted, Reason: "its admission was cut off half-way",
			Next: cur.again()}
		return cur, v.heldBy(cur), false
	}
	if no, ok = ev.delegated(cur); ok {
		no, ok = ev.seated(cur)
	}
	return cur, no, ok
}

// mine returns the current lease when it is the caller's, else the answer with
// the given outcome.
func (ev KeepEvidence) mine(not Outcome) (Record, Verdict, bool) {
	held := ev.current()
	if held == nil || held.State == lane.Free {
		v := Verdict{Outcome: not, Lane: ev.Lane, ReasonClass: NoLease, Reason: "nobody holds this lane", Next: Record{Lane: ev.Lane}.acquireCommand()}
		if held != nil {
			v.Next = held.acquireCommand()
			if held.Reason != "" {
				v.Reason += ": " + held.Reason
			}
		}
		return Record{}, v, false
	}
	cur := *held
	if ev.Identity.Owns(cur) && ev.Node && !cur.Delegate {
		v := Verdict{Outcome: not, Lane: ev.Lane, ReasonClass: DelegationOver, Reason: "its node has given it to the worker who parked it"}
		return Record{}, v.heldBy(cur), false
	}
	if ev.Identity.Owns(cur) {
		return cur, Verdict{}, true
	}
	v := Verdict{Outcome: not, Lane: ev.Lane, ReasonClass: StaleLease,
		Reason: fmt.Sprintf("%s holds it under generation %d", cur.Holder, cur.Gen), Next: "stop work on this lane; git dos lease live shows what is free"}
	return Record{}, v.heldBy(cur), false
}
