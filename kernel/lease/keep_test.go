package lease

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// keeping is evidence about an admitted lease of lane docs.
func keeping(r *Record, id Identity, change ...func(*KeepEvidence)) KeepEvidence {
	ev := KeepEvidence{Lane: "docs", Current: r, Identity: id, Operator: "oncall", Stamp: Stamp{Now: noon.Add(time.Minute)}}
	if r != nil {
		ev.Order = tableWith(*r).Order
	}
	for _, f := range change {
		f(&ev)
	}
	return ev
}

func ptr(r Record) *Record { return &r }

func TestHeartbeat(t *testing.T) {
	mine := Identity{Nonce: "n0"}
	held := heldBy("me", "n0")
	for _, tt := range []struct {
		claim  string
		ev     KeepEvidence
		want   Outcome
		class  string
		writes string
	}{
		{"the nonce renews", keeping(&held, mine), Renewed, "", "HEARTBEAT"},
		{"the run id renews", keeping(&held, Identity{RunID: "run-me"}), Renewed, "", "HEARTBEAT"},
		{"a waiting lease is kept waiting", keeping(ptr(heldBy("me", "n0", inState(lane.Waiting))), mine), Renewed, "", "HEARTBEAT"},
		{"a lapsed lease that nobody took is renewed", keeping(&held, mine, func(ev *KeepEvidence) { ev.Stamp.Now = noon.Add(time.Hour) }), Renewed, "", "HEARTBEAT"},
		{"another nonce is told that it lost", keeping(&held, Identity{Nonce: "n1"}), LostLease, StaleLease, ""},
		{"the name of the owner proves nothing", keeping(&held, Identity{Nonce: "me"}), LostLease, StaleLease, ""},
		{"no identity matches nothing", keeping(ptr(heldBy("me", "n0", func(r *Record) { r.RunID = "" })), Identity{}), LostLease, StaleLease, ""},
		{"nor a missing nonce another missing one", keeping(ptr(heldBy("me", "", func(r *Record) { r.RunID = "" })), Identity{}), LostLease, StaleLease, ""},
		{"a free lane is lost", keeping(ptr(heldBy("me", "n0", inState(lane.Free))), mine), LostLease, NoLease, ""},
		{"a lane never leased is lost", keeping(nil, mine), LostLease, NoLease, ""},
		{"a parked lease is not renewed", keeping(ptr(heldBy("me", "n0", inState(lane.Parked))), mine), Refused, ParkedLane, ""},
		{"a state of the future is not renewed", keeping(ptr(heldBy("me", "n0", inState("draining"))), mine), Refused, NotHeld, ""},
		{"a lease the order does not know is not renewed", keeping(&held, mine, func(ev *KeepEvidence) { ev.Order = Order{} }), LostLease, NotAdmitted, ""},
		{"nor one of another generation in the order", keeping(&held, mine, func(ev *KeepEvidence) { ev.Order.Lanes["docs"] = Grant{Gen: 2, Nonce: "n0"} }), LostLease, NotAdmitted, ""},
		{"nor one of another nonce in the order", keeping(&held, mine, func(ev *KeepEvidence) { ev.Order.Lanes["docs"] = Grant{Gen: 3, Nonce: "n9"} }), LostLease, NotAdmitted, ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes := Heartbeat(tt.ev)
			if v.Outcome != tt.want || v.ReasonClass != tt.class || ops(writes) != tt.writes {
				t.Errorf("got %s %s writing %q, want %s %s writing %q", v.Outcome, v.ReasonClass, ops(writes), tt.want, tt.class, tt.writes)
			}
		})
	}
}

func TestHeartbeatMovesTheDeadlineAndNothingElse(t *testing.T) {
	before := heldBy("me", "n0", func(r *Record) { r.Ship = &Ship{New: "c"}; r.Reason = "x" })
	v, writes := Heartbeat(keeping(&before, Identity{Nonce: "n0"}))
	r, err := ParseRecord("docs", writes[0].Gen, writes[0].Payload)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Deadline.Equal(noon.Add(16*time.Minute)) || r.Gen != 3 || r.Nonce != "n0" || !r.AcquiredAt.Equal(noon) || r.Ship != nil || r.Reason != "" {
		t.Errorf("%+v, deadline %s", r, v.Deadline)
	}
	if before.Ship == nil || !before.RenewedAt.Equal(noon) {
		t.Error("the evidence was changed")
	}
}

func TestLateRenewalIsOnTheRecord(t *testing.T) {
	_, writes := Heartbeat(keeping(ptr(heldBy("me", "n0")), Identity{Nonce: "n0"}, func(ev *KeepEvidence) { ev.Stamp.Now = noon.Add(15 * time.Minute) }))
	r, err := ParseRecord("docs", 3, writes[0].Payload)
	if err != nil || !strings.Contains(r.Reason, "lapsed at 2026-01-02T12:15:00Z") {
		t.Errorf("%q %v", r.Reason, err)
	}
}

func TestLostNamesTheHolderOfNow(t *testing.T) {
	v, _ := Heartbeat(keeping(ptr(heldBy("bob", "b0b")), Identity{Nonce: "n0"}))
	if v.Holder == nil || v.Holder.Owner != "bob" || !strings.Contains(v.Reason, "generation 3") || v.ExitCode() != 3 {
		t.Errorf("%+v", v)
	}
	v, _ = Heartbeat(keeping(ptr(heldBy("me", "n0", inState(lane.Free), func(r *Record) { r.Reason = "scavenged by operator oncall" })), Identity{Nonce: "n0"}))
	if v.Holder != nil || !strings.Contains(v.Reason, "scavenged by operator oncall") {
		t.Errorf("%+v", v)
	}
}

func TestRelease(t *testing.T) {
	mine := Identity{Nonce: "n0"}
	for _, tt := range []struct {
		claim  string
		ev     KeepEvidence
		want   Outcome
		class  string
		writes string
	}{
		{"the nonce releases", keeping(ptr(heldBy("me", "n0")), mine), Released, "", "RELEASE"},
		{"the run id releases", keeping(ptr(heldBy("me", "n0")), Identity{RunID: "run-me"}), Released, "", "RELEASE"},
		{"a waiting lease is withdrawn", keeping(ptr(heldBy("me", "n0", inState(lane.Waiting))), mine), Released, "", "RELEASE"},
		{"what was never admitted is given back", keeping(ptr(heldBy("me", "n0")), mine, func(ev *KeepEvidence) { ev.Order = Order{} }), Released, "", "RELEASE"},
		{"a lane never leased is free", keeping(nil, mine), AlreadyFree, "", ""},
		{"a free lane is free, whoever asks", keeping(ptr(heldBy("bob", "b0b", inState(lane.Free))), Identity{}), AlreadyFree, "", ""},
		{"a stale nonce is refused under the same owner", keeping(ptr(heldBy("me", "n1")), mine), Refused, StaleLease, ""},
		{"another's run id is refused", keeping(ptr(heldBy("bob", "b0b")), Identity{RunID: "run-me"}), Refused, StaleLease, ""},
		{"no identity releases nothing", keeping(ptr(heldBy("me", "n0")), Identity{}), Refused, StaleLease, ""},
		{"a parked lane stays", keeping(ptr(heldBy("me", "n0", inState(lane.Parked))), mine), Refused, ParkedLane, ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes := Release(tt.ev)
			if v.Outcome != tt.want || v.ReasonClass != tt.class || ops(writes) != tt.writes {
				t.Errorf("got %s %s writing %q, want %s %s writing %q", v.Outcome, v.ReasonClass, ops(writes), tt.want, tt.class, tt.writes)
			}
			if len(writes) > 0 {
				freesItsLane(t, writes[0], 3, "n0")
			}
		})
	}
}

// freesItsLane checks that a write ends the lease it found.
func freesItsLane(t *testing.T, w Write, gen uint64, nonce string) {
	t.Helper()
	r, err := ParseRecord("docs", w.Gen, w.Payload)
	if err != nil || r.State != lane.Free || r.Gen != gen || r.Nonce != nonce || r.Reason == "" {
		t.Errorf("%s writes %+v (%v)", w.Op, r, err)
	}
}

func TestScavenge(t *testing.T) {
	for claim, state := range map[string]lane.State{"held": lane.Held, "waiting": lane.Waiting, "parked": lane.Parked, "of the future": "draining"} {
		v, writes := Scavenge(keeping(ptr(heldBy("bob", "b0b", inState(state))), Identity{}))
		if v.Outcome != Scavenged || ops(writes) != "SCAVENGE" || v.Holder.Owner != "bob" {
			t.Fatalf("%s: %+v %v", claim, v, writes)
		}
		freesItsLane(t, writes[0], 3, "b0b")
		if r, _ := ParseRecord("docs", 3, writes[0].Payload); r.Operator != "oncall" || !strings.Contains(r.Reason, "oncall") {
			t.Errorf("%s: the operator is not on the record: %+v", claim, r)
		}
		if v.UnsafeUntil == nil || !v.UnsafeUntil.Equal(noon.Add(15*time.Minute)) {
			t.Errorf("%s: unsafe until %v", claim, v.UnsafeUntil)
		}
	}
	late := func(ev *KeepEvidence) { ev.Stamp.Now = noon.Add(15 * time.Minute) }
	if v, _ := Scavenge(keeping(ptr(heldBy("bob", "b0b")), Identity{}, late)); v.UnsafeUntil != nil {
		t.Errorf("a worker past its deadline is still feared until %s", v.UnsafeUntil)
	}
	for claim, r := range map[string]*Record{"a free lane": ptr(heldBy("bob", "b0b", inState(lane.Free))), "a lane never leased": nil} {
		if v, writes := Scavenge(keeping(r, Identity{})); v.Outcome != AlreadyFree || writes != nil {
			t.Errorf("%s: %+v %v", claim, v, writes)
		}
	}
}

// An operator settles a lane that is behind the order, whatever it shows.
func TestScavengeMakesATornLaneWhole(t *testing.T) {
	for claim, r := range map[string]*Record{
		"not there":  nil,
		"moved back": ptr(heldBy("bob", "b0b", func(r *Record) { r.Gen = 2 })),
		"free":       ptr(heldBy("bob", "b0b", inState(lane.Free), func(r *Record) { r.Gen = 1 })),
	} {
		ev := keeping(r, Identity{})
		ev.Order.Lanes = map[string]Grant{"docs": {Gen: 4, Nonce: "a11ce"}}
		v, writes := Scavenge(ev)
		if v.Outcome != Scavenged || ops(writes) != "SCAVENGE" {
			t.Fatalf("%s: %+v %v", claim, v, writes)
		}
		freesItsLane(t, writes[0], 4, "a11ce")
		got, _ := ParseRecord("docs", 4, writes[0].Payload)
		if got.Operator != "oncall" || !strings.Contains(got.Reason, "oncall") || (v.Holder != nil) != (claim == "moved back") {
			t.Errorf("%s: %+v, holder %v", claim, got, v.Holder)
		}
		if torn := (Table{Chains: map[string]Record{"docs": got}, Order: ev.Order}).Torn(); torn != nil {
			t.Errorf("%s: still torn", claim)
		}
	}
}
