package lease

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// lock keeps the delegation of a lane from the other processes of the node.
func (k *worker) lock(name string) {
	key := k.here() + name
	for a := k.mutexes[key]; a != nil && !a.done && a != k.actor; a = k.mutexes[key] {
		k.step()
	}
	k.mutexes[key] = k.actor
}

func (k *worker) unlock(name string) {
	if key := k.here() + name; k.mutexes[key] == k.actor {
		delete(k.mutexes, key)
	}
}

func (k *worker) locked(name string) bool {
	a := k.mutexes[k.here()+name]
	return a != nil && !a.done && a != k.actor
}

// about runs a transaction about a delegation, which must still be what it was.
func (k *worker) about(name string, was Delegation, decide func(Delegation, Table, Stamp) []Write) error {
	_, err := k.update(k.here(), func(seen view) ([]Write, error) {
		d := k.delegations(seen)[name]
		if d.State != was.State || d.Nonce != was.Nonce {
			return nil, errMoved
		}
		if out := decide(d, k.table(k.here(), seen), k.stamp("")); len(out) > 0 {
			return out, nil
		}
		return nil, errMoved
	})
	return err
}

func (k *worker) usable(d Delegation, now Instant) bool {
	if k.lacks.boot {
		d.Clock.Boot = now.Boot
		d.Clock.At = min(d.Clock.At, now.At)
	}
	if k.lacks.deadline {
		d.Clock = now
	}
	return d.Usable(now, k.lapsing())
}

// obtain sees to it that the node has a lane on the remote.
func (k *worker) obtain(name string) bool {
	k.lock(name)
	defer k.unlock(name)
	for range 6 {
		k.look()
		clock := k.clock
		seen := k.read(k.here())
		d := k.delegations(seen)[name]
		if k.lacks.returning && d.State == Returning {
			d.State = Live
		}
		switch {
		case d.State == Returning:
			if !k.finish(name, d) {
				return false
			}
		case d.State == Live && k.table(k.here(), seen).Chains[name].State == lane.Parked:
			if !k.giveUp(name) {
				return false
			}
		case d.State == Live && k.usable(d, clock):
			if !d.Due(clock) || k.lacks.boot || k.lacks.deadline || k.renew(name, d) != LostLease {
				return true
			}
		case d.State == Live:
			if out := k.renew(name, d); out != Renewed && out != LostLease {
				return false
			}
		default:
			if !k.ask(name, d) {
				return false
			}
		}
	}
	return false
}

// renew renews a delegation on the remote.
func (k *worker) renew(name string, d Delegation) Outcome {
	k.look()
	start, stamp := k.clock, k.stamp("")
	a := k.keep("", name, Identity{Nonce: d.Nonce}, "", Heartbeat)
	if k.lacks.start {
		k.look()
		start, stamp = k.clock, k.stamp("")
	}
	switch a.Outcome {
	case Renewed:
		if k.live(name, d, *a.Lease, stamp, start) != nil {
			return ""
		}
		k.count.renewed++
	case LostLease:
		if k.about(name, d, func(d Delegation, t Table, s Stamp) []Write { return k.ending(d.End("it was lost", t, s)) }) != nil {
			return ""
		}
	}
	return a.Outcome
}

// ending is what a delegation that ends writes.
func (k *worker) ending(_ Delegation, out []Write) []Write {
	if k.lacks.void {
		out = out[:1]
	}
	return out
}

// live notes that the node has the lane.
func (k *worker) live(name string, d Delegation, r Record, stamp Stamp, start Instant) error {
	return k.about(name, d, func(d Delegation, t Table, _ Stamp) []Write {
		if k.lacks.nonce {
			d.Nonce, r.Delegate = r.Nonce, true
		}
		_, out, err := d.Hold(r, t, stamp, start)
		if err != nil {
			return nil
		}
		if k.lacks.void {
			out = out[:1]
		}
		return out
	})
}

// ask asks the remote for a lane.
func (k *worker) ask(name string, d Delegation) bool {
	if d.State != Asking {
		nonce := k.nonce()
		var next Delegation
		err := k.about(name, d, func(d Delegation, _ Table, s Stamp) (out []Write) {
			s.Nonce = nonce
			next, out = d.Ask(name, s)
			return out
		})
		if err != nil {
			return false
		}
		d = next
	}
	k.look()
	start, stamp := k.clock, k.stamp(d.Nonce)
	ev := AcquireEvidence{
		TTL: simTTL, Scope: Fleet, Requests: []lane.Request{{Lane: name}}, Identity: Identity{Nonce: d.Nonce}, Stamp: stamp,
		Delegate: true, Delegations: k.delegations(k.read(k.here())), Lanes: timedTaxonomy, Algebra: lane.Glob,
	}
	ev.Stamp.Holder.Owner = ""
	var mine *Record
	a, sent, err := k.admit("", ev, func(ev *AcquireEvidence, _ view) {
		if r, ok := ev.Table.Chains[name]; ok && k.lacks.nonce && r.State == lane.Held && r.Holder.Node == k.name() {
			mine = &r
		}
		if k.lacks.siblings {
			k.kin(ev)
		}
	})
	switch {
	case mine != nil:
		return k.live(name, d, *mine, stamp, start) == nil
	case err != nil:
		return false // it is left asking
	case a.Outcome == Acquired:
		if k.lacks.start {
			k.look()
			start, stamp = k.clock, k.stamp("")
		}
		k.wants[name] = slices.DeleteFunc(k.wants[name], func(n string) bool { return n == k.name() })
		k.count.delegated++
		return k.live(name, d, *a.Lease, stamp, start) == nil
	case !k.giveBack("", sent, stamp):
		return false
	}
	k.tell("%s is refused lane %s: %s", k.label(k.who), name, a.Reason)
	for _, w := range a.Wants(k.mirrors[k.name()], k.name()) {
		if !slices.Contains(k.wants[w.Lane], k.name()) {
			k.wants[w.Lane] = append(k.wants[w.Lane], k.name())
		}
	}
	_ = k.about(name, d, func(d Delegation, t Table, s Stamp) []Write { return k.ending(d.End("it was refused", t, s)) })
	return false
}

// kin takes all that its node holds on the remote for its own delegations.
func (k *worker) kin(ev *AcquireEvidence) {
	ev.Delegations, ev.Table.Chains = maps.Clone(ev.Delegations), maps.Clone(ev.Table.Chains)
	for chain, r := range ev.Table.Chains {
		if r.State == lane.Held && r.Holder.Node == k.name() {
			r.Delegate = true
			ev.Table.Chains[chain] = r
			ev.Delegations[r.Lane] = Delegation{Lane: r.Lane, State: Live, Nonce: r.Nonce}
		}
	}
}

// giveUp gives a lane back that nobody of the node works on, or that is parked.
func (k *worker) giveUp(name string) bool {
	k.look()
	d := k.delegations(k.read(k.here()))[name]
	if d.State == Returning {
		return k.finish(name, d)
	}
	if d.State != Live || !k.mend() {
		return false
	}
	if k.lacks.returnsFirst {
		if t := k.table(k.here(), k.read(k.here())); !d.Idle(t, k.lapsing()) || k.keep("", name, Identity{Nonce: d.Nonce}, "", Release).Outcome != Released {
			return false
		}
	}
	next := d
	err := k.about(name, d, func(d Delegation, t Table, s Stamp) (out []Write) {
		if k.lacks.noneLive {
			t = Table{}
		}
		if next, out, _ = d.Return(t, s, k.lapsing()); k.lacks.lapsedFreed {
			out = slices.DeleteFunc(out, func(w Write) bool { return w.Op == OpScavenge })
		}
		if k.lacks.noOrder {
			out = slices.DeleteFunc(out, func(w Write) bool { return w.Op == OpEnded })
		}
		return out
	})
	return err == nil && k.finish(name, next)
}

// mend repairs what an admission of the node was cut off from.
func (k *worker) mend() bool {
	var torn view
	var since time.Time
	for range 12 {
		mended := true
		_, err := k.update(k.here(), func(seen view) ([]Write, error) {
			t := k.table(k.here(), seen)
			if mended = len(t.Torn()) == 0; mended {
				return nil, nil
			}
			if !torn.equal(seen) {
				torn, since = seen, k.now
			}
			if k.now.Sub(since) < TornFor {
				return nil, nil
			}
			return Repair(t, t.Torn(), k.stamp("")), nil
		})
		if err != nil || mended {
			return err == nil
		}
		k.pause(300 * time.Millisecond)
	}
	return false
}

// pause lets time pass for a process.
func (k *worker) pause(d time.Duration) {
	for wake := k.now.Add(d); k.now.Before(wake); {
		k.step()
	}
}

// dawdle makes narrow windows wider.
func (k *worker) dawdle(most int) {
	if k.lacks.tight && k.chance(50) {
		k.pause(time.Duration(k.rng.IntN(most*1000)) * time.Millisecond)
	}
}

// finish ends what is returning.
func (k *worker) finish(name string, d Delegation) bool {
	k.look()
	own := k.table(k.here(), k.read(k.here())).Chains[name]
	a := answer{}
	if own.State == lane.Parked && own.Under == d.Nonce && !k.lacks.parked {
		if !k.alone(name, own) {
			return false
		}
		a = k.asNode(name, d, func(ev KeepEvidence) (Verdict, []Write) {
			ev.For = &own
			if !k.lacks.alone {
				ev.Beside = k.mirrors[k.name()].Beside(name, lane.Glob)
			}
			v, out := Park(ev)
			if k.lacks.alone {
				out = slices.DeleteFunc(out, func(w Write) bool { return w.Chain == "" })
			}
			if v.Outcome == Refused && v.ReasonClass == lane.Collision {
				return Verdict{}, nil
			}
			return v, out
		})
	} else {
		a = k.asNode(name, d, Release)
	}
	if k.settled = a.Outcome; a.Outcome == "" {
		return false
	}
	k.count.returned++
	return k.about(name, d, func(d Delegation, t Table, s Stamp) []Write { return k.ending(d.End("it went back", t, s)) }) == nil
}

// asNode runs a verb on what the node has on the remote. A lane that was given to
// the worker who parked it is settled.
func (k *worker) asNode(name string, d Delegation, decide func(KeepEvidence) (Verdict, []Write)) answer {
	return k.keep("", name, Identity{Nonce: d.Nonce}, "", func(ev KeepEvidence) (Verdict, []Write) {
		ev.Node = !k.lacks.handedOn
		v, out := decide(ev)
		if v.ReasonClass == DelegationOver {
			v.Outcome = Parked
		}
		return v, out
	})
}

// alone gives back what the node has beside a lane that is to be parked.
func (k *worker) alone(name string, own Record) bool {
	k.look()
	has := k.delegations(k.read(k.here()))
	for _, other := range realmOrdinary {
		d, ok := has[other]
		if k.lacks.alone || !ok || d.State == Gone || other == name || lane.Glob.Disjoint(timedTaxonomy.Trees[other], own.Tree) {
			continue
		}
		if d.State == Asking && !k.locked(other) {
			k.lock(other)
			gone := !k.ask(other, d)
			if k.unlock(other); gone {
				continue
			}
		}
		if !k.giveUp(other) {
			return false
		}
	}
	return true
}

// under has a lane of its node.
func (k *worker) under(name string) bool {
	fenced := map[string]*node{}
	ev := AcquireEvidence{
		RunID: k.runID(), TTL: simTTL, Scope: Local, Requests: []lane.Request{{Lane: name}}, Stamp: k.stamp(k.nonce()), Proc: k.process(),
		Under: true, Lanes: timedTaxonomy, Algebra: lane.Glob,
	}
	if h, ok := k.memory[name]; ok && k.chance(50) {
		ev.Identity = Identity{Nonce: h.nonce}
	}
	for range 10 {
		if !k.obtain(name) {
			break
		}
		if to := (Delegation{}).Drained(k.mirrors[k.name()], nil); to != "" {
			k.giveUp(name)
			break
		}
		a, sent, err := k.admit(k.here(), ev, func(ev *AcquireEvidence, seen view) { k.grantable(ev, seen, fenced) })
		ev.Sent = sent
		var unfenced *UnfencedError
		switch {
		case errors.As(err, new(*DelegationError)):
			continue
		case errors.As(err, &unfenced):
			if k.fence(unfenced.Chains, fenced) {
				k.dawdle(6)
				continue
			}
		case err == nil && a.Outcome == Acquired:
			k.have(k.here(), a)
			return true
		}
		break
	}
	k.giveBack(k.here(), ev.Sent, ev.Stamp)
	return false
}

// grantable is what a grant is decided on beside the table.
func (k *worker) grantable(ev *AcquireEvidence, seen view, fenced map[string]*node) {
	ev.Delegations = k.delegations(seen)
	for name, d := range ev.Delegations {
		switch {
		case k.lacks.returning && d.State == Returning:
			d.State = Live
		case d.State == Live && k.usable(d, ev.Clock) && (k.lacks.boot || k.lacks.deadline):
			d.Clock = ev.Clock
		}
		ev.Delegations[name] = d
	}
	ev.Table.Watch.Fenced = map[string]bool{}
	for chain, tip := range fenced {
		ev.Table.Watch.Fenced[chain] = seen.tips[k.here()+chain] == tip
	}
	for chain, r := range ev.Table.Chains {
		if l := ev.Table.Lapse(chain, ev.Lapsing); k.lacks.taking && l.Over {
			r.Taking = true
			ev.Table.Chains[chain] = r
		}
		if r.Pushing != nil && k.lacks.unresolved {
			r.Pushing = nil
			ev.Table.Chains[chain] = r
		}
	}
}

// fence sees to it that no push lands any more under what stands on the chains.
func (k *worker) fence(chains []string, fenced map[string]*node) bool {
	if !k.lacks.taking {
		if _, err := k.update(k.here(), func(seen view) ([]Write, error) {
			return Take(k.table(k.here(), seen), chains, k.lapsing(), k.stamp("")), nil
		}); err != nil {
			return false
		}
	}
	k.look()
	seen := k.read(k.here())
	t := k.table(k.here(), seen)
	for _, chain := range chains {
		if !k.lacks.append {
			a := k.keep("", chain, Identity{Nonce: t.Chains[chain].Under}, "", Heartbeat)
			if a.Outcome != Renewed && a.Outcome != LostLease {
				return false
			}
		}
		fenced[chain] = seen.tips[k.here()+chain]
	}
	k.count.fenced++
	return true
}
