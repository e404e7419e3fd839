package lease

import (
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// direct asks the remote itself.
func (k *worker) direct(name string, wait bool) bool {
	ev := AcquireEvidence{
		RunID: k.runID(), TTL: simTTL, Scope: Fleet, Requests: []lane.Request{{Lane: name}}, Stamp: k.stamp(k.nonce()), Proc: k.process(),
		Wait: wait, Lanes: timedTaxonomy, Algebra: lane.Glob,
	}
	if h, ok := k.memory[name]; ok && k.chance(50) {
		ev.Identity = Identity{Nonce: h.nonce}
	}
	a, sent, err := k.admit("", ev, func(*AcquireEvidence, view) {})
	switch {
	case err == nil && a.Outcome == Waits:
		k.memory[name] = remembered{nonce: a.Lease.Nonce, waits: true}
		k.count.waited++
	case err == nil && a.Outcome == Acquired:
		k.have("", a)
		k.count.direct++
		return true
	default:
		k.giveBack("", sent, ev.Stamp)
	}
	return false
}

// have notes what a worker was told to have.
func (k *worker) have(at string, a answer) {
	if at != "" {
		k.count.granted++
	}
	if len(a.Scavenged) > 0 {
		k.count.taken++
	}
	for _, r := range a.All() {
		k.memory[r.Lane] = remembered{nonce: r.Nonce, at: at}
		if r.Under == "" {
			k.told(k, at, r, nil)
		} else {
			k.told(k, at, r, a.has)
		}
	}
}

func (k *worker) heartbeat(name string) {
	h := k.memory[name]
	if h.at != "" && !k.lacks.renewed {
		k.look()
		if d := k.delegations(k.read(k.here()))[name]; d.State == Live && (!k.usable(d, k.clock) || d.Due(k.clock) && !k.lacks.boot && !k.lacks.deadline) {
			k.lock(name)
			k.renew(name, d)
			k.unlock(name)
		}
	}
	id := Identity{Nonce: h.nonce}
	if k.chance(30) {
		id = Identity{RunID: k.runID()}
	}
	a := k.keep(h.at, name, id, "", func(ev KeepEvidence) (Verdict, []Write) {
		if d := ev.Delegation; d != nil && ev.Current != nil && (k.lacks.renewed || k.lacks.void && d.State == Live) {
			ev.Delegation = &Delegation{State: Live, Nonce: ev.Current.Under}
		}
		v, out := Heartbeat(ev)
		if k.lacks.keepsPushing && len(out) > 0 {
			r := *v.Lease
			r.Pushing = nil
			out = []Write{laneWrite(OpHeartbeat, r)}
		}
		return v, out
	})
	switch {
	case a.Outcome == Renewed && a.Lease.State == lane.Held:
		has := a.has
		if h.at == "" || k.lacks.renewed {
			has = nil
		}
		k.told(k, h.at, *a.Lease, has)
	case a.Outcome == LostLease && id.Nonce != "":
		delete(k.memory, name)
	}
}

func (k *worker) release(name string) {
	h, ok := k.memory[name]
	if !ok {
		return
	}
	if a := k.keep(h.at, name, Identity{Nonce: h.nonce}, "", Release); a.ExitCode() != 0 {
		return
	}
	delete(k.memory, name)
	if h.at != "" && !k.chance(25) {
		k.giveUp(name)
	}
}

func (k *worker) park(name string) {
	h := k.memory[name]
	if h.at == "" {
		if a := k.keep("", name, Identity{Nonce: h.nonce}, "", Park); a.Outcome == Parked {
			k.parkedAs(name, h.nonce)
		}
		return
	}
	a := k.keep(h.at, name, Identity{Nonce: h.nonce}, "", Park)
	if a.Outcome != Parked {
		return
	}
	k.memory[name] = remembered{nonce: a.Lease.Under, parked: true}
	if k.giveUp(name) && (k.settled == Parked || k.lacks.parked) {
		k.parkedAs(name, a.Lease.Under)
	}
}

// parkedAs is what a worker was told, whose lane is kept now.
func (k *worker) parkedAs(name, nonce string) {
	k.memory[name] = remembered{nonce: nonce, parked: true}
	k.count.parked++
	r, _ := k.recordOf(name)
	switch {
	case k.ended[admission{name, r.Gen, nonce}] || k.forced[nonce]:
	case r.Nonce != nonce || r.State == lane.Free:
		k.fail("I1: %s was told that lane %s is parked, and it is not", k.label(k.who), name)
	case r.State == lane.Parked:
		k.kept[lot{name, nonce}] = k.who
	}
}

func (k *worker) unpark(name string) {
	h := k.memory[name]
	a := k.keep("", name, Identity{Nonce: h.nonce}, "", Unpark)
	switch {
	case a.Outcome == Unparked && a.WorkUntil != nil:
		delete(k.kept, lot{name, h.nonce})
		k.memory[name] = remembered{nonce: h.nonce}
		k.told(k, "", *a.Lease, nil)
		k.count.unparked++
	case a.Outcome == Refused:
		delete(k.memory, name)
	}
}

// unparkAll is what an operator does about lanes that were parked.
func (k *worker) unparkAll() {
	for _, name := range append(slices.Clone(realmOrdinary), realmExclusive...) {
		for _, at := range []string{"", k.here()} {
			if r, _ := k.recordOf(at + name); r.State == lane.Parked {
				k.scavenge(at, name)
			}
		}
	}
}

func (k *worker) scavenge(at, name string) {
	k.keep(at, name, Identity{}, "op", Scavenge)
}

func (k *worker) reap(at, name string) {
	k.keep(at, name, Identity{}, "", Scavenge)
}

// await looks whether a lease that waits is ready.
func (k *worker) await(name string) bool {
	var v Verdict
	var tries []Verdict
	won, err := k.update("", func(seen view) (out []Write, err error) {
		ev := AwaitEvidence{Lane: name, Identity: Identity{Nonce: k.memory[name].nonce}, Table: k.table("", seen), Stamp: k.stamp(""), Lapsing: k.lapsing()}
		if v, out, err = Await(ev); len(out) > 0 {
			tries = append(tries, v)
		}
		return out, err
	})
	if err != nil {
		return false
	}
	if won >= 0 {
		v = k.confirmed("", tries[won])
	}
	switch v.Outcome {
	case Acquired:
		k.memory[name] = remembered{nonce: v.Lease.Nonce}
		k.told(k, "", *v.Lease, nil)
		k.count.ready++
	case LostLease:
		delete(k.memory, name)
	}
	return v.Outcome == Acquired
}

// sync looks at the remote for the node and settles what is left half done.
func (k *worker) sync() {
	if k.cutOff() {
		return
	}
	k.look()
	remote := k.table("", k.read(""))
	for _, name := range realmOrdinary {
		seen := k.read(k.here())
		d := k.delegations(seen)[name]
		switch {
		case d.State == Returning:
			k.finish(name, d)
		case d.State == Live && k.table(k.here(), seen).Chains[name].State == lane.Parked:
			k.giveUp(name)
		case d.State == Asking && !k.locked(name):
			k.lock(name)
			k.ask(name, d)
			k.unlock(name)
		case d.State == Live && (k.quiet || k.chance(40) || d.Drained(remote, k.others(name)) != ""):
			k.giveUp(name)
		}
	}
}

func (k *worker) others(name string) []string {
	return slices.DeleteFunc(slices.Clone(k.wants[name]), func(n string) bool { return n == k.name() })
}

// try has a lane in the way that is usual for it.
func (k *worker) try(name string) bool {
	h, has := k.memory[name]
	switch {
	case has && h.waits:
		return k.await(name)
	case slices.Contains(realmExclusive, name):
		return k.direct(name, true)
	}
	return k.under(name)
}

var realmPaths = map[string]string{"all": "x", "code": "src/a", "docs": "docs/a", "lone": "etc/a", "part": "src/part/a"}

// push rides on what the worker remembers.
func (k *worker) push() {
	id := k.nonce()
	looks := map[string]*Granted{}
	var sent [][]move
	var path []string
	for name := range maps.Keys(k.memory) {
		path = append(path, name)
	}
	slices.Sort(path)
	for i, name := range path {
		path[i] = realmPaths[name]
	}
	path = slices.DeleteFunc(path, func(string) bool { return k.chance(30) })
	unknown := false
	for range 4 {
		if k.cutOff() {
			break
		}
		if k.lacks.order && len(looks) == 0 {
			k.looksAt(id, looks)
		}
		k.look()
		seen := k.read("")
		if slices.ContainsFunc(sent, func(m []move) bool { return judged(m, seen) }) {
			k.pushed(id, true, looks)
			return
		}
		switch {
		case k.lacks.order, k.lacks.again && len(looks) > 0:
		case !k.looksAt(id, looks):
			k.pushed(id, false, looks)
			return
		}
		t := k.table("", seen)
		ev := PushEvidence{Ship: Ship{Ref: trunkName, New: "c"}, Order: t.Order, Algebra: lane.Glob, Stamp: k.stamp(""), Paths: path}
		for _, name := range slices.Sorted(maps.Keys(k.memory)) {
			own := k.memory[name]
			h := Hold{Lane: name, Identity: Identity{Nonce: own.nonce}, Granted: looks[name]}
			var err error
			if h.Chain, h.Current, err = t.Stand(name); err != nil || own.at != "" && h.Granted == nil {
				continue
			}
			h.Gone = h.Current != nil && k.gone(*h.Current)
			ev.Holds = append(ev.Holds, h)
		}
		v, out := DecidePush(ev)
		if v.Outcome != Landed {
			break
		}
		moves := append(k.moves("", out, seen), move{trunkName, seen.tips[trunkName], &node{seen.tips[trunkName], "", 0, nil}})
		won, known, err := k.transact("", moves)
		if won {
			k.count.pushed++
			k.pushed(id, true, looks)
			return
		}
		if unknown = unknown || !known; err != nil {
			return
		}
		sent = append(sent, moves)
		k.dawdle(2)
	}
	if !unknown {
		k.pushed(id, false, looks)
	}
}

// looksAt looks at the leases that the node granted; the first time it announces
// the push.
func (k *worker) looksAt(id string, looks map[string]*Granted) bool {
	first := len(looks) == 0
	for _, name := range slices.Sorted(maps.Keys(k.memory)) {
		h := k.memory[name]
		if h.at == "" {
			continue
		}
		var g *Granted
		a := k.keep(h.at, name, Identity{Nonce: h.nonce}, "", func(ev KeepEvidence) (v Verdict, out []Write) {
			g = &Granted{Chain: ev.Chain, Current: ev.Current, Order: ev.Order, Delegation: ev.Delegation}
			if first && !k.lacks.announce {
				if v, out = Announce(ev, id); len(out) > 0 {
					g.Current = v.Lease
				}
				return v, out
			}
			return Verdict{Outcome: Shown}, nil
		})
		if a.Outcome == "" {
			return false
		}
		looks[name] = g
	}
	return true
}

// pushed notes how a push ended.
func (k *worker) pushed(id string, won bool, looks map[string]*Granted) {
	var ship *Ship
	if won {
		ship = &Ship{Ref: trunkName, New: "c"}
	}
	for _, name := range slices.Sorted(maps.Keys(looks)) {
		k.keep(k.here(), name, Identity{}, "", func(ev KeepEvidence) (Verdict, []Write) {
			return Verdict{Outcome: Shown}, Resolve(ev, id, ship)
		})
	}
}

// act does one thing a worker or an operator would do.
func (k *worker) act() {
	if k.lacks.tight {
		k.actTightly("code")
		return
	}
	kept := slices.Sorted(maps.Keys(k.memory))
	name := realmOrdinary[k.rng.IntN(len(realmOrdinary))]
	switch {
	case k.lacks.few:
		name = "code"
	case k.lacks.pair && name == "docs":
		name = "part"
	}
	if len(kept) == 0 && k.chance(8) && !k.lacks.few {
		k.direct(realmExclusive[k.rng.IntN(2)], k.chance(80))
		return
	}
	if len(kept) > 0 && k.chance(65) {
		k.onHeld(kept[k.rng.IntN(len(kept))])
		return
	}
	switch n := k.rng.IntN(100); {
	case n < 68:
		if _, has := k.memory[name]; !has || k.memory[name].at != "" {
			if k.who%3 == 1 && k.chance(50) && !has {
				k.direct(name, false)
			} else {
				k.under(name)
			}
		}
	case n < 88:
		k.sync()
	case n < 94:
		k.reap([]string{"", k.here()}[k.rng.IntN(2)], name)
	case n < 96 && !k.lacks.calm:
		k.scavenge([]string{"", k.here()}[k.rng.IntN(2)], name)
	}
}

// onHeld does one thing about a lease that the worker remembers.
func (k *worker) onHeld(name string) {
	h := k.memory[name]
	n := k.rng.IntN(100)
	switch {
	case h.waits && n < 90:
		k.await(name)
	case h.parked && n < 40:
		k.unpark(name)
	case h.parked:
		k.sync()
	case n < 40:
		k.push()
	case n < 70:
		k.heartbeat(name)
	case n < 76 || k.lacks.pair && n < 90:
		k.park(name)
	case n < 95 || name == "all":
		k.release(name)
	default:
		k.under("docs")
	}
}

// actTightly is what workers do who follow each other fast on one lane.
func (k *worker) actTightly(name string) {
	_, has := k.memory[name]
	switch n := k.rng.IntN(100); {
	case has && n < 60 && !k.lacks.lazy:
		k.push()
	case has && n < 75:
		k.heartbeat(name)
	case has && n < 97:
		k.release(name)
	case n < 80 && !k.lacks.lazy, n < 50:
		k.under(name)
	case n < 88 && !k.lacks.lazy:
		k.scavenge(k.here(), name)
	default:
		k.sync()
	}
}
