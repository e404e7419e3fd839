package lease

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// In a riding history clients claim units, a seat and parts of the tree inside
// leases that they hold, as their workers do, and other things happen as ever: a
// lease is released, parked, forced or taken over under what was claimed inside it.
// Claims of one lease do not overlap, a unit and a seat are had once by all, nobody
// is told of a claim whose lease had ended when its last look began, and what a
// claim has booked is free again when it is over.

// rides is what the model knows of the time of things.
type rides struct {
	turn    int
	looks   map[int]int    // by client: when its last look began
	stopped map[string]int // by chain: when a lease on it ended or stopped last
	landed  map[lot]int    // when a claim came to stand
}

func (r *rides) began(who int) {
	if r.looks == nil {
		r.looks, r.stopped, r.landed = map[int]int{}, map[string]int{}, map[lot]int{}
	}
	r.looks[who] = r.turn
}

// rideParts are what is claimed of a lane's tree, by lane.
var rideParts = map[string][][]string{
	"code": {{"src/*.go"}, {"src/main.go"}, {"src/part/**"}, {"src/part/a"}},
	"part": {{"src/part/a"}, {"src/part/*"}, {"src/part/b/**"}},
	"docs": {{"docs/a/**"}, {"docs/**"}, {"docs/b"}},
	"all":  {{"docs/**"}, {"src/part/a"}},
}

// aride does one thing with a lease that the client holds or a claim inside one.
func (c *client) aride(name string) bool {
	if strings.Contains(name, "+") {
		switch n := c.rng.IntN(100); {
		case n < 60:
			c.heartbeat(name)
		default:
			c.release(name)
		}
		return true
	}
	var own []Record
	for _, at := range c.believed() {
		if b := c.beliefs[at]; b.who == c.who && b.Rides == nil && rideParts[b.Lane] != nil {
			own = append(own, b.Record)
		}
	}
	if len(own) == 0 {
		return false
	}
	r := own[c.rng.IntN(len(own))]
	m, parts := MountOf(r), rideParts[r.Lane]
	a := ask{names: []string{r.Lane}, rides: &m, tree: parts[c.rng.IntN(len(parts))]}
	switch n := c.rng.IntN(100); {
	case n < 40:
		a.unit = simUnits[c.rng.IntN(len(simUnits))]
	case n < 60:
		a.unit, a.tree = simUnits[c.rng.IntN(len(simUnits))], nil
	case n < 75:
		a.seat, a.tree = simSeat, nil
	}
	if c.acquire(a) {
		c.tally.claims++
	}
	return true
}

// ridesOf is what a verb on an existing lease knows of the claims inside it, and of
// the lease that it is inside.
func (r rules) ridesOf(t Table, ev KeepEvidence) KeepEvidence {
	ev.Riders = t.Riders(*ev.Current)
	if m := ev.Current.Rides; m != nil {
		ev.Mount, _ = t.Mount(*m)
	}
	if r.ride != nil {
		return r.ride(ev)
	}
	return ev
}

// dismounts reports whether a transaction ends or stops the lease that a claim rides.
func (t *transaction) dismounts(r Record) bool {
	return r.Rides != nil && slices.ContainsFunc(t.moves, func(m move) bool {
		if m.ref != r.Rides.chain() {
			return false
		}
		is := mustRecord(m.ref, m.new)
		return !r.Rides.carries(is) || is.State != lane.Held
	})
}

// unhorse ends the claims inside a lease that has ended or stopped.
func (w *world) unhorse(r Record) {
	if w.rides.stopped == nil {
		return
	}
	for _, at := range w.believed() {
		if b := w.beliefs[at]; b.Rides != nil && b.Rides.chain() == r.Chain() && (!b.Rides.carries(r) || r.State != lane.Held) {
			if r.State == lane.Free && lapsed(r) && w.works(b) {
				w.fail("I1: client %d works under claim %s, and its lease was taken over: %s", b.who, b.Lane, r.Reason)
			}
			delete(w.beliefs, at)
		}
	}
	if _, there := w.rides.landed[lotOf(r)]; r.Rides != nil && !there {
		w.rides.landed[lotOf(r)] = w.rides.turn
	}
	if r.State != lane.Held {
		w.rides.stopped[r.Chain()] = w.rides.turn
	}
}

// stillRides reports whether the lease that a claim rides is held when its acquirer
// is told. It may have ended after the look that the answer rests on.
func (w *world) stillRides(who int, r Record) bool {
	n := w.refs[r.Rides.chain()]
	if n != nil {
		if m := mustRecord(r.Rides.chain(), n); r.Rides.carries(m) && m.State == lane.Held {
			return true
		}
	}
	switch over := w.rides.stopped[r.Rides.chain()]; {
	case over < w.rides.looks[who]:
		w.fail("I1: client %d is told of claim %s, whose lease had ended before it looked", who, r.Lane)
	case over < w.rides.landed[lotOf(r)]:
		w.fail("I1: client %d is told of claim %s, whose lease had ended before it was admitted", who, r.Lane)
	}
	w.tally.tooLate++
	return false
}

// untilRide is when a claim is over for its holder: no later than the lease it rides.
func (w *world) untilRide(who int, r Record, until time.Time) time.Time {
	if r.Rides == nil || w.rules.outlasts {
		return until
	}
	if on := w.until(who, mustRecord(r.Rides.chain(), w.refs[r.Rides.chain()])); on.Before(until) {
		return on
	}
	return until
}

// abreast is I1 where one of two leases is a claim inside another.
func (w *world) abreast(r, b Record, beside string) {
	rides := func(x, y Record) bool { return x.Rides != nil && x.Rides.carries(y) }
	siblings := r.Rides != nil && b.Rides != nil && *r.Rides == *b.Rides
	switch {
	case siblings && len(r.Tree) > 0 && len(b.Tree) > 0 && !lane.Glob.Disjoint(r.Tree, b.Tree):
		w.fail("I1: claims inside one lease: %s", beside)
	case rides(r, b) || rides(b, r):
	case r.Unit != "" && r.Unit == b.Unit:
		w.fail("I1: unit %s of %s", r.Unit, beside)
	case r.Seat != "" && r.Seat == b.Seat:
		w.fail("I1: seat %s of %s", r.Seat, beside)
	}
}

// ridingRules are those of a history with claims.
func ridingRules(seed uint64) rules {
	return rules{riding: true, rough: seed%2 == 1, timed: seed%4 > 1, keen: seed%8 > 5}
}

func TestInvariantsHoldWithClaimsInsideLeases(t *testing.T) {
	seeds := uint64(histories / 6)
	if os.Getenv("GITDOS_LONG") != "" {
		seeds = 50000
	}
	var all tally
	for seed := range seeds {
		w := simulate(seed, ridingRules(seed), 1500)
		if w.broken != nil {
			t.Fatalf("seed %d:\n%s", seed, w.ending())
		}
		all.add(w.tally)
	}
	t.Logf("%d histories: %+v", seeds, all)
	if all.claims < int(seeds) || all.tooLate == 0 && seeds > 100 {
		t.Errorf("%+v in %d histories: too little to prove anything", all, seeds)
	}
}

var ridingMutants = []struct {
	guard string
	rules rules
	want  string
	from  uint64
}{
	{"claims inside one lease do not overlap", rules{acquire: rideAnyPart}, "I1: claims inside one lease", 0},
	{"a unit is had once, inside leases too", rules{acquire: acquireUnitBlindly}, "I1: unit", 0},
	{"a seat is had once, inside leases too", rules{acquire: acquireSeatBlindly}, "I1: seat", 25},
	{"the order knows a claim", rules{noOrder: true, acquire: withOrderOfLanes, heartbeat: heartbeatUnadmitted}, "I1", 0},
	{"a claim is reported when its lease was seen to be held after it", rules{rough: true, unconfirmed: true}, "had ended before it was admitted", 104},
	{"a claim is not renewed when its lease has ended", rules{ride: rideAnything}, "had ended before it looked", 41},
	{"a claim is over for its holder when its lease is", rules{timed: true, outlasts: true}, "", 5},
}

// Each guard of claims inside leases is needed, too.
func TestEveryGuardOfClaimsIsNeeded(t *testing.T) {
	for _, m := range ridingMutants {
		t.Run(m.guard, func(t *testing.T) {
			m.rules.riding = true
			for seed := m.from; seed < m.from+1500; seed++ {
				w := simulate(seed, m.rules, 1500)
				if w.broken == nil {
					continue
				}
				if !strings.Contains(w.broken.Error(), m.want) {
					t.Fatalf("seed %d broke %v, want %s\n%s", seed, w.broken, m.want, w.ending())
				}
				t.Logf("seed %d: %v", seed, w.broken)
				return
			}
			t.Error("nothing breaks without this guard in 1500 histories")
		})
	}
}

// rideAnyPart does not look at the trees of other claims.
func rideAnyPart(ev AcquireEvidence) (Verdict, []Write, error) {
	ev.Table.Chains = maps.Clone(ev.Table.Chains)
	for chain, r := range ev.Table.Chains {
		if r.Rides != nil && r.Nonce != ev.Stamp.Nonce {
			r.Tree = []string{}
			ev.Table.Chains[chain] = r
		}
	}
	return Acquire(ev)
}

// rideAnything takes the lease that a claim rides for held, whatever became of it.
func rideAnything(ev KeepEvidence) KeepEvidence {
	if m := ev.Current.Rides; m != nil {
		ev.Mount = &Record{Lane: m.Lane, Slot: m.Slot, Gen: m.Gen, Nonce: m.stands(), State: lane.Held, TTL: maxTTL, RenewedAt: ev.Stamp.Now}
	}
	return ev
}
