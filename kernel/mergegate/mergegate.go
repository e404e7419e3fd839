// Package mergegate judges whether a branch may be merged, from what was found
// at the branch itself.
//
// There is nothing to believe: the suite was run on the merge, the units that
// the branch says it ships were looked up on it, and each of its commits was
// audited. What was not looked at refuses, and so does a suite that nobody
// named; only a caller that says so leaves it out, and the answer repeats it.
package mergegate

import (
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of this verdict.
type Outcome string

// The outcomes.
const (
	Clean  Outcome = "CLEAN"
	Refuse Outcome = "REFUSE"
)

const exitRefuse = 3 // the status of Refuse

// A Cause is one reason to refuse.
type Cause string

// The causes, the weightiest first.
const (
	MergeConflict    Cause = "merge-conflict"     // it does not merge
	SuiteRed         Cause = "suite-red"          // the suite failed on the merge, or did not end in time
	SuiteUnrun       Cause = "suite-unrun"        // the trunk names no suite, and nobody left it out
	TruthDirty       Cause = "truth-dirty"        // a commit has a Dos-Ship trailer for a unit that it does not ship
	AuditUnwitnessed Cause = "audit-unwitnessed"  // a commit claims what its diff does not carry
	TestNotWitnessed Cause = "test-not-witnessed" // its tests do not tell the merge from the trunk
)

// Evidence is everything Decide may know. Its parts are also the answer's.
type Evidence struct {
	Branch      string
	CandidateID string
	Into        string
	IntoID      string
	BaseID      string
	Commits     int

	Conflict  bool     // git does not merge the two
	Conflicts []string // the paths it names, if any
	Suite     Suite
	NoSuite   bool // the caller left the suite out
	Claims    []Claim
	Audit     Audit

	// Test is how the branch's tests fare without the rest of it; nil when no
	// witness was asked for.
	Test *TestWitness
}

// A Suite is the run of the trunk's command on the merge.
type Suite struct {
	Ran        bool     `json:"ran"`
	Command    []string `json:"command,omitempty"`
	Exit       int      `json:"exit"` // -1 when it did not run or did not end by itself
	TimedOut   bool     `json:"timed_out,omitempty"`
	Tree       string   `json:"tree,omitempty"`
	On         TreeOf   `json:"on,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
	Submodules int      `json:"submodules,omitempty"` // not checked out
	Output     string   `json:"output,omitempty"`     // the end of what it printed
	Cut        bool     `json:"output_cut,omitempty"`
}

// passed reports whether the suite ran to its end and succeeded.
func (s Suite) passed() bool { return s.Ran && s.Exit == 0 && !s.TimedOut }

// A TreeOf says what the suite was run on.
type TreeOf string

// The trees.
const (
	OnMerge     TreeOf = "merge"     // of the trunk and the candidate
	OnCandidate TreeOf = "candidate" // which holds the trunk, or git is too old to merge
	OnBaseline  TreeOf = "baseline"  // the trunk with the tests of the merge
)

// A Claim is a unit that a commit of the branch says it ships.
type Claim struct {
	Commit string `json:"sha"`
	Unit   string `json:"unit"`
	Holds  bool   `json:"holds"`
	Reason string `json:"reason"`
}

// Audit counts what commit-audit found on the commits of the branch.
type Audit struct {
	Commits     int      `json:"commits"`
	Witnessed   int      `json:"witnessed"`
	Abstained   int      `json:"abstained"`
	Unwitnessed int      `json:"unwitnessed"`
	Shas        []string `json:"unwitnessed_shas"` // newest first, at most MaxListed
}

// MaxListed bounds the ids and paths that an answer lists.
const MaxListed = 100

// Verdict answers "may this branch be merged?".
type Verdict struct {
	Outcome     Outcome      `json:"outcome"`
	Cause       Cause        `json:"refuse_cause"`
	Causes      []Cause      `json:"refuse_causes"`
	Branch      string       `json:"branch"`
	CandidateID string       `json:"candidate_id"`
	Into        string       `json:"into"`
	IntoID      string       `json:"into_id"`
	BaseID      string       `json:"base_id"`
	Commits     int          `json:"commits"`
	NoSuite     bool         `json:"no_suite,omitempty"` // the caller left the suite out
	Suite       Suite        `json:"suite"`
	Audit       Audit        `json:"audit"`
	Claims      []Claim      `json:"claims"`
	Conflicts   []string     `json:"conflicts,omitempty"`
	Test        *TestWitness `json:"test_witness,omitempty"`
	Reason      string       `json:"reason"`
	Next        string       `json:"next,omitempty"`

	why []string // beside Causes
}

var _ verdict.Verdict = Verdict{}

// Decide gives every cause to refuse, in the order of their constants, and is
// CLEAN without one. A branch without a commit to judge is no verdict, and so
// is one whose commits were not all audited.
func Decide(ev Evidence) Verdict {
	if ev.Commits == 0 || ev.CandidateID == "" || ev.IntoID == "" || ev.Audit.Commits != ev.Commits {
		return Verdict{}
	}
	v := Verdict{
		Outcome: Clean, Causes: []Cause{}, Branch: ev.Branch, CandidateID: ev.CandidateID, Into: ev.Into, IntoID: ev.IntoID,
		BaseID: ev.BaseID, Commits: ev.Commits, NoSuite: ev.NoSuite, Suite: ev.Suite, Audit: ev.Audit, Claims: ev.Claims,
		Conflicts: ev.Conflicts, Test: ev.Test,
	}
	if v.Claims == nil {
		v.Claims = []Claim{}
	}
	if v.Audit.Shas == nil {
		v.Audit.Shas = []string{}
	}
	if !v.Suite.Ran {
		v.Suite = Suite{Command: v.Suite.Command, Exit: -1}
	}
	for _, c := range []struct {
		cause  Cause
		reason string
	}{
		{MergeConflict, ev.conflicts()}, {SuiteRed, ev.red()}, {SuiteUnrun, ev.unrun()}, {TruthDirty, ev.dirty()},
		{AuditUnwitnessed, ev.unwitnessed()}, {TestNotWitnessed, ev.vacuous()},
	} {
		if c.reason == "" {
			continue
		}
		v.Causes, v.why = append(v.Causes, c.cause), append(v.why, c.reason)
		if v.Next == "" {
			v.Next = ev.next(c.cause)
		}
	}
	if len(v.Causes) > 0 {
		v.Outcome, v.Cause, v.Reason = Refuse, v.Causes[0], strings.Join(v.why, "; ")
		return v
	}
	v.Reason = verdict.Count(ev.Commits, "commit") + " audited, " + held(len(ev.Claims)) + ", and the suite passed"
	if ev.NoSuite {
		v.Reason = verdict.Count(ev.Commits, "commit") + " audited, " + held(len(ev.Claims)) + "; the suite was left out on request"
	}
	return v
}

// held are the units that the branch says it ships, all of which hold.
func held(n int) string {
	if n == 1 {
		return "1 unit holds"
	}
	return verdict.Count(n, "unit") + " hold"
}

// ExitCode implements [verdict.Verdict]. The zero Verdict is no verdict.
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Clean:
		return verdict.Yes
	case Refuse:
		return exitRefuse
	}
	return verdict.NoVerdict
}
