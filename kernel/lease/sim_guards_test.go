package lease

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Each mutant is the protocol without one of its guards. The simulation must
// find a history in which its absence breaks an invariant.
var mutants = []struct {
	guard string
	rules rules
	want  string // what breaks
	from  uint64 // where to begin, for histories that are rare
}{
	{"an admission moves the order", rules{noOrder: true, acquire: withOrderOfLanes, heartbeat: heartbeatUnadmitted}, "I1", 0},
	{"nothing is decided on a torn table", rules{acquire: acquireTorn}, "I1", 0},
	{"a half-landed admission is decided again", rules{acquire: completeBlindly}, "I1", 0},
	{"a tree does not change within a generation", rules{acquire: completeForAnotherTree}, "I1", 10490},
	{"only an admitted lease is renewed", rules{heartbeat: heartbeatUnadmitted, rough: true}, "", 590},
	{"a transaction has won when every ref is mine", rules{oneIsEnough: true}, "", 0},
	{"a transaction that won late answers with its own verdict", rules{lastWord: true, rough: true}, "", 300},
	{"a lease that was won late is confirmed", rules{noConfirm: true, rough: true}, "ended by VOID", 21120},
	{"a lease that is had again moves", rules{acquire: reacquireQuietly, rough: true}, "ended by VOID", 3060},
	{"an acquirer that fails gives back what landed", rules{keepsLanding: true}, "I5", 0},
	{"what is still on its way is refused when it arrives", rules{trusts: true}, "I5", 0},
	{"a half that landed while one looked is seen", rules{oneLook: true, rough: true}, "I5", 2550},
	{"a SHIP moves its lane from the tip it was decided on", rules{blindShip: true}, "I", 0},
	{"a lease is renewed by its nonce", rules{heartbeat: heartbeatByName}, "I1", 0},
	{"a lease is released by its nonce", rules{release: releaseByName}, "ended by RELEASE", 0},
	{"generations pass the last one", rules{acquire: acquireSameGen}, "I3", 0},
}

func TestEveryGuardIsNeeded(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.guard, func(t *testing.T) {
			for seed := m.from; seed < m.from+1500; seed++ {
				w := simulate(seed, m.rules, 1500)
				if w.broken == nil {
					continue
				}
				if !strings.Contains(w.broken.Error(), m.want) {
					t.Fatalf("seed %d broke %v, want %s", seed, w.broken, m.want)
				}
				t.Logf("seed %d: %v", seed, w.broken)
				return
			}
			t.Error("nothing breaks without this guard in 1500 histories")
		})
	}
}

// withOrderOfLanes believes the lanes alone.
func withOrderOfLanes(ev AcquireEvidence) (Verdict, []Write, error) {
	ev.Table.Order = orderOfLanes(ev.Table.Lanes)
	return Acquire(ev)
}

func orderOfLanes(lanes map[string]Record) Order {
	o := Order{V: Version, Seq: 1, Lanes: map[string]Grant{}}
	for name, r := range lanes {
		o.Lanes[name] = Grant{r.Gen, r.Nonce}
	}
	return o
}

// acquireTorn takes the lanes as they were read, however old.
func acquireTorn(ev AcquireEvidence) (Verdict, []Write, error) {
	lanes := maps.Clone(ev.Table.Order.Lanes)
	for name, g := range lanes {
		if have := ev.Table.Lanes[name].Gen; g.Gen > have && have > 0 {
			g.Gen = have
			lanes[name] = g
		} else if g.Gen > have {
			delete(lanes, name)
		}
	}
	ev.Table.Order.Lanes = lanes
	return Acquire(ev)
}

// completeBlindly admits what landed half without looking at the others.
func completeBlindly(ev AcquireEvidence) (Verdict, []Write, error) {
	have := ev.Table.Lanes[ev.Request.Lane]
	if have.State == lane.Held && ev.Identity.owns(have) && !ev.Table.Order.admits(have) && len(ev.Table.Torn()) == 0 {
		return ev.complete(have, lane.Verdict{Outcome: lane.Acquire, LaneKind: have.LaneKind, Tree: have.Tree})
	}
	return Acquire(ev)
}

// completeForAnotherTree admits what landed half with the tree asked for now.
func completeForAnotherTree(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	have := ev.Table.Lanes[ev.Request.Lane]
	if v.Outcome == Acquired && have.State == lane.Held && writes[0].Op == OpAcquire {
		have.Tree = v.Lease.Tree
		return ev.complete(have, *v.Kernel)
	}
	return v, writes, err
}

// reacquireQuietly returns an earlier lease without writing.
func reacquireQuietly(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	if v.Reacquired {
		writes = nil
	}
	return v, writes, err
}

func heartbeatUnadmitted(ev KeepEvidence) (Verdict, []Write) {
	if ev.Current != nil {
		ev.Order = orderOfLanes(map[string]Record{ev.Lane: *ev.Current})
	}
	return Heartbeat(ev)
}

func heartbeatByName(ev KeepEvidence) (Verdict, []Write) {
	ev.Identity = byName(ev)
	return Heartbeat(ev)
}

func releaseByName(ev KeepEvidence) (Verdict, []Write) {
	ev.Identity = byName(ev)
	return Release(ev)
}

// byName takes the owner's name for a proof: all workers have the same.
func byName(ev KeepEvidence) Identity {
	if ev.Current != nil && ev.Current.Holder.Owner == "worker" {
		return Identity{Nonce: ev.Current.Nonce}
	}
	return ev.Identity
}

func acquireSameGen(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	for i, w := range writes {
		if w.Op == OpAcquire && w.Gen > 1 {
			r := mustRecord(w.Lane, &node{gen: w.Gen, data: w.Payload})
			r.Gen--
			writes[i] = laneWrite(OpAcquire, r)
		}
	}
	return v, writes, err
}

// A simulation is a function of its seed.
func TestSimulationRepeats(t *testing.T) {
	story := func(seed uint64) string {
		w := simulate(seed, rules{oneIsEnough: true}, 800)
		return fmt.Sprint(w.grants, w.pushes, w.nonces, w.broken, len(w.refs))
	}
	for seed := range uint64(20) {
		if a, b := story(seed), story(seed); a != b {
			t.Fatalf("seed %d: %s, then %s", seed, a, b)
		}
	}
}
