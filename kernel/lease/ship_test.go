package lease

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// pushing is evidence of a push under the given leases, all of them admitted
// and the pusher's by nonce.
func pushing(paths []string, holds ...Hold) PushEvidence {
	ev := PushEvidence{
		Ship:  Ship{Ref: "refs/heads/main", Old: "0ld", New: "c0ffee00c0ffee00", Units: []ShipUnit{{Plan: "P", Phase: "1"}}},
		Holds: holds, Paths: paths, Algebra: lane.Glob, Stamp: Stamp{Now: noon},
	}
	var records []Record
	for _, h := range holds {
		if h.Current != nil {
			records = append(records, *h.Current)
		}
	}
	ev.Order = tableWith(records...).Order
	return ev
}

func hold(r Record, nonce string) Hold {
	return Hold{Lane: r.Lane, Identity: Identity{Nonce: nonce}, Current: &r}
}

func named(h Hold) Hold { h.Named = true; return h }

func TestDecidePush(t *testing.T) {
	docs := heldBy("me", "n0")
	code := heldBy("me", "n0", onLane("code", lane.Cluster, "src/**"))
	in := func(r Record, s lane.State) Record { r.State = s; return r }
	unknown := pushing([]string{"docs/a"}, hold(docs, "n0"))
	unknown.Order = Order{}
	behind := pushing([]string{"docs/a"}, hold(docs, "n0"))
	behind.Behind = true
	lostBehind := pushing([]string{"docs/a"}, hold(docs, "stale"))
	lostBehind.Behind = true
	there := func(paths []string) PushEvidence {
		ev := pushing(paths, hold(docs, "n0"))
		ev.There = true
		return ev
	}
	unit := func(ev PushEvidence, recorded bool) PushEvidence {
		ev.Unit, ev.Recorded = true, recorded
		return ev
	}
	for _, tt := range []struct {
		claim string
		ev    PushEvidence
		want  PushOutcome
		class string
		lanes string // that get a SHIP
	}{
		{"nobody ships without a lease", pushing([]string{"docs/a"}), Fenced, NoLease, ""},
		{"a path in the lane lands", pushing([]string{"docs/a"}, hold(docs, "n0")), Landed, "", "docs"},
		{"every touched lane is shipped under", pushing([]string{"docs/a", "src/b"}, hold(docs, "n0"), hold(code, "n0")), Landed, "", "docs code"},
		{"an untouched lane is left out", pushing([]string{"src/b"}, hold(docs, "n0"), hold(code, "n0")), Landed, "", "code"},
		{"a push without paths rides on a lane too", pushing(nil, hold(docs, "n0"), hold(code, "n0")), Landed, "", "docs"},
		{"and is fenced with it", pushing(nil, hold(docs, "stale")), Fenced, StaleLease, ""},
		{"a path outside is gated", pushing([]string{"docs/a", "src/b"}, hold(docs, "n0")), Gated, ScopeEscape, ""},
		{"a path that only looks alike is outside", pushing([]string{"docs2/a"}, hold(docs, "n0")), Gated, ScopeEscape, ""},
		{"a stale nonce is fenced", pushing([]string{"docs/a"}, hold(docs, "stale")), Fenced, StaleLease, ""},
		{"a freed lane is fenced", pushing([]string{"docs/a"}, hold(in(docs, lane.Free), "n0")), Fenced, NoLease, ""},
		{"a waiting lease ships nothing", pushing([]string{"docs/a"}, hold(in(docs, lane.Waiting), "n0")), Fenced, NotHeld, ""},
		{"a parked lease ships nothing", pushing([]string{"docs/a"}, hold(in(docs, lane.Parked), "n0")), Fenced, ParkedLane, ""},
		{"a lease the order does not know ships nothing", unknown, Fenced, NotAdmitted, ""},
		{"a lane never leased is fenced", pushing([]string{"docs/a"}, Hold{Lane: "docs", Identity: Identity{Nonce: "n0"}}), Fenced, NoLease, ""},
		{"a named lane must be held although another would do", pushing([]string{"src/b"}, named(hold(docs, "stale")), hold(code, "n0")), Fenced, StaleLease, ""},
		{"a remembered lane that was lost does not matter elsewhere", pushing([]string{"src/b"}, hold(docs, "stale"), hold(code, "n0")), Landed, "", "code"},
		{"but explains an escape", pushing([]string{"docs/a"}, hold(docs, "stale"), hold(code, "n0")), Fenced, StaleLease, ""},
		{"a branch that moved on is raced", behind, Raced, NotAhead, ""},
		{"a branch that has it all already says so", there(nil), Nothing, "", ""},
		{"a branch that has it without its SHIP gets that", there([]string{"docs/a"}), Landed, "", "docs"},
		{"but a unit that was asked for needs something to record", unit(there(nil), false), Gated, NothingToShip, ""},
		{"unless it was recorded before", unit(there(nil), true), Nothing, "", ""},
		{"and is recorded with what has no SHIP", unit(there([]string{"docs/a"}), false), Landed, "", "docs"},
		{"a lost lease comes before a race", lostBehind, Fenced, StaleLease, ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes := DecidePush(tt.ev)
			var lanes []string
			for _, w := range writes {
				lanes = append(lanes, w.Chain)
			}
			if v.Outcome != tt.want || v.ReasonClass != tt.class || strings.Join(lanes, " ") != tt.lanes || !slices.Equal(v.Lanes, append([]string{}, lanes...)) {
				t.Errorf("got %s %s on %v, want %s %s on %q (%s)", v.Outcome, v.ReasonClass, lanes, tt.want, tt.class, tt.lanes, v.Reason)
			}
			if v.Lanes == nil || v.Units == nil {
				t.Error("lists of the verdict are null")
			}
		})
	}
}

func TestShipEntryTellsWhatWasPushed(t *testing.T) {
	before := heldBy("me", "n0", func(r *Record) { r.Reason = "renewed late" })
	_, writes := DecidePush(pushing([]string{"docs/a"}, hold(before, "n0")))
	if ops(writes) != OpShip {
		t.Fatal(ops(writes))
	}
	r, err := ParseRecord("docs", writes[0].Gen, writes[0].Payload)
	if err != nil || r.Ship == nil || r.Ship.New != "c0ffee00c0ffee00" || r.Ship.Old != "0ld" || len(r.Ship.Units) != 1 || r.State != lane.Held || r.Nonce != "n0" || r.Gen != 3 || r.Reason != "" {
		t.Errorf("%+v %v", r, err)
	}
	if !r.RenewedAt.Equal(noon) {
		t.Errorf("a SHIP renews: %s", r.RenewedAt)
	}
}

func TestEscapingPathsAreShownInPart(t *testing.T) {
	var paths []string
	for i := range 9 {
		paths = append(paths, fmt.Sprintf("src/%d\n\x1b[2J", i))
	}
	v, _ := DecidePush(pushing(paths, hold(heldBy("me", "n0"), "n0")))
	if len(v.Paths) != maxNamed || !strings.HasPrefix(v.Reason, "9 changed paths") {
		t.Errorf("%d paths, %q", len(v.Paths), v.Reason)
	}
	if one, _ := DecidePush(pushing(paths[:1], hold(heldBy("me", "n0"), "n0"))); one.Reason != "1 changed path lies in no lane you hold" {
		t.Errorf("one path: %q", one.Reason)
	}
	if text := v.String(); strings.Contains(text, "\x1b") || strings.Count(text, "\n") != maxNamed+1 {
		t.Errorf("shown as %q", text)
	}
}

func TestFencedSaysWhoHoldsTheLane(t *testing.T) {
	v, _ := DecidePush(pushing([]string{"docs/a"}, hold(heldBy("bob", "b0b"), "n0")))
	if v.Holder == nil || v.Holder.Owner != "bob" || !strings.HasSuffix(v.Reason, "main did not move") {
		t.Errorf("%+v", v)
	}
}

// A unit that could not be read back is not written: its lane would be unreadable.
func TestAUnitThatCannotBeRecordedIsGated(t *testing.T) {
	mine := heldBy("me", "n0")
	for _, phase := range []string{"1\x1b[2J", "a\nb", strings.Repeat("x", maxText+1), "\xff"} {
		ev := PushEvidence{
			Ship: Ship{Ref: "refs/heads/main", New: "c", Units: []ShipUnit{{Plan: "p", Phase: phase}}}, Paths: []string{"docs/a"},
			Holds: []Hold{{Lane: "docs", Identity: Identity{Nonce: "n0"}, Current: &mine}}, Order: tableWith(mine).Order, Algebra: lane.Glob, Stamp: Stamp{Now: noon},
		}
		if v, writes := DecidePush(ev); v.Outcome != Gated || v.ReasonClass != UnfitUnit || writes != nil || v.Next == "" {
			t.Errorf("%q: %+v", phase, v)
		}
		ev.Ship.Units[0].Phase = "1"
		if v, writes := DecidePush(ev); v.Outcome != Landed || readBack(writes) != nil {
			t.Errorf("%+v", v)
		}
	}
}

// A push rides on a lane in a slot as on any other.
func TestAPushRidesOnASlot(t *testing.T) {
	word := heldBy("me", "n0", inSlot("k.00", "word", "docs/x/**"))
	ev := PushEvidence{
		Ship: Ship{Ref: "refs/heads/main", New: "c"}, Paths: []string{"docs/x/a"}, Algebra: lane.Glob, Stamp: Stamp{Now: noon},
		Holds: []Hold{{Lane: "word", Identity: Identity{Nonce: "n0"}, Current: &word}}, Order: tableWith(word).Order,
	}
	if v, writes := DecidePush(ev); v.Outcome != Landed || len(writes) != 1 || writes[0].Chain != "k.00" || !equal(v.Lanes, []string{"word"}) {
		t.Errorf("%+v %v", v, writes)
	}
}
