package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// rider is a claim inside a lease.
func rider(on Record, slot, nonce string, change ...func(*Record)) Record {
	m := MountOf(on)
	r := heldBy("ann", nonce, func(r *Record) {
		r.Lane, r.Slot, r.LaneKind, r.Tree, r.Gen, r.Rides = rideName(on.Lane, slot), slot, lane.Keyword, []string{}, 1, &m
	})
	for _, f := range change {
		f(&r)
	}
	return r
}

func forSeat(seat string) func(*Record)    { return func(r *Record) { r.Seat = seat } }
func forPart(tree ...string) func(*Record) { return func(r *Record) { r.Tree = tree } }
func riding(on Record) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { m := MountOf(on); ev.Rides = &m }
}

func claiming(unit, seat string, tree ...string) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Unit, ev.Seat, ev.Requests[0].Tree = unit, seat, tree }
}

func asOf(now time.Time) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Stamp.Now = now }
}

// booked is a table whose order has what its leases name.
func booked(t Table) Table {
	t.Order.Units, t.Order.Seats = map[string]Booking{}, map[string]Booking{}
	for _, r := range t.Chains {
		if b := (Booking{r.Nonce, r.Deadline().UTC().Format(time.RFC3339)}); r.State != lane.Free {
			if r.Unit != "" {
				t.Order.Units[r.Unit] = b
			}
			if r.Seat != "" {
				t.Order.Seats[r.Seat] = b
			}
		}
	}
	return t
}

func TestAClaimInsideALease(t *testing.T) {
	bob := heldBy("bob", "b0b", withUnit("p/9"), forSeat("window"))
	code := heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**"), withUnit("p/5"))
	part := rider(bob, "k.00", "a11", forPart("docs/a/**"), withUnit("p/1"), forSeat("desk"))
	table := func(more ...Record) Table { return booked(tableWith(append([]Record{bob, code}, more...)...)) }
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		want   Outcome
		class  string
		writes string
	}{
		{"a unit is claimed", asking(table(), riding(bob), claiming("p/2", "")), Acquired, "", "ACQUIRE GRANTED"},
		{"a part of the tree is", asking(table(), riding(bob), claiming("", "", "docs/b/**")), Acquired, "", "ACQUIRE GRANTED"},
		{"beside another part", asking(table(part), riding(bob), claiming("", "", "docs/b/**")), Acquired, "", "ACQUIRE GRANTED"},
		{"but not beside one that overlaps", asking(table(part), riding(bob), claiming("", "", "docs/a/x")), Refused, lane.Collision, ""},
		{"a unit alone overlaps no part", asking(table(part), riding(bob), claiming("p/2", "")), Acquired, "", "ACQUIRE GRANTED"},
		{"a part outside the lane is refused", asking(table(), riding(bob), claiming("", "", "src/**")), Refused, lane.TreeOutsideLane, ""},
		{"a unit of another claim is refused", asking(table(part), riding(bob), claiming("P/1", "")), Refused, UnitClaimed, ""},
		{"a seat of another claim is refused", asking(table(part), riding(bob), claiming("p/2", "desk")), Refused, SeatTaken, ""},
		{"a unit of another lane is refused", asking(table(), riding(bob), claiming("p/5", "")), Refused, UnitClaimed, ""},
		{"what the ridden lease has is claimed inside it", asking(table(), riding(bob), claiming("p/9", "window")), Acquired, "", "ACQUIRE GRANTED"},
		{"and that once", asking(table(rider(bob, "k.00", "a11", withUnit("p/9"))), riding(bob), claiming("p/9", "")), Refused, UnitClaimed, ""},
		{"a claim inside a lease keeps its unit from other lanes", asking(table(part), func(ev *AcquireEvidence) { ev.Requests[0].Lane, ev.Unit = "part", "p/1" }, func(ev *AcquireEvidence) { ev.Table.Chains["code"] = freed(code, "", ev.Stamp) }), Refused, UnitClaimed, ""},
		{"but is in no other lane's way", asking(booked(tableWith(code, rider(code, "k.00", "a11", withUnit("p/1")))), claiming("p/2", "")), Acquired, "", "ACQUIRE GRANTED"},

		{"nothing is claimed inside a lease that has ended", asking(booked(tableWith(heldBy("bob", "b0b", inState(lane.Free)))), riding(bob), claiming("p/2", "")), Refused, RideOver, ""},
		{"or that is parked", asking(booked(tableWith(heldBy("bob", "b0b", inState(lane.Parked)))), riding(bob), claiming("p/2", "")), Refused, RideOver, ""},
		{"or that is another's by now", asking(booked(tableWith(heldBy("eve", "new", inGen(4)))), riding(bob), claiming("p/2", "")), Refused, RideOver, ""},
		{"or that the order does not know", asking(unadmitted(table(), "docs"), riding(bob), claiming("p/2", "")), Refused, RideOver, ""},
		{"or past its own deadline", asking(table(), riding(bob), claiming("p/2", ""), asOf(noon.Add(15*time.Minute))), Refused, RideOver, ""},
		{"or inside a claim", asking(table(part), func(ev *AcquireEvidence) {
			m := Mount{Lane: part.Lane, Slot: "k.00", Gen: 1, Nonce: "a11"}
			ev.Rides = &m
		}, claiming("p/2", "")), Refused, RideOver, ""},
		{"a claim whose process has ended is taken over", asking(table(part), riding(bob), claiming("p/1", ""), func(ev *AcquireEvidence) { ev.Table.Watch.Gone = map[string]bool{"k.00": true} }), Acquired, "", "SCAVENGE ACQUIRE GRANTED"},
		{"and one whose lease has ended is nobody's", asking(booked(tableWith(code, part)), riding(code), claiming("p/1", "")), Acquired, "", "SCAVENGE ACQUIRE GRANTED"},
		{"a unit taken from under a lapsed lease takes that lease too", asking(table(part), riding(code), claiming("p/1", ""), func(ev *AcquireEvidence) { ev.Table.Watch.Gone = map[string]bool{"docs": true} }), Acquired, "", "SCAVENGE SCAVENGE ACQUIRE GRANTED"},
		{"a lane taken over takes the claims inside it", asking(table(part), func(ev *AcquireEvidence) { ev.Table.Watch.Gone = map[string]bool{"docs": true} }), Acquired, "", "SCAVENGE SCAVENGE ACQUIRE GRANTED"},
		{"so does force", asking(table(part), func(ev *AcquireEvidence) { ev.Force, ev.Operator = true, "op" }), Acquired, "", "SCAVENGE SCAVENGE ACQUIRE GRANTED"},
		{"its holder takes no unit from a claim inside its own lapsed lease", asking(table(part), as(Identity{Nonce: "b0b"}), func(ev *AcquireEvidence) {
			ev.Requests[0].Lane, ev.Unit = "part", "p/1"
			ev.Table.Chains["code"], ev.Table.Watch.Gone = freed(code, "", ev.Stamp), map[string]bool{"docs": true}
		}), Refused, UnitClaimed, ""},
		{"the holder's own renewal ends no claim", asking(table(part), as(Identity{Nonce: "b0b"}), func(ev *AcquireEvidence) { ev.Table.Watch.Gone = map[string]bool{"docs": true} }), Acquired, "", "HEARTBEAT"},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			if err != nil || v.Outcome != tt.want || v.ReasonClass != tt.class || ops(writes) != tt.writes {
				t.Fatalf("%v, %s %s (%s), wrote %q, want %s %s %q", err, v.Outcome, v.ReasonClass, v.Reason, ops(writes), tt.want, tt.class, tt.writes)
			}
			for _, w := range writes {
				if o, err := ParseOrder(w.Gen, w.Payload); w.Op == OpGranted && err == nil {
					checkBooked(t, tt.ev, o, v)
				}
			}
		})
	}
}

// checkBooked holds the order after a claim to what the claim has.
func checkBooked(t *testing.T, ev AcquireEvidence, o Order, v Verdict) {
	t.Helper()
	by := v.Lease.Nonce
	if ev.Unit == "p/9" {
		by = "b0b" // it is the ridden lease's
	}
	if b, ok := o.Units[foldKey(ev.Unit)]; ev.Unit != "" && (!ok || b.Nonce != by) {
		t.Errorf("unit %s is booked by %+v", ev.Unit, b)
	}
	for key, b := range o.Units {
		if b.Nonce == "a11" && len(v.Scavenged) > 0 {
			t.Errorf("unit %s stays booked by a claim that ended", key)
		}
	}
	if v.Lease.Rides != nil && o.Lanes[v.Lease.Slot].Rides != v.Lease.Rides.chain() {
		t.Errorf("the order says of the claim %+v", o.Lanes[v.Lease.Slot])
	}
}

func TestAClaimThatCannotBeReadKeepsItsPart(t *testing.T) {
	bob := heldBy("bob", "b0b")
	part := rider(bob, "k.00", "a11", forPart("docs/a/**"), withUnit("p/1"))
	table := booked(tableWith(bob, part))
	delete(table.Chains, "k.00")
	table.Unread = map[string]error{"k.00": ErrRecord}
	for _, ev := range []AcquireEvidence{
		asking(table, riding(bob), claiming("", "", "docs/b/**")),
		asking(table, riding(bob), claiming("p/1", "")),
	} {
		if _, _, err := Acquire(ev); !errors.As(err, new(*UnreadError)) {
			t.Errorf("%v", err)
		}
	}
	for _, ev := range []AcquireEvidence{
		asking(table, riding(bob), claiming("p/2", "")),
		asking(table, func(ev *AcquireEvidence) { ev.Requests[0].Lane = "code" }),
	} {
		if v, _, err := Acquire(ev); err != nil || v.Outcome != Acquired {
			t.Errorf("%v, %v", v, err)
		}
	}
	table = booked(tableWith(bob))
	delete(table.Chains, "docs")
	table.Unread = map[string]error{"docs": ErrRecord}
	if _, _, err := Acquire(asking(table, riding(bob), claiming("p/2", ""))); !errors.As(err, new(*UnreadError)) {
		t.Errorf("the lease that is ridden cannot be read: %v", err)
	}
}

func TestAClaimEndsWithItsLease(t *testing.T) {
	bob := heldBy("bob", "b0b", withUnit("p/9"))
	part := rider(bob, "k.00", "a11", withUnit("p/1"), forSeat("desk"))
	other := rider(heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**")), "k.01", "e11", withUnit("p/2"))
	table := booked(tableWith(bob, part, other))
	ev := KeepEvidence{Lane: "docs", Chain: "docs", Current: &bob, Order: table.Order, Riders: table.Riders(bob), Identity: Identity{Nonce: "b0b"}, Stamp: Stamp{Now: noon}}
	lapsed := ev
	lapsed.Identity, lapsed.Lapse = Identity{}, Lapse{Over: true, Why: "its process has ended"}
	forced := ev
	forced.Identity, forced.Operator = Identity{}, "op"
	for _, tt := range []struct {
		claim string
		do    func(KeepEvidence) (Verdict, []Write)
		ev    KeepEvidence
		ops   string
		units string
	}{
		{"released", Release, ev, "RELEASE VOID ENDED", "p/2"},
		{"scavenged by an operator", Scavenge, forced, "SCAVENGE VOID ENDED", "p/2"},
		{"scavenged when it has lapsed", Scavenge, lapsed, "SCAVENGE VOID ENDED", "p/2"},
		{"parked", Park, ev, "PARK VOID ENDED", "p/2 p/9"},
	} {
		_, writes := tt.do(tt.ev)
		if ops(writes) != tt.ops {
			t.Fatalf("%s: %s", tt.claim, ops(writes))
		}
		o, err := ParseOrder(writes[2].Gen, writes[2].Payload)
		if err != nil {
			t.Fatal(err)
		}
		var units []string
		for unit := range o.Units {
			units = append(units, unit)
		}
		slices.Sort(units)
		if got := strings.Join(units, " "); got != tt.units || len(o.Seats) != 0 {
			t.Errorf("%s: booked stay %s and %v", tt.claim, got, o.Seats)
		}
		if r, err := ParseRecord("k.00", 1, writes[1].Payload); err != nil || r.State != lane.Free || r.Reason == "" {
			t.Errorf("%s: the claim is %v %v", tt.claim, r, err)
		}
	}
}

func TestAClaimIsRenewedWhileItsLeaseIsHeld(t *testing.T) {
	bob := heldBy("bob", "b0b", func(r *Record) { r.TTL = 600 })
	part := rider(bob, "k.00", "a11", withUnit("p/1"))
	granted := heldBy("bob", "b0b", func(r *Record) { r.Under, r.UnderGen = "n0de", 2 })
	for _, tt := range []struct {
		claim string
		mount *Record
		has   *Delegation
		now   time.Time
		want  Outcome
	}{
		{"its lease is held", &bob, nil, noon.Add(time.Minute), Renewed},
		{"its lease has ended", nil, nil, noon.Add(time.Minute), LostLease},
		{"its lease is past its deadline", &bob, nil, noon.Add(10 * time.Minute), LostLease},
		{"its node has the lane still", &granted, &Delegation{State: Live, Nonce: "n0de"}, noon, Renewed},
		{"its node has it no more", &granted, &Delegation{State: Gone, Nonce: "n0de"}, noon, LostLease},
		{"nothing is known of that", &granted, nil, noon, LostLease},
	} {
		ev := KeepEvidence{Lane: part.Lane, Chain: "k.00", Current: &part, Order: tableWith(part).Order, Identity: Identity{Nonce: "a11"}, Mount: tt.mount, Delegation: tt.has, Stamp: Stamp{Now: tt.now}}
		v, writes := Heartbeat(ev)
		if v.Outcome != tt.want || len(writes) > 0 != (tt.want == Renewed) {
			t.Errorf("%s: %v", tt.claim, v)
		}
		if tt.mount == &bob && v.Outcome == Renewed && !v.WorkUntil.Equal(noon.Add(9*time.Minute)) {
			t.Errorf("it works until %s, and its lease may lapse at %s", v.WorkUntil, bob.Deadline())
		}
	}
	for _, do := range []func(KeepEvidence) (Verdict, []Write){Park, Unpark} {
		ev := KeepEvidence{Lane: part.Lane, Chain: "k.00", Current: &part, Order: tableWith(part).Order, Identity: Identity{Nonce: "a11"}, Mount: &bob}
		if v, writes := do(ev); v.Outcome != Refused || len(writes) > 0 {
			t.Errorf("%v", v)
		}
	}
}

func TestAClaimLapsesWithItsLease(t *testing.T) {
	bob := heldBy("bob", "b0b")
	by := Lapsing{Now: noon}
	for _, tt := range []struct {
		claim string
		t     Table
		over  bool
	}{
		{"its lease is held", tableWith(bob, rider(bob, "k.00", "a11")), false},
		{"its lease is free", tableWith(heldBy("bob", "b0b", inState(lane.Free)), rider(bob, "k.00", "a11")), true},
		{"its lease is nowhere", tableWith(rider(bob, "k.00", "a11")), true},
		{"another has the lane", tableWith(heldBy("eve", "new", inGen(4)), rider(bob, "k.00", "a11")), true},
		{"its lease is parked, and may run again", tableWith(heldBy("bob", "b0b", inState(lane.Parked)), rider(bob, "k.00", "a11")), false},
		{"its lease has lapsed", Table{Chains: tableWith(bob, rider(bob, "k.00", "a11")).Chains, Watch: Watch{Gone: map[string]bool{"docs": true}}}, true},
		{"its lease cannot be read", Table{Chains: tableWith(rider(bob, "k.00", "a11")).Chains, Unread: map[string]error{"docs": ErrRecord}}, false},
	} {
		if got := tt.t.Lapse("k.00", by); got.Over != tt.over || got.Over && got.Why == "" {
			t.Errorf("%s: %+v", tt.claim, got)
		}
	}
}

func TestAClaimThroughADelegationRenewsIt(t *testing.T) {
	node := heldBy("", "n0de", func(r *Record) { r.Delegate = true })
	local := heldBy("bob", "b0b", inGen(7), func(r *Record) { r.Under, r.UnderGen = "n0de", 3 })
	m := MountThrough(local)
	v, writes, err := Acquire(asking(tableWith(node), claiming("p/1", ""), func(ev *AcquireEvidence) { ev.Rides = &m }))
	if err != nil || v.Outcome != Acquired || ops(writes) != "ACQUIRE GRANTED HEARTBEAT" || writes[2].Chain != "docs" || v.Late(noon.Add(time.Hour)) {
		t.Fatalf("%v %v: %s", v, err, ops(writes))
	}
	table := tableWith(node, *v.Lease)
	if got := table.Unseat(map[string]bool{"other": true}, Stamp{Now: noon}); len(got) > 0 {
		t.Errorf("another's claims are ended: %s", ops(got))
	}
	if got := table.Unseat(map[string]bool{"b0b": true}, Stamp{Now: noon}); ops(got) != "VOID" {
		t.Errorf("the claims of a lease that its node ended: %s", ops(got))
	}
	back := KeepEvidence{Lane: "docs", Chain: "docs", Current: &node, Order: table.Order, Riders: table.Riders(node), Identity: Identity{Nonce: "n0de"}, Node: true, Stamp: Stamp{Now: noon}}
	if _, writes := Release(back); ops(writes) != "RETURN VOID" {
		t.Errorf("the lane goes back by %s", ops(writes))
	}
}

func TestAnAnswerAboutAClaimStandsWhileItsLeaseDoes(t *testing.T) {
	bob := heldBy("bob", "b0b")
	v, _, err := Acquire(asking(tableWith(bob), riding(bob), claiming("p/1", "")))
	if err != nil || !v.Late(noon.Add(time.Minute)) {
		t.Fatalf("%v %v", v, err)
	}
	if got, err := tableWith(bob, *v.Lease).Stands(v, nil); err != nil || got.Outcome != Acquired {
		t.Errorf("%v %v", got, err)
	}
	if got, err := tableWith(heldBy("bob", "b0b", inState(lane.Free)), *v.Lease).Stands(v, nil); err != nil || got.Outcome != LostLease || got.ReasonClass != RideOver {
		t.Errorf("%v %v", got, err)
	}
	unread := Table{Chains: tableWith(*v.Lease).Chains, Order: tableWith(*v.Lease).Order, Unread: map[string]error{"docs": ErrRecord}}
	if got, err := unread.Stands(v, nil); err == nil {
		t.Error(got)
	}
}

func TestARecordOfAClaimIsHeldToItsForm(t *testing.T) {
	bob := heldBy("bob", "b0b")
	for claim, change := range map[string]func(*Record){
		"on a chain of its own name": func(r *Record) { r.Slot = "" },
		"inside itself":              func(r *Record) { r.Rides = &Mount{Lane: "word", Slot: "k.00", Gen: 1, Nonce: "x"} },
		"inside no lane":             func(r *Record) { r.Rides = &Mount{Lane: "../x", Gen: 1, Nonce: "x"} },
		"inside no lease":            func(r *Record) { r.Rides = &Mount{Lane: "docs", Gen: 1} },
		"of no generation":           func(r *Record) { r.Rides = &Mount{Lane: "docs", Nonce: "x"} },
		"parked":                     inState(lane.Parked),
		"waiting":                    inState(lane.Waiting),
		"a node's":                   func(r *Record) { r.Delegate = true },
		"hidden words":               func(r *Record) { r.Rides = &Mount{Lane: "docs", Gen: 1, Nonce: "a\x1b[2J"} },
	} {
		r := rider(bob, "k.00", "a11", change)
		if _, err := ParseRecord(r.Chain(), r.Gen, encode(r)); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %v", claim, err)
		}
	}
	for _, name := range []string{"docs", strings.Repeat("a", 99), strings.Repeat("ö", 16)} {
		r := rider(heldBy("bob", "b0b", onLane(name, lane.Cluster, "x")), "k.100", "a11")
		if got, err := ParseRecord("k.100", 1, encode(r)); err != nil || *got.Rides != *r.Rides || !strings.HasSuffix(got.Lane, "+k.100") {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestTheServerKnowsClaims(t *testing.T) {
	bob := heldBy("bob", "b0b")
	claim := rider(bob, "k.00", "a11", withUnit("p/1"))
	push := func(before Table, op string, r Record) Received {
		next := before.Order.next()
		next.Lanes[r.Chain()] = grantOf(r)
		if r.Unit != "" {
			next.Units[r.Unit] = Booking{r.Nonce, noon.Format(time.RFC3339)}
		}
		return Received{Before: before, Lanes: map[string][]LaneEntry{r.Chain(): {{op, r}}}, Order: []OrderEntry{{OpGranted, next}}}
	}
	freedLane := tableWith(heldBy("bob", "b0b", inState(lane.Free)))
	for _, tt := range []struct {
		claim string
		p     Received
		token string
	}{
		{"a claim inside a lease", push(tableWith(bob), OpAcquire, claim), ""},
		{"a claim inside a lease that has just ended", push(freedLane, OpAcquire, claim), ""},
		{"inside one that was never there", push(Table{}, OpAcquire, claim), RideWithoutLease},
		{"inside another's lease", push(tableWith(bob), OpAcquire, rider(heldBy("x", "x"), "k.00", "a11")), RideWithoutLease},
		{"inside one that is not there yet", push(tableWith(bob), OpAcquire, rider(heldBy("bob", "b0b", inGen(4)), "k.00", "a11")), RideWithoutLease},
		{"inside a claim", push(tableWith(bob, claim), OpAcquire, rider(claim, "k.01", "a12", func(r *Record) { r.Rides.Slot = "k.00" })), RideWithoutLease},
		{"through a delegation that is none", push(tableWith(bob), OpAcquire, rider(bob, "k.00", "a11", func(r *Record) { r.Rides = &Mount{Lane: "docs", Gen: 3, Nonce: "y", Through: "b0b"} })), RideWithoutLease},
		{"taken for a node", push(tableWith(bob), OpDelegate, rider(bob, "k.00", "a11", func(r *Record) { r.Delegate = true })), IllegalStep},
	} {
		var tokens []string
		for _, b := range tt.p.Judge() {
			tokens = append(tokens, b.Token)
		}
		if got := strings.Join(tokens, " "); got != tt.token {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.token)
		}
	}
	k := Known{Had: grantOf(claim)}
	for op, change := range map[string]func(*Record){
		OpHeartbeat: func(r *Record) { r.Rides = &Mount{Lane: "code", Gen: 1, Nonce: "e5e"} },
		OpPark:      inState(lane.Parked),
		OpShip:      func(r *Record) { r.Ship = &Ship{Ref: "main", New: "c"} },
	} {
		is := rider(bob, "k.00", "a11", withUnit("p/1"), change)
		if Step(&claim, LaneEntry{op, is}, k) == nil {
			t.Errorf("%s is let through", op)
		}
	}
	move := TrunkMove{Ref: "main", New: "c", Paths: []string{"docs/a/x"}, Algebra: lane.Glob}
	p := Received{Before: tableWith(rider(bob, "k.00", "a11", forPart("docs/a/**")))}
	if got := p.Fence(move); len(got) > 0 {
		t.Errorf("a claim fences: %v", got)
	}
}

func TestNobodyWaitsForClaims(t *testing.T) {
	all := heldBy("me", "w8", onLane("all", "all", "**/*"), inState(lane.Waiting))
	left := rider(heldBy("bob", "b0b"), "k.00", "a11", withUnit("p/1")) // its lease has ended, and it was left over
	v, writes, err := Await(AwaitEvidence{Lane: "all", Identity: Identity{Nonce: "w8"}, Table: tableWith(all, left), Stamp: Stamp{Now: noon.Add(time.Minute)}})
	if err != nil || v.Outcome != Acquired || ops(writes) != "READY" {
		t.Errorf("%v %v: %s", v, err, ops(writes))
	}
}

func TestTheOrderTellsClaimsFromLeases(t *testing.T) {
	bob := heldBy("bob", "b0b")
	claim := rider(bob, "k.00", "a11", withUnit("p/1"))
	table := booked(tableWith(bob, claim))
	_, writes, err := Acquire(asking(table, func(ev *AcquireEvidence) { ev.Requests[0].Lane = "code" }))
	if err != nil || ops(writes) != "ACQUIRE GRANTED" {
		t.Fatalf("%v %s", err, ops(writes))
	}
	o, err := ParseOrder(writes[1].Gen, writes[1].Payload)
	if err != nil || len(o.Classes) != 1 || o.Classes[lane.Cluster] != 2 {
		t.Errorf("%v: live by kind are %v", err, o.Classes)
	}
	if err := o.Vouch(rider(heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**")), "k.00", "a11", func(r *Record) { r.Lane = claim.Lane })); !errors.Is(err, ErrRecord) {
		t.Errorf("a claim that rides another lane than it was admitted on: %v", err)
	}
	if err := o.Vouch(claim); err != nil {
		t.Error(err)
	}
	delete(table.Chains, "k.00")
	table.Unread = map[string]error{"k.00": ErrRecord}
	if v, _, err := Acquire(asking(table, func(ev *AcquireEvidence) { ev.Requests[0].Lane = "code" })); err != nil || v.Outcome != Acquired {
		t.Errorf("a claim that cannot be read is in the way of another lane: %v %v", v, err)
	}
}
