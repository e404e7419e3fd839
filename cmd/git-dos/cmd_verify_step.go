package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func verifyStepVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "verify-step",
			Usage:     "is the commit that is claimed for a step the step's?",
			ArgsUsage: "STEP",
			Description: "Reads history: the commit must be in that of the trunk, of this worktree or of the one that has\n" +
				"the lease, come after the run's start, touch a file of the step, not be another run's by its\n" +
				"trailer Dos-Run, and not be the evidence of another step already. Only then the step is recorded\n" +
				"as verified, which is a hint of where to look: whoever asks later reads history again.",
			Flags: lifeFlags(
				&cli.StringFlag{Name: "sha", Usage: "ask about this `COMMIT`, by default the one that is claimed"},
			),
			Action: writes(verifyStep),
		},
		statuses: map[string][]status{"verify-step": {
			{Code: verdict.Yes, Outcome: string(resume.StepVerified), Meaning: "history has the commit, and it is the step's"},
			{Code: verdict.No, Outcome: string(resume.StepUnverified), Meaning: "it is not, or nobody claims one"},
		}},
	}
}

// A stepAnswer is the verdict on a step and what became of it.
type stepAnswer struct {
	resume.StepVerdict
	Recorded bool   `json:"recorded"` // by this call
	Next     string `json:"next,omitempty"`
}

func (a stepAnswer) String() string {
	text := a.StepVerdict.String()
	if a.Next != "" {
		text += "\n  next      " + a.Next
	}
	return text
}

func verifyStep(c *cli.Context) error {
	step, err := stepArgument(c)
	if err != nil {
		return err
	}
	return lifeWrite(c, !c.Bool("cached"), func(b *life.Book) error {
		r, err := claimRun(c, b)
		if err != nil {
			return err
		}
		if declared := r.Intent.Declared(); !slices.Contains(declared, step) && !r.Intent.Unreadable() {
			return claimError(&life.RowError{Err: usagef("step_id %q is not among the declared steps of run %s", step, r.ID)}, r)
		}
		ev, f, claimed, err := r.Step(c.Context, step)
		if err != nil {
			return lifeError(err)
		}
		if c.IsSet("sha") {
			if f.Sha, err = claimedCommit(c, b); err != nil {
				return err
			}
		}
		if !claimed {
			f.Step = step
		}
		a := stepAnswer{StepVerdict: resume.Verify(ev, f)}
		if !claimed || a.Sha != f.Sha {
			a.Next = "git dos claim-step " + verdict.ShellWord(step) + " --run-id " + verdict.ShellWord(r.ID)
		}
		row, ok := a.Row()
		if !ok || verifiedBefore(r, row) {
			return answer(c, a)
		}
		if _, err := r.Append(c.Context, row); err != nil {
			return lifeError(err)
		}
		a.Recorded = true
		return answer(c, a)
	})
}

// verifiedBefore reports whether the run's newest row about the step says the same.
func verifiedBefore(r life.Run, row resume.Row) bool {
	for _, old := range slices.Backward(r.Story.Rows) {
		if old.Op == row.Op && old.StepID == row.StepID {
			return old.Sha == row.Sha && old.Via == row.Via
		}
	}
	return false
}
