package status

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/scenario"
)

// The facts of the scenes in testdata:
//
//	liveness WORD "reason"
//	intent STEP...                 what the run declared, if nothing but a goal
//	verified STEP...               what history has
//	region GLOB...                 of the lease that bears the run
//	suspended                      by a halt that is not answered
//	plan WORD "reason" [from=SHA] [left=STEP,...] [command=] [proposed]
//
// The command is status RUN [stopped|live].
func TestScenarios(t *testing.T) {
	var answers []string
	scenario.Run(t, "testdata/*.txt", func(s scenario.Scene) string {
		answer := scene(s)
		answers = append(answers, "\n"+answer)
		return answer
	})
	all := strings.Join(answers, "\n")
	for _, want := range []string{
		"\n" + Advancing, "\n" + Spinning, "\n" + Stalled, "exit 0", "exit 2", "exit 3", "exit 4", "of 0 steps in history",
		"\n  done: ", "\n  left: ", "\n  region: ", "\n  resume: RESUMABLE", "\n  resume: DIVERGED", "\n  resume: UNRESUMABLE", "\n  resume: COMPLETE", "\n  next: ",
		"no verdict: run_id is empty", "no verdict: liveness is ", "no verdict: show is ", "no verdict: the run stopped, and nobody asked",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no scene answers %q", want)
		}
	}
}

func scene(s scenario.Scene) string {
	if s.Command.Name != "status" {
		s.Command.Fail("no such command")
	}
	ev := Evidence{RunID: s.Command.Word(), Show: shown(s.Command)}
	for _, f := range s.Facts {
		switch f.Name {
		case "liveness":
			ev.Liveness = Liveness{Verdict: f.Word(), Reason: f.Word()}
		case "intent":
			ev.HasIntent, ev.Declared = true, f.Words()
		case "verified":
			ev.Verified = f.Words()
		case "region":
			ev.Region = f.Words()
		case "suspended":
			ev.Suspended = true
		case "plan":
			ev.Plan = &Plan{
				Verdict: f.Word(), Reason: f.Word(), RunID: ev.RunID, ResumeSha: f.Text("from"), Residual: f.List("left"),
				Command: f.Text("command"), AlreadyProposed: f.Has("proposed"),
			}
		default:
			f.Fail("no such fact")
		}
	}
	v := Decide(ev)
	return fmt.Sprintf("exit %d\n%s", v.ExitCode(), v)
}

func shown(c *scenario.Line) Show {
	switch word := c.Word(); word {
	case "stopped":
		return Always
	case "live":
		return Never
	default:
		return Show(word)
	}
}
