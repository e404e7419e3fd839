package loop

import (
	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/productivity"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Decide says what comes after an iteration. First that applies:
//
//  1. the evidence cannot be judged: no verdict
//  2. LAUNCH_FAILED, RATE_LIMITED: stop, and no counter moves
//  3. OVERLOADED: the same iteration again, or stop when it was so too often
//  4. the run is complete, thrashes or spins: stop
//  5. the next unit is held by what no dispatch ends, or was tried a short while ago: stop
//  6. nothing was gained too often: stop
//  7. what the kind of the iteration leads to
//
// Where that is to continue and the iterations are used up, it is stop: any
// other reason to end is told rather than that one.
func Decide(ev Evidence) Verdict {
	if err := ev.check(); err != nil {
		return Verdict{Reason: err.Error()}
	}
	t := &turn{State: ev.State, it: ev.Iteration}
	v := t.decide()
	v.Next = t.Counters
	return v
}

// A turn is one decision. Its counters are the next ones.
type turn struct {
	State
	it Iteration
}

func (t *turn) decide() Verdict {
	switch t.it.Kind {
	case LaunchFailed:
		return stop(LaunchFailedStop, "no worker was started, and the next one would not be either")
	case RateLimited:
		return stop(RateLimitedStop, "a quota is used up; a launch before it comes back is wasted")
	case Overloaded:
		return t.overloaded()
	}
	t.Overloaded = 0
	if v := t.Signals.judge(); v.Outcome != "" {
		return v
	}
	if t.it.Kind == Unclear {
		return t.capped(t.unclear())
	}
	t.Unclear, t.AdoptWait = 0, 0
	switch t.it.Kind {
	case ReplanDone:
		t.DirtyZero = 0
		return t.capped(t.replanned())
	case Gate:
		t.DirtyZero = 0
		return t.capped(t.gated())
	}
	return t.capped(t.shipped())
}

// judge stops on what others judged of the loop and its next unit, or returns
// the zero verdict. What is done comes before what spins: a run that was
// resumed with nothing left to do makes no progress either.
func (s Signals) judge() Verdict {
	switch {
	case s.Completion == resume.Done:
		return stop(CompleteStop, "everything that was declared is done")
	case s.Completion == resume.Underdeclared:
		return stop(ThrashingStop, "everything that was declared is done, and somebody judged it not to be all")
	case s.Convergence == productivity.Thrashing:
		return stop(ThrashingStop, "what is left goes up and down and gets no less")
	case s.Convergence == productivity.Starved:
		return stop(ThrashingStop, "the same is left after every round")
	case s.Liveness == liveness.Spinning:
		return stop(SpinningStop, "the run beats, and nothing comes of it")
	case s.Pick != nil && s.Pick.Hold.invariant():
		return stop(PickHeld, "the next unit is held, and no dispatch ends that: %s", s.Pick.Hold)
	case s.Cooldown != nil && s.Cooldown.State == RecentlyAttempted:
		return stop(PickCooldown, "the next unit was tried a short while ago, and nothing fresher is there%s", named(s.Cooldown.Unit))
	case s.Ratchet == improve.Escalate:
		return stop(NotRatcheting, "too many iterations in a row gained nothing that is proved")
	}
	return Verdict{}
}

func named(unit string) string {
	if unit == "" {
		return ""
	}
	return ": " + verdict.Show(unit)
}

// capped ends a loop that would go on and has used its iterations up.
func (t *turn) capped(v Verdict) Verdict {
	switch {
	case v.Outcome != Continue:
		return v
	case t.Iteration >= t.MaxIterations:
		return stop(IterationCap, "that was iteration %d of %d", t.Iteration, t.MaxIterations)
	}
	t.Iteration++
	return v
}
