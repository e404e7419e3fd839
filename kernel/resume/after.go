package resume

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Completion is the closed vocabulary of [Completed].
type Completion string

// The outcomes.
const (
	Done          Completion = "COMPLETE"      // every declared step is in history
	Incomplete    Completion = "INCOMPLETE"    // some are left
	Indeterminate Completion = "INDETERMINATE" // nothing says what would be complete
	Underdeclared Completion = "UNDERDECLARED" // what was declared is done, and is not all there was to do
)

const (
	exitIncomplete    = verdict.FirstOwned
	exitIndeterminate = verdict.FirstOwned + 1
	exitUnderdeclared = verdict.FirstOwned + 2
)

// A ScopeCheck is somebody else's judgement of whether the declared steps cover
// the work.
type ScopeCheck struct {
	Covers bool
	Reason string
}

// A CompletionVerdict answers "is this run done?".
type CompletionVerdict struct {
	Outcome  Completion `json:"state"`
	Reason   string     `json:"reason"`
	RunID    string     `json:"run_id"`
	Residual []string   `json:"residual"`
	Verified []string   `json:"verified"`
	Declared []string   `json:"declared"`
	IsDone   bool       `json:"is_done"`
	Fraction *float64   `json:"fraction_done,omitempty"` // absent without declared steps
}

var _ verdict.Verdict = CompletionVerdict{}

// Completed asks the plan the other way round. Without a scope check the
// declaration is taken for the whole of the work.
func Completed(plan Verdict, scope *ScopeCheck) CompletionVerdict {
	v := CompletionVerdict{
		Reason: plan.Reason, RunID: plan.RunID,
		Residual: plan.Residual, Verified: plan.Verified, Declared: plan.Declared,
	}
	switch plan.Outcome {
	case Complete:
		v.Outcome = Done
		if scope != nil && !scope.Covers {
			v.Outcome, v.Reason = Underdeclared, "what was declared is done, and it was too little: "+verdict.Show(scope.Reason)
		}
	case Resumable, Diverged:
		v.Outcome = Incomplete
	case Unresumable:
		v.Outcome = Indeterminate
	default:
		return CompletionVerdict{RunID: plan.RunID, Reason: plan.Reason}
	}
	v.IsDone = v.Outcome == Done
	if n := len(plan.Declared); n > 0 {
		part := float64(len(plan.Verified)) / float64(n)
		v.Fraction = &part
	}
	return v
}

// ExitCode implements [verdict.Verdict].
func (v CompletionVerdict) ExitCode() int {
	switch v.Outcome {
	case Done:
		return verdict.Yes
	case Incomplete:
		return exitIncomplete
	case Indeterminate:
		return exitIndeterminate
	case Underdeclared:
		return exitUnderdeclared
	}
	return verdict.NoVerdict
}

func (v CompletionVerdict) String() string {
	return fmt.Sprintf("%s %s (%d of %d): %s", v.Outcome, verdict.Show(v.RunID), len(v.Verified), len(v.Declared), v.Reason)
}

// Reach says what may become of what a run leaves behind.
type Reach string

const (
	Reachable   Reach = "REACHABLE"   // it is kept, however old, and its lease is left alone
	Collectible Reach = "COLLECTIBLE" // nobody will come back for it
)

// Reach of the run: what can be continued is kept. So is what could not be
// read, for it may be just that.
func (v Verdict) Reach() Reach {
	if v.Outcome == Complete || v.Outcome == Unresumable && !v.Unreadable {
		return Collectible
	}
	return Reachable
}

// Redo says what doing the work of a run once more can do twice.
type Redo string

const (
	GitIdempotent  Redo = "GIT_IDEMPOTENT"  // nothing in git; what a worker does elsewhere is its host's to guard
	EnvelopeBreach Redo = "ENVELOPE_BREACH" // anything: history no longer holds what the run goes on from
)

// Redrive judges whether work may be done again from an anchor, given whether
// history holds it. Without an anchor there is nothing to lose.
func Redrive(anchor string, inHistory bool) Redo {
	if anchor != "" && !inHistory {
		return EnvelopeBreach
	}
	return GitIdempotent
}
