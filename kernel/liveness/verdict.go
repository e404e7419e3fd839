package liveness

import "github.com/git-dos/git-dos/kernel/verdict"

// Verdict answers "does this run get on?".
type Verdict struct {
	Outcome  Outcome  `json:"verdict"`
	Class    Class    `json:"reason_class"`
	Reason   string   `json:"reason"`
	Evidence Evidence `json:"evidence"`
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Advancing:
		return verdict.Yes
	case Spinning:
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
