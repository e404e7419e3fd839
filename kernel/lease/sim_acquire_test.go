package lease

import (
	"errors"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// An ask is what one call of acquire wants.
type ask struct {
	names      []string // none: any that is free
	any        bool
	force      bool
	unit, seat string
	stated     bool // by run id
	wait       bool // an exclusive lane may wait

	rides *Mount // a part of this lease is claimed
	tree  []string
}

// wish makes up a call about a lane.
func (c *client) wish(name string) ask {
	a := ask{names: []string{name}, stated: c.chance(50)}
	switch n := c.rng.IntN(100); {
	case n < 40:
		lanes := c.rules.lanes()
		if other := lanes[c.rng.IntN(len(lanes))]; other != name {
			a.names = append(a.names, other)
		}
	case n < 46:
		a.names = nil
	case n < 52:
		a.any = true
	}
	if c.chance(20) {
		a.unit = simUnits[c.rng.IntN(len(simUnits))]
	}
	if c.chance(10) {
		a.seat = simSeat
	}
	a.force = len(a.names) > 0 && !a.any && c.chance(12)
	if c.rules.timed {
		a.wait = c.chance(60)
		a.force = a.force && c.chance(25)
	}
	return a
}

// evidence is what an ask is decided on, but for the table.
func (c *client) evidence(a ask) AcquireEvidence {
	ev := AcquireEvidence{
		RunID: c.runID(), TTL: 15 * time.Minute, Scope: Fleet, Stamp: c.stamp(c.nonce()), Any: a.any,
		Unit: a.unit, Seat: a.seat, Lanes: c.rules.taxonomy(), Algebra: lane.Glob, Wait: a.wait,
	}
	if c.rules.timed {
		ev.TTL, ev.Proc = simTTL, c.process()
	}
	for _, name := range a.names {
		req := lane.Request{Lane: name}
		if name == "word" || name == "verb" {
			req.Tree = []string{"src/*.go"}
			if c.chance(50) {
				req.Tree = []string{"etc/" + name + "/**"}
			}
		}
		ev.Requests = append(ev.Requests, req)
	}
	if a.rides != nil {
		ev.Rides, ev.Requests[0].Tree = a.rides, a.tree
		return ev
	}
	if a.force {
		ev.Force, ev.Operator = true, "op"
	}
	if a.any && len(ev.Requests[0].Tree) == 0 && c.chance(50) {
		ev.Requests[0].Kind = lane.Cluster
	}
	switch {
	case a.stated:
		ev.Identity = Identity{RunID: c.runID()}
	case len(a.names) == 1 && c.chance(50):
		ev.Identity = Identity{Nonce: c.memory[a.names[0]]}
	}
	return ev
}

// acquire carries an admission out and reports whether it exits 0.
func (c *client) acquire(a ask) bool {
	ev := c.evidence(a)
	stamp := ev.Stamp
	var v Verdict
	var torn view
	var since time.Time
	var err error
	for range 40 {
		var tries []Verdict
		var won int
		won, err = c.update(func(seen view) (out []Write, trunk bool, err error) {
			ev.Table = tableOf(seen)
			c.watch(&ev.Table, seen)
			if c.rules.timed {
				ev.Stamp.Now, ev.Lapsing = c.began, c.lapsing()
			}
			v, out, err = c.rules.decideAcquire(ev)
			if errors.As(err, new(*TornError)) {
				if !torn.equal(seen) {
					torn, since = seen, c.now
				}
				if c.now.Sub(since) >= TornFor {
					if lost := ev.Table.Lost(); len(lost) > 0 {
						c.fail("I6: lanes %v look lost, and only admissions were cut off", lost)
					}
					v = Verdict{}
					tries = append(tries, v) // then the loop goes on
					return c.rules.ends(Repair(ev.Table, ev.Table.Torn(), stamp)), false, nil
				}
				return nil, false, err
			}
			if err == nil && len(out) > 0 {
				tries = append(tries, v)
			}
			if err == nil && (v.Outcome == Acquired || v.Outcome == Waits) {
				ev.Sent = ev.Table.Send(v, ev.Sent)
			}
			return c.rules.without(v, out), false, err
		})
		if err == nil && won >= 0 && len(tries) > 0 {
			v = tries[won]
			if won < len(tries)-1 && v.Outcome == Acquired && !c.rules.noConfirm {
				v, err = c.confirm(ev, v)
			}
		}
		if err == nil && a.rides != nil && v.Outcome == Acquired && !c.rules.unconfirmed && v.Late(c.wall()) {
			c.rides.began(c.who)
			v, err = tableOf(c.read()).Stands(v, nil)
		}
		if err == nil && v.Outcome != "" || err != nil && !errors.As(err, new(*TornError)) {
			break
		}
		c.step()
	}
	if err == nil && v.Outcome == Waits {
		c.memory[v.Lease.Lane] = v.Lease.Nonce
		c.tally.waited++
		return false
	}
	if err == nil && v.Outcome == Acquired {
		c.have(a, v, stamp.Nonce)
		return true
	}
	if ev.Sent == nil || !c.rules.keepsLanding && !c.giveBack(*ev.Sent, stamp) {
		return false // it says what may be held
	}
	c.abandon(stamp.Nonce, ev.Sent)
	return false
}

// giveBack undoes what an acquisition may have landed; it looks again until a
// look began after the order had moved past the admission.
func (c *client) giveBack(sent Sent, stamp Stamp) bool {
	for range 2 {
		_, err := c.update(func(seen view) ([]Write, bool, error) {
			t := tableOf(seen)
			if err := sent.Unread(t); err != nil {
				return nil, false, err
			}
			out := c.rules.ends(GiveBack(t, sent, !c.rules.trusts, stamp))
			if at := slices.IndexFunc(out, func(w Write) bool { return w.Op == OpVoid }); c.rules.voidsOne && at >= 0 {
				out = out[at : at+1]
			}
			return out, false, nil
		})
		if err != nil {
			return false
		}
		if c.rules.oneLook || c.rules.trusts {
			break
		}
	}
	return true
}

// have notes what a client was told to have.
func (c *client) have(a ask, v Verdict, nonce string) {
	all := v.All()
	if len(all) < len(a.names) {
		c.fail("I1: client %d asked for lanes %v and has %d of them", c.who, a.names, len(all))
	}
	c.completed(nonce, all)
	for _, r := range all {
		c.memory[r.Lane] = r.Nonce
		c.told(c.who, r)
		if r.Slot != "" {
			c.tally.slots++
		}
	}
	c.tally.grants++
	if len(all) > 1 {
		c.tally.several++
	}
	if a.unit != "" || a.seat != "" {
		c.tally.booked++
	}
	switch {
	case len(v.Scavenged) > 0 && a.force:
		c.tally.forced++
	case len(v.Scavenged) > 0:
		c.tally.taken++
	}
	if a.any || len(a.names) == 0 {
		c.tally.picked++
	}
}

// confirm moves the lanes of leases that were won late, so that a VOID that was
// decided meanwhile and is still under way is refused when it arrives.
func (c *client) confirm(ev AcquireEvidence, won Verdict) (v Verdict, err error) {
	_, err = c.update(func(seen view) (out []Write, trunk bool, err error) {
		ev.Table = tableOf(seen)
		c.watch(&ev.Table, seen)
		if c.rules.timed {
			ev.Stamp.Now, ev.Lapsing = c.began, c.lapsing()
		}
		v, out, err = Confirm(ev, won)
		return out, false, err
	})
	if err == nil && v.Outcome != Acquired {
		err = errContended
	}
	return v, err
}
