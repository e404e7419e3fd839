package resume

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// An Ask is what history is to be asked for: the commit that the rows name for
// a step, and what it must have touched; nil for anything at all.
type Ask struct {
	Step   string
	Sha    string
	Region []string
}

// A Fact is what history says of an [Ask]. All of it was read for this
// question; what could not be read is false.
type Fact struct {
	Step string `json:"step"`
	Sha  string `json:"sha"` // as it was asked for

	Commit   string `json:"commit"`   // the full id it means; empty when it means none, or several
	Ancestor bool   `json:"ancestor"` // it is in the history that counts
	Younger  bool   `json:"younger"`  // it is a strict descendant of every start of the run
	Touches  bool   `json:"touches"`  // it changes a file, of the step's region where there is one
	Foreign  bool   `json:"foreign"`  // it bears the trailer of another run

	// Apart are the steps whose region cannot share a file with that of this
	// step. What is not known to be apart overlaps.
	Apart []string `json:"apart,omitempty"`
}

// Via words that a STEP_VERIFIED row counts with: what it names was looked up
// in the files of the commit, or in a registry, and not in its subject.
const (
	ViaFilePath = "file-path"
	ViaRegistry = "registry"
)

// Asks are the questions to history, for every declared step of which any row
// names a commit: the verified one, else the claimed one.
func (s State) Asks() []Ask {
	asks := []Ask{}
	for _, id := range s.declared {
		sha := s.hint(OpStepVerified, id).Sha
		if sha == "" {
			sha = s.hint(OpStepClaimed, id).Sha
		}
		if sha != "" {
			asks = append(asks, s.ask(id, sha))
		}
	}
	return asks
}

// Claim is the question to history about the commit that the worker names for
// a step; false when there is no such claim.
func (s State) Claim(id string) (Ask, bool) {
	sha := s.hint(OpStepClaimed, id).Sha
	if sha == "" || !slices.Contains(s.declared, id) {
		return Ask{}, false
	}
	return s.ask(id, sha), true
}

// hint is the last row with this op about a step; an empty one when there is
// none.
func (s State) hint(op, id string) Row {
	last, _ := s.lastOf(op, id)
	return last.row
}

func (s State) ask(id, sha string) Ask { return Ask{Step: id, Sha: sha, Region: s.Region(id)} }

// holds reports whether the fact is one on which a step can be done, without
// regard to other steps, and if not, why.
func (f Fact) holds() (why string) {
	switch {
	case f.Commit == "":
		return "names no commit"
	case !f.Ancestor:
		return "is not in history"
	case !f.Younger:
		return "is not younger than the run"
	case !f.Touches:
		return "touches no file of the step"
	case f.Foreign:
		return "is another run's"
	}
	return ""
}

// A backing is which steps are done, each by its fact, and what each commit is
// the evidence of.
type backing struct {
	steps   map[string]Fact
	commits map[string][]Fact
}

// done are the declared steps that are done. A commit is the evidence of the
// first of the steps it is recorded for, and of another one only where regions
// keep the two apart.
func (ev Evidence) done() backing {
	type question struct{ step, sha string }
	told := make(map[question]Fact, len(ev.Facts))
	for _, f := range ev.Facts {
		told[question{f.Step, f.Sha}] = f
	}
	done := backing{map[string]Fact{}, map[string][]Fact{}}
	for _, id := range ev.State.declared {
		row := ev.State.hint(OpStepVerified, id)
		if row.Sha == "" || !ev.Policy.AnyVia && row.Via != ViaFilePath && row.Via != ViaRegistry {
			continue
		}
		if f, ok := told[question{id, row.Sha}]; ok && f.holds() == "" && ev.rival(done, f) == "" {
			done.steps[id], done.commits[f.Commit] = f, append(done.commits[f.Commit], f)
		}
	}
	return done
}

// rival is another step that the commit of a fact already is the evidence of.
func (ev Evidence) rival(done backing, f Fact) string {
	for _, other := range done.commits[f.Commit] {
		if other.Step != f.Step && !ev.apart(f, other) {
			return other.Step
		}
	}
	return ""
}

// apart reports whether the regions of two steps are known not to meet.
func (ev Evidence) apart(a, b Fact) bool {
	return len(ev.State.regions[a.Step]) > 0 && len(ev.State.regions[b.Step]) > 0 &&
		(slices.Contains(a.Apart, b.Step) || slices.Contains(b.Apart, a.Step))
}

// StepOutcome is the closed vocabulary of [Verify].
type StepOutcome string

// The outcomes.
const (
	StepVerified   StepOutcome = "VERIFIED"
	StepUnverified StepOutcome = "UNVERIFIED"
)

// A StepVerdict answers "is this commit the step's?".
type StepVerdict struct {
	Outcome StepOutcome `json:"verdict"`
	RunID   string      `json:"run_id"`
	Step    string      `json:"step_id"`
	Sha     string      `json:"sha"`
	Via     string      `json:"via,omitempty"`
	Reason  string      `json:"reason"`
}

var _ verdict.Verdict = StepVerdict{}

// Verify judges the commit of one step, by its claim, beside the evidence of
// all others. Only what it verifies may be recorded as STEP_VERIFIED.
func Verify(ev Evidence, f Fact) StepVerdict {
	v := StepVerdict{Outcome: StepUnverified, RunID: ev.State.run, Step: f.Step, Sha: f.Sha}
	claim, ok := ev.State.Claim(f.Step)
	switch {
	case ev.State.run == "":
		return StepVerdict{}
	case ev.State.Unreadable():
		v.Reason = "the ledger of the run cannot be read or contradicts itself"
	case !ok && f.Sha == "":
		v.Reason = "nobody claims a commit for it"
	case !ok || claim.Sha != f.Sha:
		v.Reason = "nobody claims this commit for the step"
	case f.holds() != "":
		v.Reason = "the commit " + f.holds()
	default:
		if rival := ev.rival(ev.done(), f); rival != "" {
			v.Reason = "the commit already is the evidence of step " + verdict.Show(rival)
			return v
		}
		v.Outcome, v.Sha, v.Via = StepVerified, f.Commit, ViaFilePath
		v.Reason = "the commit is in history, younger than the run, and touches what the step is about"
	}
	return v
}

// Row is the row to append for the verdict, and false when there is none.
func (v StepVerdict) Row() (Row, bool) {
	if v.Outcome != StepVerified {
		return Row{}, false
	}
	return Row{Op: OpStepVerified, RunID: v.RunID, StepID: v.Step, Sha: v.Sha, Via: v.Via}, true
}

// ExitCode implements [verdict.Verdict].
func (v StepVerdict) ExitCode() int {
	switch v.Outcome {
	case StepVerified:
		return verdict.Yes
	case StepUnverified:
		return verdict.No
	}
	return verdict.NoVerdict
}

func (v StepVerdict) String() string {
	step := verdict.Show(v.Step)
	if v.Sha != "" {
		step += " by " + verdict.Show(v.Sha)
	}
	return string(v.Outcome) + " " + step + ": " + v.Reason
}
