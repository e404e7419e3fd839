package resume

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Evidence is everything Decide may know.
type Evidence struct {
	State  State
	Policy Policy

	Started bool   // the start of the run is in the history that counts
	Facts   []Fact // of [State.Asks]
	Lane    Lane
}

// A Policy loosens what is strict by default.
type Policy struct {
	AnyVia          bool // a step counts however its commit was found
	TolerateCorrupt bool // rows that cannot be read are passed over
}

// Lane is what happened where the run was at work: the commits after Since on
// the tree of its lane that do not bear the run's trailer.
type Lane struct {
	Since   string   // must be the [Evidence.Anchor], or the count is about something else
	Counted bool     // false: it could not be told
	Others  int      // how many they are
	Shas    []string // the first of them, for people
	Forced  bool     // the operator says that the lane went on without the run
}

// mostShas bounds the commits that an answer lists.
const mostShas = 20

// Anchor is where the run would go on from, as it was recorded: the commit of
// the last step that is done without a gap before it, else the start of the
// run, else nothing.
func (ev Evidence) Anchor() string {
	sha, _ := ev.progress()
	return sha
}

// progress is the anchor and how many of the declared steps are done without a
// gap.
func (ev Evidence) progress() (anchor string, verified int) {
	if ev.Started {
		anchor = ev.State.Start()
	}
	done := ev.done()
	for _, id := range ev.State.declared {
		f, ok := done.steps[id]
		if !ok {
			break
		}
		anchor, verified = f.Sha, verified+1
	}
	return anchor, verified
}

// Decide makes the plan. In order:
//
//  1. rows of a newer version, rows that cannot be read, declarations that
//     contradict each other: UNRESUMABLE, and unreadable;
//  2. no intent: UNRESUMABLE;
//  3. no declared step is left, and there are some: COMPLETE;
//  4. others went on where the work is to be done: DIVERGED;
//  5. RESUMABLE.
//
// There is no verdict without a run id, nor when it could not be told whether
// others went on.
func Decide(ev Evidence) Verdict {
	s := ev.State
	v := Verdict{
		RunID: s.run, PredecessorRunID: s.run, Suspended: s.Suspended(),
		Residual: []string{}, Verified: []string{}, Declared: []string{},
	}
	if s.run == "" {
		v.Reason = "run_id is empty"
		return v
	}
	if why, unreadable := ev.unsound(); why != "" {
		v.Outcome, v.Reason, v.Unreadable = Unresumable, why, unreadable
		return v
	}
	anchor, verified := ev.progress()
	v.ResumeSha, v.Declared = anchor, s.Declared()
	v.Verified, v.Residual = slices.Clone(v.Declared[:verified]), slices.Clone(v.Declared[verified:])
	if len(v.Declared) == 0 {
		v.Residual = []string{s.work()}
	}
	v.AlreadyProposed = s.proposed(v.ResumeSha, v.Residual)
	switch l := ev.Lane; {
	case len(v.Residual) == 0:
		v.Outcome, v.Reason = Complete, fmt.Sprintf("all of its %s are in history", verdict.Count(verified, "step"))
	case l.Forced || l.Others > 0:
		v.Outcome, v.Others, v.OtherShas = Diverged, l.Others, l.Shas[:min(len(l.Shas), mostShas)]
		v.Reason = "the lane is said to have gone on without the run"
		if l.Others > 0 {
			v.Reason = fmt.Sprintf("%s of others came after it on the lane's tree: look at them before the work is taken up", verdict.Count(l.Others, "commit"))
		}
	case anchor != "" && (!l.Counted || l.Since != anchor):
		return Verdict{RunID: s.run, Reason: "it could not be told whether others went on after " + verdict.Show(anchor) + " on the lane's tree"}
	default:
		v.Outcome, v.Reason = Resumable, ev.left(verified)
		v.ProposedCommand = "git dos intent --run-id " + verdict.ShellWord(s.run)
	}
	return v
}

// unsound is why the ledger says nothing that could be continued, and whether
// that is because it could not be read.
func (ev Evidence) unsound() (why string, unreadable bool) {
	s := ev.State
	switch {
	case s.newer > 0:
		return "rows of a newer version may be about it: use the git-dos that wrote them", true
	case s.corrupt > 0 && !ev.Policy.TolerateCorrupt:
		return "rows that cannot be read may be about it", true
	case s.contradicted:
		return "its declarations contradict each other: steps were dropped, reordered or given another region", true
	case s.rows == 0:
		return "it has no ledger", false
	case !s.HasIntent():
		return "nothing says what it was to do", false
	}
	return "", false
}

// work names the work of a run that declared no steps.
func (s State) work() string {
	switch named := strings.TrimSpace(s.Plan() + " " + s.Phase()); {
	case s.Goal() != "":
		return s.Goal()
	case named != "":
		return named
	}
	return "(declared goal)"
}

func (ev Evidence) left(verified int) string {
	all := len(ev.State.declared)
	if all == 0 {
		return "it declared no steps, so all of it is left"
	}
	return fmt.Sprintf("%d of %s are in history without a gap", verified, verdict.Count(all, "step"))
}
