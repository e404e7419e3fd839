package lease

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// In a timed history leases lapse. Clients live on nodes with clocks of their own:
// the time of day is off by some constant, and the clock that leases are watched
// by runs at a rate of its own and begins anew with each boot. Nodes are suspended,
// rebooted and cut off from the authority. Times are scaled down: one minute of ttl
// stands for fifteen, so a clock is off by up to 25 of those minutes.
const (
	simTTL    = time.Minute
	simMargin = 6 * time.Second
	simOffset = 100 * time.Second
	simSkew   = 2 * simOffset

	// With a clock fast by e and another slow by e, who watches for ttl + margin
	// and who works for ttl - margin do not meet while e is below margin / ttl.
	simDrift = 0.08
)

// A machine is one node.
type machine struct {
	offset time.Duration
	rate   float64
	boot   int
	epoch  time.Time // when its clock read nothing
	asleep time.Time // until then
	cut    time.Time // until then it does not reach the authority

	seen map[string]sighting
}

type sighting struct {
	tip  *node
	boot int
	at   time.Duration
}

func (w *world) machines() {
	for range 2 + w.rng.IntN(4) {
		w.nodes = append(w.nodes, &machine{
			offset: time.Duration((w.rng.Float64()*2 - 1) * float64(simOffset)).Truncate(time.Second),
			rate:   1 + (w.rng.Float64()*2-1)*simDrift,
			epoch:  w.now, seen: map[string]sighting{},
		})
		if m := w.nodes[len(w.nodes)-1]; w.rules.keen {
			m.rate = 1 + math.Copysign(simDrift, m.rate-1)
		}
	}
}

func (w *world) machine(who int) *machine { return w.nodes[who%len(w.nodes)] }

// wall and mono are what a client's clocks say.
func (c *client) wall() time.Time {
	if !c.rules.timed {
		return c.now
	}
	return c.now.Add(c.machine(c.who).offset)
}

func (c *client) mono() time.Duration {
	if !c.rules.timed {
		return 0
	}
	m := c.machine(c.who)
	return time.Duration(float64(c.now.Sub(m.epoch)) * m.rate)
}

// until is when a client that was told of a lease must count it as lost, in the
// time of the world.
func (w *world) until(who int, r Record) time.Time {
	m := w.machine(who)
	margin := simMargin
	if w.rules.noMargin {
		margin = 0
	}
	if w.rules.noDeadline {
		margin = -time.Hour
	}
	if w.rules.lateStart {
		return w.now.Add(time.Duration(float64(simTTL-margin) / m.rate))
	}
	return r.RenewedAt.Add(-m.offset).Add(time.Duration(float64(simTTL-margin) / m.rate))
}

// works reports whether a holder still counts on its lease.
func (w *world) works(b belief) bool { return !w.rules.timed || w.now.Before(b.until) }

func (c *client) lapsing() Lapsing {
	if !c.rules.timed {
		return Lapsing{Now: c.wall()}
	}
	by := Lapsing{Now: c.began, Skew: simSkew, Margin: func(time.Duration) time.Duration { return simMargin }}
	if c.rules.noMargin {
		by.Margin = func(time.Duration) time.Duration { return 0 }
	}
	if c.rules.anySkew {
		by.Skew = simSkew / 10
	}
	return by
}

// watch is what the client's node knows of the leases on a table that it read
// from c.from on.
func (c *client) watch(t *Table, seen view) {
	if !c.rules.timed {
		return
	}
	m := c.machine(c.who)
	t.Watch = Watch{Seen: map[string]time.Duration{}, Gone: map[string]bool{}}
	for chain, r := range t.Chains {
		tip := seen.tips[chain]
		was, ok := m.seen[chain]
		same := was.tip == tip && was.boot == m.boot
		if c.rules.watchesNames {
			same = was.boot == m.boot
		}
		if c.rules.watchesOn {
			same = was.tip == tip
		}
		if !ok || !same {
			m.seen[chain] = sighting{tip, m.boot, c.mono()}
			if c.rules.seesEarly {
				m.seen[chain] = sighting{tip, m.boot, c.from}
			}
		} else if c.from > was.at {
			t.Watch.Seen[chain] = c.from - was.at
		}
		if c.gone(r) {
			t.Watch.Gone[chain] = true
		}
	}
}

// gone reports whether the process that a lease names has ended, as far as the
// client can tell: it sees those of its own node.
func (c *client) gone(r Record) bool {
	if r.Proc == nil {
		return false
	}
	here := r.Proc.PIDNS == c.namespace()
	return here && c.dead[r.Proc.PID] || c.rules.goneAnywhere && !here
}

func (c *client) namespace() string { return fmt.Sprint("node ", c.who%len(c.nodes)) }

// process is the client's own, which some leases name.
func (c *client) process() *Proc {
	if c.chance(50) {
		return nil
	}
	return &Proc{PID: int64(c.who + 1 + 100*c.lives[c.who]), Start: "1", Boot: "b", PIDNS: c.namespace()}
}

// weather lets time and misfortune pass.
func (w *world) weather(clients []*client) {
	if !w.rules.timed {
		return
	}
	switch n := w.rng.IntN(600); {
	case n < 12:
		w.now = w.now.Add(time.Duration(w.rng.IntN(40)) * time.Second)
	case n == 12:
		w.now = w.now.Add(simTTL + simSkew) // a night
	case n < 16:
		w.machine(w.rng.IntN(len(clients))).asleep = w.now.Add(time.Duration(w.rng.IntN(150)) * time.Second)
	case n < 19:
		w.machine(w.rng.IntN(len(clients))).cut = w.now.Add(time.Duration(w.rng.IntN(150)) * time.Second)
	case n == 19:
		w.restart(clients, w.machine(w.rng.IntN(len(clients))))
	case n < 23:
		w.die(clients[w.rng.IntN(len(clients))])
	}
}

// restart is a reboot: a clock that begins anew, and no process left.
func (w *world) restart(clients []*client, m *machine) {
	m.boot++
	m.epoch = w.now.Add(-time.Duration(w.rng.IntN(3000)) * time.Second)
	for _, c := range clients {
		if w.machine(c.who) == m {
			w.die(c)
		}
	}
}

// die ends a client's process for good. Another takes its place, and finds on the
// disk what it remembered; of a lease that names the dead process it makes no use.
func (w *world) die(c *client) {
	w.tell("the process of client %d ends", c.who)
	for _, at := range w.believed() {
		if w.beliefs[at].who == c.who {
			delete(w.beliefs, at)
		}
	}
	w.dead[int64(c.who+1+100*w.lives[c.who])] = true
	w.lives[c.who]++
	c.reboot()
}

// asleep reports whether an actor's node is suspended.
func (w *world) asleep(a *actor) bool {
	if w.realm != nil && w.realm.stalls(a) {
		return true
	}
	return w.rules.timed && a.client && !w.quiet && w.now.Before(w.machine(a.who).asleep)
}

var errCut = errors.New("cut off")

func (c *client) cutOff() bool {
	if !c.rules.timed {
		return false
	}
	c.step()
	return !c.quiet && c.now.Before(c.machine(c.who).cut)
}

// await looks whether a lease that waits is ready.
func (c *client) await(name string) bool {
	var v Verdict
	var tries []Verdict
	won, err := c.update(func(seen view) (out []Write, trunk bool, err error) {
		t := tableOf(seen)
		c.watch(&t, seen)
		ev := AwaitEvidence{Lane: name, Identity: Identity{Nonce: c.memory[name]}, Table: t, Stamp: c.stamp(""), Lapsing: c.lapsing()}
		if v, out, err = c.rules.decideAwait(ev); len(out) > 0 {
			tries = append(tries, v)
		}
		return c.rules.ends(out), false, err
	})
	if err != nil {
		return false
	}
	if won >= 0 {
		v = tries[won]
	}
	switch v.Outcome {
	case Acquired:
		c.told(c.who, *v.Lease)
		c.tally.ready++
	case LostLease:
		delete(c.memory, name)
	}
	return v.Outcome == Acquired
}

// reap frees a lane whose lease has lapsed.
func (c *client) reap(name string) {
	c.keepAs(name, Identity{}, "", Scavenge)
}

// park keeps a lane, or takes it up again.
func (c *client) park(name string) {
	if v := c.keepAs(name, c.identity(name, false), "", Park); v.Outcome == Parked {
		c.tally.parked++
	}
}

func (c *client) unpark(name string) {
	if v := c.keepAs(name, c.identity(name, false), "", Unpark); v.Outcome == Unparked && v.WorkUntil != nil {
		c.told(c.who, *v.Lease)
	}
}

// passing does one thing that only a timed history has.
func (c *client) passing(name string) bool {
	switch n := c.rng.IntN(100); {
	case n < 12 && c.memory[name] != "":
		c.await(name)
	case n < 14:
		c.park(name)
	case n < 18:
		c.unpark(name)
	case n < 22:
		c.reap(name)
	default:
		return false
	}
	return true
}

// actPatiently is what clients do in a history of two sides: those who wait to be
// alone, and those in whose way they are.
func (c *client) actPatiently() {
	const alone = "lone"
	_, has := c.memory[alone]
	kept := slices.Sorted(maps.Keys(c.memory))
	switch n := c.rng.IntN(100); {
	case c.who%2 == 0 && !has:
		c.acquire(ask{names: []string{alone}, wait: true})
	case c.who%2 == 0 && n < 80:
		c.await(alone)
	case c.who%2 == 0:
		c.release(alone)
	case len(kept) == 0:
		c.acquire(ask{names: []string{[]string{"docs", "part", "word"}[c.rng.IntN(3)]}})
	case n < 8:
		c.machine(c.who).asleep = c.now.Add(time.Duration(c.rng.IntN(200)) * time.Second)
	case n < 90:
		c.heartbeat(kept[0])
	default:
		c.release(kept[0])
	}
}

// timedLanes are the lanes of a timed history: two of them run alone.
var timedLanes = append(slices.Clone(simLanes), "lone")

var timedTaxonomy = func() lane.Taxonomy {
	t := simTaxonomy
	t.Exclusive = []string{"all", "lone"}
	t.Trees = maps.Clone(t.Trees)
	t.Trees["lone"] = []string{"etc/**"}
	return t
}()

func (r rules) lanes() []string {
	if r.timed {
		return timedLanes
	}
	return simLanes
}

func (r rules) taxonomy() lane.Taxonomy {
	if r.timed {
		return timedTaxonomy
	}
	return simTaxonomy
}

func (r rules) decideAwait(ev AwaitEvidence) (Verdict, []Write, error) {
	if r.await != nil {
		return r.await(ev)
	}
	return Await(ev)
}

// outlast is I5 where leases lapse: nobody is left, no operator helps but with what
// was parked, and every lane can be had within a bounded time.
func (w *world) outlast() {
	last := &client{world: w, who: simClients, memory: map[string]string{}}
	for _, name := range timedLanes {
		got, parked := false, false
		for tries := 0; tries < 14 && !got && w.broken == nil; tries++ {
			a := w.start(func(step func()) {
				last.step = step
				for _, chain := range w.chains() {
					if r := mustRecord(chain, w.refs[chain]); r.State == lane.Parked && !parked {
						last.scavenge(r.Lane)
					}
				}
				if _, waits := last.memory[name]; waits {
					got = last.await(name)
					return
				}
				got = last.acquire(ask{names: []string{name}, wait: true})
			})
			a.who, a.client = last.who, true
			for range 3000 {
				if w.turn(); a.done {
					break
				}
			}
			w.now = w.now.Add(simTTL / 4)
		}
		if !got && w.broken == nil {
			w.fail("I5: lane %s cannot be had although nobody is left and all has lapsed", name)
		}
		if w.broken != nil {
			return
		}
		a := w.start(func(step func()) { last.step = step; last.release(name) })
		a.who, a.client = last.who, true
		for range 3000 {
			if w.turn(); a.done {
				break
			}
		}
	}
}

// acquireBesideLapsed leaves the leases that have lapsed and stand against the
// admission where they are.
func acquireBesideLapsed(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	own := map[string]bool{}
	for _, r := range v.All() {
		own[r.Chain()] = true
	}
	return v, slices.DeleteFunc(writes, func(w Write) bool {
		return w.Op == OpScavenge && !own[w.Chain] && lapsed(mustRecord(w.Chain, &node{gen: w.Gen, data: w.Payload}))
	}), err
}

// awaitAlone takes the lanes that it waits for as free.
func awaitAlone(ev AwaitEvidence) (Verdict, []Write, error) {
	ev.Table.Chains = maps.Clone(ev.Table.Chains)
	for chain, r := range ev.Table.Chains {
		if r.Lane != ev.Lane {
			r.State = lane.Free
			ev.Table.Chains[chain] = r
		}
	}
	return Await(ev)
}

// awaitBesideLapsed leaves the lapsed leases that a ready one overlaps where they are.
func awaitBesideLapsed(ev AwaitEvidence) (Verdict, []Write, error) {
	ev.Table.Chains = maps.Clone(ev.Table.Chains)
	for chain := range ev.Table.Lapsed(ev.Lapsing) {
		if r := ev.Table.Chains[chain]; r.Lane != ev.Lane {
			r.State = lane.Free
			ev.Table.Chains[chain] = r
		}
	}
	return Await(ev)
}

// awaitAtOnce is ready in the transaction that ends what has lapsed.
func awaitAtOnce(ev AwaitEvidence) (Verdict, []Write, error) {
	v, writes, err := Await(ev)
	if v.Outcome != Waits || len(v.Scavenged) == 0 {
		return v, writes, err
	}
	r := *v.Lease
	r.State, r.RenewedAt = lane.Held, stampSeconds(ev.Stamp)
	v.Outcome, v.Lease = Acquired, &r
	return v, append(writes, laneWrite(OpReady, r)), err
}

// acquireBesideWaiting takes lanes that wait as free.
func acquireBesideWaiting(ev AcquireEvidence) (Verdict, []Write, error) {
	ev.Table.Chains = maps.Clone(ev.Table.Chains)
	for chain, r := range ev.Table.Chains {
		if r.State == lane.Waiting && !ev.owns(r) {
			r.State = lane.Free
			ev.Table.Chains[chain] = r
		}
	}
	return Acquire(ev)
}
