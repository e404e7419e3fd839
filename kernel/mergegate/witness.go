package mergegate

// WitnessOutcome is the closed vocabulary of a test witness.
type WitnessOutcome string

// The outcomes. Only the first witnesses anything.
const (
	Discriminates WitnessOutcome = "DISCRIMINATES" // the tests fail without the change and pass with it
	Vacuous       WitnessOutcome = "VACUOUS"       // they pass either way
	Regressive    WitnessOutcome = "REGRESSIVE"    // they pass without it and fail with it
	Unsatisfied   WitnessOutcome = "UNSATISFIED"   // they fail either way
	Abstains      WitnessOutcome = "ABSTAIN"       // one of the two runs says nothing
)

// A TestWitness compares two runs of the suite: on the trunk with the tests of
// the merge laid over it, and on the merge.
type TestWitness struct {
	Outcome  WitnessOutcome `json:"outcome"`
	Tests    []string       `json:"tests"`              // the paths laid over, at most MaxListed
	Baseline *Suite         `json:"baseline,omitempty"` // the run without the change
	Reason   string         `json:"reason"`
}

// Witness judges the two runs. A run that did not happen, or that a signal or
// the deadline ended, says nothing about the tests.
func Witness(tests []string, baseline *Suite, candidate Suite) TestWitness {
	w := TestWitness{Outcome: Abstains, Tests: tests, Baseline: baseline}
	if w.Tests == nil {
		w.Tests = []string{}
	}
	switch {
	case len(tests) == 0:
		w.Reason = "the branch changes no test"
	case baseline == nil || !conclusive(*baseline) || !conclusive(candidate):
		w.Reason = "the suite did not run to its end on both trees"
	case baseline.passed() && candidate.passed():
		w.Outcome, w.Reason = Vacuous, "the tests pass without the change too"
	case baseline.passed():
		w.Outcome, w.Reason = Regressive, "the tests pass without the change and fail with it"
	case candidate.passed():
		w.Outcome, w.Reason = Discriminates, "the tests fail without the change and pass with it"
	default:
		w.Outcome, w.Reason = Unsatisfied, "the tests fail with the change too"
	}
	return w
}

func conclusive(s Suite) bool { return s.Ran && !s.TimedOut && s.Exit >= 0 }
