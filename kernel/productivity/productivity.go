// Package productivity says whether work still yields something.
//
// Two questions are asked of a row of numbers, oldest first. Decide looks at
// what each step of one run added, and says when it adds little or nothing.
// Converge looks at how much was left after each round of a loop, and says
// when the rounds get nowhere.
//
// Both ask for a few numbers before they say anything bad: one lean step, or
// two equal rounds, prove nothing.
package productivity

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of Decide.
type Outcome string

const (
	Productive  Outcome = "PRODUCTIVE"  // steps add something, or are too few to judge
	Diminishing Outcome = "DIMINISHING" // the last two steps added little
	Stalled     Outcome = "STALLED"     // the last step added nothing
)

// Evidence is everything Decide may know.
type Evidence struct {
	Deltas []int64 `json:"deltas"` // what each step added, oldest first
	Policy Policy  `json:"policy"`
}

// A Policy says when steps count.
type Policy struct {
	MinSteps int64 `json:"min_steps"` // fewer are not judged
	Floor    int64 `json:"floor"`     // less than this is little
}

// DefaultPolicy judges three steps or more, and calls less than 500 little.
func DefaultPolicy() Policy { return Policy{MinSteps: 3, Floor: 500} }

// Verdict answers "do the steps still add something?".
type Verdict struct {
	Outcome  Outcome  `json:"verdict"`
	Reason   string   `json:"reason"`
	Evidence Evidence `json:"evidence"`
}

var _ verdict.Verdict = Verdict{}

// Decide judges the steps. First that applies:
//
//  1. a number is negative: no verdict
//  2. there are too few steps: PRODUCTIVE
//  3. the last step added nothing: STALLED
//  4. the last step and the one before it added less than the floor: DIMINISHING
//  5. PRODUCTIVE
func Decide(ev Evidence) Verdict {
	ev.Deltas = append([]int64{}, ev.Deltas...)
	v := Verdict{Evidence: ev}
	if err := ev.check(); err != nil {
		v.Reason = err.Error()
		return v
	}
	n, floor := len(ev.Deltas), ev.Policy.Floor
	if n == 0 || int64(n) < ev.Policy.MinSteps {
		v.Outcome = Productive
		v.Reason = fmt.Sprintf("%s, fewer than the %d that are judged", verdict.Count(n, "step"), max(1, ev.Policy.MinSteps))
		return v
	}
	last, prior := ev.Deltas[n-1], floor
	if n > 1 {
		prior = ev.Deltas[n-2]
	}
	switch {
	case last == 0:
		v.Outcome, v.Reason = Stalled, "the last step added nothing"
	case last < floor && prior < floor:
		v.Outcome, v.Reason = Diminishing, fmt.Sprintf("the last two steps added %d and %d, less than %d each", prior, last, floor)
	default:
		v.Outcome, v.Reason = Productive, fmt.Sprintf("the last step added %d", last)
	}
	return v
}

// check reports the field for which the evidence cannot be judged.
func (ev Evidence) check() error {
	switch {
	case ev.Policy.MinSteps < 0:
		return fmt.Errorf("min_steps is negative: %d", ev.Policy.MinSteps)
	case ev.Policy.Floor < 0:
		return fmt.Errorf("floor is negative: %d", ev.Policy.Floor)
	}
	return notNegative("deltas", ev.Deltas)
}

func notNegative(name string, list []int64) error {
	for i, n := range list {
		if n < 0 {
			return fmt.Errorf("%s[%d] is negative: %d", name, i, n)
		}
	}
	return nil
}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Productive:
		return verdict.Yes
	case Diminishing:
		return verdict.FirstOwned
	case Stalled:
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
	return string(v.Outcome) + ": " + v.Reason
}
