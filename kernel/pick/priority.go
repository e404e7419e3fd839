package pick

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Freshness is the closed vocabulary of DecidePriority.
type Freshness string

// The outcomes of a priority.
const (
	NeverAttempted Freshness = "NEVER_ATTEMPTED"
	Attempted      Freshness = "ATTEMPTED"
)

// PriorityVerdict answers "what was tried least recently?". It orders units
// that are otherwise equal and keeps none from being offered.
type PriorityVerdict struct {
	Unit    string    `json:"unit_id"`
	Outcome Freshness `json:"freshness"`
	LastMS  *int64    `json:"last_attempt_ms"` // null without an attempt
	SortKey [2]int64  `json:"sort_key"`        // less goes first
	Reason  string    `json:"reason"`
}

var _ verdict.Verdict = PriorityVerdict{}

// DecidePriority judges by the newest attempt, as DecideCooldown finds it.
// Where none is known, and there may be some, there is no verdict.
func DecidePriority(ev CooldownEvidence) PriorityVerdict {
	v := PriorityVerdict{Unit: ev.Unit}
	if err := ev.check(); err != nil {
		v.Reason = err.Error()
		return v
	}
	last, ok := ev.newest()
	switch {
	case ok:
		at := ev.at(last)
		v.Outcome, v.LastMS, v.SortKey = Attempted, &at, [2]int64{1, at}
		v.Reason = fmt.Sprintf("the last attempt was %s ago", span(ev.NowMS-at))
	case len(ev.Unknown) > 0:
		v.Reason = "there may be attempts that are not known: " + ev.Unknown[0]
	default:
		v.Outcome, v.Reason = NeverAttempted, "no attempt is known"
	}
	return v
}

// ExitCode implements [verdict.Verdict].
func (v PriorityVerdict) ExitCode() int {
	switch v.Outcome {
	case NeverAttempted:
		return verdict.Yes
	case Attempted:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v PriorityVerdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v PriorityVerdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	return string(v.Outcome) + " " + v.Unit + ": " + v.Reason
}
