package lease

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func willing(ev *AcquireEvidence) { ev.Wait = true }

func TestExclusiveLanesWaitForOrdinaryLeasesOfOthers(t *testing.T) {
	docs := heldBy("bob", "b0b")
	code := heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**"))
	alone := heldBy("zoe", "z0e", onLane("all", "all", "**/*"))
	release := heldBy("zoe", "z0e", onLane("release", "global", "etc/**"))
	for _, tt := range []struct {
		claim string
		ev    AcquireEvidence
		want  Outcome
		class string
	}{
		{"one", asking(tableWith(docs), lanes("all"), willing), Waits, ""},
		{"several", asking(tableWith(docs, code), lanes("all"), willing), Waits, ""},
		{"not when they will not", asking(tableWith(docs), lanes("all")), Refused, lane.ExclusiveNotAlone},
		{"not an ordinary lane", asking(tableWith(docs), willing), Refused, lane.SameLaneHeld},
		{"not for themselves", asking(tableWith(alone), lanes("all"), willing), Refused, lane.ExclusiveLive},
		{"not for another exclusive one", asking(tableWith(docs, release), lanes("all"), willing), Refused, lane.ExclusiveLive},
		{"nor for one that waits", asking(tableWith(docs, heldBy("zoe", "z0e", onLane("release", "global", "etc/**"), inState(lane.Waiting))), lanes("all"), willing), Refused, lane.ExclusiveLive},
		{"not for a parked lane", asking(tableWith(heldBy("bob", "b0b", inState(lane.Parked))), lanes("all"), willing), Refused, lane.ExclusiveNotAlone},
		{"not for the asker's own lane", asking(tableWith(docs), lanes("all"), willing, remembering("b0b")), Refused, lane.ExclusiveNotAlone},
		{"not for one of the asker's run", asking(tableWith(docs), lanes("all"), willing, as(Identity{Nonce: "b0b"})), Refused, lane.ExclusiveNotAlone},
		{"nothing when what is there has lapsed", asking(watching(tableWith(docs), whole, "docs"), lanes("all"), willing), Acquired, ""},
	} {
		v, writes, err := Acquire(tt.ev)
		if err != nil || v.Outcome != tt.want || v.ReasonClass != tt.class {
			t.Errorf("wait for %s: %+v %v", tt.claim, v, err)
		}
		if v.Outcome != Waits {
			continue
		}
		records, order := parsed(t, writes)
		if ops(writes) != "ACQUIRE GRANTED" || records["all"].State != lane.Waiting || order.Lanes["all"].Nonce != "fresh" ||
			len(v.WaitsFor) != len(tt.ev.Table.Chains) || v.ExitCode() != 3 || v.Next == "" || v.WorkUntil != nil {
			t.Errorf("wait for %s: %+v %v", tt.claim, v, ops(writes))
		}
	}
	waits := heldBy("zoe", "z0e", onLane("all", "all", "**/*"), inState(lane.Waiting))
	if v, _, err := Acquire(asking(tableWith(waits))); err != nil || v.ReasonClass != lane.ExclusiveLive {
		t.Errorf("an ordinary lane beside one that waits: %+v %v", v, err)
	}
}

// Who asks for more of a lease that waits is told so, and who will have another lane
// does not wait.
func TestALeaseThatWaitsIsAskedForAgain(t *testing.T) {
	waits := heldBy("me", "w0w", onLane("all", "all", "**/*"), inState(lane.Waiting))
	docs := heldBy("bob", "b0b")
	table := tableWith(waits, docs)
	mine := as(Identity{Nonce: "w0w"})
	for _, tt := range []struct {
		claim string
		ev    AcquireEvidence
		want  Outcome
		class string
	}{
		{"as it is", asking(table, lanes("all"), mine), Waits, ""},
		{"with a unit", asking(table, lanes("all"), mine, booking("p/1", "")), Refused, LeaseDiffers},
		{"with a seat", asking(table, lanes("all"), mine, booking("", "desk")), Refused, LeaseDiffers},
		{"by force", asking(table, lanes("all"), mine, func(ev *AcquireEvidence) { ev.Force, ev.Operator = true, "ops" }), Refused, LeaseDiffers},
		{"beside another lane", asking(table, lanes("code", "all"), mine), Refused, lane.ExclusiveLive},
		{"beside a lane of its own", asking(tableWith(waits, heldBy("me", "w0w")), lanes("docs", "all"), mine), Refused, LeaseDiffers},
		{"by a worktree that forgot to say so", asking(table, lanes("all"), remembering("w0w")), Refused, lane.ExclusiveLive},
		{"any, of somebody else", asking(tableWith(docs), lanes("all"), willing, elseAny), Acquired, ""},
	} {
		v, writes, err := Acquire(tt.ev)
		if err != nil || v.Outcome != tt.want || v.ReasonClass != tt.class || tt.want == Refused && writes != nil {
			t.Errorf("%s: %+v %v %v", tt.claim, v, ops(writes), err)
		}
		if v.HeldHere && v.Next != "git dos lease await --lane all" {
			t.Errorf("%s: next %s", tt.claim, v.Next)
		}
	}
	ev := KeepEvidence{Lane: "all", Chain: "all", Current: &waits, Order: table.Order, Identity: Identity{Nonce: "w0w"}, Stamp: Stamp{Now: noon}}
	if v, writes := Heartbeat(ev); v.Outcome != Renewed || v.WorkUntil != nil || v.Next != "git dos lease await --lane all" || ops(writes) != "HEARTBEAT" {
		t.Errorf("%+v %v", v, ops(writes))
	}
}

func TestUnreadableLanesAreNotWaitedFor(t *testing.T) {
	table := tableWith(heldBy("bob", "b0b"))
	delete(table.Chains, "docs")
	table.Unread = map[string]error{"docs": ErrRecord}
	var unread *UnreadError
	if v, writes, err := Acquire(asking(table, lanes("all"), willing)); !errors.As(err, &unread) {
		t.Errorf("%+v %v %v", v, ops(writes), err)
	}
}

func TestAwait(t *testing.T) {
	mine := heldBy("me", "w0w", onLane("all", "all", "**/*"), inState(lane.Waiting))
	docs := heldBy("bob", "b0b")
	awaiting := func(table Table, change ...func(*AwaitEvidence)) AwaitEvidence {
		basis := asking(table)
		ev := AwaitEvidence{Lane: "all", Identity: Identity{Nonce: "w0w"}, Table: table, Stamp: basis.Stamp}
		for _, c := range change {
			c(&ev)
		}
		return ev
	}
	after := func(d time.Duration) func(*AwaitEvidence) {
		return func(ev *AwaitEvidence) { ev.Stamp.Now = noon.Add(d) }
	}
	for _, tt := range []struct {
		claim  string
		ev     AwaitEvidence
		want   Outcome
		writes string
	}{
		{"it is ready when it is alone", awaiting(tableWith(mine)), Acquired, "READY"},
		{"and beside what is free", awaiting(tableWith(mine, heldBy("bob", "b0b", inState(lane.Free)))), Acquired, "READY"},
		{"not beside a lease that lives", awaiting(tableWith(mine, docs)), Waits, ""},
		{"whose wait is renewed after a third of its ttl", awaiting(tableWith(mine, docs), after(5*time.Minute)), Waits, "HEARTBEAT"},
		{"and not before", awaiting(tableWith(mine, docs), after(5*time.Minute-time.Second)), Waits, ""},
		{"nor beside one ahead of the order", awaiting(unadmitted(tableWith(mine, docs), "docs")), Waits, ""},
		{"nor beside one that was parked meanwhile", awaiting(tableWith(mine, heldBy("bob", "b0b", inState(lane.Parked)))), Waits, ""},
		{"what has lapsed ends before it is ready", awaiting(watching(tableWith(mine, docs), whole, "docs")), Waits, "SCAVENGE"},
		{"not without the rest", awaiting(watching(tableWith(mine, docs, heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**"))), whole, "docs")), Waits, ""},
		{"one that is held already is yours", awaiting(tableWith(heldBy("me", "w0w", onLane("all", "all", "**/*")))), Acquired, "HEARTBEAT"},
		{"another's is not", awaiting(tableWith(heldBy("zoe", "z0e", onLane("all", "all", "**/*"), inState(lane.Waiting)))), LostLease, ""},
		{"one that was never admitted is lost", awaiting(unadmitted(tableWith(mine), "all")), LostLease, ""},
		{"one that ended is lost", awaiting(tableWith(heldBy("me", "w0w", onLane("all", "all", "**/*"), inState(lane.Free)))), LostLease, ""},
	} {
		v, writes, err := Await(tt.ev)
		if err != nil || v.Outcome != tt.want || ops(writes) != tt.writes {
			t.Errorf("%s: %+v %v %v", tt.claim, v, ops(writes), err)
		}
		if v.Outcome == Acquired && len(writes) > 0 {
			records, _ := parsed(t, writes)
			if r := records["all"]; r.State != lane.Held || r.Gen != mine.Gen || r.Nonce != mine.Nonce {
				t.Errorf("%s: %+v", tt.claim, r)
			}
		}
	}
	// Whatever the policy says of its lane by now, it was admitted to run alone.
	for claim, r := range map[string]Record{
		"a lane that is not declared": heldBy("me", "w0w", inSlot("k.00", "adhoc", "etc/**"), func(r *Record) { r.LaneKind, r.State = "global", lane.Waiting }),
		"one that was declared":       heldBy("me", "w0w", onLane("old", "old", "etc/**"), inState(lane.Waiting)),
		"one that is ordinary now":    heldBy("me", "w0w", onLane("code", "code", "src/**"), inState(lane.Waiting)),
	} {
		if v, writes, err := Await(awaiting(tableWith(r, docs), func(ev *AwaitEvidence) { ev.Lane = r.Lane })); err != nil || v.Outcome != Waits || len(v.WaitsFor) != 1 {
			t.Errorf("%s: %+v %v %v", claim, v, ops(writes), err)
		}
	}
	reserved := heldBy("bob", "b0b", onLane("_boss", lane.Cluster))
	if v, _, err := Await(awaiting(tableWith(mine, reserved))); err != nil || v.Outcome != Acquired {
		t.Errorf("beside a reserved lane: %+v %v", v, err)
	}
	var torn *TornError
	if v, _, err := Await(awaiting(behind(tableWith(mine, docs), "docs"))); !errors.As(err, &torn) {
		t.Errorf("on a torn table: %+v %v", v, err)
	}
	var unread *UnreadError
	hidden := tableWith(mine, docs)
	delete(hidden.Chains, "docs")
	hidden.Unread = map[string]error{"docs": ErrRecord}
	if v, _, err := Await(awaiting(hidden)); !errors.As(err, &unread) {
		t.Errorf("beside what cannot be read: %+v %v", v, err)
	}
}

func TestParking(t *testing.T) {
	keeping := func(r Record, change ...func(*KeepEvidence)) KeepEvidence {
		ev := KeepEvidence{Lane: r.Lane, Chain: r.Lane, Current: &r, Order: tableWith(r).Order, Identity: Identity{Nonce: "old"}, Stamp: Stamp{Now: noon.Add(time.Hour)}}
		for _, c := range change {
			c(&ev)
		}
		return ev
	}
	stranger := func(ev *KeepEvidence) { ev.Identity = Identity{Nonce: "else"} }
	operator := func(ev *KeepEvidence) { ev.Identity, ev.Operator = Identity{}, "ops" }
	disordered := func(ev *KeepEvidence) { ev.Order = Order{} }
	held, parked := heldBy("me", "old"), heldBy("me", "old", inState(lane.Parked))
	for _, tt := range []struct {
		claim  string
		verb   func(KeepEvidence) (Verdict, []Write)
		ev     KeepEvidence
		want   Outcome
		class  string
		writes string
	}{
		{"its holder parks it", Park, keeping(held), Parked, "", "PARK"},
		{"an operator does", Park, keeping(held, operator), Parked, "", "PARK"},
		{"a stranger does not", Park, keeping(held, stranger), Refused, StaleLease, ""},
		{"parked it stays so", Park, keeping(parked), Parked, "", ""},
		{"what waits is not parked", Park, keeping(heldBy("me", "old", inState(lane.Waiting))), Refused, NotHeld, ""},
		{"what is free is not", Park, keeping(heldBy("me", "old", inState(lane.Free)), operator), Refused, NoLease, ""},
		{"what was not admitted is not", Park, keeping(held, disordered), Refused, NotAdmitted, ""},
		{"its holder takes it back", Unpark, keeping(parked), Unparked, "", "UNPARK"},
		{"an operator gives it back", Unpark, keeping(parked, operator), Unparked, "", "UNPARK"},
		{"a stranger does not take it", Unpark, keeping(parked, stranger), Refused, StaleLease, ""},
		{"what is held stays so", Unpark, keeping(held), Unparked, "", ""},
		{"what waits is not unparked", Unpark, keeping(heldBy("me", "old", inState(lane.Waiting))), Refused, NotHeld, ""},
		{"nobody renews what is parked", Heartbeat, keeping(parked), Refused, ParkedLane, ""},
		{"nor releases it", Release, keeping(parked), Refused, ParkedLane, ""},
	} {
		v, writes := tt.verb(tt.ev)
		if v.Outcome != tt.want || v.ReasonClass != tt.class || ops(writes) != tt.writes {
			t.Errorf("%s: %+v %v", tt.claim, v, ops(writes))
		}
	}
	unpark := "git dos lease unpark --lane docs"
	if v, _ := Heartbeat(keeping(parked)); v.Next != unpark {
		t.Errorf("next of a heartbeat is %q", v.Next)
	}
	if v, _ := Release(keeping(parked)); v.Next != unpark+"; or have an operator free it: git dos lease scavenge --lane docs --force --operator NAME" {
		t.Errorf("next of a release is %q", v.Next)
	}
	if v, _ := Park(keeping(parked)); !strings.Contains(v.String(), "deadline  none, as long as it is parked") {
		t.Errorf("parked again: %s", v)
	}
	_, writes := Unpark(keeping(parked))
	records, _ := parsed(t, writes)
	if r := records["docs"]; r.State != lane.Held || r.Gen != parked.Gen || r.Nonce != "old" || !r.RenewedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", r)
	}
}
