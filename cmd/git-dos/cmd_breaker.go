package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/breaker"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func breakerVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "breaker",
			Usage: "were there too many failures?",
			Description: "Judges counts that the caller keeps. --failure and --success say what happened since they were\n" +
				"taken; the answer has the counts after that, to be given next time. A success ends a row and takes\n" +
				"nothing off the total. A maximum of 0 is none, and one of the two is needed. Nothing is stored, and\n" +
				"no repository is needed.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "consecutive", Usage: "failures in a row so far: `N`, by default 0"},
				&cli.StringFlag{Name: "total", Usage: "failures at all so far: `N`, by default 0"},
				&cli.BoolFlag{Name: "failure", Usage: "count one failure more"},
				&cli.BoolFlag{Name: "success", Usage: "count a success"},
				&cli.StringFlag{Name: "max-consecutive", Usage: "open at `N` in a row, by default 3"},
				&cli.StringFlag{Name: "max-total", Usage: "open at `N` at all, by default 20"},
				&cli.StringFlag{Name: "on-trip", Usage: "show it to `WHOM` when open: NONE, JUDGE or HUMAN", Value: string(breaker.Nobody)},
			},
			Action: breakerState,
		},
		statuses: map[string][]status{"breaker": {
			{Code: verdict.Yes, Outcome: string(breaker.Closed), Meaning: "there were not too many: go on"},
			{Code: verdict.FirstOwned, Outcome: string(breaker.Open), Meaning: "too many in a row, or at all: stop"},
		}},
	}
}

func breakerState(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	ev := breaker.Evidence{Policy: breaker.DefaultPolicy()}
	ev.Policy.OnTrip = breaker.Whom(c.String("on-trip"))
	switch {
	case c.Bool("failure") && c.Bool("success"):
		return usagef("--failure and --success exclude each other").hint("ask once for each")
	case c.Bool("failure"):
		ev.Event = breaker.Failure
	case c.Bool("success"):
		ev.Event = breaker.Success
	}
	if err := wholeFlags(c, 0, map[string]*int64{
		"consecutive": &ev.Counts.Consecutive, "total": &ev.Counts.Total,
		"max-consecutive": &ev.Policy.MaxConsecutive, "max-total": &ev.Policy.MaxTotal,
	}); err != nil {
		return err
	}
	v := breaker.Decide(ev)
	if err := v.Err(); err != nil {
		return usagef("%w", err)
	}
	return answer(c, v)
}
