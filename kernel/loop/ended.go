package loop

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// An End is how a whole loop ended.
type End string

const (
	Stopped  End = "STOPPED"    // and there is nothing to surface
	Surfaced End = "SURFACED"   // and an operator should look
	NoLane   End = "REFUSED"    // before it began: the lane, or this machine, was not to be had
	LaneLost End = "LEASE_LOST" // its lane went to somebody else
)

// An Ended answers "how did the loop end?".
type Ended struct {
	Outcome    End        `json:"outcome"`
	StopReason StopReason `json:"stop_reason"`
	Surface    bool       `json:"surface"`
	Reason     string     `json:"reason"`
}

var _ verdict.Verdict = Ended{}

// EndOf is the end of a loop that its last verdict stopped. One that did not stop it
// is no end.
func EndOf(last Verdict) Ended {
	e := Ended{StopReason: last.StopReason, Surface: last.Surface, Reason: last.Reason}
	switch {
	case last.Outcome != Stop:
		return Ended{Reason: "the loop was to go on: " + last.Reason}
	case last.Surface:
		e.Outcome = Surfaced
	default:
		e.Outcome = Stopped
	}
	return e
}

// ExitCode implements [verdict.Verdict].
func (e Ended) ExitCode() int {
	switch e.Outcome {
	case Stopped:
		return verdict.Yes
	case Surfaced:
		return verdict.FirstOwned
	case NoLane, LaneLost:
		return verdict.FirstOwned + 1
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (e Ended) Err() error { return verdict.Err(e.Outcome, e.Reason) }

func (e Ended) String() string {
	if e.StopReason == "" {
		return fmt.Sprintf("%s: %s", e.Outcome, e.Reason)
	}
	return fmt.Sprintf("%s %s: %s", e.Outcome, e.StopReason, e.Reason)
}
