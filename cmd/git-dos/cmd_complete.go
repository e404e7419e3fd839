package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func completeVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "complete",
			Usage:     "is every step of the run in history?",
			ArgsUsage: "[RUN]",
			Description: "Reads history for every declared step anew, as git dos resume does. A run that declared no steps\n" +
				"is never complete, and one whose ledger cannot be read or contradicts itself is not either. Steps\n" +
				"may be in the history of the run's worktree alone: which of them the trunk lacks is told beside.",
			Flags:  lifeFlags(),
			Action: complete,
		},
		statuses: map[string][]status{"complete": {
			{Code: verdict.Yes, Outcome: string(resume.Done), Meaning: "every declared step is in history"},
			{Code: 3, Outcome: string(resume.Incomplete), Meaning: "some are left"},
			{Code: 4, Outcome: string(resume.Indeterminate), Meaning: "nothing says what would be complete"},
			{Code: 5, Outcome: string(resume.Underdeclared), Meaning: "what was declared is done, and somebody judged it not to be all"},
		}},
	}
}

// A completeAnswer says whether the run is done and, in a fleet, as of when.
type completeAnswer struct {
	resume.CompletionVerdict
	lifeFinish
	lifeSeen
}

func (a completeAnswer) String() string { return a.CompletionVerdict.String() + a.text() + a.line() }

func complete(c *cli.Context) error {
	if err := lifeOne(c); err != nil {
		return err
	}
	b, err := lifeBook(c)
	if err != nil {
		return err
	}
	r, plan, err := resumePlan(c, b, false)
	if err != nil {
		return err
	}
	a := completeAnswer{CompletionVerdict: resume.Completed(plan, nil), lifeSeen: lifeSeenAs(b)}
	if a.lifeFinish, err = lifeFinishOf(c, r, &plan); err != nil {
		return err
	}
	return answer(c, a)
}
