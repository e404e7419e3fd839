package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func pickPriorityVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "pick-priority",
			Usage:     "which of several units was tried least recently?",
			ArgsUsage: "UNIT | PLAN PHASE",
			Description: "Answers for one unit with a sort_key to put behind its priority and its status: what was never\n" +
				"tried goes first, then what was tried least recently. It orders units and keeps none from being\n" +
				"offered: that is for git dos pickable and git dos cooldown. Attempts are found as cooldown finds\n" +
				"them.",
			Flags:  cooldownFlags(),
			Action: pickPriority,
		},
		statuses: map[string][]status{
			"pick-priority": {
				{Code: verdict.Yes, Outcome: string(pick.NeverAttempted), Meaning: "it goes before whatever was tried"},
				{Code: 3, Outcome: string(pick.Attempted), Meaning: "it was tried, however long ago"},
			},
		},
	}
}

// A priorityAnswer is the verdict and, in a fleet, as of when it holds.
type priorityAnswer struct {
	pick.PriorityVerdict
	lifeSeen
}

func (a priorityAnswer) String() string { return a.PriorityVerdict.String() + a.line() }

func pickPriority(c *cli.Context) error {
	ev, seen, err := cooldownEvidence(c)
	if err != nil {
		return err
	}
	v := pick.DecidePriority(ev)
	if err := v.Err(); err != nil {
		return cooldownUnknown(ev, err)
	}
	return answer(c, priorityAnswer{v, seen})
}
