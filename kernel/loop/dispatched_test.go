package loop

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/improve"
)

var (
	clean = Tried{End: Shipped, Verified: true}
	quiet = Tried{End: Shipped, Quiet: true}
)

func TestADispatchIsOneIteration(t *testing.T) {
	for name, c := range map[string]struct {
		d     Dispatched
		kind  Kind
		gate  Judged
		judge PacketJudge
		ships int64
	}{
		"a drain":                        {Dispatched{Gate: Drain}, Gate, Drain, "", 0},
		"a stale stamp":                  {Dispatched{Gate: StaleStamp}, Gate, StaleStamp, "", 0},
		"a race that stayed one":         {Dispatched{Gate: Race}, Unclear, "", "", 0},
		"nobody was launched":            {Dispatched{Gate: Live}, Gate, Blocked, "", 0},
		"it shipped":                     {Dispatched{Gate: Live, Tried: []Tried{clean}}, Shipped, "", ShippedClean, 1},
		"it lies":                        {Dispatched{Gate: Live, Tried: []Tried{quiet}}, Shipped, "", ShippedDirty, 0},
		"one of two lies":                {Dispatched{Gate: Live, Tried: []Tried{clean, quiet}}, Shipped, "", ShippedDirty, 1},
		"it crashed":                     {Dispatched{Gate: Live, Tried: []Tried{{End: Unclear}}}, Unclear, "", "", 0},
		"it crashed and had shipped":     {Dispatched{Gate: Live, Tried: []Tried{{End: Unclear, Verified: true}}}, Shipped, "", ShippedClean, 1},
		"it never ran":                   {Dispatched{Gate: Live, Tried: []Tried{clean, {End: RateLimited}, {End: LaunchFailed}}}, LaunchFailed, "", "", 0},
		"it was rate-limited":            {Dispatched{Gate: Live, Tried: []Tried{clean, {End: Overloaded}, {End: RateLimited}}}, RateLimited, "", "", 0},
		"the service was overloaded":     {Dispatched{Gate: Live, Tried: []Tried{{End: Overloaded}}}, Overloaded, "", "", 0},
		"overloaded, and it had shipped": {Dispatched{Gate: Live, Tried: []Tried{{End: Overloaded, Verified: true}}}, Shipped, "", ShippedClean, 1},
	} {
		it, signals := c.d.Iteration()
		if it.Kind != c.kind || it.Gate != c.gate || it.Judge != c.judge || it.Ships != nil && *it.Ships != c.ships {
			t.Errorf("%s: %+v", name, it)
		}
		if err := it.check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if it.Kind == Shipped && !it.Measured {
			t.Errorf("%s: it was not measured", name)
		}
		if signals != (Signals{}) {
			t.Errorf("%s: %+v", name, signals)
		}
	}
}

func TestOnlyABlockedPacketSaysWhatHoldsItsUnits(t *testing.T) {
	both := Dispatched{Gate: Blocked, Held: SoakOpen, Cooling: "P/1"}
	if _, s := both.Iteration(); s.Pick == nil || s.Pick.Hold != SoakOpen || s.Cooldown != nil {
		t.Errorf("a hold outranks a cooldown: %+v", s)
	}
	both.Held = ""
	if _, s := both.Iteration(); s.Pick != nil || s.Cooldown == nil || s.Cooldown.Unit != "P/1" {
		t.Errorf("a cooldown is told: %+v", s)
	}
	for _, gate := range []Judged{Live, Drain, StaleStamp} {
		d := Dispatched{Gate: gate, Held: SoakOpen, Cooling: "P/1", Tried: []Tried{clean}}
		if _, s := d.Iteration(); s != (Signals{}) {
			t.Errorf("%s: %+v", gate, s)
		}
	}
}

func TestProgressIsWhatShipped(t *testing.T) {
	by := improve.DefaultPolicy()
	var p Progress
	step := func(d Dispatched, want Progress, says improve.Outcome) {
		t.Helper()
		var got improve.Outcome
		if p, got = p.After(d, by); p != want || got != says {
			t.Errorf("%+v %s, want %+v %s", p, got, want, says)
		}
	}
	step(Dispatched{Gate: Live, Tried: []Tried{clean}}, Progress{1, 1, 0}, improve.Keep)
	step(Dispatched{Gate: Drain}, Progress{1, 1, 0}, "")
	step(Dispatched{Gate: Live, Tried: []Tried{quiet}}, Progress{1, 1, 1}, improve.Revert)
	step(Dispatched{Gate: Live, Tried: []Tried{{End: Unclear}}}, Progress{1, 1, 1}, "")
	step(Dispatched{Gate: Live, Tried: []Tried{clean, quiet}}, Progress{2, 1, 2}, improve.Revert)
	step(Dispatched{Gate: Live, Tried: []Tried{quiet}}, Progress{2, 1, 3}, improve.Escalate)
	step(Dispatched{Gate: Live, Tried: []Tried{clean}}, Progress{3, 3, 0}, improve.Keep)
}

func TestWhatIsCarriedIsChecked(t *testing.T) {
	good := Carried{Next: Counters{Iteration: 2}, Mode: Replan}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Carried){
		"no iteration":       func(c *Carried) { c.Next.Iteration = 0 },
		"a counter below 0":  func(c *Carried) { c.Next.Unclear = -1 },
		"no mode":            func(c *Carried) { c.Mode = "" },
		"another mode":       func(c *Carried) { c.Mode = "rest" },
		"reverts below 0":    func(c *Carried) { c.Progress.Reverts = -1 },
		"a baseline below 0": func(c *Carried) { c.Progress.Baseline = -1 },
		"ships below 0":      func(c *Carried) { c.Progress.Verified = -1 },
	} {
		c := good
		change(&c)
		if c.Check() == nil {
			t.Errorf("%s is let pass", name)
		}
	}
}

func TestALoopEndsAsItsLastVerdictSays(t *testing.T) {
	for why, code := range map[StopReason]int{DrainedTwice: 0, IterationCap: 0, RateLimitedStop: 3, PickHeld: 3} {
		if e := EndOf(stop(why, "x")); e.ExitCode() != code || e.StopReason != why || e.Err() != nil {
			t.Errorf("%s: %+v", why, e)
		}
	}
	if e := EndOf(next(Dispatch, "on")); e.ExitCode() != 2 || e.Err() == nil {
		t.Errorf("a loop that goes on ended: %+v", e)
	}
	for _, e := range []End{NoLane, LaneLost} {
		if got := (Ended{Outcome: e, Reason: "x"}).ExitCode(); got != 4 {
			t.Errorf("%s: %d", e, got)
		}
	}
}
