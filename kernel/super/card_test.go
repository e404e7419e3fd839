package super

import (
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/fleet"
)

// Every word of preflight has a word of the card, and none but SPAWN_OK is room to grow.
func TestTheCardSaysOfEveryRefusalWhatItIs(t *testing.T) {
	for r, want := range map[fleet.Readiness]State{
		fleet.SpawnOK: StateGrow, fleet.RefuseAtCap: StateAtCap, fleet.RefuseNoSeat: StateNoSeat,
		fleet.RefuseNoAccount: StateNoAccount, fleet.RefuseHost: StateHost, fleet.RefuseInspect: StateInspect, "": StateInspect, "NEW": StateInspect,
	} {
		c := CardEvidence{Preflight: fleet.PreflightVerdict{Outcome: r, Reason: "why"}}.Judge()
		calm := r == fleet.SpawnOK || r == fleet.RefuseAtCap
		if c.State != want || (c.Blocker == nil) != calm {
			t.Errorf("%q: %+v, want %s", r, c, want)
		}
	}
}

// Of all that is in the way one thing is named, with the command that goes at it.
func TestTheCardNamesOneBlockerInItsOrder(t *testing.T) {
	ev := CardEvidence{
		Unread:    []string{"lane api", "lane web"},
		Halt:      Halt{Signal: ThroughputFlat, Reason: "flat", Next: "git dos super resume --operator NAME"},
		Preflight: fleet.PreflightVerdict{Outcome: fleet.RefuseHost, Reason: "a process", Next: "git dos reclaim"},
		Silent:    []Sign{{"run r said nothing", "git dos reclaim"}, {"run s", "x"}},
		Orphans:   []Sign{{"lane api is nobody's", "git dos lease scavenge --lane api"}},
		Overdue:   []Sign{{"run o", "git dos reclaim --evidence"}},
		Gate:      GateVerdict{Found: CronDown, Reason: "late", Next: "git dos pulse"},
	}
	steps := []struct {
		what, command string
		state         State
		lift          func()
	}{
		{"lane api (and 1 more)", "git dos doctor", StateUnread, func() { ev.Unread = nil }},
		{"THROUGHPUT_FLAT: flat", "git dos super resume --operator NAME", StateStopped, func() { ev.Halt = Halt{Signal: WeeklyCapped, Reason: "until", Next: "git dos account list"} }},
		{"REFUSE_HOST: a process", "git dos reclaim", StateHost, func() { ev.Preflight.Outcome = fleet.RefuseNoAccount }},
		{"lane api is nobody's", "git dos lease scavenge --lane api", StateCapped, func() { ev.Orphans = nil }},
		{"run r said nothing (and 1 more)", "git dos reclaim", StateCapped, func() { ev.Silent = nil }},
		{"run o", "git dos reclaim --evidence", StateCapped, func() { ev.Overdue = nil }},
		{"until", "git dos account list", StateCapped, func() { ev.Halt = Halt{} }},
		{"REFUSE_NO_ACCOUNT: a process", "git dos account list", StateNoAccount, func() { ev.Preflight.Outcome = fleet.SpawnOK }},
		{"late", "git dos pulse", StateGrow, func() { ev.Gate.Found = AlreadyGardening }},
	}
	for _, s := range steps {
		c := ev.Judge()
		if c.Blocker == nil || c.Blocker.What != s.what || c.Blocker.Command != s.command || c.State != s.state {
			t.Errorf("%+v %+v, want %s by %s, %s", c, c.Blocker, s.what, s.command, s.state)
		}
		s.lift()
	}
	if c := ev.Judge(); c.Blocker != nil || c.State != StateGrow {
		t.Errorf("with nothing in the way: %+v", c)
	}
}

func TestAReportCountsEverythingOnce(t *testing.T) {
	tick := func(h int, launches int, s Signal) Tick {
		return Tick{At: noon.Add(time.Duration(h) * time.Hour), Launches: launches, Reclaimed: 1, Signal: s}
	}
	end := func(h int, claimed, shipped bool) Ending {
		return Ending{At: noon.Add(time.Duration(h)*time.Hour + time.Minute), Claimed: claimed, Shipped: shipped}
	}
	ticks := []Tick{tick(2, 0, ThroughputFlat), tick(0, 1, ""), tick(1, 3, "")}
	ends := []Ending{end(-1, true, true), end(0, true, true), end(0, true, false), end(1, false, false), end(5, true, true)}
	r := ReportOf(ticks, ends, time.Time{}, time.Time{})
	if r.Launches != 4 || r.Ended != 4 || r.Claims != 3 || r.Ships != 2 || r.Reclaimed != 3 || r.Signal != ThroughputFlat || r.Forgot != nil {
		t.Errorf("%+v", r)
	}
	sum := r.Since
	for i, want := range []TickTally{{}, {2, 2, 1}, {1, 0, 0}} {
		if got := r.Ticks[i].TickTally; got != want {
			t.Errorf("tick %d: %+v, want %+v", i, got, want)
		}
		sum.Ended, sum.Claims, sum.Ships = sum.Ended+want.Ended, sum.Claims+want.Claims, sum.Ships+want.Ships
	}
	if sum != (TickTally{r.Ended, r.Claims, r.Ships}) {
		t.Errorf("the lines add up to %+v: %+v", sum, r)
	}
	if r := ReportOf(ticks, ends, noon.Add(time.Hour), noon); len(r.Ticks) != 2 || r.Launches != 3 || r.Ended != 2 || r.Forgot == nil {
		t.Errorf("of a part: %+v", r)
	}
	if r := ReportOf(nil, ends, time.Time{}, time.Time{}); r.Ended != 0 || r.Ticks == nil {
		t.Errorf("without a tick: %+v", r)
	}
}
