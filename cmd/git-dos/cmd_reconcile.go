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
			ArgsUsage: "UNIT | PLAN PHASE",
			Description: "Holds a worker's claim against what git dos verify finds. --claimed-done is the claim; it is\n" +
				"repeated in the answer and never makes the unit shipped.\n" +
				"\n" +
				"VERIFIED: it shipped, so it is no longer work to do, claimed or not.\n" +
				"QUIET_INCOMPLETE: the worker says done, and it did not ship. Nobody else says that it is missing:\n" +
				"keep it on the list and do not believe the claim.\n" +
				"HONEST_OPEN: it did not ship, and nobody says that it did. Keep it on the list.\n" +
				"The residual is that list: the work still to be done. keeps_in_residual says whether the unit\n" +
				"stays on it. Where verify cannot tell (INDETERMINATE) there is no verdict: exit 2, kind\n" +
				"indeterminate, and the unit stays on the list.\n" +
				"\n" +
				"UNIT is PLAN/PHASE, split at the last slash, or PLAN::PHASE; or give PLAN and PHASE as two\n" +
				"arguments, or with --plan and --phase. A UNIT beside those must be one of these forms of them, or\n" +
				"the phase alone. In a fleet VERIFIED was seen within [fleet] interval, and any other answer\n" +
				"follows a fresh look at the remote. With --replay the truth is the caller's word, no history is\n" +
				"read, and the answer says so.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "claimed-done", Usage: "the worker says that the unit is done"},
				&cli.StringFlag{Name: "plan", Usage: "the `PLAN` of the unit, together with --phase"},
				&cli.StringFlag{Name: "phase", Usage: "the `PHASE` of the unit, together with --plan"},
				&cli.StringFlag{Name: "ref", Usage: "walk `REF` instead of the trunk"},
				&cli.StringFlag{Name: "floor", Usage: "the least `WITNESS` that counts, as in git dos verify"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
				&cli.BoolFlag{Name: "replay", Usage: "take the truth from --oracle-shipped or --no-oracle-shipped"},
				&cli.BoolFlag{Name: "oracle-shipped", Usage: "with --replay: it shipped"},
				&cli.BoolFlag{Name: "no-oracle-shipped", Usage: "with --replay: it did not ship"},
			},
			Action: reconcileClaim,
		},
		statuses: map[string][]status{
			"reconcile": {
				{Code: verdict.Yes, Outcome: string(reconcile.Verified), Meaning: "the unit shipped; it leaves the residual, the work still to be done"},
				{Code: 3, Outcome: string(reconcile.QuietIncomplete), Meaning: "claimed done and not shipped; it stays in the residual"},
				{Code: 4, Outcome: string(reconcile.HonestOpen), Meaning: "not shipped and not claimed; it stays in the residual"},
			},
		},
	}
}

func reconcileClaim(c *cli.Context) error {
	unit, err := reconcileUnit(c)
	if err != nil {
		return err
	}
	ev := reconcile.Evidence{Unit: unit, Claimed: c.Bool("claimed-done"), Replay: c.Bool("replay"), Given: c.Bool("oracle-shipped")}
	if err := reconcile.CheckUnit(ev.Unit); err != nil {
		return usagef("%w", err)
	}
	if err := reconcileOracle(c); err != nil {
		return err
	}
	var seen trunkSeen
	if !ev.Replay {
		a, err := reconcileShip(c, ev.Unit)
		if err != nil {
			return err
		}
		ev.Ship, seen = a.Verdict, trunkSeen{AsOf: a.AsOf, from: a.from}
	}
	return answer(c, reconcileAnswer{reconcile.Decide(ev), seen})
}

// A reconcileAnswer is the verdict and, in a fleet, as of when it is known to
// hold.
type reconcileAnswer struct {
	reconcile.Verdict
	trunkSeen
}

func (a reconcileAnswer) String() string {
	if line := a.line(); line != "" {
		return a.Verdict.String() + "\n" + line
	}
	return a.Verdict.String()
}

// reconcileUnit reads UNIT. PLAN PHASE, and --plan with --phase and no UNIT, are
// the unit PLAN/PHASE.
func reconcileUnit(c *cli.Context) (string, error) {
	plan, phase := c.String("plan"), c.String("phase")
	switch {
	case c.NArg() == 1:
		return c.Args().First(), nil
	case c.NArg() == 2 && (c.IsSet("plan") || c.IsSet("phase")):
		return "", usagef("PLAN PHASE and --plan or --phase say the same thing twice").hint("leave one of them out")
	case c.NArg() == 2:
		plan, phase = c.Args().Get(0), c.Args().Get(1)
	case c.NArg() > 2 || !c.IsSet("plan") && !c.IsSet("phase"):
		return "", usagef("want UNIT, or PLAN and PHASE, have %d arguments", c.NArg())
	case !c.IsSet("plan") || !c.IsSet("phase"):
		return "", usagef("--plan and --phase go together")
	}
	if plan == "" || phase == "" {
		return "", usagef("the plan or the phase is empty")
	}
	return plan + "/" + phase, nil
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
func reconcileShip(c *cli.Context, unit string) (shipAnswer, error) {
	if c.IsSet("ref") && c.String("ref") == "" {
		return shipAnswer{}, usagef("--ref is empty").hint("name a ref, or leave the flag out to walk the trunk")
	}
	if c.IsSet("plan") != c.IsSet("phase") {
		return shipAnswer{}, usagef("--plan and --phase go together")
	}
	if c.IsSet("plan") && (c.String("plan") == "" || c.String("phase") == "") {
		return shipAnswer{}, usagef("--plan or --phase is empty")
	}
	plan, phase := c.String("plan"), c.String("phase")
	if c.NArg() == 2 {
		plan, phase = c.Args().Get(0), c.Args().Get(1)
	}
	plan, phase, err := reconcile.Bind(unit, plan, phase)
	if err != nil {
		return shipAnswer{}, usagef("%w", err).hint("write PLAN/PHASE, or PLAN PHASE, or name both with --plan and --phase")
	}
	floor, err := ship.ParseFloor(c.String("floor"))
	if err != nil {
		return shipAnswer{}, usagef("%w", err)
	}
	repo, err := openRepo(c)
	if err != nil {
		return shipAnswer{}, err
	}
	q := &shipQuestion{repo: repo, req: facts.ShipRequest{Plan: plan, Phase: phase, ShipScope: facts.ShipScope{Ref: c.String("ref"), Floor: floor}}, cached: c.Bool("cached")}
	a, err := q.ask(c.Context)
	if err != nil {
		return shipAnswer{}, verifyError(err)
	}
	if a.Outcome == ship.Indeterminate {
		return shipAnswer{}, reconcileUnknown(a)
	}
	return a, nil
}

func reconcileUnknown(a shipAnswer) error {
	err := errorf(kindIndeterminate, "no verdict: whether %s/%s shipped cannot be told (INDETERMINATE): %w", a.Plan, a.Phase, errors.New(a.Reason))
	if a.Next != "" {
		return err.hint("%s", a.Next)
	}
	return err.hint("git dos verify asks the same question and shows what was found")
}
