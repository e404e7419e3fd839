package lease

import (
	"slices"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// wonLate is a call whose earlier try has won lane docs while a later one, for lane
// code, may have landed half, and the verdict of the one that won.
func wonLate(t *testing.T) (AcquireEvidence, Verdict) {
	t.Helper()
	ev := asking(Table{})
	won, _, err := Acquire(ev)
	if err != nil || won.Outcome != Acquired {
		t.Fatalf("%+v %v", won, err)
	}
	later := heldBy("me", ev.Stamp.Nonce, onLane("code", "cluster", "src/**"))
	later.Gen = 9
	ev.Sent = ev.Table.Send(won, nil)
	ev.Sent.Leases = append(ev.Sent.Leases, later)
	ev.Table = tableWith(*won.Lease)
	ev.Stamp.Now = ev.Stamp.Now.Add(time.Minute)
	return ev, won
}

func TestALateWinnerMovesAndEndsWhatLaterTriesLandedHalf(t *testing.T) {
	ev, won := wonLate(t)
	ev.Table.Chains["code"] = ev.Sent.Leases[1]
	v, writes, err := Confirm(ev, won)
	if err != nil || v.Outcome != Acquired || v.Reason != won.Reason || v.Reacquired || v.Kernel != won.Kernel {
		t.Fatalf("%+v %v", v, err)
	}
	if !v.Lease.RenewedAt.After(won.Lease.RenewedAt) || v.Lease.Nonce != won.Lease.Nonce {
		t.Errorf("the lease is %+v", v.Lease)
	}
	moved := map[string]string{}
	for _, w := range writes {
		moved[w.Chain] = w.Op
	}
	if moved["docs"] != OpHeartbeat || moved["code"] != OpVoid {
		t.Errorf("it writes %v", moved)
	}
}

func TestALateWinnerThatIsGoneIsContended(t *testing.T) {
	for what, spoil := range map[string]func(*AcquireEvidence, Record){
		"it was taken away":  func(ev *AcquireEvidence, r Record) { ev.Table.Chains["docs"] = freed(r, "by an operator", ev.Stamp) },
		"it is not admitted": func(ev *AcquireEvidence, _ Record) { ev.Table.Order.Lanes = map[string]Grant{} },
		"its run has had it again since": func(ev *AcquireEvidence, r Record) {
			r.Nonce, ev.Identity = "other", Identity{RunID: r.RunID}
			ev.Table = tableWith(r)
		},
	} {
		ev, won := wonLate(t)
		spoil(&ev, *won.Lease)
		v, writes, err := Confirm(ev, won)
		if err != nil || v.Outcome != Contended || v.Lane != "docs" || len(writes) != 0 {
			t.Errorf("%s: %+v %v, writes %v", what, v, err, ops(writes))
		}
	}
}

func TestALateWinnerLeavesWhatHasLapsedBesideIt(t *testing.T) {
	ev, won := wonLate(t)
	ev.Table.Chains["code"] = heldBy("bob", "b0b", onLane("code", "cluster", "src/**"))
	ev.Table = watching(ev.Table, whole, "code")
	if !ev.Table.Lapse("code", ev.Lapsing).Over {
		t.Fatal("it has not lapsed")
	}
	_, writes, err := Confirm(ev, won)
	if err != nil || slices.ContainsFunc(writes, func(w Write) bool { return w.Chain == "code" }) {
		t.Errorf("%v, writes %v", err, ops(writes))
	}
}

func TestALateWinnerSaysWhatItEnded(t *testing.T) {
	ev, won := wonLate(t)
	until := noon.Add(time.Hour)
	won.Scavenged, won.UnsafeUntil = []Taken{{Lane: "part"}}, &until
	v, _, err := Confirm(ev, won)
	if err != nil || len(v.Scavenged) != 1 || v.UnsafeUntil == nil {
		t.Errorf("%+v %v", v, err)
	}
}

func TestALateWinnerOnATornTableIsNoVerdict(t *testing.T) {
	ev, won := wonLate(t)
	ev.Table.Order.Lanes["part"] = Grant{Gen: 2, Nonce: "b0b", Kind: lane.Cluster}
	if v, writes, err := Confirm(ev, won); err == nil || len(writes) > 0 {
		t.Errorf("%+v, writes %v", v, ops(writes))
	}
}
