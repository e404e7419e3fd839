package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// holdingUnit is a lease with unit p/1, and its entry in the order.
func holdingUnit(t Table, r Record, key string) Table {
	t.Order.Units = map[string]Booking{key: {Nonce: r.Nonce, Until: r.Deadline().Format(time.RFC3339)}}
	return t
}

func withUnit(unit string) func(*Record) { return func(r *Record) { r.Unit = unit } }

func TestUnitsAndSeats(t *testing.T) {
	code := onLane("code", lane.Cluster, "src/**")
	bob := heldBy("bob", "b0b", code, withUnit("p/1"))
	second := heldBy("bob", "b0b", code)
	gone := heldBy("bob", "b0b", code, withUnit("p/1"), inState(lane.Free))
	past := heldBy("eve", "e5e", code, inState(lane.Free), inGen(4))
	after := func(d time.Duration, skew time.Duration) func(*AcquireEvidence) {
		return func(ev *AcquireEvidence) { ev.Stamp.Now, ev.Lapsing.Skew = noon.Add(d), skew }
	}
	nowhere := holdingUnit(tableWith(), bob, "p/1")
	moved := holdingUnit(tableWith(past), bob, "p/1")
	moved.Order.Lanes["code"] = grantOf(bob)
	beside := holdingUnit(tableWith(heldBy("eve", "e5e", onLane("part", lane.Cluster, "lib/**"), inGen(4))), bob, "p/1")
	beside.Order.Lanes["part"] = Grant{Gen: 3, Nonce: "earlier"}
	mine := unadmitted(tableWith(heldBy("me", "old"), bob), "docs")
	ofOne := holdingUnit(tableWith(heldBy("me", "old"), heldBy("me", "old", onLane("part", lane.Cluster, "lib/**"), withUnit("p/1"))), heldBy("me", "old"), "p/1")
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		class  string
		holder string
	}{
		{"a unit that nobody has is booked", asking(tableWith(), booking("p/1", "")), "", ""},
		{"one that a live lease has is not", asking(holdingUnit(tableWith(bob), bob, "p/1"), booking("p/1", "")), UnitClaimed, "bob"},
		{"nor one that a lease names which the order has lost", asking(tableWith(bob), booking("p/1", "")), UnitClaimed, "bob"},
		{"nor one of an admission that is half landed", asking(unadmitted(tableWith(bob), "code"), booking("p/1", "")), UnitClaimed, "bob"},
		{"another unit is nobody's", asking(holdingUnit(tableWith(bob), bob, "p/1"), booking("p/2", "")), "", ""},
		{"a lease past its deadline has it still", asking(holdingUnit(tableWith(bob), bob, "p/1"), booking("p/1", ""), after(15*time.Minute+59*time.Second, time.Minute)), UnitClaimed, "bob"},
		{"one that has lapsed does not", asking(holdingUnit(tableWith(bob), bob, "p/1"), booking("p/1", ""), after(time.Hour, time.Minute)), "", ""},
		{"a lease that has ended does not, though the order says so", asking(holdingUnit(tableWith(gone), bob, "p/1"), booking("p/1", "")), "", ""},
		{"nor one that another followed on its chain", asking(moved, booking("p/1", "")), "", ""},
		{"nor does its other lane when the first has ended", asking(holdingUnit(tableWith(gone, heldBy("bob", "b0b", onLane("part", lane.Cluster, "lib/**"))), bob, "p/1"), booking("p/1", "")), "", ""},
		{"while none of its lanes tells, any that lives has it", asking(holdingUnit(tableWith(second), bob, "p/1"), booking("p/1", "")), UnitClaimed, "bob"},
		{"a nonce that stands nowhere has it until its time", asking(nowhere, booking("p/1", ""), after(14*time.Minute, time.Minute)), UnitClaimed, ""},
		{"and the skew of clocks", asking(nowhere, booking("p/1", ""), after(15*time.Minute+59*time.Second, time.Minute)), UnitClaimed, ""},
		{"and no longer", asking(nowhere, booking("p/1", ""), after(16*time.Minute, time.Minute)), "", ""},
		{"for ever when the skew is not known", asking(nowhere, booking("p/1", ""), after(1000*time.Hour, 0)), UnitClaimed, ""},
		{"whatever another chain is ahead of", asking(beside, booking("p/1", "")), UnitClaimed, ""},
		{"a half-landed lease of one's own gives no claim to it", asking(mine, as(Identity{Nonce: "old"}), booking("p/1", "")), UnitClaimed, "bob"},
		{"nor does one lane of an admission to what another of it has", asking(ofOne, as(Identity{Nonce: "old"}), lanes("code", "docs"), booking("p/1", "")), UnitClaimed, "me"},
		{"the lane comes first", asking(holdingUnit(tableWith(bob), bob, "p/1"), lanes("code"), booking("p/1", "")), lane.SameLaneHeld, "bob"},
		{"a seat is a thing of its own", asking(holdingUnit(tableWith(bob), bob, "p/1"), booking("", "p/1")), "", ""},
		{"and is taken like a unit", asking(tableWith(heldBy("bob", "b0b", code, func(r *Record) { r.Seat = "desk" })), booking("", "desk")), SeatTaken, "bob"},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			others := slices.ContainsFunc(writes, func(w Write) bool { return w.Op != OpVoid })
			if err != nil || v.ReasonClass != tt.class || (v.Outcome == Acquired) != (tt.class == "") || tt.class != "" && others {
				t.Fatalf("%+v %v %v", v, ops(writes), err)
			}
			if got := v.Holder; (got != nil) != (tt.holder != "") || got != nil && got.Owner != tt.holder {
				t.Errorf("holder %v", got)
			}
			if v.Outcome != Acquired {
				return
			}
			_, order := parsed(t, writes)
			if c := order.Units[tt.ev.Unit]; tt.ev.Unit != "" && (c.Nonce != "fresh" || c.Until != v.Deadline.Format(time.RFC3339)) {
				t.Errorf("%+v", order.Units)
			}
		})
	}
}

// An unreadable chain may have the unit that an admission on it booked.
func TestAUnitThatCannotBeReadIsNoVerdict(t *testing.T) {
	bob := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"))
	whole := holdingUnit(tableWith(bob), bob, "p/1")
	ended := tableWith(bob) // the end of the unit landed, and that of the lane did not
	entry := holdingUnit(tableWith(bob), bob, "p/1")
	entry.Order.Lanes["code"] = Grant{Gen: 3, Nonce: "b0b", Kind: lane.Cluster, Tree: []string{"src/**"}}
	for claim, table := range map[string]Table{"by both": whole, "by its entry": entry, "by what the order says of the chain": ended} {
		table.Unread = map[string]error{"code": errUnread}
		delete(table.Chains, "code")
		for force, change := range map[string]func(*AcquireEvidence){"": func(*AcquireEvidence) {}, " under force": forcing} {
			v, writes, err := Acquire(asking(table, booking("p/1", ""), change))
			var unread *UnreadError
			if !errors.As(err, &unread) || unread.Chain != "code" || v.Outcome != "" || writes != nil {
				t.Errorf("%s%s: %+v %v", claim, force, v, err)
			}
		}
		if v, _, err := Acquire(asking(table, booking("p/2", ""))); err != nil || v.Outcome != Acquired {
			t.Errorf("%s: another unit: %+v %v", claim, v, err)
		}
	}
}

func TestBookingsThatAreOverAreDropped(t *testing.T) {
	gone := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"), inState(lane.Free))
	table := holdingUnit(tableWith(gone), gone, "p/1")
	table.Order.Seats = map[string]Booking{"desk": {Nonce: "n0where", Until: "2026-01-02T12:15:00Z"}}
	_, writes, err := Acquire(asking(table, lanes("code")))
	if err != nil {
		t.Fatal(err)
	}
	if _, order := parsed(t, writes); len(order.Units) != 0 || len(order.Seats) != 1 {
		t.Errorf("%+v", order)
	}
}

// Whatever ends a lease ends its bookings, and nobody else's.
func TestBookingsEndWithTheirLease(t *testing.T) {
	mine := heldBy("me", "n0", withUnit("p/1"))
	ev := keeping(&mine, Identity{Nonce: "n0"})
	ev.Order.Units = map[string]Booking{"p/1": {"n0", "2026-01-02T12:15:00Z"}, "p/2": {"b0b", "2026-01-02T12:15:00Z"}}
	ev.Order.Newest["docs"] = 2
	for claim, decide := range map[string]func(KeepEvidence) (Verdict, []Write){"release": Release, "scavenge": Scavenge} {
		_, writes := decide(ev)
		if len(writes) != 2 || writes[1].Op != OpEnded || writes[1].Gen != 10 {
			t.Fatalf("%s: %v", claim, ops(writes))
		}
		_, order := parsed(t, writes)
		if _, still := order.Units["p/1"]; still || order.Units["p/2"].Nonce != "b0b" || !order.admits(mine) || order.Newest["docs"] != 2 {
			t.Errorf("%s: %+v", claim, order)
		}
	}
	second := heldBy("me", "n0")
	if _, writes := Release(keeping(&second, Identity{Nonce: "n0"}, func(k *KeepEvidence) { k.Order.Units = ev.Order.Units })); ops(writes) != "RELEASE" {
		t.Errorf("a lane that is not the first of its admission: %v", ops(writes))
	}
	ev.Order.Units["p/1"] = Booking{"b0b", "2026-01-02T12:15:00Z"}
	if _, writes := Release(ev); ops(writes) != "RELEASE" {
		t.Errorf("another's booking: %v", ops(writes))
	}
	ev.Order = Order{}
	if _, writes := Release(ev); ops(writes) != "RELEASE" {
		t.Errorf("an order that nobody could read: %v", ops(writes))
	}
}

func TestRepairEndsBookings(t *testing.T) {
	cut := heldBy("bob", "dead", withUnit("p/1"))
	table := behind(holdingUnit(tableWith(cut, heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**"))), cut, "p/1"), "docs")
	writes := Repair(table, table.Torn(), Stamp{Now: noon})
	if ops(writes) != "VOID ENDED" {
		t.Fatal(ops(writes))
	}
	records, order := parsed(t, writes)
	if len(order.Units) != 0 || records["docs"].Unit != "" || records["docs"].Proc != nil {
		t.Errorf("%+v %+v", order, records["docs"])
	}
	// Another lane of the admission lives: it keeps what it may have.
	both := behind(holdingUnit(tableWith(cut, heldBy("bob", "dead", onLane("code", lane.Cluster, "src/**"))), cut, "p/1"), "docs")
	if writes := Repair(both, both.Torn(), Stamp{Now: noon}); ops(writes) != "VOID" {
		t.Error(ops(writes))
	}
	alone := KeepEvidence{Lane: "docs", Order: table.Order, Operator: "oncall", Stamp: Stamp{Now: noon}}
	if _, writes := Scavenge(alone); ops(writes) != "SCAVENGE ENDED" {
		t.Errorf("an operator settles it: %v", ops(writes))
	}
	alone.Order = both.Order
	if _, writes := Scavenge(alone); ops(writes) != "SCAVENGE" {
		t.Errorf("an operator settles one of two: %v", ops(writes))
	}
}

// Two spellings are one unit, and one seat: the records keep them, and the order
// has neither.
func TestUnitsAndSeatsAreFolded(t *testing.T) {
	code := onLane("code", lane.Cluster, "src/**")
	for claim, tt := range map[string]struct{ had, asked string }{
		"case":                     {"Shop/API2", "shop/api2"},
		"the other way round":      {"shop/api2", "SHOP/API2"},
		"Unicode form":             {"caf\u00e9/1", "cafe\u0301/1"},
		"case beyond the alphabet": {"stra\u00dfe/1", "STRASSE/1"},
	} {
		bob := heldBy("bob", "b0b", code, withUnit(tt.had))
		seated := heldBy("bob", "b0b", code, func(r *Record) { r.Seat = tt.had })
		nowhere := holdingUnit(tableWith(), bob, tt.had)
		parsedOrder, err := ParseOrder(9, encode(nowhere.Order))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := parsedOrder.Units[foldKey(tt.had)]; !ok || len(parsedOrder.Units) != 1 {
			t.Errorf("%s: an older order is read as %v", claim, parsedOrder.Units)
		}
		reread := nowhere
		reread.Order = parsedOrder
		for where, table := range map[string]Table{"on a lane": tableWith(bob), "in the order alone": nowhere, "in the order as it is read": reread} {
			if v, writes, err := Acquire(asking(table, booking(tt.asked, ""))); err != nil || v.ReasonClass != UnitClaimed || writes != nil || v.Holder != nil && !strings.Contains(v.Reason, " "+tt.had+" ") {
				t.Errorf("%s, %s: %+v %v", claim, where, v, err)
			}
		}
		if v, _, err := Acquire(asking(tableWith(seated), booking("", tt.asked))); err != nil || v.ReasonClass != SeatTaken {
			t.Errorf("%s, a seat: %+v %v", claim, v, err)
		}
		var unread *UnreadError
		hidden := tableWith(bob)
		hidden.Order.Lanes["code"] = grantOf(bob)
		if _, _, err := Acquire(asking(blind(hidden, "code"), booking(tt.asked, ""))); !errors.As(err, &unread) {
			t.Errorf("%s, on a lane that cannot be read: %v", claim, err)
		}
		v, writes, err := Acquire(asking(tableWith(), booking(tt.asked, tt.asked)))
		if err != nil || v.Lease.Unit != tt.asked || v.Lease.Seat != tt.asked {
			t.Fatalf("%s: the record does not keep the spelling: %+v %v", claim, v, err)
		}
		if text := string(writes[len(writes)-1].Payload); strings.Count(text, `"`+foldKey(tt.asked)+`":{`) != 2 {
			t.Errorf("%s: written as %s", claim, text)
		}
		_, order := parsed(t, writes)
		if order.Units[foldKey(tt.had)].Nonce != "fresh" || order.Seats[foldKey(tt.had)].Nonce != "fresh" {
			t.Errorf("%s: the order has %v and %v", claim, order.Units, order.Seats)
		}
		ev := keeping(v.Lease, Identity{Nonce: "fresh"})
		if ev.Order = order; ops(second(Release(ev))) != "RELEASE ENDED" {
			t.Errorf("%s: the booking does not end with its lease", claim)
		}
		mine := as(Identity{Nonce: "b0b"})
		if v, _, err := Acquire(asking(tableWith(bob), mine, lanes("code"), booking(tt.asked, ""))); err != nil || !v.Reacquired {
			t.Errorf("%s: the caller's own lease differs: %+v %v", claim, v, err)
		}
		gone := heldBy("bob", "b0b", code, withUnit(tt.asked), inState(lane.Free))
		if v, _, err := Acquire(asking(holdingUnit(tableWith(gone), bob, tt.had), booking(tt.had, ""))); err != nil || v.Outcome != Acquired {
			t.Errorf("%s: what ended is booked still: %+v %v", claim, v, err)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

// Two units of an older order that are one now are both kept, until both are over.
func TestTwoSpellingsInOneOrder(t *testing.T) {
	table := tableWith()
	table.Order.Units = map[string]Booking{
		"p/x": {"gone", "2026-01-02T12:10:00Z"}, "P/X": {"n1", "2026-01-02T12:20:00Z"}, "P/x": {"n2", "2026-01-02T12:30:00Z"},
	}
	o, err := ParseOrder(9, encode(table.Order))
	if err != nil || len(o.Units) != 3 || o.Units["p/x"].Nonce != "gone" {
		t.Fatalf("%+v %v", o.Units, err)
	}
	table.Order = o
	for after, want := range map[time.Duration]string{5 * time.Minute: UnitClaimed, 15 * time.Minute: UnitClaimed, 25 * time.Minute: UnitClaimed, 35 * time.Minute: ""} {
		v, _, err := Acquire(asking(table, booking("p/X", ""), at(after), func(ev *AcquireEvidence) { ev.Lapsing.Skew = time.Second }))
		if err != nil || v.ReasonClass != want {
			t.Errorf("after %s: %+v %v", after, v, err)
		}
	}
}

func TestUnitsAndSeatsAreWords(t *testing.T) {
	for _, key := range []string{"SHOP API2", " shop/api2", "shop/api2 ", "a\tb", "a\u00a0b", "a\u200bb", "a\u3000b"} {
		for what, change := range map[string]func(*AcquireEvidence){"unit": booking(key, ""), "seat": booking("", key)} {
			v, writes, err := Acquire(asking(tableWith(), change))
			if err == nil || !strings.HasPrefix(err.Error(), what+" ") || !strings.Contains(err.Error(), "white space") || v.Outcome != "" || writes != nil {
				t.Errorf("%s %q: %+v %v", what, key, v, err)
			}
		}
	}
	spaced := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), withUnit("SHOP API2"))
	if r, err := ParseRecord("code", 3, encode(spaced)); err != nil || r.Unit != "SHOP API2" {
		t.Errorf("a record of before is read as it is: %+v %v", r, err)
	}
}

// Where an older order cannot say what stood on an unreadable chain, a unit of its
// nonce is not known to be over, not even to a lane that contends by name alone.
func TestAUnitOfAnOlderOrderIsNotKnownToBeOver(t *testing.T) {
	bob := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"))
	table := blind(holdingUnit(tableWith(bob), bob, "p/1"), "code")
	table.Order.Newest = nil
	table.Order.Lanes["code"] = Grant{Gen: 3, Nonce: "b0b"}
	late := func(ev *AcquireEvidence) { ev.Stamp.Now, ev.Lapsing.Skew = noon.Add(time.Hour), time.Minute }
	v, writes, err := Acquire(asking(table, lanes("_w"), booking("p/1", ""), late))
	var unread *UnreadError
	if !errors.As(err, &unread) || unread.Chain != "code" || writes != nil {
		t.Errorf("%+v %v %v", v, ops(writes), err)
	}
}
