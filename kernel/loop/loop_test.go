package loop

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/productivity"
	"github.com/git-dos/git-dos/kernel/resume"
)

func TestEachStopInTurn(t *testing.T) {
	unmeasured := Iteration{Kind: Shipped, Measured: true}
	dirty, unclear := measured(ShippedDirty, 0), Iteration{Kind: Unclear}
	overloaded := Iteration{Kind: Overloaded}
	signal := func(f func(*Signals)) State { return at(func(s *State) { f(&s.Signals) }) }
	seen := map[StopReason]bool{}
	for _, c := range []struct {
		why   StopReason
		state State
		its   []Iteration
	}{
		{IterationCap, at(), slices.Repeat([]Iteration{{Kind: Shipped}}, 10)},
		{DrainedTwice, at(), []Iteration{gate(Drain), replan(""), gate(Drain)}},
		{DrainStop, at(in(Soft)), []Iteration{gate(Live), gate(Drain)}},
		{DrainStop, at(in(Drive)), []Iteration{gate(Drain)}},
		{BlockedStop, at(in(Soft)), []Iteration{gate(Blocked)}},
		{BlockedStop, at(in(Drive)), []Iteration{gate(Blocked)}},
		{ConsecutiveUnclear, at(), []Iteration{unclear, unclear, unclear}},
		{ConsecutiveUnclear, at(), []Iteration{unclear, overloaded, unclear, unclear}},
		{ConsecutiveDirtyZero, at(), []Iteration{dirty, dirty, dirty}},
		{ConsecutiveDirtyZero, at(), []Iteration{dirty, unclear, dirty, dirty}},
		{ConsecutiveOverloaded, at(), []Iteration{overloaded, overloaded, overloaded, overloaded}},
		{RateLimitedStop, at(), []Iteration{unclear, {Kind: RateLimited}}},
		{LaunchFailedStop, at(), []Iteration{{Kind: LaunchFailed}}},
		{UnmeasuredShipped, at(), []Iteration{unmeasured}},
		{SpinningStop, signal(func(s *Signals) { s.Liveness = liveness.Spinning }), []Iteration{gate(Live)}},
		{StaleUnreconciled, at(), []Iteration{gate(StaleStamp), replan(""), gate(Blocked), unclear, gate(StaleStamp)}},
		{StaleUnreconciled, at(in(Soft)), []Iteration{gate(StaleStamp), gate(StaleStamp), gate(StaleStamp)}},
		{BlockedInvariant, at(), []Iteration{blockedBy(" operator_decision\n")}},
		{BlockedInvariant, at(), []Iteration{blockedBy("encoding_mojibake")}},
		{CompleteStop, signal(func(s *Signals) { s.Completion = resume.Done }), []Iteration{unclear}},
		{ThrashingStop, signal(func(s *Signals) { s.Completion = resume.Underdeclared }), []Iteration{gate(Live)}},
		{ThrashingStop, signal(func(s *Signals) { s.Convergence = productivity.Starved }), []Iteration{gate(Live)}},
		{PickHeld, signal(func(s *Signals) { s.Pick = &Pick{true, SoakOpen} }), []Iteration{gate(Drain)}},
		{PickCooldown, signal(func(s *Signals) { s.Cooldown = &Cooldown{RecentlyAttempted, "U7"} }), []Iteration{gate(Drain)}},
		{BenignDrain, at(func(s *State) { s.UnproductiveReplanDrain = 2 }), []Iteration{gate(Drain)}},
		{ReplanStalled, at(), []Iteration{replan(Unproductive), unclear, replan(Unproductive)}},
		{NotRatcheting, signal(func(s *Signals) { s.Ratchet = improve.Escalate }), []Iteration{measured(ShippedClean, 9)}},
	} {
		stops(t, c.why, c.state, c.its...)
		seen[c.why] = true
	}
	for _, why := range StopReasons() {
		if !seen[why] {
			t.Errorf("no loop here ends with %s", why)
		}
	}
}

func TestWhatGoesOn(t *testing.T) {
	goesOn(t, Replan, at(), gate(Drain))
	goesOn(t, Replan, at(), gate(StaleStamp))
	goesOn(t, Replan, at(), gate(Blocked))
	goesOn(t, Replan, at(), blockedBy("data_gated_closeout"))
	goesOn(t, Replan, at(), blockedBy(""))
	goesOn(t, Replan, at(), blockedBy("Operator_Decision"))
	for _, mode := range []GateMode{Soft, Drive} {
		if v := goesOn(t, Dispatch, at(in(mode)), gate(StaleStamp)); !v.Reconcile {
			t.Errorf("%s: %s: the stamps are reconciled first", mode, v)
		}
	}
	goesOn(t, Dispatch, at(), Iteration{Kind: Shipped})

	// Anything clear ends a row of unclear ones, and drains and stale stamps
	// are counted across them.
	unclear := Iteration{Kind: Unclear}
	goesOn(t, Dispatch, at(), unclear, unclear, gate(Live), unclear, unclear)
	goesOn(t, Replan, at(), gate(StaleStamp), gate(StaleStamp), gate(Drain))
	goesOn(t, Replan, at(), gate(StaleStamp), gate(StaleStamp), gate(Live), gate(StaleStamp), gate(StaleStamp))
	stops(t, DrainedTwice, at(), gate(Drain), unclear, replan(Productive), unclear, gate(Drain))

	// A hold that a dispatch may end, a unit that is clear, and whatever else
	// is fine stop nothing.
	for _, h := range holds[4:] {
		goesOn(t, Dispatch, at(func(s *State) { s.Pick = &Pick{true, h} }), gate(Live))
	}
	goesOn(t, Dispatch, at(func(s *State) {
		s.Pick, s.Cooldown = &Pick{}, &Cooldown{State: Clear}
		s.Completion, s.Liveness = resume.Indeterminate, liveness.Stalled
	}), gate(Live))
}

// What is known to be wrong is told rather than that the iterations are used
// up, and then they are not counted on.
func TestTheCapIsToldLast(t *testing.T) {
	last := func(s *State) { s.Iteration = 10 }
	stops(t, DrainStop, at(last, in(Soft)), gate(Drain))
	v := decide(t, at(last, in(Soft)), gate(StaleStamp))
	if v.StopReason != IterationCap || v.Surface || v.Reconcile || v.NextMode != "" || v.Next.Iteration != 10 || v.Next.StaleStamp != 1 {
		t.Errorf("%+v", v)
	}
	if v := decide(t, at(last), Iteration{Kind: Overloaded}); v.Outcome != Retry {
		t.Errorf("%s: an overload uses no iteration up", v)
	}
}

func TestNothingThatWasJudgedIsCarriedOn(t *testing.T) {
	s := at(func(s *State) {
		s.Signals = Signals{Completion: resume.Incomplete, Liveness: liveness.Advancing, Ratchet: improve.Keep, Pick: &Pick{}, Descendant: ChildDead}
	})
	if got := s.After(decide(t, s, gate(Live))); got.Signals != (Signals{}) || got.Policy != s.Policy || got.Iteration != 2 {
		t.Errorf("%+v", got)
	}
}

func TestACountDoesNotComeRound(t *testing.T) {
	const most = 1<<63 - 1
	for _, it := range []Iteration{{Kind: Unclear}, {Kind: Overloaded}, gate(StaleStamp), replan(Unproductive), measured(ShippedDirty, 0)} {
		s := at(func(s *State) {
			s.Counters = Counters{1, false, most, most, most, most, most, most, false, most}
		})
		if v := decide(t, s, it); v.Outcome != Stop || v.Next.check() != nil {
			t.Errorf("%+v: %s, %+v", it, v, v.Next)
		}
	}
}

func (n Counters) check() error {
	return Evidence{State{n, DefaultPolicy(), Signals{}}, gate(Live)}.check()
}

func TestExitCodes(t *testing.T) {
	for outcome, code := range map[Outcome]int{Continue: 0, Stop: 3, Retry: 4, "": 2, "other": 2} {
		if got := (Verdict{Outcome: outcome}).ExitCode(); got != code {
			t.Errorf("%q: %d, want %d", outcome, got, code)
		}
	}
}

func TestTheVerdictAsTextAndJSON(t *testing.T) {
	for _, c := range []struct {
		v          Verdict
		text, json string
	}{
		{decide(t, at(in(Soft)), gate(StaleStamp)),
			"continue dispatch: something shipped, and its plan does not say so\n  first reconcile the stamps",
			`{"action":"continue","next_mode":"dispatch","reconcile":true,"stop_reason":null,"surface":false,"backoff_seconds":0,"next_state":{` +
				`"iteration":2,"last_replan_drained":false,"consecutive_unclear":0,"consecutive_dirty_zero":0,"consecutive_overloaded":0,"consecutive_stale_stamp":1,` +
				`"consecutive_unproductive_replan_drains":0,"consecutive_unproductive_replan":0,"last_gate_was_drain":false,"consecutive_adopt_wait":0},` +
				`"reason":"something shipped, and its plan does not say so"}`},
		{decide(t, at(), Iteration{Kind: Overloaded}), "retry-same-iter in 60 s: the service was overloaded: 1 time in a row", ""},
		{decide(t, at(func(s *State) { s.Cooldown = &Cooldown{RecentlyAttempted, "a\x1b"} }), gate(Live)),
			`stop pick-cooldown: the next unit was tried a short while ago, and nothing fresher is there: "a\x1b"` + "\n  a human should look", ""},
	} {
		data, err := json.Marshal(c.v)
		if c.v.String() != c.text || err != nil || c.json != "" && string(data) != c.json {
			t.Errorf("%q, %s, %v", c.v, data, err)
		}
	}
	if v := (Verdict{}); v.Err() == nil || v.String() == "" {
		t.Error("the zero verdict is one")
	}
}

// Each counter is moved by its own kind of iteration, and what is not named
// here stays as it was.
func TestWhatEachIterationLeaves(t *testing.T) {
	before := Counters{
		Iteration: 2, ReplanDrained: false, Unclear: 11, DirtyZero: 12, Overloaded: 13, StaleStamp: 14,
		UnproductiveReplanDrain: 15, UnproductiveReplan: 16, GateWasDrain: true, AdoptWait: 17,
	}
	wide := Policy{Hard, 99, 99, 99, 99, 99, 99, 99, 99}
	plain := func(n *Counters) { n.Iteration, n.Overloaded = 3, 0 }
	clear := func(n *Counters) { plain(n); n.Unclear, n.AdoptWait = 0, 0 }
	gated := func(n *Counters) { clear(n); n.DirtyZero = 0 }
	shipped := func(n *Counters) {
		clear(n)
		n.StaleStamp, n.UnproductiveReplan, n.UnproductiveReplanDrain, n.GateWasDrain = 0, 0, 0, false
	}
	for _, c := range []struct {
		it    Iteration
		child Descendant
		move  func(*Counters)
	}{
		{Iteration{Kind: LaunchFailed}, "", func(*Counters) {}},
		{Iteration{Kind: RateLimited}, "", func(*Counters) {}},
		{Iteration{Kind: Overloaded}, "", func(n *Counters) { n.Overloaded = 14 }},
		{Iteration{Kind: Unclear}, "", func(n *Counters) { plain(n); n.Unclear, n.AdoptWait = 12, 0 }},
		{Iteration{Kind: Unclear}, ChildAdvancing, func(n *Counters) { plain(n); n.Unclear, n.AdoptWait = 0, 18 }},
		{Iteration{Kind: Shipped}, "", func(n *Counters) { shipped(n); n.DirtyZero = 0 }},
		{measured(ShippedDirty, 0), "", func(n *Counters) { shipped(n); n.DirtyZero = 13 }},
		{Iteration{Kind: Shipped, Measured: true}, "", func(n *Counters) { shipped(n); n.Iteration = 2 }},
		{replan(Productive), "", func(n *Counters) {
			gated(n)
			n.UnproductiveReplan, n.UnproductiveReplanDrain, n.GateWasDrain, n.ReplanDrained = 0, 0, false, true
		}},
		{replan(Unproductive), "", func(n *Counters) {
			gated(n)
			n.UnproductiveReplan, n.UnproductiveReplanDrain, n.GateWasDrain = 17, 16, false
		}},
		{gate(Live), "", func(n *Counters) { gated(n); n.StaleStamp, n.UnproductiveReplanDrain, n.GateWasDrain = 0, 0, false }},
		{gate(Drain), "", func(n *Counters) { gated(n); n.StaleStamp = 0 }},
		{gate(StaleStamp), "", func(n *Counters) { gated(n); n.StaleStamp, n.UnproductiveReplanDrain, n.GateWasDrain = 15, 0, false }},
		{gate(Blocked), "", func(n *Counters) { gated(n); n.StaleStamp, n.UnproductiveReplanDrain, n.GateWasDrain = 15, 0, false }},
		{gate(Race), "", gated},
		{blockedBy("operator_decision"), "", func(n *Counters) { gated(n); n.Iteration = 2 }},
	} {
		want := before
		c.move(&want)
		s := State{Counters: before, Policy: wide, Signals: Signals{Descendant: c.child}}
		if got := decide(t, s, c.it).Next; got != want {
			t.Errorf("%+v %s leaves\n%+v, want\n%+v", c.it, c.child, got, want)
		}
	}

	// The flags that are set here are those that were clear above.
	s := State{Counters: before, Policy: wide}
	s.ReplanDrained, s.GateWasDrain = true, false
	for _, c := range []struct {
		it             Iteration
		drained, drain bool
	}{
		{Iteration{Kind: Unclear}, true, false},
		{measured(ShippedDirty, 0), false, false},
		{replan(Productive), false, false},
		{replan(Unproductive), false, false},
		{gate(Live), false, false},
		{gate(StaleStamp), true, false},
		{gate(Blocked), true, false},
		{gate(Race), true, false},
		{gate(Drain), true, false},
	} {
		if got := decide(t, s, c.it).Next; got.ReplanDrained != c.drained || got.GateWasDrain != c.drain {
			t.Errorf("%+v leaves %+v", c.it, got)
		}
	}
	if n := decide(t, s, replan(Unproductive)).Next; n.UnproductiveReplanDrain != 15 {
		t.Errorf("%+v: a replan that answered no drain is not counted as one that did", n)
	}
	s.ReplanDrained = false
	if n := decide(t, s, gate(Drain)).Next; n.ReplanDrained || !n.GateWasDrain {
		t.Errorf("%+v: a drain is remembered", n)
	}
}
