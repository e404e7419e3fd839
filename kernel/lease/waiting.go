package lease

import (
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A WaitsFor is a lease that an exclusive one waits for.
type WaitsFor struct {
	Lane     string     `json:"lane"`
	Holder   Holder     `json:"holder"`
	Deadline *time.Time `json:"deadline,omitempty"`
}

// mayWait reports whether all that stands against an exclusive lane is of the kind
// that ends by itself: ordinary leases of others. Of two exclusive ones neither
// waits for the other, nobody waits for what only an operator ends, and an asker
// that holds a lane itself would wait for ever.
func (d *draft) mayWait(p *part) (lane.Verdict, bool) {
	if !d.Wait || len(d.parts) != 1 || d.Force || !p.claim.Exclusive {
		return lane.Verdict{}, false
	}
	ev := d.evidence(p.req, d.Budgets, d.SelfModify)
	ev.Live = slices.DeleteFunc(d.work.Live(d.skip), func(l lane.Lease) bool { return d.ends(l, p.lane) })
	ev.Live = append(ev.Live, d.Extra...)
	k := lane.Decide(ev)
	return k, k.Outcome == lane.Acquire
}

// ends reports whether a lease is one that an exclusive lane may wait for.
func (d *draft) ends(l lane.Lease, name string) bool {
	r, ok := d.work.Holding(l.Lane)
	return ok && l.Unreadable == "" && l.State == lane.Held && !l.Exclusive && l.Lane != name &&
		!d.remembers(r) && !d.Identity.Owns(r)
}

// beside lists the leases on other chains that one which runs alone has to wait
// for: all but those of reserved lanes, whatever the policy has become since. It is
// an *[UnreadError] when a chain that cannot be read may hold one.
func (t Table) beside(chain string) ([]Record, error) {
	for _, u := range t.Unreadable() {
		if u.Chain != chain && !u.NameOnly && !lane.Reserved(u.Lane) {
			return nil, &UnreadError{u.Chain, t.Unread[u.Chain]}
		}
	}
	var on []Record
	for _, other := range t.chains() {
		if r := t.Chains[other]; other != chain && r.State != lane.Free && !lane.Reserved(r.Lane) && r.Rides == nil {
			on = append(on, r)
		}
	}
	return on, nil
}

// waitsFor names leases as what one waits for.
func waitsFor(on []Record) (waits []WaitsFor) {
	for _, r := range on {
		at := r.Deadline().UTC()
		waits = append(waits, WaitsFor{r.Lane, r.Holder, &at})
	}
	return waits
}

// waiting words the answer of a lease that waits.
func (v Verdict) waiting(r Record, waits []WaitsFor) Verdict {
	var names []string
	for _, w := range waits {
		names = append(names, w.Lane+" ("+w.Holder.String()+")")
	}
	v.Outcome, v.WaitsFor = Waits, waits
	v.Reason = "it is yours as soon as what it overlaps is free, and nothing new is admitted beside it"
	if len(names) > 0 {
		v.Reason = "it is yours when these are free, and nothing new is admitted beside it: " + strings.Join(names, ", ")
	}
	v.Next = "git dos lease await --lane " + verdict.ShellWord(r.Lane) + "; to withdraw: git dos lease release --lane " + verdict.ShellWord(r.Lane)
	return v
}

// waits finds the lease of the caller's that waits on the lane it asks for, where
// it was admitted.
func (ev AcquireEvidence) waits() (Record, bool) {
	c, _, ok := lane.Resolve(ev.Requests[0], ev.Lanes)
	if !ok || ev.Any || len(ev.Requests) != 1 {
		return Record{}, false
	}
	r, ok := ev.Table.holding(c.Lane, ev.owns)
	return r, ok && r.State == lane.Waiting && ev.owns(r) && ev.Table.Order.admits(r)
}

// again is what an acquirer is told that waits already.
func (ev AcquireEvidence) again(r Record) (Verdict, []Write, error) {
	for _, w := range ev.wants() {
		if !sameKey(r.books(w[0]), w[1]) {
			return ev.otherwise(r, w[0]+" "+w[1]+" is asked for, which it has not"), nil, nil
		}
	}
	if ev.Force {
		return ev.otherwise(r, "force is asked for, which it was not admitted with"), nil, nil
	}
	v, writes, err := Await(AwaitEvidence{
		Lane: r.Lane, Identity: Identity{Nonce: r.Nonce}, Table: ev.Table, Stamp: ev.Stamp, Lapsing: ev.Lapsing,
	})
	if r.Nonce == ev.Stamp.Nonce {
		v.sent, v.fresh = []Record{r}, []Record{r}
	} else {
		v.Reacquired = true
	}
	return v, writes, err
}

// otherwise refuses a lease of the caller's that waits to one who asks for more.
func (ev AcquireEvidence) otherwise(r Record, why string) Verdict {
	v := refuse(r.Lane, LeaseDiffers, "your lease waits for the lane, and "+why)
	v.Next = "git dos lease release --lane " + verdict.ShellWord(r.Lane) + ", then acquire it again"
	v.HeldHere = slices.Contains(ev.Remembered, r.Nonce)
	return v.heldBy(r).until(r)
}

// AwaitEvidence is everything Await may know.
type AwaitEvidence struct {
	Lane     string
	Identity Identity
	Table    Table
	Stamp    Stamp
	Lapsing  Lapsing
}

// Await judges a lease that waits. Rungs, first that applies:
//
//  1. a lane that is torn, or that cannot be read and may be held: no verdict
//  2. the lease is not the caller's, or was never admitted: lost
//  3. it is held already: renewed
//  4. any other lease lives, for what waits runs alone: waiting, and renewed when a third of its
//     ttl has passed
//  5. what is beside it has lapsed: that ends, and it waits until that is seen
//  6. it is ready: held from now on
func Await(ev AwaitEvidence) (Verdict, []Write, error) {
	ev.Lapsing.Now = ev.Stamp.Now
	if torn := ev.Table.Torn(); len(torn) > 0 {
		return Verdict{}, nil, &TornError{torn}
	}
	chain, cur, err := ev.Table.Stand(ev.Lane)
	if err != nil {
		return Verdict{}, nil, err
	}
	keep := KeepEvidence{Lane: ev.Lane, Chain: chain, Current: cur, Order: ev.Table.Order, Identity: ev.Identity, Stamp: ev.Stamp, Lapsing: ev.Lapsing}
	r, no, ok := keep.inUse(lane.Waiting, lane.Held)
	if !ok {
		return no, nil, nil
	}
	sure := r.sureUntil(ev.Table.Watch.Gone[r.Chain()], ev.Lapsing)
	if r.State == lane.Held {
		r.RenewedAt, r.Reason, r.Ship = stampSeconds(ev.Stamp), "", nil
		r.Proc = r.proc(ev.Table.Watch.Gone[r.Chain()])
		v := Verdict{Outcome: Acquired, Lane: r.Lane, Lease: &r, Reacquired: true, Reason: "the lane is yours", sure: sure}
		return v.until(r).workUntil(r, ev.Lapsing), []Write{laneWrite(OpHeartbeat, r)}, nil
	}
	v, writes, err := ev.await(r)
	if len(writes) > 0 {
		v.sure = sure
	}
	return v, writes, err
}

func (ev AwaitEvidence) await(r Record) (Verdict, []Write, error) {
	on, err := ev.Table.beside(r.Chain())
	if err != nil {
		return Verdict{}, nil, err
	}
	var writes []Write
	var over []Record
	var live []Record
	for _, other := range on {
		l := ev.Table.Lapse(other.Chain(), ev.Lapsing)
		if !l.Over {
			live = append(live, other)
			continue
		}
		writes = append(writes, laneWrite(OpScavenge, freed(other, "lapsed: "+l.Why, ev.Stamp)))
		over = append(over, other)
	}
	if len(live) > 0 {
		return ev.stillWaiting(r, waitsFor(live))
	}
	if len(over) > 0 {
		return ev.clear(r, over, writes)
	}
	r.State, r.Reason, r.RenewedAt = lane.Held, "", stampSeconds(ev.Stamp)
	r.Proc = r.proc(ev.Table.Watch.Gone[r.Chain()])
	writes = append(writes, laneWrite(OpReady, r))
	v := Verdict{Outcome: Acquired, Lane: r.Lane, Lease: &r, Reason: "what it overlaps is free"}
	return v.until(r).workUntil(r, ev.Lapsing), writes, readBack(writes)
}

// clear ends what has lapsed. The lease is not ready in the same transaction: were
// that cut off after READY, a holder that comes back could renew what it overlaps,
// and nothing would tell.
func (ev AwaitEvidence) clear(r Record, over []Record, writes []Write) (Verdict, []Write, error) {
	v := Verdict{Lane: r.Lane, Lease: &r}
	for _, other := range over {
		v.Scavenged = append(v.Scavenged, takenFrom(other))
	}
	writes = append(writes, ev.Table.Order.end(over...)...)
	return v.until(r).waiting(r, nil), writes, readBack(writes)
}

func (ev AwaitEvidence) stillWaiting(r Record, waits []WaitsFor) (Verdict, []Write, error) {
	var writes []Write
	if third := r.RenewedAt.Add(time.Duration(r.TTL) * time.Second / 3); !ev.Stamp.Now.Before(third) {
		r.RenewedAt, r.Proc = stampSeconds(ev.Stamp), r.proc(ev.Table.Watch.Gone[r.Chain()])
		writes = []Write{laneWrite(OpHeartbeat, r)}
	}
	v := Verdict{Lane: r.Lane, Lease: &r}
	return v.until(r).waiting(r, waits), writes, nil
}
