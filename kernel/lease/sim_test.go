package lease

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The simulation drives the decisions of this package through a model of one
// authority and several clients. Reads see one ref at a time, a transaction
// moves its refs one by one, in any order, and can die between any two of them,
// it goes on when its client has gone, and its answer can get lost. Clients ask
// for one lane or two, declared or not, by name or not, with units and seats;
// they crash, are interrupted, and take leases away from each other as operators.
// Now and then a chain cannot be read for a while. Everything follows from a
// seed. After every move of a ref the invariants are checked.

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
	chain string
	gen   uint64
	nonce string
}

// A lot is a lease by where it stands and whose it is; one nonce may be on
// several chains.
type lot struct{ chain, nonce string }

func lotOf(r Record) lot { return lot{r.Chain(), r.Nonce} }

func (a lot) compare(b lot) int {
	return cmp.Or(cmp.Compare(a.chain, b.chain), cmp.Compare(a.nonce, b.nonce))
}

// A belief is a lease somebody was told to have. One that the order says was
// ended by force is still theirs until that reaches its chain, and binds nobody.
type belief struct {
	Record
	who       int
	overruled bool
	until     time.Time // when its holder counts it as lost, in a timed history
}

type world struct {
	rng    *rand.Rand
	rules  rules
	now    time.Time
	refs   map[string]*node
	locked map[string]bool
	unread map[string]bool // chains that nobody can read for now
	quiet  bool            // no more faults
	nodes  []*machine      // in a timed history
	dead   map[int64]bool  // processes that have ended
	lives  map[int]int     // how many processes a client has had
	realm  *realm          // of several authorities, see sim_delegation_test.go
	rides  rides           // where clients claim inside leases, see sim_ride_test.go

	actors    []*actor
	beliefs   map[lot]belief
	ended     map[admission]bool      // leases that are over
	abandoned map[lot]bool            // leases whose acquirer said that it has nothing
	given     map[string]bool         // nonces of calls that ended with nothing
	complete  map[string]map[lot]bool // by nonce of a call that was told: all that it has
	nonces    int
	broken    error // the first invariant that did not hold
	story     []string
	tally     tally
}

// A tally counts what a history was made of.
type tally struct {
	grants, pushes, several, slots, booked, forced, picked, unread int

	taken, waited, ready, parked int // in timed histories

	claims, tooLate int // in histories with claims inside leases
}

func (t *tally) add(u tally) {
	t.grants, t.pushes, t.several, t.slots = t.grants+u.grants, t.pushes+u.pushes, t.several+u.several, t.slots+u.slots
	t.booked, t.forced, t.picked, t.unread = t.booked+u.booked, t.forced+u.forced, t.picked+u.picked, t.unread+u.unread
	t.claims, t.tooLate = t.claims+u.claims, t.tooLate+u.tooLate
	t.taken, t.waited, t.ready, t.parked = t.taken+u.taken, t.waited+u.waited, t.ready+u.ready, t.parked+u.parked
}

func (t tally) least() int {
	return min(t.grants/10, t.pushes/2, t.several, t.slots, t.booked, t.forced, t.picked, t.unread)
}

func newWorld(seed uint64, r rules) *world {
	w := &world{
		dead: map[int64]bool{}, lives: map[int]int{},
		rng: rand.New(rand.NewPCG(seed, 1)), rules: r, now: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC),
		refs: map[string]*node{}, locked: map[string]bool{}, unread: map[string]bool{},
		beliefs: map[lot]belief{}, ended: map[admission]bool{}, abandoned: map[lot]bool{}, given: map[string]bool{},
		complete: map[string]map[lot]bool{},
	}
	if r.timed {
		w.machines()
	}
	return w
}

func (w *world) fail(format string, args ...any) {
	if w.broken == nil {
		w.broken = fmt.Errorf(format, args...)
	}
}

// tell adds a line to the story of the history.
func (w *world) tell(format string, args ...any) {
	if w.broken == nil {
		w.story = append(w.story, w.now.Format("15:04:05 ")+fmt.Sprintf(format, args...))
	}
}

// ending is the last part of the story, with what broke.
func (w *world) ending() string {
	const most = 40
	return strings.Join(w.story[max(0, len(w.story)-most):], "\n") + "\n" + w.broken.Error()
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
	next   func() (struct{}, bool)
	stop   func()
	done   bool
	client bool
	who    int // of a client
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
	w.rides.turn++
	w.actors = slices.DeleteFunc(w.actors, func(a *actor) bool { return a.done })
	if len(w.actors) == 0 {
		return false
	}
	took := time.Duration(w.rng.IntN(400)) * time.Millisecond
	if w.rules.keen {
		took /= 10
	}
	w.now = w.now.Add(took)
	a := w.actors[w.rng.IntN(len(w.actors))]
	if w.asleep(a) {
		return true
	}
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
		for late := w.late(t); w.chance(w.often(50, 80)) || w.now.Before(late) && !w.quiet; {
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
			if w.chance(w.often(8, 25)) || w.rules.cuts != "" && t.has(w.rules.cuts) && w.chance(50) {
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
		if w.rules.blindTake && m.forces(false) && !w.locked[m.ref] {
			m.rebase(w.refs[m.ref])
			blind = true
		}
		if w.locked[m.ref] || w.refs[m.ref] != m.expect && !blind {
			return false
		}
	}
	for _, m := range t.moves {
		w.locked[m.ref] = true
	}
	if slices.ContainsFunc(t.moves, func(m move) bool { return m.ref == trunkName }) {
		if w.realm != nil {
			w.realm.checkRide(t)
		} else {
			w.checkRide(t)
		}
	}
	return true
}

// late is when a transaction arrives, at the earliest.
func (w *world) late(t *transaction) time.Time {
	if w.realm == nil {
		return w.now
	}
	return w.realm.arrival(t)
}

// has reports whether a transaction has an entry of this op.
func (t *transaction) has(op string) bool {
	return slices.ContainsFunc(t.moves, func(m move) bool { return m.new.op == op })
}

// rebase puts the entries of a move on another tip.
func (m move) rebase(tip *node) {
	for n := m.new; n != m.expect && n != nil; n = n.parent {
		if n.parent == m.expect {
			n.parent = tip
			return
		}
	}
}

func (w *world) nonce() string {
	w.nonces++
	return fmt.Sprintf("%016x", w.nonces)
}

// chains returns the lane refs that exist, by name.
func (w *world) chains() []string {
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
		w.blur()
		w.weather(clients)
	}
	w.settle(clients)
	for _, a := range w.actors {
		a.stop()
	}
	return w
}

// blur makes a chain unreadable, and readable again after a while.
func (w *world) blur() {
	if chains := w.chains(); len(chains) > 0 && len(w.unread) == 0 && w.rng.IntN(400) == 0 {
		w.unread[chains[w.rng.IntN(len(chains))]] = true
		w.tally.unread++
	} else if w.rng.IntN(150) == 0 {
		clear(w.unread)
	}
}

// settle is I5: once all is quiet and an operator has freed what dead clients
// left, every lane can be had again, and every unit and seat.
func (w *world) settle(clients []*client) {
	w.quiet = true
	clear(w.unread)
	for _, c := range clients {
		c.actor.stop()
		c.actor.done = true
	}
	for w.broken == nil && w.turn() { // transactions under way
	}
	if w.rules.timed {
		w.outlast()
		return
	}
	for i, name := range simLanes {
		if w.broken != nil {
			return
		}
		last := &client{world: w, who: simClients, memory: map[string]string{}}
		got := false
		a := w.start(func(step func()) {
			last.step = step
			for _, chain := range w.chains() {
				was := mustRecord(chain, w.refs[chain])
				last.scavenge(was.Lane)
				w.checkBookings(was)
			}
			got = last.acquire(ask{names: []string{name}, unit: simUnits[i%len(simUnits)], seat: simSeat})
		})
		for range 2000 {
			if w.turn(); a.done {
				break
			}
		}
		if !got && w.broken == nil {
			w.fail("I5: lane %s, its unit and its seat cannot be had although nobody is left", name)
		}
	}
}

// weatherOf is what befalls a history.
func weatherOf(seed uint64) rules {
	r := rules{rough: seed%2 == 1, timed: seed%4 > 1, keen: seed%8 > 5}
	if seed%8 == 2 {
		r.patient, r.cuts = true, OpReady
	}
	return r
}

func TestInvariantsHoldInSimulation(t *testing.T) {
	seeds, turns := uint64(histories), 1500
	if os.Getenv("GITDOS_LONG") != "" {
		seeds = 100000
	}
	began := time.Now()
	var all tally
	for seed := range seeds {
		w := simulate(seed, weatherOf(seed), turns)
		if w.broken != nil {
			t.Fatalf("seed %d:\n%s", seed, w.ending())
		}
		all.add(w.tally)
	}
	t.Logf("%d histories, %.0f a second: %+v", seeds, float64(seeds)/time.Since(began).Seconds(), all)
	if all.least() < int(seeds)/3 {
		t.Errorf("%+v in %d histories: too little to prove anything", all, seeds)
	}
}
