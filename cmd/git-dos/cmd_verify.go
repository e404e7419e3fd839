package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func verifyVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "verify",
			Usage:     "did this phase of this plan ship?",
			ArgsUsage: "PLAN PHASE | PLAN/PHASE",
			Description: "Reads every commit that the trunk reaches, or REF with --ref, and believes only commits:\n" +
				"one must name the unit, change something substantive, stand unreverted, and be a witness no\n" +
				"weaker than the floor. It names it by a trailer Dos-Ship: PLAN/PHASE, or by a subject that\n" +
				"begins PLAN: PHASE; docs/ships.md lists the forms. The floor is subject-in-tree where the\n" +
				"lane of the unit is known, else subject. When the answer is no, --explain says why.\n\n" +
				"The trunk is [trunk] ref of dos.toml; without one the HEAD of the remote or, outside a fleet\n" +
				"and where that is not known, the current branch. The rules come from the dos.toml committed\n" +
				"there; the work tree's counts only where it has none. In a fleet a SHIPPED was seen within\n" +
				"[fleet] interval, and any other answer follows a fresh look at the remote: at its lanes, and\n" +
				"at the trunk unless --ref names another.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "ref", Usage: "walk `REF` instead of the trunk"},
				&cli.StringFlag{Name: "floor", Usage: "the least `WITNESS` that counts: ledger, signed, trailer, subject-in-tree, subject or mention"},
				&cli.StringFlag{Name: "plan-doc", Usage: "also take evidence from the plan document at `PATH` in the tree of the ref"},
				&cli.BoolFlag{Name: "explain", Usage: "list every commit that holds the phase, and why it counts or does not"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
			},
			Action: verify,
		},
		statuses: map[string][]status{
			"verify": {
				{Code: verdict.Yes, Outcome: string(ship.Shipped), Meaning: "a commit on the ref ships the unit"},
				{Code: verdict.No, Outcome: string(ship.NotShipped), Meaning: "no commit on the ref ships it"},
				{Code: 4, Outcome: string(ship.Indeterminate), Meaning: "history is not all here, or the remote cannot be reached, so neither can be said"},
			},
		},
	}
}

func verify(c *cli.Context) error {
	plan, phase, err := unitArguments(c)
	if err != nil {
		return err
	}
	if c.IsSet("ref") && c.String("ref") == "" {
		return usagef("--ref is empty").hint("name a ref, or leave the flag out to walk the trunk")
	}
	if c.IsSet("floor") && c.String("floor") == "" {
		return usagef("--floor is empty").hint("name a witness, or leave the flag out for the floor of dos.toml")
	}
	floor, err := ship.ParseFloor(c.String("floor"))
	if err != nil {
		return usagef("%w", err)
	}
	if c.IsSet("plan-doc") && c.String("plan-doc") == "" {
		return usagef("--plan-doc is empty").hint("name a file as git ls-files does, from the top of the repository")
	}
	req := facts.ShipRequest{Plan: plan, Phase: phase, ShipScope: facts.ShipScope{
		Ref: c.String("ref"), Floor: floor, PlanDoc: c.String("plan-doc"), Explain: c.Bool("explain"),
	}}

	repo, err := refstore.OpenAhead(c.Context, workspace(c), refstore.Ahead{Kinds: admit.LaneKinds(), Files: true})
	if err != nil {
		return repoError(err)
	}
	q := &shipQuestion{repo: repo, req: req, cached: c.Bool("cached")}
	v, err := q.ask(c.Context)
	if err != nil {
		return verifyError(err)
	}
	return answer(c, v)
}

// unitArguments reads PLAN PHASE, or PLAN/PHASE split at the last slash, which
// is how trailers and messages write a unit.
func unitArguments(c *cli.Context) (plan, phase string, err error) {
	first := c.Args().Get(0)
	if i := strings.LastIndexByte(first, '/'); c.NArg() == 1 && i >= 0 {
		return first[:i], first[i+1:], nil
	}
	if c.NArg() != 2 {
		return "", "", usagef("want PLAN and PHASE, or PLAN/PHASE, have %s", verdict.Count(c.NArg(), "argument"))
	}
	return first, c.Args().Get(1), nil
}

func verifyError(err error) error {
	var bad *facts.ShipRequestError
	switch {
	case errors.As(err, &bad):
		return usagef("%w", err)
	case errors.Is(err, ancestry.ErrNoRevision):
		return usagef("%w", err).hint("git branch --all lists the branches; git fetch brings a remote's")
	}
	return deskError(err)
}
