package lease

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// The simulation drives the decisions of this package through a model of one
// authority and several clients. Reads see one ref at a time, a transaction
// moves its refs one by one and can die between any two of them, it goes on
// when its client has gone, and its answer can get lost. Clients crash, are
// interrupted, and take leases away from each other as operators. Everything
// follows from a seed. After every move of a ref the invariants are checked.

const orderName = "order"
const trunkName = "trunk"

// A node is one entry of a chain of the model.
type node struct {
	parent *node
	op     string
	gen    uint64
	data   []byte
}

type move struct {
	ref    string
	expect *node
	new    *node
}

// descends reports whether n is a or comes after it.
func (n *node) descends(a *node) bool {
	for ; n != nil; n = n.parent {
		if n == a {
			return true
		}
	}
	return false
}

// An admission is one lease. An acquirer whose half-landed admission was voided
// may be admitted later in the same call, under the same nonce.
type admission struct {
	gen   uint64
	nonce string
}

// A belief is a lease somebody was told to have.
type belief struct {
	Record
	who int
}

type world struct {
	rng    *rand.Rand
	rules  rules
	now    time.Time
	refs   map[string]*node
	locked map[string]bool
	quiet  bool // no more faults

	actors    []*actor
	beliefs   map[string]belief  // by nonce
	ended     map[admission]bool // leases that are over
	abandoned map[string]bool    // nonces whose acquirer said that it has nothing
	nonces    int
	broken    error // the first invariant that did not hold
	grants    int
	pushes    int
}

func newWorld(seed uint64, r rules) *world {
	return &world{
		rng: rand.New(rand.NewPCG(seed, 1)), rules: r, now: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC),
		refs: map[string]*node{}, locked: map[string]bool{},
		beliefs: map[string]belief{}, ended: map[admission]bool{}, abandoned: map[string]bool{},
	}
}

func (w *world) fail(format string, args ...any) {
	if w.broken == nil {
		w.broken = fmt.Errorf(format, args...)
	}
}

func (w *world) chance(percent int) bool { return !w.quiet && w.rng.IntN(100) < percent }

// often is how many in a hundred, in a history of ordinary or of rough weather.
func (w *world) often(ordinary, rough int) int {
	if w.rules.rough {
		return rough
	}
	return ordinary
}

// An actor is something that proceeds step by step: a client or a transaction.
type actor struct {
	next func() (struct{}, bool)
	stop func()
	done bool
}

// start makes an actor of f, which calls step wherever others may come in
// between. A stopped actor ends at its next step.
func (w *world) start(f func(step func())) *actor {
	type stopped struct{}
	seq := iter.Seq[struct{}](func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(stopped); !ok {
					panic(r)
				}
			}
		}()
		f(func() {
			if !yield(struct{}{}) {
				panic(stopped{})
			}
		})
	})
	a := &actor{}
	a.next, a.stop = iter.Pull(seq)
	w.actors = append(w.actors, a)
	return a
}

// turn lets one actor take one step.
func (w *world) turn() bool {
	w.actors = slices.DeleteFunc(w.actors, func(a *actor) bool { return a.done })
	if len(w.actors) == 0 {
		return false
	}
	w.now = w.now.Add(time.Duration(w.rng.IntN(400)) * time.Millisecond)
	a := w.actors[w.rng.IntN(len(w.actors))]
	if _, more := a.next(); !more {
		a.done = true
	}
	return true
}

// A transaction runs on the server. It may arrive late, and die half-way.
type transaction struct {
	who   int
	moves []move
	ended bool
	won   bool
	actor *actor
}

func (w *world) send(who int, moves []move) *transaction {
	t := &transaction{who: who, moves: slices.Clone(moves)}
	w.rng.Shuffle(len(t.moves), func(i, j int) { t.moves[i], t.moves[j] = t.moves[j], t.moves[i] })
	t.actor = w.start(func(step func()) {
		defer func() { t.ended = true }()
		for w.chance(w.often(50, 80)) {
			step()
		}
		if !w.prepare(t) {
			return
		}
		defer func() {
			for _, m := range t.moves {
				delete(w.locked, m.ref)
			}
		}()
		for _, m := range t.moves {
			step()
			if w.chance(w.often(8, 25)) {
				return // killed: any prefix has landed
			}
			w.apply(t, m)
		}
		t.won = true
	})
	return t
}

// prepare locks the refs and compares them with what was expected.
func (w *world) prepare(t *transaction) bool {
	for _, m := range t.moves {
		blind := w.rules.blindShip && m.new.op == OpShip
		if w.locked[m.ref] || w.refs[m.ref] != m.expect && !blind {
			return false
		}
	}
	for _, m := range t.moves {
		w.locked[m.ref] = true
	}
	if slices.ContainsFunc(t.moves, func(m move) bool { return m.ref == trunkName }) {
		w.checkRide(t)
	}
	return true
}

// checkRide is I4: the trunk moves only under a lease that is current.
func (w *world) checkRide(t *transaction) {
	lanes := 0
	for _, m := range t.moves {
		if m.ref == trunkName {
			continue
		}
		lanes++
		ship := mustRecord(m.ref, m.new)
		cur := w.refs[m.ref]
		if cur == nil {
			w.fail("I4: trunk rides on lane %s, which was never leased", m.ref)
			return
		}
		now := mustRecord(m.ref, cur)
		if b, ok := w.beliefs[now.Nonce]; now.State != lane.Held || now.Nonce != ship.Nonce || !ok || b.who != t.who {
			w.fail("I4: trunk rides on lane %s of client %d, which holds nonce %q (%s) and not %q", m.ref, t.who, now.Nonce, now.State, ship.Nonce)
		}
	}
	if lanes == 0 {
		w.fail("I4: trunk rides on no lane")
	}
}

// apply moves one ref and checks what it means.
func (w *world) apply(t *transaction, m move) {
	old := w.refs[m.ref]
	w.refs[m.ref] = m.new
	if m.new.parent != old {
		w.fail("I2: %s moved to an entry that does not follow its tip", m.ref)
	}
	if old != nil && (m.new.gen < old.gen || m.new.op == OpAcquire && m.new.gen == old.gen) {
		w.fail("I3: %s went from generation %d to %d by %s", m.ref, old.gen, m.new.gen, m.new.op)
	}
	if m.ref == orderName || m.ref == trunkName {
		return
	}
	r := mustRecord(m.ref, m.new)
	for _, nonce := range slices.Sorted(maps.Keys(w.beliefs)) {
		b := w.beliefs[nonce]
		if b.Lane != r.Lane || r.State != lane.Free && r.Nonce == nonce {
			continue
		}
		if byRight := m.new.op == OpScavenge || m.new.op == OpRelease && b.who == t.who; !byRight {
			w.fail("lease %s of client %d on lane %s ended by %s of client %d", nonce, b.who, b.Lane, m.new.op, t.who)
		}
		delete(w.beliefs, nonce)
	}
	if r.State == lane.Free {
		w.ended[admission{r.Gen, r.Nonce}] = true
	} else if w.abandoned[r.Nonce] {
		w.fail("I5: lane %s is held under nonce %s, which its acquirer gave up", r.Lane, r.Nonce)
	}
}

// told records that a client was told to hold a lease, and checks I1.
func (w *world) told(who int, r Record) {
	if w.ended[admission{r.Gen, r.Nonce}] {
		return // an operator took it away before the answer arrived
	}
	if b, ok := w.beliefs[r.Nonce]; ok && b.who != who {
		w.fail("I1: clients %d and %d hold one lease of lane %s", b.who, who, r.Lane)
	}
	w.beliefs[r.Nonce] = belief{r, who}
	for _, nonce := range slices.Sorted(maps.Keys(w.beliefs)) {
		b := w.beliefs[nonce]
		switch {
		case nonce == r.Nonce:
		case b.Lane == r.Lane, b.exclusive(), r.exclusive(), !lane.Glob.Disjoint(b.Tree, r.Tree):
			w.fail("I1: client %d on lane %s (%s) beside client %d on lane %s (%s)", who, r.Lane, r.Nonce, b.who, b.Lane, nonce)
		}
	}
}

func (w *world) abandon(r Record) {
	w.abandoned[r.Nonce] = true
	if tip := w.refs[r.Lane]; tip != nil {
		if now := mustRecord(r.Lane, tip); now.State != lane.Free && now.Nonce == r.Nonce {
			w.fail("I5: lane %s stays held after its acquirer gave up", r.Lane)
		}
	}
}

func (w *world) nonce() string {
	w.nonces++
	return fmt.Sprintf("%016x", w.nonces)
}

// lanes returns the lane refs that exist, by name.
func (w *world) lanes() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.refs)), func(ref string) bool { return ref == orderName || ref == trunkName })
}

func mustRecord(ref string, n *node) Record {
	r, err := ParseRecord(ref, n.gen, n.data)
	if err != nil {
		panic(err) // the model writes what this package made
	}
	return r
}

const simClients = 4

// simulate runs one seeded history and returns what it broke.
func simulate(seed uint64, r rules, turns int) *world {
	w := newWorld(seed, r)
	clients := make([]*client, simClients)
	for i := range clients {
		clients[i] = &client{world: w, who: i}
		clients[i].boot()
	}
	for range turns {
		if !w.turn() || w.broken != nil {
			break
		}
		if w.chance(1) {
			clients[w.rng.IntN(len(clients))].reboot()
		}
	}
	w.settle(clients)
	for _, a := range w.actors {
		a.stop()
	}
	return w
}

// settle is I5: once all is quiet and an operator has freed what dead clients
// left, every lane can be had again.
func (w *world) settle(clients []*client) {
	w.quiet = true
	for _, c := range clients {
		c.actor.stop()
		c.actor.done = true
	}
	for w.broken == nil && w.turn() { // transactions under way
	}
	for _, name := range simLanes {
		if w.broken != nil {
			return
		}
		last := &client{world: w, who: simClients, memory: map[string]string{}}
		got := false
		a := w.start(func(step func()) {
			last.step = step
			for _, held := range w.lanes() {
				last.scavenge(held)
			}
			got = last.acquire(name, false)
		})
		for range 2000 {
			if w.turn(); a.done {
				break
			}
		}
		if !got && w.broken == nil {
			w.fail("I5: lane %s cannot be had although nobody is left", name)
		}
	}
}

func TestInvariantsHoldInSimulation(t *testing.T) {
	seeds, turns := uint64(histories), 1500
	if os.Getenv("GITDOS_LONG") != "" {
		seeds = 20000
	}
	grants, pushes := 0, 0
	for seed := range seeds {
		w := simulate(seed, rules{rough: seed%2 == 1}, turns)
		if w.broken != nil {
			t.Fatalf("seed %d: %v", seed, w.broken)
		}
		grants, pushes = grants+w.grants, pushes+w.pushes
	}
	t.Logf("%d histories, %d grants, %d pushes", seeds, grants, pushes)
	if grants < int(seeds)*10 || pushes < int(seeds)*2 {
		t.Errorf("%d grants and %d pushes in %d histories: too few to prove anything", grants, pushes, seeds)
	}
}
