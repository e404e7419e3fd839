package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func cooldownVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "cooldown",
			Usage:     "was this unit tried just now?",
			ArgsUsage: "UNIT | PLAN PHASE",
			Description: "Finds the newest attempt at the unit in the ledgers of all nodes, as git dos attempt records them.\n" +
				"Unless that shipped, the unit is left alone for [cooldown] window, after an error for\n" +
				"error_window. An attempt from the future counts as one of now. Claims expire and attempts do\n" +
				"not: this is what keeps a loop from picking again what it has just failed to move.\n\n" +
				"Where a ledger cannot be read, and no attempt that is known holds the unit, there is no verdict.\n" +
				"With --attempts the ledgers are not read. It is a list of records of unit_id, outcome,\n" +
				"attempted_at_ms, ts; others in it are passed over.",
			Flags:  cooldownFlags(),
			Action: cooldownUnit,
		},
		statuses: map[string][]status{
			"cooldown": {
				{Code: verdict.Yes, Outcome: string(pick.Clear), Meaning: "no attempt at it keeps it from being offered"},
				{Code: 3, Outcome: string(pick.RecentlyAttempted), Meaning: "it was tried just now: leave it alone until then"},
			},
		},
	}
}

func cooldownFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "attempts", Usage: "judge these attempts, as a `JSON` list or - for standard input"},
		&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
	}
}

// A cooldownAnswer is the verdict and, in a fleet, as of when it holds.
type cooldownAnswer struct {
	pick.CooldownVerdict
	lifeSeen
}

func (a cooldownAnswer) String() string { return a.CooldownVerdict.String() + a.line() }

func cooldownUnit(c *cli.Context) error {
	ev, seen, err := cooldownEvidence(c)
	if err != nil {
		return err
	}
	v := pick.DecideCooldown(ev)
	if err := v.Err(); err != nil {
		return cooldownUnknown(ev, err)
	}
	return answer(c, cooldownAnswer{v, seen})
}

// cooldownEvidence gathers the attempts at the unit, or reads those given.
func cooldownEvidence(c *cli.Context) (ev pick.CooldownEvidence, seen lifeSeen, err error) {
	unit, err := pickUnit(c)
	if err != nil {
		return ev, seen, err
	}
	if c.IsSet("attempts") {
		ev, err = cooldownGiven(c, unit)
		return ev, seen, err
	}
	b, err := lifeBook(c, life.AskAttempts())
	if err != nil {
		return ev, seen, err
	}
	if ev, err = b.Tried(c.Context, unit); err != nil {
		return ev, seen, lifeError(err)
	}
	if pick.DecideCooldown(ev).Err() == nil { // else what the warnings would tell does count
		lifeWarn(c, b)
	}
	return ev, lifeSeenAs(b), nil
}

func cooldownGiven(c *cli.Context, unit string) (pick.CooldownEvidence, error) {
	if c.Bool("cached") {
		return pick.CooldownEvidence{}, usagef("--attempts are judged as they are given, so --cached means nothing")
	}
	data, err := pickInput(c, "attempts", pick.MaxPacket)
	if err != nil {
		return pick.CooldownEvidence{}, err
	}
	attempts, err := pick.ParseAttempts(data, unit)
	if err != nil {
		return pick.CooldownEvidence{}, usagef("--attempts: %w", err)
	}
	d, err := openDesk(c) // for the windows
	if err != nil {
		return pick.CooldownEvidence{}, err
	}
	return pick.CooldownEvidence{Unit: unit, Attempts: attempts, NowMS: now(c).UnixMilli(), Policy: life.CooldownPolicy(d)}, nil
}

func cooldownUnknown(ev pick.CooldownEvidence, err error) error {
	if len(ev.Unknown) == 0 {
		return usagef("%w", err)
	}
	return errorf(kindIndeterminate, "no verdict: %w", err).hint("git dos journal check names what cannot be read, and the last good entry before it; a row that is none counts as long as an attempt would")
}
