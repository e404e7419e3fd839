package lease

import (
	"errors"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func dispatcher(change ...func(*Record)) Record {
	return heldBy("me", "n0", append([]func(*Record){func(r *Record) { r.Lane, r.LaneKind, r.Tree = "_dispatcher", lane.Cluster, []string{} }}, change...)...)
}

func rung(word string) func(*Record) { return func(r *Record) { r.Rung = word } }

func TestTheRungStandsUntilARenewalChangesIt(t *testing.T) {
	for _, c := range []struct{ claim, was, asked, want string }{
		{"the first", "", "CANARY", "CANARY"},
		{"another", "CANARY", "STEP", "STEP"},
		{"a renewal that says nothing of it", "STEP", "", "STEP"},
	} {
		held := dispatcher(rung(c.was))
		ev := keeping(&held, Identity{Nonce: "n0"}, func(ev *KeepEvidence) {
			ev.Lane, ev.Rung, ev.Order = held.Lane, c.asked, tableWith(held).Order
		})
		v, writes := Heartbeat(ev)
		if v.Outcome != Renewed || v.Lease.Rung != c.want || len(writes) != 1 {
			t.Errorf("%s: %+v", c.claim, v)
		}
	}
	held := heldBy("me", "n0")
	if v, _ := Heartbeat(keeping(&held, Identity{Nonce: "n0"}, func(ev *KeepEvidence) { ev.Rung = "FULL" })); v.Lease.Rung != "" {
		t.Error("a lane that people work on has a rung")
	}
}

func TestARungIsOfReservedLanesAlone(t *testing.T) {
	r := dispatcher(rung("STEP"))
	got, err := ParseRecord(r.Lane, r.Gen, encode(r))
	if err != nil || got.Rung != "STEP" {
		t.Errorf("%+v, %v", got, err)
	}
	if quick, ok := readRecord(encode(r)); !ok || quick.Rung != "STEP" {
		t.Errorf("it is not read in the form it is written in: %+v", quick)
	}
	plain := heldBy("me", "n0", rung("STEP"))
	if _, err := ParseRecord(plain.Lane, plain.Gen, encode(plain)); !errors.Is(err, ErrRecord) {
		t.Errorf("on lane %s: %v", plain.Lane, err)
	}
	if _, err := ParseRecord(r.Lane, r.Gen, encode(dispatcher(rung("a\nb")))); !errors.Is(err, ErrRecord) {
		t.Errorf("two lines: %v", err)
	}
}

func TestAServerLetsARenewalAloneChangeTheRung(t *testing.T) {
	was := dispatcher(rung("CANARY"))
	known := Known{Had: Grant{Gen: was.Gen, Nonce: was.Nonce}}
	for op, ok := range map[string]bool{OpHeartbeat: true, OpRelease: false, OpPark: false} {
		is := was
		is.Rung, is.RenewedAt = "FULL", was.RenewedAt.Add(time.Second)
		is.State = map[string]lane.State{OpHeartbeat: lane.Held, OpRelease: lane.Free, OpPark: lane.Parked}[op]
		b := Step(&was, LaneEntry{op, is}, known)
		if (b == nil) != ok || b != nil && b.Token != ChangedRecord {
			t.Errorf("%s: %+v", op, b)
		}
	}
}
