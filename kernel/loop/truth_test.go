package loop

import (
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/productivity"
	"github.com/git-dos/git-dos/kernel/resume"
)

// everyIteration is one of each kind and of each thing that may be stated of
// it.
func everyIteration() []Iteration {
	list := []Iteration{
		{Kind: LaunchFailed}, {Kind: RateLimited}, {Kind: Overloaded}, {Kind: Unclear},
		replan(""), replan(Productive), replan(Unproductive), {Kind: Shipped}, {Kind: Shipped, Measured: true},
		blockedBy("operator_decision"), blockedBy("lane_soak_gated"), blockedBy("packet_incoherence"), blockedBy("uncategorized_nonship"), blockedBy("new"),
	}
	for _, j := range []Judged{Live, Drain, StaleStamp, Blocked, Race} {
		list = append(list, gate(j))
	}
	for _, j := range []PacketJudge{ShippedClean, ShippedDirty, PacketStalled, BlockedOutcome} {
		list = append(list, measured(j, 0), measured(j, 1))
	}
	return list
}

// everySignal is each word that others may have said, and two at once.
func everySignal() []Signals {
	list := []Signals{{Completion: resume.Done, Liveness: liveness.Spinning}, {Pick: &Pick{true, DraftClass}, Cooldown: &Cooldown{State: RecentlyAttempted}}}
	for _, w := range []resume.Completion{resume.Done, resume.Incomplete, resume.Underdeclared, resume.Indeterminate} {
		list = append(list, Signals{Completion: w})
	}
	for _, w := range []productivity.Trend{productivity.Converging, productivity.Thrashing, productivity.Starved, productivity.Insufficient} {
		list = append(list, Signals{Convergence: w})
	}
	for _, w := range []liveness.Outcome{liveness.Advancing, liveness.Spinning, liveness.Stalled} {
		list = append(list, Signals{Liveness: w})
	}
	for _, w := range []improve.Outcome{improve.Keep, improve.Revert, improve.Escalate} {
		list = append(list, Signals{Ratchet: w})
	}
	for _, h := range holds {
		list = append(list, Signals{Pick: &Pick{true, h}})
	}
	return append(list, Signals{Cooldown: &Cooldown{State: RecentlyAttempted}}, Signals{Cooldown: &Cooldown{State: Clear}}, Signals{Pick: &Pick{}})
}

// everyState has each counter below its maximum and at it, each flag both
// ways, is in its last iteration or not, and has each kind of child. It has
// every other signal where no counter, one or each is at its maximum.
func everyState(mode GateMode, f func(State)) {
	for bits := range 1 << 10 {
		on := func(i int) bool { return bits>>i&1 == 1 }
		count := func(i int, most int64) int64 {
			if on(i) {
				return most
			}
			return most - 2
		}
		s := at(in(mode), func(s *State) {
			s.MaxUnproductiveReplan, s.MaxUnproductiveReplanDrains, s.MaxAdoptWait = 3, 3, 3
		})
		s.Counters = Counters{
			Iteration: 1, ReplanDrained: on(0), GateWasDrain: on(1),
			Unclear: count(2, s.MaxUnclear), DirtyZero: count(3, s.MaxDirtyZero), Overloaded: count(4, s.MaxOverloaded),
			StaleStamp: count(5, s.MaxStaleStamp), UnproductiveReplan: count(6, 3), UnproductiveReplanDrain: count(7, 3), AdoptWait: count(8, 3),
		}
		if on(9) {
			s.Iteration = s.MaxIterations
		}
		for _, s.Descendant = range []Descendant{"", ChildAdvancing, ChildDead, ChildUnseen} {
			f(s)
		}
		if bits&(bits-1) == 0 || bits == 1<<10-1 {
			for _, s.Signals = range everySignal() {
				f(s)
			}
		}
	}
}

// In every situation there is exactly one decision, it is whole, its reason to
// stop is of the list, and its counters can be given to the next.
func TestEverySituationHasExactlyOneDecision(t *testing.T) {
	reasons, seen, n := StopReasons(), map[StopReason]bool{"": true}, 0
	for _, mode := range []GateMode{Hard, Soft, Drive} {
		everyState(mode, func(s State) {
			for _, it := range everyIteration() {
				n++
				v := Decide(Evidence{s, it})
				seen[v.StopReason] = true
				if why := flaw(s, it, v, reasons); why != "" {
					t.Fatalf("%s:\n%+v\n%+v\n%+v", why, s, it, v)
				}
			}
		})
	}
	if len(seen) != len(reasons)+1 || n < 350_000 {
		t.Errorf("%d situations, and %d of %d reasons to stop", n, len(seen)-1, len(reasons))
	}
}

// flaw says what is wrong with a decision, or nothing.
func flaw(s State, it Iteration, v Verdict, reasons []StopReason) string {
	switch outcome, why := expected(s, it); {
	case v.Outcome != outcome || v.StopReason != why:
		return "want " + string(outcome) + " " + string(why)
	case v.Reason == "" || v.Next.check() != nil:
		return "it has no reason, or no counters"
	case v.Reconcile && (v.NextMode != Dispatch || it.Gate != StaleStamp || s.GateMode == Hard):
		return "stamps are reconciled for nothing"
	}
	switch v.Outcome {
	case Continue:
		if v.NextMode != expectedMode(s, it) || v.BackoffSeconds != 0 || v.Next.Iteration != s.Iteration+1 || v.Surface != (it.Gate == Race) {
			return "it does not go on as it should"
		}
	case Retry:
		want := s.Counters
		want.Overloaded++
		if v.NextMode != "" || v.BackoffSeconds < 60 || v.Surface || v.Next != want {
			return "it does not try again as it should"
		}
	case Stop:
		fine := v.StopReason == IterationCap || v.StopReason == DrainedTwice || v.StopReason == CompleteStop
		if !slices.Contains(reasons, v.StopReason) || v.Surface == fine || v.NextMode != "" || v.BackoffSeconds != 0 || v.Next.Iteration != s.Iteration {
			return "it does not stop as it should"
		}
	}
	return ""
}

// expected reads the rules as a list: the first that holds decides. It shares
// nothing with the product but the words.
func expected(s State, it Iteration) (Outcome, StopReason) {
	kind, g := it.Kind, it.Gate
	child := s.Descendant == ChildAdvancing && s.AdoptWait+1 < s.MaxAdoptWait
	nothing := it.Judge == PacketStalled || it.Judge == BlockedOutcome || it.Judge != "" && *it.Ships == 0
	cause := ""
	if it.BlockedCause != nil {
		cause = *it.BlockedCause
	}
	bracketed := s.UnproductiveReplanDrain
	if s.GateWasDrain {
		bracketed++
	}
	idle := kind == ReplanDone && it.Productivity == Unproductive && s.UnproductiveReplan+1 >= s.MaxUnproductiveReplan
	empty := g == Drain && s.GateMode == Hard
	for _, rule := range []struct {
		holds bool
		why   StopReason
	}{
		{kind == LaunchFailed, LaunchFailedStop},
		{kind == RateLimited, RateLimitedStop},
		{kind == Overloaded && s.Overloaded+1 >= s.MaxOverloaded, ConsecutiveOverloaded},
		{kind == Overloaded, ""},
		{s.Completion == "COMPLETE", CompleteStop},
		{s.Completion == "UNDERDECLARED" || s.Convergence == "THRASHING" || s.Convergence == "STARVED", ThrashingStop},
		{s.Liveness == "SPINNING", SpinningStop},
		{s.Pick != nil && slices.Contains([]Hold{"DRAFT_CLASS", "OPERATOR_GATED", "SOAK_OPEN", "DEPENDENCY_UNMET"}, s.Pick.Hold), PickHeld},
		{s.Cooldown != nil && s.Cooldown.State == "RECENTLY_ATTEMPTED", PickCooldown},
		{s.Ratchet == "ESCALATE", NotRatcheting},
		{kind == Unclear && !child && s.Unclear+1 >= s.MaxUnclear, ConsecutiveUnclear},
		{kind == Shipped && it.Measured && it.Judge == "", UnmeasuredShipped},
		{kind == Shipped && nothing && s.DirtyZero+1 >= s.MaxDirtyZero, ConsecutiveDirtyZero},
		{idle && bracketed >= s.MaxUnproductiveReplanDrains, BenignDrain},
		{idle, ReplanStalled},
		{cause != "" && cause != "new" && cause != "uncategorized_nonship", BlockedInvariant},
		{(g == StaleStamp || g == Blocked) && s.StaleStamp+1 >= s.MaxStaleStamp, StaleUnreconciled},
		{empty && s.UnproductiveReplanDrain >= s.MaxUnproductiveReplanDrains, BenignDrain},
		{empty && s.ReplanDrained, DrainedTwice},
		{g == Drain && !empty, DrainStop},
		{g == Blocked && s.GateMode != Hard, BlockedStop},
		{s.Iteration >= s.MaxIterations, IterationCap},
	} {
		switch {
		case rule.holds && rule.why == "":
			return Retry, ""
		case rule.holds:
			return Stop, rule.why
		}
	}
	return Continue, ""
}

// expectedMode is replan for a packet that is not live, under a hard gate.
func expectedMode(s State, it Iteration) Mode {
	if s.GateMode == Hard && slices.Contains([]Judged{Drain, StaleStamp, Blocked}, it.Gate) {
		return Replan
	}
	return Dispatch
}
