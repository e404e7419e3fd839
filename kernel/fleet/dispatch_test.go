package fleet

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func pickRow(unit, state string) PickRow {
	return PickRow{N: 1, Unit: unit, Started: true, State: state, Reason: "because"}
}

func TestADispatchIsJudgedByItsUnits(t *testing.T) {
	stop := &DispatchPrice{Action: lane.SerializeUnknownScope}
	never := PickRow{N: 2, Unit: "P/2", State: HonestOpen, Reason: "not started"}
	for name, c := range map[string]struct {
		ev   DispatchEvidence
		want DispatchOutcome
		code int
	}{
		"a refusal outranks all":                 {DispatchEvidence{Refused: "lease", Why: "held", Gate: "LIVE", Picks: []PickRow{pickRow("P/1", Verified)}}, NoLane, 7},
		"a drain is the gate's":                  {DispatchEvidence{Gate: "DRAIN", GateWhy: "x"}, Drained, 3},
		"a stale stamp is the gate's":            {DispatchEvidence{Gate: "STALE-STAMP", GateWhy: "x"}, Unstamped, 4},
		"a block is the gate's":                  {DispatchEvidence{Gate: "BLOCKED", GateWhy: "x"}, HeldBack, 5},
		"a race is the gate's":                   {DispatchEvidence{Gate: "RACE", GateWhy: "x"}, OtherRenders, 6},
		"a price that launches nobody":           {DispatchEvidence{Gate: "LIVE", Price: stop, Picks: []PickRow{never, never}}, HeldBack, 5},
		"all shipped":                            {DispatchEvidence{Gate: "LIVE", Picks: []PickRow{pickRow("P/1", Verified)}}, AllVerified, 0},
		"a claim that does not hold":             {DispatchEvidence{Gate: "LIVE", Picks: []PickRow{pickRow("P/1", Verified), pickRow("P/2", Quiet), never}}, QuietLeft, 8},
		"one that was not started":               {DispatchEvidence{Gate: "LIVE", Picks: []PickRow{pickRow("P/1", Verified), never}}, PickFailed, 9},
		"one that nobody claims":                 {DispatchEvidence{Gate: "LIVE", Picks: []PickRow{pickRow("P/1", HonestOpen)}}, PickFailed, 9},
		"one that cannot be told is not shipped": {DispatchEvidence{Gate: "LIVE", Picks: []PickRow{pickRow("P/1", Undetermined)}}, PickFailed, 9},
		"a set that is safe goes on":             {DispatchEvidence{Gate: "LIVE", Price: &DispatchPrice{Action: lane.LaunchSafeSet}, Picks: []PickRow{pickRow("P/1", Verified)}}, AllVerified, 0},
	} {
		v := Dispatch(c.ev)
		if v.Outcome != c.want || v.ExitCode() != c.code || v.Err() != nil {
			t.Errorf("%s: %s (%d), want %s (%d)", name, v.Outcome, v.ExitCode(), c.want, c.code)
		}
		if !strings.HasPrefix(v.String(), string(c.want)+": ") {
			t.Errorf("%s: it says %q", name, v.String())
		}
	}
}

func TestADispatchWithoutAWordOfItsGateHasNoVerdict(t *testing.T) {
	for _, ev := range []DispatchEvidence{{}, {Gate: "LIVE"}, {Gate: "MAYBE", GateWhy: "x", Picks: []PickRow{pickRow("P/1", Verified)}}} {
		if v := Dispatch(ev); v.ExitCode() != 2 || v.Err() == nil {
			t.Errorf("%+v: %+v", ev, v)
		}
	}
}

func TestADispatchNamesWhatWasAndWasNotStarted(t *testing.T) {
	v := Dispatch(DispatchEvidence{Gate: "LIVE", Stopped: "RATE_LIMITED", Picks: []PickRow{
		pickRow("P/1", Verified), pickRow("P/2", Quiet), {N: 3, Unit: "P/3", State: HonestOpen, Reason: "not started"},
	}})
	if strings.Join(v.Shipped, " ") != "P/1" || strings.Join(v.Flags, " ") != "P/2" || strings.Join(v.NotStarted, " ") != "P/3" || v.StopReason != "RATE_LIMITED" {
		t.Errorf("%+v", v)
	}
}
