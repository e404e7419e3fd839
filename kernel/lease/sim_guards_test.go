package lease

import (
	"fmt"
	"maps"
	"slices"
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
	{"so does one of several lanes", rules{noOrderOfSeveral: true, acquire: withOrderOfLanes, heartbeat: heartbeatUnadmitted}, "I1", 2},
	{"nothing is decided on a torn table", rules{acquire: acquireTorn}, "I1", 2},
	{"a half-landed admission is decided again", rules{acquire: completeBlindly}, "I1", 104},
	{"a tree does not change within a generation", rules{acquire: completeForAnotherTree}, "I1: client", 3023},
	{"only an admitted lease is renewed", rules{heartbeat: heartbeatUnadmitted, rough: true}, "", 251},
	{"a transaction has won when every ref is mine", rules{oneIsEnough: true}, "", 0},
	{"a transaction that won late answers with its own verdict", rules{lastWord: true, rough: true}, "", 76},
	{"a lease that was won late is confirmed", rules{noConfirm: true, acquire: acquireUnderNewRules, rough: true}, "ended by VOID", 2109},
	{"a lease that is had again moves", rules{acquire: reacquireQuietly, rough: true}, "ended by VOID", 494},
	{"an acquirer that fails gives back what landed", rules{keepsLanding: true}, "I5", 0},
	{"every lane of what landed is given back", rules{voidsOne: true, rough: true}, "I5", 547},
	{"what is still on its way is refused when it arrives", rules{trusts: true}, "I5", 8},
	{"a half that landed while one looked is seen", rules{oneLook: true, rough: true}, "I5", 13},
	{"what an earlier try landed on another chain is looked after", rules{acquire: acquireForgetful, rough: true}, "I5", 206},
	{"a SHIP moves its lane from the tip it was decided on", rules{blindShip: true}, "I", 0},
	{"a lease is renewed by its nonce", rules{heartbeat: heartbeatByName}, "I1", 0},
	{"a lease is released by its nonce", rules{release: releaseByName}, "ended by RELEASE", 0},
	{"generations pass the last one", rules{acquire: acquireSameGen}, "I3", 0},
	{"several lanes are had all or none", rules{acquire: acquireSome}, "has 1 of them", 0},
	{"lanes of one call stand against each other", rules{acquire: acquireEach}, "I1: client", 3},
	{"a unit is had once", rules{acquire: acquireUnitBlindly}, "I1: unit", 29},
	{"a seat is had once", rules{acquire: acquireSeatBlindly}, "I1: seat", 36},
	{"what a lease has booked ends with it", rules{keepsBookings: true}, "the bookings of", 0},
	{"a slot is chosen when it is free", rules{acquire: acquireFirstSlot}, "ended by ACQUIRE", 5},
	{"a lane is held by its name, on whatever chain", rules{acquire: acquireUnderAnotherName}, "I1", 0},
	{"force ends every lease in the way", rules{acquire: forceOne}, "taken out of the order", 13},
	{"what force ended and did not reach is torn", rules{acquire: forceUntold}, "I1", 37},
	{"a chain that cannot be read holds what it may hold", rules{acquire: acquireUnseeing}, "I1", 7},

	{"a lapsed lease that overlaps ends in the same transaction", rules{timed: true, acquire: acquireBesideLapsed}, "", 0},
	{"nothing is ready while a lane that it overlaps is held", rules{timed: true, await: awaitAlone}, "I1", 34},
	{"nothing is admitted beside a lane that waits", rules{timed: true, patient: true, acquire: acquireBesideWaiting}, "I1", 0},
	{"a holder stops at its own deadline", rules{timed: true, noDeadline: true}, "", 0},
	{"a margin is left between who works and who watches", rules{timed: true, keen: true, noMargin: true}, "", 102},
	{"a stamp proves nothing while clocks may differ by more", rules{timed: true, anySkew: true}, "", 0},
	{"the watch of a lane begins anew when its tip moves", rules{timed: true, watchesNames: true}, "", 0},
	{"and with every boot", rules{timed: true, keen: true, watchesOn: true}, "taken out of the order", 987},
	{"only a process of this node can be seen to have ended", rules{timed: true, goneAnywhere: true}, "", 0},
	{"a lapsed lease ends at the very tip that was judged", rules{timed: true, blindTake: true}, "", 36},
	{"a lapsed lease ends before one that overlaps it is ready", rules{timed: true, patient: true, await: awaitBesideLapsed}, "I1", 28},
	{"and not in the same transaction", rules{timed: true, patient: true, cuts: OpReady, await: awaitAtOnce}, "I1", 175},
	{"a holder counts from before its renewal", rules{timed: true, lateStart: true}, "", 0},
	{"a tip is seen when the read has ended", rules{timed: true, seesEarly: true}, "", 1663},
	{"a lease that is renewed names no process that has ended", rules{timed: true, namesTheDead: true}, "", 131},
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
	ev.Table.Order = orderOfLanes(ev.Table.Chains)
	return Acquire(ev)
}

func orderOfLanes(lanes map[string]Record) Order {
	o := Order{V: Version, Seq: 1, Lanes: map[string]Grant{}, Newest: map[string]uint64{}}
	for name, r := range lanes {
		o.Lanes[name] = grantOf(r)
	}
	return o
}

// acquireTorn takes the lanes as they were read, however old.
func acquireTorn(ev AcquireEvidence) (Verdict, []Write, error) {
	lanes := maps.Clone(ev.Table.Order.Lanes)
	for name, g := range lanes {
		if have := ev.Table.Chains[name].Gen; g.Gen > have && have > 0 {
			g.Gen = have
			lanes[name] = g
		} else if g.Gen > have {
			delete(lanes, name)
		}
	}
	ev.Table.Order.Lanes = lanes
	return Acquire(ev)
}

// completing admits what landed half, with a tree, whatever else there is.
func completing(ev AcquireEvidence, have Record, tree []string) (Verdict, []Write, error) {
	d := ev.draft(nil)
	p := &part{lane: have.Lane, have: have, mine: true, op: OpHeartbeat, rec: have}
	p.rec.Tree = tree
	d.parts, d.work.Chains[have.Chain()] = []*part{p}, p.rec
	delete(d.skip, have.Chain())
	return d.granted()
}

// half is the caller's half-landed lease of the only lane it asks for.
func half(ev AcquireEvidence) (Record, bool) {
	if len(ev.Requests) != 1 {
		return Record{}, false
	}
	have, ok := ev.Table.holding(ev.Requests[0].Lane, ev.owns)
	return have, ok && ev.owns(have) && !ev.Table.Order.admits(have)
}

// completeBlindly admits what landed half without looking at the others.
func completeBlindly(ev AcquireEvidence) (Verdict, []Write, error) {
	if have, ok := half(ev); ok && len(ev.Table.Torn()) == 0 {
		return completing(ev, have, have.Tree)
	}
	return Acquire(ev)
}

// completeForAnotherTree admits what landed half with the tree asked for now.
func completeForAnotherTree(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	if have, ok := half(ev); ok && v.Outcome == Acquired && len(v.Scavenged) == 0 && v.Lease.Gen > have.Gen && v.Lease.Lane == have.Lane {
		return completing(ev, have, v.Lease.Tree)
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
		ev.Order = orderOfLanes(map[string]Record{ev.Current.Chain(): *ev.Current})
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
			r := mustRecord(w.Chain, &node{gen: w.Gen, data: w.Payload})
			r.Gen--
			writes[i] = laneWrite(OpAcquire, r)
		}
	}
	return v, writes, err
}

// acquireUnderNewRules is no mutant: the rules change between the tries of a call,
// as they do when the trunk was fetched, and what could be had is refused.
func acquireUnderNewRules(ev AcquireEvidence) (Verdict, []Write, error) {
	if ev.Sent != nil && ev.Stamp.Now.Second()%2 == 0 {
		ev.SelfModify = []string{"**/*"}
	}
	return Acquire(ev)
}

// acquireForgetful does not know what the call has sent before.
func acquireForgetful(ev AcquireEvidence) (Verdict, []Write, error) {
	ev.Sent = nil
	return Acquire(ev)
}

// acquireSome takes the lanes that it can have.
func acquireSome(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	for _, req := range ev.Requests {
		if v.Outcome == Refused && len(ev.Requests) > 1 {
			one := ev
			one.Requests = []lane.Request{req}
			v, writes, err = Acquire(one)
		}
	}
	return v, writes, err
}

// acquireEach decides on every lane as if it were asked for alone, and sends all
// in one transaction.
func acquireEach(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	if v.ReasonClass != lane.Collision || len(ev.Requests) < 2 || len(writes) > 0 {
		return v, writes, err
	}
	d := ev.draft(nil)
	for _, req := range ev.Requests {
		if err := d.add(req); err != nil {
			return v, writes, err
		}
		p := d.parts[len(d.parts)-1]
		if no, err := d.judge(p); err != nil || no.Outcome == Refused {
			return no, nil, err
		}
		if !p.had {
			delete(d.work.Chains, p.rec.Chain())
		}
	}
	for _, p := range d.parts {
		d.work.Chains[p.rec.Chain()] = p.rec
	}
	return d.granted()
}

func acquireUnitBlindly(ev AcquireEvidence) (Verdict, []Write, error) {
	return bookBlindly(ev, func(r *Record) *string { return &r.Unit }, ev.Unit)
}

func acquireSeatBlindly(ev AcquireEvidence) (Verdict, []Write, error) {
	return bookBlindly(ev, func(r *Record) *string { return &r.Seat }, ev.Seat)
}

// bookBlindly asks for no unit, or for no seat, and records it all the same.
func bookBlindly(ev AcquireEvidence, of func(*Record) *string, key string) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	if v.ReasonClass != UnitClaimed && v.ReasonClass != SeatTaken {
		return v, writes, err
	}
	all := maps.Clone(ev.Table.Chains)
	for chain, r := range all {
		*of(&r) = ""
		all[chain] = r
	}
	ev.Table.Chains = all
	if ev.Table.Order.Units, ev.Table.Order.Seats = nil, nil; key == "" {
		return v, writes, err
	}
	return Acquire(ev)
}

// acquireFirstSlot puts every lane that is not declared into the first slot.
func acquireFirstSlot(ev AcquireEvidence) (Verdict, []Write, error) {
	first := lane.SlotName(0)
	all := maps.Clone(ev.Table.Chains)
	if r, ok := all[first]; ok && ev.Table.Order.admits(r) && len(ev.Requests) == 1 && r.Lane != ev.Requests[0].Lane {
		r.State = lane.Free
		all[first] = r
	}
	ev.Table.Chains = all
	return Acquire(ev)
}

// acquireUnderAnotherName knows a lane by its chain.
func acquireUnderAnotherName(ev AcquireEvidence) (Verdict, []Write, error) {
	all := maps.Clone(ev.Table.Chains)
	for chain, r := range all {
		if r.Slot != "" && !ev.owns(r) {
			r.Lane = "in " + r.Slot
			all[chain] = r
		}
	}
	ev.Table.Chains = all
	return Acquire(ev)
}

// forceOne ends one lease of those in the way.
func forceOne(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	if len(v.Scavenged) > 1 && writes[1].Op == OpScavenge {
		if wanted := slices.ContainsFunc(writes[2:], func(w Write) bool { return w.Chain == writes[1].Chain }); !wanted {
			writes = slices.Delete(slices.Clone(writes), 1, 2)
		}
	}
	return v, writes, err
}

// forceUntold does not tell the order what it ended.
func forceUntold(ev AcquireEvidence) (Verdict, []Write, error) {
	v, writes, err := Acquire(ev)
	if err != nil || len(v.Scavenged) == 0 {
		return v, writes, err
	}
	writes = slices.Clone(writes)
	for i, w := range writes {
		if w.Op != OpGranted {
			continue
		}
		o, err := ParseOrder(w.Gen, w.Payload)
		if err != nil {
			return v, nil, err
		}
		for chain, g := range ev.Table.Order.Lanes {
			if o.Lanes[chain].Gen == g.Gen && o.Lanes[chain].Nonce != g.Nonce {
				o.Lanes[chain] = g
			}
		}
		writes[i] = o.write(OpGranted)
	}
	return v, writes, nil
}

// acquireUnseeing takes what cannot be read for what is not there.
func acquireUnseeing(ev AcquireEvidence) (Verdict, []Write, error) {
	ev.Table.Unread = nil
	order := maps.Clone(ev.Table.Order.Lanes)
	maps.DeleteFunc(order, func(chain string, _ Grant) bool { _, ok := ev.Table.Chains[chain]; return !ok })
	ev.Table.Order.Lanes = order
	return Acquire(ev)
}

// A simulation is a function of its seed.
func TestSimulationRepeats(t *testing.T) {
	story := func(seed uint64) string {
		w := simulate(seed, rules{oneIsEnough: true}, 800)
		return fmt.Sprint(w.tally, w.nonces, w.broken, len(w.refs))
	}
	for seed := range uint64(20) {
		if a, b := story(seed), story(seed); a != b {
			t.Fatalf("seed %d: %s, then %s", seed, a, b)
		}
	}
}
