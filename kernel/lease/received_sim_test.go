package lease

import (
	"maps"
	"os"
	"strings"
	"testing"
)

// A witness judges, as a server does, every transaction of a history that landed
// whole: what it saw locked at once is one push.
type witness struct {
	w      *world
	remote func(ref string) bool // refs of the authority that is a server
	order  string
	open   map[string]*landing // by ref
	judged int
	ops    map[string]int
	broken []string
}

// A landing is a transaction that has locked its refs.
type landing struct {
	refs   []string
	before map[string]*node
}

func newWitness(w *world, remote func(string) bool) *witness {
	return &witness{w: w, remote: remote, order: orderName, open: map[string]*landing{}, ops: map[string]int{}}
}

// look is called after every turn.
func (o *witness) look(before map[string]*node) {
	for ref, s := range maps.Clone(o.open) {
		if !o.w.locked[ref] && o.open[ref] == s {
			o.end(s)
		}
	}
	s := &landing{before: before}
	for ref := range o.w.locked {
		if o.open[ref] == nil && o.remote(ref) {
			s.refs = append(s.refs, ref)
			o.open[ref] = s
		}
	}
}

func (o *witness) end(s *landing) {
	cut := false
	for _, ref := range s.refs {
		delete(o.open, ref)
		cut = cut || o.w.refs[ref] == s.before[ref]
	}
	if cut {
		return
	}
	p := o.received(s)
	o.judged++
	for _, b := range p.Judge() {
		o.broken = append(o.broken, b.Chain+" "+b.Error())
	}
	for _, entries := range p.Lanes {
		for _, e := range entries {
			o.ops[e.Op]++
		}
	}
}

// received is a transaction in the form that a server judges.
func (o *witness) received(s *landing) Received {
	p := Received{Before: Table{Chains: map[string]Record{}}, Lanes: map[string][]LaneEntry{}, Reached: map[Reach]bool{}}
	for ref, n := range s.before {
		switch {
		case n == nil || !o.remote(ref) || ref == trunkName:
		case ref == o.order:
			p.Before.Order = mustOrder(n)
		default:
			p.Before.Chains[ref] = mustRecord(ref, n)
		}
	}
	for _, ref := range s.refs {
		for n := o.w.refs[ref]; n != s.before[ref]; n = n.parent {
			switch ref {
			case trunkName:
			case o.order:
				p.Order = append([]OrderEntry{{n.op, mustOrder(n)}}, p.Order...)
			default:
				e := LaneEntry{n.op, mustRecord(ref, n)}
				p.Lanes[ref] = append([]LaneEntry{e}, p.Lanes[ref]...)
				if e.Record.Ship != nil { // the model has no commits
					p.Reached[Reach{e.Record.Ship.Ref, e.Record.Ship.New}] = true
				}
			}
		}
	}
	return p
}

// judgedHistories is how many histories a witness sees.
func judgedHistories() uint64 {
	if os.Getenv("GITDOS_LONG") != "" {
		return 10000
	}
	return histories / 12
}

func mustOrder(n *node) Order {
	o, err := ParseOrder(n.gen, n.data)
	if err != nil {
		panic(err) // the model writes what this package made
	}
	return o
}

// A server with the law refuses nothing that clients write, whatever befalls them.
func TestServerRefusesNoClientOfTheSimulation(t *testing.T) {
	judged, ops := 0, map[string]int{}
	for seed := range judgedHistories() * 3 / 2 {
		r := weatherOf(seed)
		if seed >= judgedHistories() {
			r = ridingRules(seed)
		}
		w := newWorld(seed, r)
		clients := make([]*client, simClients)
		for i := range clients {
			clients[i] = &client{world: w, who: i}
			clients[i].boot()
		}
		o := newWitness(w, func(string) bool { return true })
		for range 1500 {
			before := maps.Clone(w.refs)
			if !w.turn() || w.broken != nil {
				break
			}
			o.look(before)
			if w.chance(1) {
				clients[w.rng.IntN(len(clients))].reboot()
			}
			w.blur()
			w.weather(clients)
		}
		for _, a := range w.actors {
			a.stop()
		}
		judged += o.judged
		for op, n := range o.ops {
			ops[op] += n
		}
		if len(o.broken) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(o.broken, "\n"), strings.Join(w.story[max(0, len(w.story)-20):], "\n"))
		}
	}
	t.Logf("%d pushes judged: %v", judged, ops)
	for _, op := range []string{OpAcquire, OpHeartbeat, OpShip, OpRelease, OpScavenge, OpPark, OpVoid} {
		if ops[op] == 0 && histories > 1000 {
			t.Errorf("no %s was judged", op)
		}
	}
}

// The same for the remote of nodes that take lanes for their workers.
func TestServerRefusesNoNodeOfTheSimulation(t *testing.T) {
	judged, ops := 0, map[string]int{}
	for seed := range judgedHistories() {
		z := newRealm(seed, schedule(seed))
		o := newWitness(z.world, func(ref string) bool { return !strings.Contains(ref, "/") })
		for range realmTurns {
			before := maps.Clone(z.refs)
			if !z.turn() || z.broken != nil {
				break
			}
			o.look(before)
			z.pass()
		}
		for _, a := range z.actors {
			a.stop()
		}
		judged += o.judged
		for op, n := range o.ops {
			ops[op] += n
		}
		if len(o.broken) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(o.broken, "\n"), strings.Join(z.story[max(0, len(z.story)-20):], "\n"))
		}
	}
	t.Logf("%d pushes judged: %v", judged, ops)
	for _, op := range []string{OpDelegate, OpReturn, OpHeartbeat, OpShip, OpScavenge, OpPark, OpUnpark, OpReady} {
		if ops[op] == 0 && histories > 1000 {
			t.Errorf("no %s was judged", op)
		}
	}
}
