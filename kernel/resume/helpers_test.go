package resume

import (
	"fmt"
	"strings"
	"testing"
)

const run = "RID-01"

// sha is a full commit id that begins with the name.
func sha(name string) string {
	id := fmt.Sprintf("%x", name)
	return id + strings.Repeat("0", 40-len(id))
}

func intent(steps ...string) Row {
	return Row{Op: OpIntent, RunID: run, Goal: "the goal", StartSha: sha("start"), DeclaredSteps: steps}
}

func claimed(step, commit string) Row {
	return Row{Op: OpStepClaimed, RunID: run, StepID: step, Sha: sha(commit)}
}

func verified(step, commit string) Row {
	return Row{Op: OpStepVerified, RunID: run, StepID: step, Sha: sha(commit), Via: ViaFilePath}
}

func suspend() Row { return Row{Op: OpSuspend, RunID: run, Reason: "enough for today"} }

func proposal(from string, left ...string) Row {
	return Row{Op: OpResumeProposed, RunID: run, ResumeSha: sha(from), Residual: left, PredecessorRunID: run}
}

func fold(rows ...Row) State {
	s := New(run)
	for _, r := range rows {
		s.Add("n1", r)
	}
	return s
}

// knows is a history that says of each step's commit what can be said for it.
func knows(s State, change ...func(*Fact)) []Fact {
	var facts []Fact
	for _, ask := range s.Asks() {
		f := Fact{Step: ask.Step, Sha: ask.Sha, Commit: ask.Sha, Ancestor: true, Younger: true, Touches: true}
		for _, c := range change {
			c(&f)
		}
		facts = append(facts, f)
	}
	return facts
}

// seen is the evidence of a history that bears every row out, on a lane where
// nobody else was.
func seen(s State, change ...func(*Evidence)) Evidence {
	ev := Evidence{State: s, Started: true, Facts: knows(s)}
	for _, c := range change {
		c(&ev)
	}
	if ev.Lane.Since == "" {
		ev.Lane.Since, ev.Lane.Counted = ev.Anchor(), true
	}
	return ev
}

func others(n int) func(*Evidence) { return func(ev *Evidence) { ev.Lane.Others = n } }

func facts(change func(*Fact)) func(*Evidence) {
	return func(ev *Evidence) { ev.Facts = knows(ev.State, change) }
}

// only changes the fact of one step.
func only(step string, change func(*Fact)) func(*Evidence) {
	return facts(func(f *Fact) {
		if f.Step == step {
			change(f)
		}
	})
}

func wantPlan(t *testing.T, claim string, v Verdict, o Outcome, from string, verified int) {
	t.Helper()
	if v.Outcome != o || v.ResumeSha != from || len(v.Verified) != verified {
		t.Errorf("%s: %s from %q after %d; want %s from %q after %d\n%+v", claim, v.Outcome, v.ResumeSha, len(v.Verified), o, from, verified, v)
	}
}
