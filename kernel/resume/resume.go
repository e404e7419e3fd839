// Package resume judges whether a run that stopped can be continued, and from
// where.
//
// A run writes down what it intends, which steps that takes, and which commit
// it says a step is. Those rows are claims, whoever wrote them: they say what
// to look for in history and never that it is there. A step is done when the
// history that was read for this very question has a commit for it that is the
// run's own, younger than the run and not already the evidence of another step.
// What is done counts up to the first step that is not; the run continues there.
//
// A declaration can only grow. One that drops or reorders steps makes the
// ledger contradict itself, and a ledger that contradicts itself, or cannot be
// read, completes nothing and ends nothing.
package resume

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of the plan.
type Outcome string

// The outcomes.
const (
	Resumable   Outcome = "RESUMABLE"   // there is work left, and nothing stands in the way
	Complete    Outcome = "COMPLETE"    // every declared step is done
	Diverged    Outcome = "DIVERGED"    // there is work left, and others went on where it is to be done
	Unresumable Outcome = "UNRESUMABLE" // the ledger does not say what the run was to do
)

const (
	exitDiverged    = verdict.FirstOwned
	exitUnresumable = verdict.FirstOwned + 1
)

// A Verdict answers "can this run be continued, and from where?". Residual is
// the work that is left, in order; Verified the steps before it. Callers branch
// on Outcome: the status of RESUMABLE and COMPLETE is the same.
type Verdict struct {
	Outcome          Outcome  `json:"verdict"`
	Reason           string   `json:"reason"`
	RunID            string   `json:"run_id"`
	ResumeSha        string   `json:"resume_sha"` // as it was recorded; empty when nothing in history is safe to go on from
	Residual         []string `json:"residual"`
	Verified         []string `json:"verified"`
	Declared         []string `json:"declared"`
	PredecessorRunID string   `json:"predecessor_run_id"`
	AlreadyProposed  bool     `json:"already_proposed"`
	ProposedNow      bool     `json:"proposed_now"`
	ProposedCommand  string   `json:"proposed_command,omitempty"`
	Suspended        bool     `json:"suspended,omitempty"`     // it was parked on purpose
	Unreadable       bool     `json:"unreadable,omitempty"`    // UNRESUMABLE because the ledger could not be read, and not because it is empty
	Others           int      `json:"others,omitempty"`        // commits on the lane's tree after ResumeSha that are not the run's
	OtherShas        []string `json:"other_commits,omitempty"` // the first of them
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Resumable, Complete:
		return verdict.Yes
	case Diverged:
		return exitDiverged
	case Unresumable:
		return exitUnresumable
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

// String is the outcome, the run and the reason in one line, then what is left
// to do.
func (v Verdict) String() string {
	if v.Outcome == "" {
		return "no verdict: " + v.Err().Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", v.Outcome, verdict.Show(v.RunID), v.Reason)
	if v.ResumeSha != "" {
		fmt.Fprintf(&b, "\n  from: %s", verdict.Show(v.ResumeSha))
	}
	for _, step := range v.Residual {
		fmt.Fprintf(&b, "\n  left: %s", verdict.Show(step))
	}
	if v.ProposedCommand != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.ProposedCommand)
	}
	return b.String()
}

// Proposal is the row to append for this verdict, and false when there is
// nothing to propose or the same was proposed since the last INTENT.
func (v Verdict) Proposal() (Row, bool) {
	if v.Outcome != Resumable || v.AlreadyProposed {
		return Row{}, false
	}
	return Row{
		Op:               OpResumeProposed,
		RunID:            v.RunID,
		ResumeSha:        v.ResumeSha,
		Residual:         v.Residual,
		PredecessorRunID: v.PredecessorRunID,
	}, true
}

// Proposed is the verdict after its [Verdict.Proposal] was appended.
func (v Verdict) Proposed() Verdict {
	v.ProposedNow = true
	return v
}
