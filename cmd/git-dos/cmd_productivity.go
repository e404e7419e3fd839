package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/productivity"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func productivityVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "productivity",
			Usage:     "do the steps of a run still add something?",
			ArgsUsage: "[DELTA...]",
			Description: "Each DELTA is what a step added, in whatever the caller measures, the oldest first. The last step\n" +
				"alone can stall a run, and the last two can diminish it; fewer steps than --min-steps are not\n" +
				"judged. Nothing is stored, and no repository is needed.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "min-steps", Usage: "judge `N` steps or more, by default 3"},
				&cli.StringFlag{Name: "floor", Usage: "less than `N` is little, by default 500"},
			},
			Action: productivityOf,
		},
		statuses: map[string][]status{"productivity": {
			{Code: verdict.Yes, Outcome: string(productivity.Productive), Meaning: "they do, or are too few to judge"},
			{Code: 3, Outcome: string(productivity.Diminishing), Meaning: "the last two added little"},
			{Code: 4, Outcome: string(productivity.Stalled), Meaning: "the last added nothing"},
		}},
	}
}

func productivityOf(c *cli.Context) error {
	deltas, err := productivity.Parse("deltas", c.Args().Slice())
	if err != nil {
		return usagef("%w", err)
	}
	ev := productivity.Evidence{Deltas: deltas, Policy: productivity.DefaultPolicy()}
	if err := wholeFlags(c, 0, map[string]*int64{"min-steps": &ev.Policy.MinSteps, "floor": &ev.Policy.Floor}); err != nil {
		return err
	}
	v := productivity.Decide(ev)
	if err := v.Err(); err != nil {
		return usagef("%w", err)
	}
	return answer(c, v)
}
