package lease

import (
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// What was decided about a lease is done to that lease, as it was then.
func TestALeaseThatMovedSinceItWasJudgedIsLeftAlone(t *testing.T) {
	over := func(ev *KeepEvidence) { ev.Operator, ev.Lapse = "", Lapse{Over: true, Why: "in the test"} }
	for claim, tt := range map[string]struct {
		change func(*Record)
		done   bool
	}{
		"as it was":     {func(*Record) {}, true},
		"renewed":       {func(r *Record) { r.RenewedAt = r.RenewedAt.Add(time.Second) }, false},
		"another's":     {func(r *Record) { r.Nonce = "ca401" }, false},
		"a later lease": {func(r *Record) { r.Gen++ }, false},
		"parked since":  {func(r *Record) { r.State = lane.Parked }, false},
	} {
		was := heldBy("bob", "b0b")
		is := was
		tt.change(&is)
		judged := func(ev *KeepEvidence) { ev.Judged = &was }
		v, writes := Scavenge(keeping(&is, Identity{}, over, judged))
		if (v.Outcome == Scavenged) != tt.done || (len(writes) > 0) != tt.done || !tt.done && v.ReasonClass != StaleLease {
			t.Errorf("%s: scavenged: %+v %v", claim, v, writes)
		}
		v, writes = Park(keeping(&is, Identity{Nonce: is.Nonce}, over, judged))
		if (v.Outcome == Parked) != tt.done || (len(writes) > 0) != tt.done || !tt.done && v.ReasonClass != StaleLease {
			t.Errorf("%s: parked: %+v %v", claim, v, writes)
		}
	}
	was := heldBy("bob", "b0b")
	stands := func(ev *KeepEvidence) { ev.Operator, ev.Judged = "", &was }
	if v, writes := Scavenge(keeping(&was, Identity{}, stands)); v.Outcome != Refused || writes != nil {
		t.Errorf("one that has not lapsed was taken: %+v %v", v, writes)
	}
}
