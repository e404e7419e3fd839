// Package improve says whether a change is worth keeping.
//
// It is a ratchet: what a change left is measured against a baseline that only
// kept changes raise, and what is not strictly better is reverted. The measure
// is the caller's to choose and must be one that the worker cannot write: units
// that git proves shipped, tests that pass. What the worker says of its change
// is carried along and never read.
//
// Reverts in a row are counted, and too many are handed to a human: a loop that
// tries and reverts for ever improves nothing.
package improve

import (
	"fmt"
	"math"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of verdicts.
type Outcome string

const (
	Keep     Outcome = "KEEP"     // it is better: the baseline rises
	Revert   Outcome = "REVERT"   // it is not: take it back
	Escalate Outcome = "ESCALATE" // it is not, and it was so too often: a human decides
)

// A Cause is why a change is not kept. Its zero value, null in JSON, is no
// cause.
type Cause string

const (
	Regressed     Cause = "regressed"      // the suite or the truth broke, whatever was gained
	NoImprovement Cause = "no-improvement" // the work is not more than the baseline
	Wasteful      Cause = "wasteful"       // it is more, and cost too many tokens
)

// MarshalJSON implements [json.Marshaler].
func (c Cause) MarshalJSON() ([]byte, error) { return verdict.OrNull(c) }

// Whom an escalation is for.
type Whom string

const (
	Nobody Whom = "NONE"
	Human  Whom = "HUMAN"
)

// Evidence is everything Decide may know of a change.
type Evidence struct {
	SuitePassed bool   `json:"suite_passed"`
	TruthClean  bool   `json:"truth_clean"` // no claim was found that does not hold
	Work        int64  `json:"work"`        // measured after the change
	Baseline    int64  `json:"baseline_work"`
	Tokens      int64  `json:"tokens"` // spent on it; 0: not known
	Reverts     int64  `json:"consecutive_reverts"`
	Narrated    string `json:"narrated"` // the worker's word, which nothing reads

	Policy Policy `json:"policy"`
}

// A Policy says what is worth keeping.
type Policy struct {
	MaxReverts int64   `json:"max_consecutive_reverts"`   // so many in a row escalate, at least 1
	Floor      float64 `json:"efficiency_floor"`          // the least work per token
	MinTokens  int64   `json:"min_tokens_for_efficiency"` // fewer are not held to the floor
}

// DefaultPolicy escalates the third revert in a row, and has no floor.
func DefaultPolicy() Policy { return Policy{MaxReverts: 3, MinTokens: 1000} }

// Verdict answers "is it kept?".
type Verdict struct {
	Outcome    Outcome  `json:"verdict"`
	Cause      Cause    `json:"revert_cause"`
	Escalation Whom     `json:"escalation"`
	Reverts    int64    `json:"next_consecutive_reverts"` // to be given next time
	Reason     string   `json:"reason"`
	Evidence   Measured `json:"evidence"`
}

// Measured is the evidence with what follows from it.
type Measured struct {
	Evidence
	Delta    int64 `json:"delta"`
	Improved bool  `json:"improved"`
}

var _ verdict.Verdict = Verdict{}

// Decide judges a change. First that applies:
//
//  1. a number cannot be: no verdict
//  2. the suite did not pass, or the truth is not clean: regressed
//  3. the work is not more than the baseline: no-improvement
//  4. enough tokens were spent to judge, and each brought less than the floor: wasteful
//  5. KEEP, and no revert counts any more
//
// With a cause it is one revert more: ESCALATE at the maximum, else REVERT.
func Decide(ev Evidence) Verdict {
	if err := ev.check(); err != nil {
		return Verdict{Reason: err.Error(), Evidence: Measured{Evidence: ev}}
	}
	delta := ev.Work - ev.Baseline
	v := Verdict{Outcome: Keep, Escalation: Nobody, Evidence: Measured{ev, delta, delta > 0}}
	if v.Cause, v.Reason = ev.cause(delta); v.Cause == "" {
		return v
	}
	v.Outcome, v.Reverts = Revert, ev.Reverts
	if v.Reverts < math.MaxInt64 {
		v.Reverts++
	}
	if v.Reverts >= ev.Policy.MaxReverts {
		v.Outcome, v.Escalation = Escalate, Human
		v.Reason += fmt.Sprintf(", and reverts in a row: %d of %d", v.Reverts, ev.Policy.MaxReverts)
	}
	return v
}

// cause is why the change is not kept, or none and why it is.
func (ev Evidence) cause(delta int64) (Cause, string) {
	per := float64(delta) / float64(ev.Tokens)
	switch {
	case !ev.SuitePassed:
		return Regressed, "the suite did not pass"
	case !ev.TruthClean:
		return Regressed, "a claim was found that does not hold"
	case delta <= 0:
		return NoImprovement, fmt.Sprintf("the work is %d, and the baseline is %d", ev.Work, ev.Baseline)
	case ev.Tokens > 0 && ev.Tokens >= ev.Policy.MinTokens && per < ev.Policy.Floor:
		return Wasteful, fmt.Sprintf("%d more for %d tokens is %.3g for each, less than %g", delta, ev.Tokens, per, ev.Policy.Floor)
	}
	return "", fmt.Sprintf("the work is %d, %d more than the baseline", ev.Work, delta)
}

// check reports the field for which the evidence cannot be judged.
func (ev Evidence) check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"work", ev.Work}, {"baseline_work", ev.Baseline}, {"tokens", ev.Tokens},
		{"consecutive_reverts", ev.Reverts}, {"min_tokens_for_efficiency", ev.Policy.MinTokens},
	} {
		if f.value < 0 {
			return fmt.Errorf("%s is negative: %d", f.name, f.value)
		}
	}
	if floor := ev.Policy.Floor; !(floor >= 0) || math.IsInf(floor, 1) {
		return fmt.Errorf("efficiency_floor is not a number that is finite and not negative: %g", floor)
	}
	if ev.Policy.MaxReverts < 1 {
		return fmt.Errorf("max_consecutive_reverts is less than 1: %d", ev.Policy.MaxReverts)
	}
	return nil
}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Keep:
		return verdict.Yes
	case Revert:
		return verdict.FirstOwned
	case Escalate:
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
	if v.Cause != "" {
		text += " " + string(v.Cause)
	}
	return text + ": " + v.Reason
}
