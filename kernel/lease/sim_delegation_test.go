package lease

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A realm is a world of several authorities: a remote, and the repository of each
// node, whose refs begin with the node's name. Nodes take ordinary lanes on the
// remote for their workers and grant leases under them in their own repositories;
// some workers ask the remote themselves. Transactions on either can die half-way
// or arrive late, processes stall, and all that befalls a timed history befalls
// this one.
type realm struct {
	*world
	lacks   lacks
	workers []*worker
	reach   map[string][]string // the refs of each authority
	parsed  map[*node]any

	mutexes map[string]*actor    // by node and lane: who is about its delegation
	stalled map[*actor]time.Time // processes that stand still until then
	mirrors map[string]Table     // by node: the remote as it was seen last
	wants   map[string][]string  // by lane: the nodes that were refused it by another's delegation

	admitted map[admission]mark
	forced   map[string]bool // nonces of delegations that an operator ended
	kept     map[lot]int     // what was parked, and by whom
	serial   int
	count    count
}

// A mark is an admission in a node's own repository, in the order they were made.
type mark struct {
	serial int
	rec    Record
}

// A count is what a history of delegations was made of.
type count struct {
	delegated, granted, direct, taken, fenced, returned, pushed, waited, ready, parked, unparked, renewed int
}

func (c *count) add(d count) {
	c.delegated, c.granted, c.direct, c.taken = c.delegated+d.delegated, c.granted+d.granted, c.direct+d.direct, c.taken+d.taken
	c.fenced, c.returned, c.pushed, c.waited = c.fenced+d.fenced, c.returned+d.returned, c.pushed+d.pushed, c.waited+d.waited
	c.ready, c.parked, c.unparked, c.renewed = c.ready+d.ready, c.parked+d.parked, c.unparked+d.unparked, c.renewed+d.renewed
}

var realmOrdinary = []string{"code", "docs", "part"}
var realmExclusive = []string{"all", "lone"}

// newRealm makes a realm of a seed.
func newRealm(seed uint64, l lacks) *realm {
	z := &realm{
		world: newWorld(seed, rules{timed: true, keen: true, rough: seed%2 == 1, cuts: l.cuts}), lacks: l,
		reach: map[string][]string{}, parsed: map[*node]any{}, mutexes: map[string]*actor{}, stalled: map[*actor]time.Time{},
		mirrors: map[string]Table{}, wants: map[string][]string{},
		admitted: map[admission]mark{}, forced: map[string]bool{}, kept: map[lot]int{},
	}
	z.world.realm = z
	z.nodes = z.nodes[:min(len(z.nodes), 2+z.rng.IntN(3))]
	if l.tight {
		z.nodes = z.nodes[:1]
	}
	z.reach[""] = slices.Concat([]string{orderName, trunkName}, realmOrdinary, realmExclusive)
	for i, m := range z.nodes {
		at := home(i)
		local := []string{at + orderName}
		for _, name := range realmOrdinary {
			local = append(local, at+name, at+"@"+name)
		}
		z.reach[at] = local
		if z.rng.IntN(2) == 0 {
			m.rate = 1 + (z.rng.Float64()*2-1)*simDrift
		}
	}
	crowd := min(5, len(z.nodes)*(1+z.rng.IntN(3)))
	if l.tight {
		crowd = 3
	}
	for who := range crowd {
		k := &worker{realm: z, who: who, memory: map[string]remembered{}}
		z.workers = append(z.workers, k)
		k.boot()
	}
	return z
}

// home is the authority of a node.
func home(node int) string { return fmt.Sprintf("n%d/", node) }

func (z *realm) label(who int) string { return fmt.Sprintf("worker %d of n%d", who, who%len(z.nodes)) }

// place is where a ref of a chain belongs, and the chain.
func place(ref string) (at, chain string) {
	if i := strings.IndexByte(ref, '/'); i >= 0 {
		return ref[:i+1], ref[i+1:]
	}
	return "", ref
}

func (z *realm) recordOf(ref string) (Record, bool) {
	n := z.refs[ref]
	if n == nil {
		return Record{}, false
	}
	_, chain := place(ref)
	return z.record(chain, n), true
}

func (z *realm) record(chain string, n *node) Record {
	r, ok := z.parsed[n].(Record)
	if !ok {
		r = mustRecord(chain, n)
		z.parsed[n] = r
	}
	return r
}

func (z *realm) orderOf(n *node) Order {
	if n == nil {
		return Order{}
	}
	o, ok := z.parsed[n].(Order)
	if !ok {
		var err error
		if o, err = ParseOrder(n.gen, n.data); err != nil {
			panic(err)
		}
		z.parsed[n] = o
	}
	return o
}

func (z *realm) delegationOf(chain string, n *node) Delegation {
	if n == nil {
		return Delegation{}
	}
	d, ok := z.parsed[n].(Delegation)
	if !ok {
		var err error
		if d, err = ParseDelegation(strings.TrimPrefix(chain, "@"), n.gen, n.data); err != nil {
			panic(err)
		}
		z.parsed[n] = d
	}
	return d
}

// arrival is when a transaction arrives: some are held up for long.
func (z *realm) arrival(t *transaction) time.Time {
	at, _ := place(t.moves[0].ref)
	if z.lacks.tight && z.chance(30) && (at == "" || z.lacks.lazy) {
		return z.now.Add(time.Duration(z.rng.IntN(6000)) * time.Millisecond)
	}
	if z.lacks.tight {
		return z.now
	}
	if z.chance(z.often(3, 8)) && (at == "" || z.chance(30)) {
		return z.now.Add(time.Duration(z.rng.IntN(120)) * time.Second)
	}
	return z.now
}

// stalls reports whether a process stands still.
func (z *realm) stalls(a *actor) bool { return a.client && !z.quiet && z.now.Before(z.stalled[a]) }

// pass lets time and misfortune pass.
func (z *realm) pass() {
	if z.chance(1) {
		z.workers[z.rng.IntN(len(z.workers))].reboot()
	}
	k := z.workers[z.rng.IntN(len(z.workers))]
	m := z.machine(k.who)
	n := z.rng.IntN(600)
	if z.lacks.tight {
		switch {
		case n < 6:
			k.die()
		case n < 30:
			z.stalled[k.actor] = z.now.Add(time.Duration(z.rng.IntN(3000)) * time.Millisecond)
		case n == 30:
			z.now = z.now.Add(time.Duration(z.rng.IntN(40)) * time.Second)
		}
		return
	}
	switch {
	case n < 10:
		z.now = z.now.Add(time.Duration(z.rng.IntN(40)) * time.Second)
	case n == 10 && z.rng.IntN(2) == 0:
		z.now = z.now.Add(simTTL + simSkew) // a night
	case n < 14:
		m.asleep = z.now.Add(time.Duration(z.rng.IntN(150)) * time.Second)
	case n < 18:
		m.cut = z.now.Add(time.Duration(z.rng.IntN(150)) * time.Second)
	case n == 18:
		m.boot++
		m.epoch = z.now.Add(-time.Duration(z.rng.IntN(300)) * time.Second)
		z.tell("n%d is booted", k.who%len(z.nodes))
		for _, other := range z.workers {
			if z.machine(other.who) == m {
				other.die()
			}
		}
	case n < 22:
		k.die()
	case n < 30:
		z.stalled[k.actor] = z.now.Add(time.Duration(z.rng.IntN(150)) * time.Second)
	}
}

// landed checks what an entry does that has moved a ref.
func (z *realm) landed(t *transaction, m move, n *node) {
	at, chain := place(m.ref)
	switch {
	case m.ref == trunkName:
		z.tell("%s moved the trunk", z.label(t.who))
	case chain == orderName:
		z.tell("%s: %s%s, number %d", z.label(t.who), at, n.op, n.gen)
		z.reordered(t, at)
		z.mark(at)
	case chain[0] == '@':
		d := z.delegationOf(chain, n)
		if n.parent != nil && n.gen <= n.parent.gen {
			z.fail("I3: %s went from number %d to %d by %s", m.ref, n.parent.gen, n.gen, n.op)
		}
		z.tell("%s: %s %s number %d, %s, nonce %s %s", z.label(t.who), n.op, m.ref, n.gen, d.State, short(d.Nonce), d.Reason)
	default:
		r := z.record(chain, n)
		z.tell("%s: %s %s g%d nonce %s under %q %s, renewed %s %s %v%s", z.label(t.who), n.op, m.ref, r.Gen, short(r.Nonce), short(r.Under), r.State, r.RenewedAt.Format("15:04:05"), r.Reason, r.Pushing, map[bool]string{true: " taking"}[r.Taking])
		z.changed(t, at, n.op, r)
		z.mark(at)
	}
}

// mark notes what a node has admitted, once all of it is there.
func (z *realm) mark(at string) {
	if at == "" {
		return
	}
	o := z.orderOf(z.refs[at+orderName])
	for _, name := range realmOrdinary {
		if r, ok := z.recordOf(at + name); ok && r.State != lane.Free && o.admits(r) {
			key := admission{at + name, r.Gen, r.Nonce}
			if _, ok := z.admitted[key]; !ok {
				z.serial++
				z.admitted[key] = mark{z.serial, r}
			}
		}
	}
}

// reordered checks that only force takes an admission away.
func (z *realm) reordered(t *transaction, at string) {
	o := z.orderOf(z.refs[at+orderName])
	for _, own := range z.believed() {
		b := z.beliefs[own]
		where, chain := place(own.chain)
		if where != at || b.overruled || !overrules(o, b.Record) || !z.works(b) {
			continue
		}
		if !slices.ContainsFunc(t.moves, func(m move) bool { return m.ref == own.chain && z.scavenges(m, chain) }) {
			z.fail("lease %s of %s on lane %s taken out of the order by %s", short(own.nonce), z.label(b.who), b.Lane, z.label(t.who))
		}
		b.overruled = true
		z.beliefs[own] = b
	}
}

// scavenges reports whether a move ends a lease by an operator's word.
func (z *realm) scavenges(m move, chain string) bool {
	for n := m.new; n != m.expect && n != nil; n = n.parent {
		if n.op == OpScavenge && z.record(chain, n).Operator != "" {
			return true
		}
	}
	return false
}

// changed checks what an entry on a lane does to those who work under it.
func (z *realm) changed(t *transaction, at, op string, r Record) {
	byForce := op == OpScavenge && r.Operator != ""
	for _, own := range z.believed() {
		b := z.beliefs[own]
		where, chain := place(own.chain)
		switch {
		case where == at && chain == r.Chain() && (r.State != lane.Held || r.Nonce != own.nonce):
			byRight := byForce || b.overruled || !z.works(b) || b.who == t.who && (op == OpRelease || op == OpPark)
			if !byRight {
				z.fail("lease %s of %s on lane %s ended by %s of %s", short(own.nonce), z.label(b.who), own.chain, op, z.label(t.who))
			}
			delete(z.beliefs, own)
		case at == "" && where != "" && chain == r.Lane && b.Under != "" && (r.State != lane.Held || r.Nonce != b.Under):
			if z.works(b) && !byForce && !b.overruled && !z.forced[b.Under] {
				z.fail("lease %s of %s on lane %s: what it was granted under ended by %s of %s", short(own.nonce), z.label(b.who), own.chain, op, z.label(t.who))
			}
			delete(z.beliefs, own)
		}
	}
	for kept, who := range z.kept {
		if at == "" && kept.chain == r.Chain() && (r.Nonce != kept.nonce || r.State != lane.Parked) {
			if !byForce && op != OpUnpark {
				z.fail("I1: lane %s, which %s has parked, ended by %s of %s", r.Lane, z.label(who), op, z.label(t.who))
			}
			delete(z.kept, kept)
		}
	}
	if r.State != lane.Free {
		return
	}
	if byForce || op == OpRelease || op == OpVoid || op == OpReturn {
		z.ended[admission{at + r.Chain(), r.Gen, r.Nonce}] = true
	}
	if byForce && at == "" {
		z.forced[r.Nonce] = true
	}
}

// told records that a worker was told to have a lease, under what its node has of
// the lane where it was granted there, and checks I1.
func (z *realm) told(k *worker, at string, r Record, d *Delegation) {
	own := lot{at + r.Chain(), r.Nonce}
	if z.ended[admission{own.chain, r.Gen, r.Nonce}] || z.forced[r.Under] {
		return
	}
	b := belief{Record: r, who: k.who, until: z.until(k.who, r), overruled: overrules(z.orderOf(z.refs[at+orderName]), r) && z.beliefs[own].overruled}
	if d != nil {
		if by := z.bound(k, *d); by.Before(b.until) {
			b.until = by
		}
	}
	delete(z.beliefs, own)
	if !z.works(b) || b.overruled {
		return
	}
	z.tell("%s has lane %s%s, nonce %s, until %s", z.label(k.who), at, r.Lane, short(r.Nonce), b.until.Format("15:04:05"))
	if has, _ := z.recordOf(r.Lane); r.Under != "" && (has.Nonce != r.Under || has.State != lane.Held) {
		z.fail("I1: %s on lane %s%s, which its node has not", z.label(k.who), at, r.Lane)
	}
	z.beliefs[own] = b
	for _, other := range z.believed() {
		o := z.beliefs[other]
		if other != own && z.works(o) && !o.overruled && clash(o.Record, r) {
			z.fail("I1: %s on lane %s (%s) beside %s on lane %s (%s)", z.label(k.who), own.chain, short(own.nonce), z.label(o.who), other.chain, short(other.nonce))
		}
	}
	for kept, who := range z.kept {
		if p, _ := z.recordOf(kept.chain); kept.nonce != r.Nonce && clash(p, r) {
			z.fail("I1: %s on lane %s beside lane %s, which %s has parked", z.label(k.who), own.chain, kept.chain, z.label(who))
		}
	}
}

// clash reports whether two leases cannot both be worked under.
func clash(a, b Record) bool {
	return a.Lane == b.Lane || a.exclusive() || b.exclusive() || !lane.Glob.Disjoint(a.Tree, b.Tree)
}

// bound is until when a worker counts on what its node has.
func (z *realm) bound(k *worker, d Delegation) time.Time {
	m := z.machine(k.who)
	if z.lacks.deadline || z.lacks.boot {
		return z.now.Add(time.Hour)
	}
	if d.Clock.Boot != m.bootID(k.who%len(z.nodes)) {
		return time.Time{}
	}
	return m.epoch.Add(time.Duration(float64(time.Duration(d.Clock.At)+d.ttl()-simMargin) / m.rate))
}

func (m *machine) bootID(node int) string { return fmt.Sprintf("n%d boot %d", node, m.boot) }

// checkRide is I4: the trunk moves under leases that are current. One that a node
// granted is the last that it admitted there.
func (z *realm) checkRide(t *transaction) {
	lanes := 0
	for _, m := range t.moves {
		if m.ref == trunkName {
			continue
		}
		lanes++
		ship := z.record(m.ref, m.new)
		now, _ := z.recordOf(m.ref)
		if now.State != lane.Held || now.Nonce != ship.Nonce {
			z.fail("I4: trunk rides on lane %s of %s, which %s holds with nonce %q and not %q", m.ref, z.label(t.who), now.State, short(now.Nonce), short(ship.Nonce))
		}
		if by := ship.Ship.Under; by != nil {
			z.checkRideUnder(home(t.who%len(z.nodes)), m.ref, by)
		}
	}
	if lanes == 0 {
		z.fail("I4: trunk rides on no lane")
	}
}

func (z *realm) checkRideUnder(at, name string, by *ShippedUnder) {
	own, ok := z.admitted[admission{at + name, by.Gen, by.Nonce}]
	if !ok {
		z.fail("I4: trunk rides on lane %s%s, generation %d, which was not admitted", at, name, by.Gen)
		return
	}
	for key, m := range z.admitted {
		if where, _ := place(key.chain); where == at && m.serial > own.serial && clash(m.rec, own.rec) {
			z.fail("I4: trunk rides on lane %s%s, generation %d, and generation %d of %s was admitted since", at, name, by.Gen, key.gen, key.chain)
			return
		}
	}
}

// playRealm runs one seeded history and returns what it broke.
func playRealm(seed uint64, l lacks, turns int) *realm {
	z := newRealm(seed, l)
	for range turns {
		if !z.turn() || z.broken != nil {
			break
		}
		z.pass()
	}
	z.calm()
	for _, a := range z.actors {
		a.stop()
	}
	return z
}
