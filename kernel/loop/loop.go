// Package loop says whether a dispatch loop goes on, and with what.
//
// A loop dispatches work, replans when there is none, and must end by itself:
// when the work is done, when nothing it may do would help, and when it has
// failed in one way too often. After each iteration Decide is given what the
// iteration came to, the counters that the last verdict returned, and what
// others judged of the loop and of the unit that would be next. It returns
// exactly one action, and the counters for next time.
//
// Each way to fail has a counter of its own, and each counter its own way to be
// reset, so that no failure can hide behind another. What was judged for one
// iteration is never carried to the next: a caller judges anew, or says
// nothing.
//
// The package believes nobody who says that work was shipped. A caller counts
// ships by ancestry, and states whether it was to count them.
package loop

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is what to do next.
type Outcome string

const (
	Continue Outcome = "continue"        // the next iteration, in the mode that is named
	Retry    Outcome = "retry-same-iter" // the same iteration again, after a back-off
	Stop     Outcome = "stop"            // for the reason that is named
)

// A Mode is what an iteration does. Its zero value, null in JSON, says that
// there is no next one.
type Mode string

const (
	Dispatch Mode = "dispatch"
	Replan   Mode = "replan"
)

// MarshalJSON implements [json.Marshaler].
func (m Mode) MarshalJSON() ([]byte, error) { return verdict.OrNull(m) }

// Verdict answers "what next?".
type Verdict struct {
	Outcome        Outcome    `json:"action"`
	NextMode       Mode       `json:"next_mode"`
	Reconcile      bool       `json:"reconcile"` // repair the stamps first
	StopReason     StopReason `json:"stop_reason"`
	Surface        bool       `json:"surface"` // a human should look
	BackoffSeconds int64      `json:"backoff_seconds"`
	Next           Counters   `json:"next_state"`
	Reason         string     `json:"reason"`
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Continue:
		return verdict.Yes
	case Stop:
		return verdict.FirstOwned
	case Retry:
		return verdict.FirstOwned + 1
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v Verdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	text := string(v.Outcome)
	switch v.Outcome {
	case Continue:
		text += " " + string(v.NextMode)
	case Retry:
		text += fmt.Sprintf(" in %d s", v.BackoffSeconds)
	case Stop:
		text += " " + string(v.StopReason)
	}
	text += ": " + v.Reason
	if v.Reconcile {
		text += "\n  first reconcile the stamps"
	}
	if v.Surface {
		text += "\n  a human should look"
	}
	return text
}
