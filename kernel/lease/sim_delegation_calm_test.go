package lease

import (
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// calm is I5: all who worked are gone, nothing fails any more, and within a bounded
// time every lane can be had at every node without an operator, but for what was
// parked. Where the nodes go on, what none of their workers needs goes back.
func (z *realm) calm() {
	z.quiet = true
	for _, k := range z.workers {
		k.actor.stop()
		k.actor.done = true
	}
	for z.broken == nil && z.turn() {
	}
	alive := z.rng.IntN(2) == 0
	for i, name := range append(slices.Clone(realmOrdinary), realmExclusive...) {
		node := z.rng.IntN(len(z.nodes))
		k := &worker{realm: z, who: node + len(z.nodes)*(100+i), memory: map[string]remembered{}}
		z.persist(k, name, alive)
		z.run(k, func() { k.release(name) })
		if z.broken != nil {
			return
		}
	}
	if alive {
		z.recede()
	}
	z.rivals()
}

// run lets a worker do something, to its end.
func (z *realm) run(k *worker, f func()) {
	a := z.start(func(step func()) { k.step = step; f() })
	a.who, a.client, k.actor = k.who, true, a
	for range 4000 {
		if z.turn(); a.done {
			return
		}
	}
	z.fail("I5: %s does not come to an end", z.label(k.who))
}

// round lets the nodes sync, and time pass.
func (z *realm) round(alive bool) {
	for node := range z.nodes {
		if k := (&worker{realm: z, who: node + len(z.nodes)*50, memory: map[string]remembered{}}); alive && z.broken == nil {
			z.run(k, k.sync)
		}
	}
	z.now = z.now.Add(simTTL / 4)
}

// persist has a lane, or breaks I5.
func (z *realm) persist(k *worker, name string, alive bool) {
	got := false
	for tries := 0; tries < 24 && !got && z.broken == nil; tries++ {
		z.run(k, func() {
			k.unparkAll()
			got = k.try(name)
		})
		z.round(alive)
	}
	if !got {
		z.state(k.here())
		z.fail("I5: %s cannot have lane %s although nobody is left and all has lapsed", z.label(k.who), name)
	}
}

// state tells how a node and the remote stand.
func (z *realm) state(at string) {
	for _, ref := range append(slices.Clone(z.reach[""]), z.reach[at]...) {
		if n := z.refs[ref]; n != nil && ref != trunkName {
			z.tell("  %s: %s %s", ref, n.op, n.data)
		}
	}
}

// recede is that what no worker needs goes back.
func (z *realm) recede() {
	for range 8 {
		z.round(true)
	}
	for _, name := range realmOrdinary {
		if r, _ := z.recordOf(name); r.State == lane.Held && r.Delegate {
			z.fail("I5: lane %s stays with node %s, and nobody works there", name, r.Holder.Node)
		}
	}
}

// rivals is that two who want to be alone both come to it.
func (z *realm) rivals() {
	if z.broken != nil {
		return
	}
	done := map[string]bool{}
	for i, name := range realmExclusive {
		k := &worker{realm: z, who: i + len(z.nodes)*70, memory: map[string]remembered{}}
		a := z.start(func(step func()) {
			k.step = step
			for !done[name] {
				step()
				if k.try(name) {
					done[name] = true
					k.release(name)
				}
			}
		})
		a.who, a.client, k.actor = k.who, true, a
	}
	for range 6000 {
		if !z.turn() || z.broken != nil || len(done) == len(realmExclusive) {
			break
		}
	}
	if len(done) < len(realmExclusive) && z.broken == nil {
		z.fail("I5: of two that want to be alone only %v have been", slices.Sorted(maps.Keys(done)))
	}
}
