package loop

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/productivity"
)

func TestD01WhatDoesNotRatchetStops(t *testing.T) {
	ratchet := func(s *State) { s.Ratchet = improve.Escalate }
	stops(t, NotRatcheting, at(ratchet), measured(ShippedClean, 3))
	stops(t, NotRatcheting, at(ratchet), gate(Live))
	stops(t, PickCooldown, at(ratchet, func(s *State) { s.Cooldown = &Cooldown{State: RecentlyAttempted} }), gate(Live))
	for _, fine := range []improve.Outcome{improve.Keep, improve.Revert, ""} {
		goesOn(t, Dispatch, at(func(s *State) { s.Ratchet = fine }), measured(ShippedClean, 3))
	}
}

func TestD02OnlyAReplanThatAnsweredADrainArmsTheSecond(t *testing.T) {
	for _, first := range []Judged{StaleStamp, Blocked} {
		goesOn(t, Replan, at(), gate(first), replan(Productive), gate(Drain))
	}
	goesOn(t, Replan, at(), replan(Productive), gate(Drain))
	stops(t, DrainedTwice, at(), gate(Drain), replan(Productive), gate(Drain))
	stops(t, DrainedTwice, at(), gate(Drain), replan(Productive), gate(StaleStamp), gate(Drain))

	// A later replan that answered none disarms it, and so does work.
	goesOn(t, Replan, at(), gate(Drain), replan(Productive), gate(StaleStamp), replan(Productive), gate(Drain))
	goesOn(t, Replan, at(), gate(Drain), replan(Productive), gate(Live), gate(Drain))
	goesOn(t, Replan, at(), gate(Drain), replan(Productive), measured(ShippedClean, 1), gate(Drain))
}

func TestD03ALiveGateAndARaceAreDispatched(t *testing.T) {
	for _, mode := range []GateMode{Hard, Soft, Drive} {
		if v := goesOn(t, Dispatch, at(in(mode)), gate(Live)); v.Surface || v.Reconcile {
			t.Errorf("%s: %s", mode, v)
		}
		if v := goesOn(t, Dispatch, at(in(mode)), gate(Race)); !v.Surface || v.Reconcile {
			t.Errorf("%s: %s", mode, v)
		}
	}
	before := Counters{
		Iteration: 2, ReplanDrained: true, Unclear: 2, DirtyZero: 2, Overloaded: 2, StaleStamp: 2,
		UnproductiveReplanDrain: 1, UnproductiveReplan: 1, GateWasDrain: true, AdoptWait: 1,
	}
	want := before
	want.Iteration, want.Unclear, want.DirtyZero, want.Overloaded, want.AdoptWait = 3, 0, 0, 0, 0
	if v := goesOn(t, Dispatch, State{Counters: before, Policy: DefaultPolicy()}, gate(Race)); v.Next != want {
		t.Errorf("a race leaves %+v, want %+v", v.Next, want)
	}
}

func TestD04WaitingForAChildHasAnEnd(t *testing.T) {
	child := func(s *State) { s.Descendant = ChildAdvancing }
	s := at(child, func(s *State) { s.MaxIterations = 99 })
	var unclear []int64
	for {
		v := decide(t, s, Iteration{Kind: Unclear})
		unclear = append(unclear, v.Next.Unclear)
		if v.Next.AdoptWait > s.MaxAdoptWait || len(unclear) > 9 {
			t.Fatalf("%v: %+v", unclear, v)
		}
		if v.Outcome == Stop {
			if v.StopReason != ConsecutiveUnclear {
				t.Errorf("%s", v)
			}
			break
		}
		s = s.After(v)
		child(&s)
	}
	// One wait is granted, and then every further one counts.
	if len(unclear) != 4 || unclear[0] != 0 || unclear[1] != 1 || unclear[3] != 3 {
		t.Errorf("%v", unclear)
	}
	for _, it := range []Iteration{gate(Live), gate(Race), replan(Unproductive), measured(ShippedDirty, 0)} {
		if v := decide(t, at(func(s *State) { s.AdoptWait, s.Unclear = 2, 2 }), it); v.Next.AdoptWait != 0 || v.Next.Unclear != 0 {
			t.Errorf("%+v leaves %+v", it, v.Next)
		}
	}
	// What is not there, or only writes to a log, is not waited for.
	for _, d := range []Descendant{"", ChildDead, ChildUnseen} {
		v := decide(t, at(func(s *State) { s.AdoptWait, s.Descendant = 1, d }), Iteration{Kind: Unclear})
		if v.Next.AdoptWait != 0 || v.Next.Unclear != 1 {
			t.Errorf("%q leaves %+v", d, v.Next)
		}
	}
}

func TestD05AStallThatAnsweredDrainsIsABenignDrain(t *testing.T) {
	stops(t, BenignDrain, at(), gate(Drain), replan(Unproductive), gate(Drain), replan(Unproductive))
	stops(t, ReplanStalled, at(), gate(StaleStamp), replan(Unproductive), gate(Drain), replan(Unproductive))
	stops(t, ReplanStalled, at(), replan(Unproductive), replan(Unproductive))
}

func TestD06TheLongestBackOffIsReached(t *testing.T) {
	s := at()
	for _, want := range []int64{60, 270, 1200} {
		v := decide(t, s, Iteration{Kind: Overloaded})
		if v.Outcome != Retry || v.BackoffSeconds != want || v.Next.Iteration != 1 {
			t.Fatalf("%s, %+v; want a back-off of %d", v, v.Next, want)
		}
		s = s.After(v)
	}
	stops(t, ConsecutiveOverloaded, s, Iteration{Kind: Overloaded})
	s.MaxOverloaded = 9
	if v := decide(t, s, Iteration{Kind: Overloaded}); v.BackoffSeconds != 1200 {
		t.Errorf("%s: the last step stands for all further ones", v)
	}
}

func TestD07WhatWasMeasuredToBeNothingCounts(t *testing.T) {
	for _, it := range []Iteration{
		measured(ShippedDirty, 0), measured(ShippedClean, 0), measured(PacketStalled, 0), measured(BlockedOutcome, 0),
		measured(PacketStalled, 4), measured(BlockedOutcome, 4),
	} {
		stops(t, ConsecutiveDirtyZero, at(), it, it, it)
		if v, _ := run(t, at(), it, measured(ShippedDirty, 1)); v.Next.DirtyZero != 0 {
			t.Errorf("%+v: one that shipped leaves %+v", it, v.Next)
		}
	}
	goesOn(t, Dispatch, at(), measured(ShippedDirty, 1), measured(ShippedDirty, 1), measured(ShippedDirty, 1))
}

func TestD08ASoakIsNotEndedByReplanning(t *testing.T) {
	for _, mode := range []GateMode{Hard, Soft, Drive} {
		stops(t, BlockedInvariant, at(in(mode)), blockedBy("lane_soak_gated"))
	}
}

// Three rounds or fewer are no reason to stop, and neither is what has not
// been asked.
func TestD22TooFewRoundsDoNotStop(t *testing.T) {
	for _, fine := range []productivity.Trend{productivity.Insufficient, productivity.Converging, ""} {
		goesOn(t, Dispatch, at(func(s *State) { s.Convergence = fine }), gate(Live))
	}
	for _, bad := range []productivity.Trend{productivity.Starved, productivity.Thrashing} {
		stops(t, ThrashingStop, at(func(s *State) { s.Convergence = bad }), gate(Live))
	}
}
