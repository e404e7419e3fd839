package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func reconcileVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "reconcile",
			Usage:     "does a claim of finished work hold?",
			ArgsUsage: "UNIT",
			Description: "UNIT is PLAN/PHASE, split at the last slash, or PLAN::PHASE. With --plan and --phase it must be\n" +
				"one of these forms of them, or the phase alone. The truth is what git dos verify answers for\n" +
				"that plan and phase; --claimed-done is repeated in the answer and decides nothing but its name.\n" +
				"Where verify cannot tell, there is no verdict. With --replay the truth is the caller's word, no\n" +
				"history is read, and the answer says so.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "claimed-done", Usage: "the worker says that the unit is done"},
				&cli.StringFlag{Name: "plan", Usage: "the `PLAN` of the unit, with --phase"},
				&cli.StringFlag{Name: "phase", Usage: "the `PHASE` of the unit, with --plan"},
				&cli.StringFlag{Name: "ref", Usage: "walk `REF` instead of the trunk"},
				&cli.StringFlag{Name: "floor", Usage: "the least `WITNESS` that counts, as in git dos verify"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old"},
				&cli.BoolFlag{Name: "replay", Usage: "take the truth from --oracle-shipped or --no-oracle-shipped"},
				&cli.BoolFlag{Name: "oracle-shipped", Usage: "with --replay: it shipped"},
				&cli.BoolFlag{Name: "no-oracle-shipped", Usage: "with --replay: it did not ship"},
			},
			Action: reconcileClaim,
		},
		statuses: map[string][]status{
			"reconcile": {
				{Code: verdict.Yes, Outcome: string(reconcile.Verified), Meaning: "the unit shipped; it leaves the residual"},
				{Code: 3, Outcome: string(reconcile.QuietIncomplete), Meaning: "claimed done and not shipped; it stays in the residual"},
				{Code: 4, Outcome: string(reconcile.HonestOpen), Meaning: "not shipped and not claimed; it stays in the residual"},
			},
		},
	}
}

func reconcileClaim(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("want one UNIT, have %d arguments", c.NArg())
	}
	ev := reconcile.Evidence{Unit: c.Args().First(), Claimed: c.Bool("claimed-done"), Replay: c.Bool("replay"), Given: c.Bool("oracle-shipped")}
	if err := reconcile.CheckUnit(ev.Unit); err != nil {
		return usagef("%w", err)
	}
	if err := reconcileOracle(c); err != nil {
		return err
	}
	if !ev.Replay {
		var err error
		if ev.Ship, err = reconcileShip(c, ev.Unit); err != nil {
			return err
		}
	}
	return answer(c, reconcile.Decide(ev))
}

// reconcileOracle refuses a word of the caller's where it would be taken for
// the truth, and a replay that has none or looks as if it read history.
func reconcileOracle(c *cli.Context) error {
	given := c.IsSet("oracle-shipped") || c.IsSet("no-oracle-shipped")
	switch {
	case given && !c.Bool("replay"):
		return usagef("--oracle-shipped and --no-oracle-shipped need --replay").
			hint("leave them out: the truth is read from git, or add --replay to have the answer say whose word it is")
	case !c.Bool("replay"):
		return nil
	case c.Bool("oracle-shipped") == c.Bool("no-oracle-shipped"):
		return usagef("--replay needs one of --oracle-shipped and --no-oracle-shipped")
	}
	for _, name := range []string{"plan", "phase", "ref", "floor", "cached"} {
		if c.IsSet(name) {
			return usagef("--replay reads no history, so --%s means nothing", name)
		}
	}
	return nil
}

// reconcileShip asks verify's question about the plan and phase of the unit.
func reconcileShip(c *cli.Context, unit string) (ship.Verdict, error) {
	if c.IsSet("ref") && c.String("ref") == "" {
		return ship.Verdict{}, usagef("--ref is empty").hint("name a ref, or leave the flag out to walk the trunk")
	}
	if c.IsSet("plan") != c.IsSet("phase") {
		return ship.Verdict{}, usagef("--plan and --phase go together")
	}
	if c.IsSet("plan") && (c.String("plan") == "" || c.String("phase") == "") {
		return ship.Verdict{}, usagef("--plan or --phase is empty")
	}
	plan, phase, err := reconcile.Bind(unit, c.String("plan"), c.String("phase"))
	if err != nil {
		return ship.Verdict{}, usagef("%w", err).hint("write PLAN/PHASE, or name both with --plan and --phase")
	}
	floor, err := ship.ParseFloor(c.String("floor"))
	if err != nil {
		return ship.Verdict{}, usagef("%w", err)
	}
	repo, err := openRepo(c)
	if err != nil {
		return ship.Verdict{}, err
	}
	q := &shipQuestion{repo: repo, req: facts.ShipRequest{Plan: plan, Phase: phase, ShipScope: facts.ShipScope{Ref: c.String("ref"), Floor: floor}}, cached: c.Bool("cached")}
	a, err := q.ask(c.Context)
	if err != nil {
		return ship.Verdict{}, verifyError(err)
	}
	if a.Outcome == ship.Indeterminate {
		return ship.Verdict{}, reconcileUnknown(a)
	}
	return a.Verdict, nil
}

func reconcileUnknown(a shipAnswer) error {
	err := errorf(kindIndeterminate, "whether %s/%s shipped cannot be told: %w", a.Plan, a.Phase, errors.New(a.Reason))
	if a.Next != "" {
		return err.hint("%s", a.Next)
	}
	return err.hint("git dos verify asks the same question and shows what was found")
}
