// Package breaker says when failures are enough.
//
// It counts two things: failures in a row, and failures at all. Either may open
// it. A success ends a row and takes nothing off the total, so what fails every
// second time is stopped too; and nothing but a new count closes a breaker that
// the total has opened. There is no state between open and closed: whether to
// try once more is for whoever the verdict is escalated to.
package breaker

import (
	"fmt"
	"math"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of verdicts.
type Outcome string

const (
	Closed Outcome = "CLOSED" // go on
	Open   Outcome = "OPEN"   // stop
)

// A Rung is the count that opened the breaker. Its zero value, null in JSON,
// says that none did.
type Rung string

const (
	Consecutive Rung = "consecutive"
	Total       Rung = "total"
)

// MarshalJSON implements [json.Marshaler].
func (r Rung) MarshalJSON() ([]byte, error) { return verdict.OrNull(r) }

// Whom an open breaker is shown to.
type Whom string

const (
	Nobody Whom = "NONE"
	Judge  Whom = "JUDGE"
	Human  Whom = "HUMAN"
)

// Counts are the failures so far.
type Counts struct {
	Consecutive int64 `json:"consecutive"`
	Total       int64 `json:"total"`
}

// A Policy says how many are enough. A maximum of 0 is none; one of the two is
// needed.
type Policy struct {
	MaxConsecutive int64 `json:"max_consecutive"`
	MaxTotal       int64 `json:"max_total"`
	OnTrip         Whom  `json:"on_trip"`
}

// DefaultPolicy opens at three failures in a row or twenty at all.
func DefaultPolicy() Policy { return Policy{MaxConsecutive: 3, MaxTotal: 20, OnTrip: Nobody} }

// An Event is what happened since the counts were taken.
type Event string

const (
	Nothing Event = ""
	Failure Event = "failure" // one more, in a row and at all
	Success Event = "success" // ends the row, and leaves the total
)

// Evidence is everything Decide may know.
type Evidence struct {
	Counts Counts
	Event  Event
	Policy Policy
}

// Verdict answers "may it be tried again?".
type Verdict struct {
	Outcome    Outcome `json:"state"`
	Escalation Whom    `json:"escalation"`
	TrippedOn  Rung    `json:"tripped_on"`
	Counts     Counts  `json:"counts"` // after the event
	Reason     string  `json:"reason"`
}

var _ verdict.Verdict = Verdict{}

// Decide counts the event and judges the counts. First that applies:
//
//  1. a number is negative, a word is none of its list, or both maxima are 0: no verdict
//  2. there is a maximum in a row, and it is reached: OPEN
//  3. there is a maximum at all, and it is reached: OPEN
//  4. CLOSED
func Decide(ev Evidence) Verdict {
	if err := ev.check(); err != nil {
		return Verdict{Reason: err.Error()}
	}
	by, n := ev.Policy, ev.Counts.after(ev.Event)
	v := Verdict{Outcome: Open, Escalation: by.OnTrip, Counts: n}
	switch {
	case by.MaxConsecutive > 0 && n.Consecutive >= by.MaxConsecutive:
		v.TrippedOn, v.Reason = Consecutive, fmt.Sprintf("failures in a row: %d, and %d are enough", n.Consecutive, by.MaxConsecutive)
	case by.MaxTotal > 0 && n.Total >= by.MaxTotal:
		v.TrippedOn, v.Reason = Total, fmt.Sprintf("failures at all: %d, and %d are enough", n.Total, by.MaxTotal)
	default:
		v.Outcome, v.Escalation = Closed, Nobody
		v.Reason = fmt.Sprintf("failures in a row: %d, at all: %d", n.Consecutive, n.Total)
	}
	return v
}

// after counts an event. A count that can grow no more stays where it is.
func (n Counts) after(e Event) Counts {
	switch e {
	case Failure:
		n.Consecutive, n.Total = oneMore(n.Consecutive), oneMore(n.Total)
	case Success:
		n.Consecutive = 0
	}
	return n
}

func oneMore(n int64) int64 {
	if n == math.MaxInt64 {
		return n
	}
	return n + 1
}

// check reports the field for which the evidence cannot be judged.
func (ev Evidence) check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"consecutive", ev.Counts.Consecutive}, {"total", ev.Counts.Total},
		{"max_consecutive", ev.Policy.MaxConsecutive}, {"max_total", ev.Policy.MaxTotal},
	} {
		if f.value < 0 {
			return fmt.Errorf("%s is negative: %d", f.name, f.value)
		}
	}
	switch ev.Event {
	case Nothing, Failure, Success:
	default:
		return fmt.Errorf("event is neither failure nor success: %.80q", string(ev.Event))
	}
	switch ev.Policy.OnTrip {
	case Nobody, Judge, Human:
	default:
		return fmt.Errorf("on_trip is none of NONE, JUDGE and HUMAN: %.80q", string(ev.Policy.OnTrip))
	}
	if ev.Policy.MaxConsecutive == 0 && ev.Policy.MaxTotal == 0 {
		return fmt.Errorf("max_consecutive and max_total are both 0: nothing would open it")
	}
	return nil
}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Closed:
		return verdict.Yes
	case Open:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v Verdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	text := string(v.Outcome) + ": " + v.Reason
	if v.Escalation != Nobody {
		text += "\n  escalated to " + string(v.Escalation)
	}
	return text
}
