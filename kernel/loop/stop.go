package loop

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A StopReason is why a loop ends. Its zero value, null in JSON, says that it
// does not.
type StopReason string

const (
	IterationCap          StopReason = "iteration-cap"                // as many iterations as are allowed
	DrainedTwice          StopReason = "drained-twice"                // empty, replanned with success, and empty again
	DrainStop             StopReason = "drain"                        // empty, and the gate does not replan
	BlockedStop           StopReason = "blocked"                      // blocked, and the gate does not replan
	ConsecutiveUnclear    StopReason = "consecutive-unclear"          // iterations end in ways nobody can read
	ConsecutiveDirtyZero  StopReason = "consecutive-dirty-zero"       // iterations say that they shipped, and did not
	ConsecutiveOverloaded StopReason = "consecutive-overloaded"       // the service stays overloaded
	RateLimitedStop       StopReason = "rate-limited"                 // a quota is used up
	LaunchFailedStop      StopReason = "launch-failed"                // no worker was started
	UnmeasuredShipped     StopReason = "unmeasured-shipped"           // a ship was to be measured, and was not
	SpinningStop          StopReason = "spinning"                     // the run is there, and nothing comes of it
	StaleUnreconciled     StopReason = "stale-stamp-unreconciled"     // stale or blocked, again and again
	BlockedInvariant      StopReason = "blocked-redispatch-invariant" // blocked by what replanning cannot change
	CompleteStop          StopReason = "complete"                     // everything declared is done
	ThrashingStop         StopReason = "thrashing"                    // the rounds get nowhere
	PickHeld              StopReason = "pick-held-invariant"          // the next unit waits for what no dispatch brings
	PickCooldown          StopReason = "pick-cooldown"                // the next unit was tried a short while ago
	BenignDrain           StopReason = "benign-drain"                 // empty, and replanning finds nothing, again and again
	ReplanStalled         StopReason = "replan-stalled"               // replanning finds nothing, again and again
	NotRatcheting         StopReason = "not-ratcheting"               // iterations succeed, and nothing is gained
)

// StopReasons lists them all.
func StopReasons() []StopReason {
	return []StopReason{
		IterationCap, DrainedTwice, DrainStop, BlockedStop, ConsecutiveUnclear, ConsecutiveDirtyZero,
		ConsecutiveOverloaded, RateLimitedStop, LaunchFailedStop, UnmeasuredShipped, SpinningStop,
		StaleUnreconciled, BlockedInvariant, CompleteStop, ThrashingStop, PickHeld, PickCooldown,
		BenignDrain, ReplanStalled, NotRatcheting,
	}
}

// MarshalJSON implements [json.Marshaler].
func (r StopReason) MarshalJSON() ([]byte, error) { return verdict.OrNull(r) }

// Surface reports whether a human should look at a loop that ended so: always,
// but where it ended as it was meant to.
func (r StopReason) Surface() bool {
	switch r {
	case "", IterationCap, DrainedTwice, CompleteStop:
		return false
	}
	return true
}

func stop(why StopReason, format string, args ...any) Verdict {
	return Verdict{Outcome: Stop, StopReason: why, Surface: why.Surface(), Reason: fmt.Sprintf(format, args...)}
}

func next(mode Mode, format string, args ...any) Verdict {
	return Verdict{Outcome: Continue, NextMode: mode, Reason: fmt.Sprintf(format, args...)}
}
