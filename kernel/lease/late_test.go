package lease

import (
	"testing"
	"time"
)

func TestAnAnswerIsLateWhenOthersMayHaveFoundTheLeaseLapsed(t *testing.T) {
	table := tableWith(heldBy("me", "m3e"))
	r := table.Chains["docs"]
	ttl := time.Duration(r.TTL) * time.Second
	sure := r.RenewedAt.Add(ttl - max(30*time.Second, ttl/10))
	keep := func(change ...func(*KeepEvidence)) KeepEvidence {
		ev := KeepEvidence{Lane: "docs", Chain: "docs", Current: &r, Order: table.Order, Identity: Identity{Nonce: "m3e"}, Stamp: Stamp{Now: r.RenewedAt.Add(time.Minute)}}
		for _, c := range change {
			c(&ev)
		}
		return ev
	}
	renewed, _ := Heartbeat(keep())
	gone, _ := Heartbeat(keep(func(ev *KeepEvidence) { ev.Gone = true }))
	parked, _ := Park(keep())
	lost, _ := Heartbeat(keep(func(ev *KeepEvidence) { ev.Identity.Nonce = "other" }))
	for _, c := range []struct {
		claim string
		v     Verdict
		at    time.Time
		late  bool
	}{
		{"decided and there in time it is not", renewed, sure, false},
		{"decided in time and there too late it is", renewed, sure.Add(time.Second), true},
		{"so is the answer of a park", parked, sure.Add(time.Second), true},
		{"of a process that has ended it always is", gone, r.RenewedAt.Add(time.Minute), true},
		{"what lets nothing run on is never", lost, sure.Add(time.Hour), false},
	} {
		if got := c.v.Late(c.at); got != c.late {
			t.Errorf("%s: %t", c.claim, got)
		}
	}
}

func TestALateAnswerStandsWhileTheOrderAdmitsItsLease(t *testing.T) {
	table := tableWith(heldBy("me", "m3e"))
	r := table.Chains["docs"]
	v := Verdict{Outcome: Renewed, Lane: "docs", Lease: &r}
	taken := tableWith(heldBy("me", "m3e"))
	g := taken.Order.Lanes["docs"]
	g.Gen, g.Nonce = g.Gen+1, "b0b"
	taken.Order.Lanes["docs"] = g
	other := tableWith(heldBy("bob", "b0b"))
	for claim, c := range map[string]struct {
		table Table
		want  Outcome
	}{
		"as it was":                     {table, Renewed},
		"taken over in the order alone": {taken, LostLease},
		"taken over on the lane":        {other, LostLease},
		"gone":                          {tableWith(), LostLease},
	} {
		if got, err := c.table.Stands(v, nil); err != nil || got.Outcome != c.want {
			t.Errorf("%s: %+v, %v", claim, got, err)
		}
	}
	unread := tableWith()
	unread.Unread = map[string]error{"docs": ErrRecord}
	if got, err := unread.Stands(v, nil); err == nil {
		t.Errorf("what cannot be read stands: %+v", got)
	}
}

func TestALateAnswerStandsWhileItsNodeHasTheLane(t *testing.T) {
	table := tableWith(heldBy("me", "m3e", func(r *Record) { r.Under = "d" }))
	r := table.Chains["docs"]
	v := Verdict{Outcome: Renewed, Lane: "docs", Lease: &r}
	for _, c := range []struct {
		has  Delegation
		want Outcome
	}{
		{Delegation{Lane: "docs", Nonce: "d", State: Live}, Renewed},
		{Delegation{Lane: "docs", Nonce: "d", State: Returning}, LostLease},
		{Delegation{Lane: "docs", Nonce: "d", State: Gone}, LostLease},
		{Delegation{Lane: "docs", Nonce: "e", State: Live}, LostLease},
		{Delegation{}, LostLease},
	} {
		if got, err := table.Stands(v, map[string]Delegation{"docs": c.has}); err != nil || got.Outcome != c.want {
			t.Errorf("under %+v: %+v, %v", c.has, got, err)
		}
	}
}

func TestALeaseHadAgainOvertakesAnEarlierTryOfTheCall(t *testing.T) {
	table := tableWith(heldBy("me", "m3e"))
	ev := asking(table, lanes("docs"), as(Identity{Nonce: "m3e"}), func(ev *AcquireEvidence) {
		ev.Sent = &Sent{Leases: []Record{heldBy("me", "fresh", onLane("code", "cluster", "src/**"))}, Seq: table.Order.Seq + 1}
	})
	v, writes, err := Acquire(ev)
	if err != nil || !v.Reacquired {
		t.Fatalf("%+v %v", v, err)
	}
	moved := false
	for _, w := range writes {
		moved = moved || w.Chain == "" && w.Op == OpEnded
	}
	if !moved {
		t.Errorf("the order does not move: %v", ops(writes))
	}
	ev.Sent = nil
	if _, writes, err = Acquire(ev); err != nil || len(writes) != 1 {
		t.Errorf("alone it writes %v, %v", ops(writes), err)
	}
}
