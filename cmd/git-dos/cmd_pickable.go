package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func pickableVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "pickable",
			Usage:     "may this unit be offered now?",
			ArgsUsage: "UNIT | PLAN PHASE",
			Description: "Looks for what keeps a unit from being offered, and answers with the first that stands, in this order:\n" +
				"status 25, 24, 20 to 22, 10 to 13, 23. Those of 10 to 13 stand however often it is offered.\n\n" +
				"SHIPPED is what git dos verify says. IN_FLIGHT, SOFT_CLAIMED_ELSEWHERE and STALE_CLAIM come from\n" +
				"leases that name the unit (held or parked, waiting, lapsed) and from workers that were started\n" +
				"for it within [supervise] pending_window; COOLDOWN from git dos attempt. The others stand in the\n" +
				"plan documents at the trunk, in the text of the phase:\n" +
				"  DRAFT                                 the class; or front matter with status: draft\n" +
				"  BLOCKED, AWAITING, GATED, DEFERRED    it waits for an operator\n" +
				"  SOAK, SOAKING                         it waits for time to pass\n" +
				"  Depends on: PHASE, PLAN/PHASE         units that must have shipped\n" +
				"The words count in capitals, unless \"not\" or \"never\" stands before them.\n\n" +
				"What cannot be read is never free of holds: where no hold is known and something is not, there\n" +
				"is no verdict (exit 2, kind indeterminate). Units that depend on each other are an error. With\n" +
				"--state nothing is read: the answer is about the caller's word.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "state", Usage: "judge this state, as a `JSON` object or - for standard input"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
			},
			Action: pickableUnit,
		},
		statuses: map[string][]status{
			"pickable": {
				{Code: verdict.Yes, Outcome: string(pick.Offerable), Meaning: "nothing holds it"},
				{Code: 10, Outcome: string(pick.DraftClass), Meaning: "its plan is a draft: promote it"},
				{Code: 11, Outcome: string(pick.Gated), Meaning: "it waits for an operator's word"},
				{Code: 12, Outcome: string(pick.SoakOpen), Meaning: "it waits until a soak is over"},
				{Code: 13, Outcome: string(pick.Dependency), Meaning: "it waits for another unit to ship"},
				{Code: 20, Outcome: string(pick.InFlight), Meaning: "a lease names it"},
				{Code: 21, Outcome: string(pick.SoftClaimed), Meaning: "somebody is about to have a lease for it"},
				{Code: 22, Outcome: string(pick.StaleClaim), Meaning: "the lease that names it has lapsed: reclaim it"},
				{Code: 23, Outcome: string(pick.Cooling), Meaning: "it was tried just now"},
				{Code: 24, Outcome: string(pick.Unparseable), Meaning: "what stands about it cannot be understood"},
				{Code: 25, Outcome: string(pick.Shipped), Meaning: "it is done"},
			},
		},
	}
}

// A pickableAnswer is the verdict and, in a fleet, as of when it holds.
type pickableAnswer struct {
	pick.PickableVerdict
	lifeSeen
}

func (a pickableAnswer) String() string { return a.PickableVerdict.String() + a.line() }

func pickableUnit(c *cli.Context) error {
	if c.IsSet("state") {
		return pickableGiven(c)
	}
	unit, err := pickUnit(c)
	if err != nil {
		return err
	}
	plan, phase, err := reconcile.Bind(unit, "", "")
	if err != nil {
		return usagef("%w", err).hint("write PLAN/PHASE, or PLAN PHASE; or say with --state what is known of it")
	}
	b, err := pickableBook(c)
	if err != nil {
		return err
	}
	all, err := b.Pickable(c.Context, []facts.Unit{{Plan: plan, Phase: phase}})
	if err != nil {
		return pickableError(err)
	}
	v := pick.DecidePickable(all[0])
	if err := v.Err(); err != nil {
		return errorf(kindIndeterminate, "no verdict: %w", err).hint("git dos doctor and git dos journal check name what cannot be read; do not offer the unit before there is a verdict; a row that is none stands in its way as long as what it may tell of would")
	}
	return answer(c, pickableAnswer{v, lifeSeenAs(b)})
}

// pickableGiven judges the state that the caller gives.
func pickableGiven(c *cli.Context) error {
	unit, err := pickUnit(c)
	switch {
	case err != nil:
		return err
	case c.Bool("cached"):
		return usagef("--state is judged as it is given, so --cached means nothing")
	}
	data, err := pickInput(c, "state", pick.MaxState)
	if err != nil {
		return err
	}
	state, err := pick.ParseState(data)
	if err != nil {
		return usagef("--state: %w", err).hint("git dos pickable UNIT without it reads what is known")
	}
	return answer(c, pickableAnswer{PickableVerdict: pick.DecidePickable(pick.PickableEvidence{Unit: unit, State: state, NowMS: now(c).UnixMilli(), Given: true})})
}

// pickUnit reads UNIT; PLAN PHASE is the unit PLAN/PHASE.
func pickUnit(c *cli.Context) (string, error) {
	unit := c.Args().First()
	switch c.NArg() {
	case 1:
	case 2:
		if unit == "" || c.Args().Get(1) == "" {
			return "", usagef("the plan or the phase is empty")
		}
		unit += "/" + c.Args().Get(1)
	default:
		return "", usagef("want UNIT, or PLAN and PHASE, have %d arguments", c.NArg())
	}
	if err := pick.CheckUnit(unit); err != nil {
		return "", usagef("%w", err)
	}
	return unit, nil
}

// pickableBook opens the repository and reads what keeps units from being picked.
func pickableBook(c *cli.Context) (*life.Book, error) {
	repo, err := refstore.OpenAhead(c.Context, workspace(c), refstore.Ahead{Kinds: admit.LifeKinds()})
	if err != nil {
		return nil, repoError(err)
	}
	d, err := deskOf(c, repo, admit.Open)
	if err != nil {
		return nil, err
	}
	return pickBook(c, d)
}

// pickBook reads what keeps units from being picked, in a fleet after a fresh look
// at the trunk: a unit may be picked because it has not shipped, and that is never a
// stale no.
func pickBook(c *cli.Context, d *admit.Desk) (*life.Book, error) {
	if !c.Bool("cached") {
		if err := d.Refresh(c.Context, true); admit.Unreachable(err) {
			return nil, errorf(kindIndeterminate, "%s could not be asked: %w", d.Remote(), err).hint("%s", lookAgain(d.Remote()))
		} else if err != nil {
			return nil, deskError(err)
		}
	}
	b, err := life.Open(c.Context, d, c.Bool("cached"), life.AskAttempts(), life.AskSpawns(), life.AskLaunches())
	return b, lifeError(err)
}

func pickableError(err error) error {
	var cycle *facts.CycleError
	if errors.As(err, &cycle) {
		return usagef("%w", err).hint("correct \"Depends on:\" in the plan documents: none of them could ever be first")
	}
	return verifyError(err)
}
