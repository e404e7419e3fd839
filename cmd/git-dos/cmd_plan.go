package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func planVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "plan",
			Usage:     "do the plan files say what history says?",
			ArgsUsage: "[FILE...]",
			Description: "Lists the phases of the plan files with what they claim and what git dos verify finds. A phase\n" +
				"that says SHIPPED and is not is an OVER_CLAIM, one that is shipped and does not say so an\n" +
				"UNDER_CLAIM. The files are those that paths.plans_glob names, or each FILE by its path from the\n" +
				"root, as committed on the trunk, or on REF with --ref; the work tree is not read. Phases stand in\n" +
				"headings \"## 3. PLAN PHASE — title\" and in bullets \"- **PHASE — title**\" below one.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "check", Usage: "exit 3 when a claim differs from history, 2 when one cannot be told"},
				&cli.StringFlag{Name: "ref", Usage: "read the plans and walk history at `REF` instead of the trunk"},
				&cli.StringFlag{Name: "floor", Usage: "the least `WITNESS` that counts, as in git dos verify"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
			},
			Action: planBoard,
		},
		statuses: map[string][]status{
			"plan": {
				{Code: verdict.Yes, Meaning: "the board is printed; with --check, every claim agrees with history"},
				{Code: 3, Outcome: string(plan.Diverges), Meaning: "with --check: a claim differs from history"},
			},
		},
	}
}

// A planAnswer is the board and, in a fleet, as of when it is known to hold.
type planAnswer struct {
	plan.Board
	AsOf *time.Time `json:"as_of,omitempty"`

	from string // the fleet's remote, "" without one
}

func (a planAnswer) String() string {
	s := a.Board.String()
	switch {
	case a.from == "":
		return s
	case a.AsOf == nil:
		return s + "as of a time not on record on " + a.from
	}
	return s + fmt.Sprintf("as of %s on %s", a.AsOf.Format(time.RFC3339), a.from)
}

func planBoard(c *cli.Context) error {
	if c.IsSet("ref") && c.String("ref") == "" {
		return usagef("--ref is empty").hint("name a ref, or leave the flag out to read the trunk")
	}
	floor, err := ship.ParseFloor(c.String("floor"))
	if err != nil {
		return usagef("%w", err)
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	desk, trunk, err := planDesk(c, repo)
	if err != nil {
		return planError(err)
	}
	plans, err := facts.ReadPlans(c.Context, repo, c.String("ref"), c.Args().Slice())
	if err != nil {
		return planError(err)
	}
	truths, err := planTruths(c.Context, repo, plans, facts.ShipScope{Floor: floor, Ledger: desk.Ships})
	if err != nil {
		return planError(err)
	}
	a := planAnswer{Board: plan.Decide(plans.Units, truths), from: desk.Remote()}
	a.Ref, a.RefID, a.Files, a.Loose = plans.Ref, plans.RefID, append([]string{}, plans.Files...), plans.Loose
	if at := desk.AsOf(trunk); !at.IsZero() {
		a.AsOf = &at
	}
	if c.Bool("check") {
		a.Board = a.Strict()
	}
	if a.ExitCode() == verdict.NoVerdict {
		return planUnknown(a)
	}
	return answer(c, a)
}

// planDesk opens the ledger. In a fleet it looks at the remote afresh, at its
// lanes and, unless another ref is named, at the trunk: hardly a board is
// without a no, and a no is never a stale one.
func planDesk(c *cli.Context, repo *refstore.Repo) (desk *admit.Desk, trunk bool, err error) {
	if desk, err = admit.Open(c.Context, repo, time.Now); err != nil {
		return nil, false, err
	}
	ref := c.String("ref")
	trunk = ref == "" || ancestry.FullName(c.Context, repo.Git, ref) == desk.Rules.Trunk.Ref
	if desk.Remote() == "" || c.Bool("cached") {
		return desk, trunk, nil
	}
	if err = desk.Refresh(c.Context, trunk); admit.Unreachable(err) {
		err = errorf(kindIndeterminate, "%s could not be asked: %w", desk.Remote(), err).
			hint("see that git fetch %s works and ask again; --cached answers from what is here", desk.Remote())
	}
	return desk, trunk, err
}

// planTruths asks verify's question about every unit, at the very commit that
// the plans were read from.
func planTruths(ctx context.Context, repo *refstore.Repo, plans facts.Plans, scope facts.ShipScope) ([]plan.Truth, error) {
	if len(plans.Units) == 0 {
		return nil, nil
	}
	scope.Ref = plans.RefID
	units := make([]facts.Unit, len(plans.Units))
	for i, u := range plans.Units {
		units[i] = facts.Unit{Plan: u.Plan, Phase: u.Phase}
	}
	evidence, err := facts.Ships(ctx, repo, units, scope)
	if err != nil {
		return nil, err
	}
	truths := make([]plan.Truth, len(evidence))
	for i, ev := range evidence {
		v := ship.Decide(ev)
		truths[i] = plan.Truth{Outcome: string(v.Outcome), Rung: string(v.Rung), Sha: v.Sha, Reason: v.Reason}
	}
	return truths, nil
}

// planUnknown is the error of a check that cannot be passed or failed.
func planUnknown(a planAnswer) error {
	for _, l := range a.Units {
		if l.Truth == plan.Indeterminate {
			return errorf(kindIndeterminate, "of %d units %d cannot be told, the first %s/%s: %w", len(a.Units), a.Unknowns, l.Plan, l.Phase, errors.New(l.Reason)).
				hint("git dos plan without --check shows the board as far as it is known")
		}
	}
	return errorf(kindIndeterminate, "no verdict was reached")
}

func planError(err error) error {
	var file *facts.PlanFileError
	switch {
	case asCmdError(err) != nil:
		return err
	case errors.As(err, &file) && file.Absent:
		return usagef("%w", err).hint("git ls-tree -r --name-only REF lists the files of a ref; a path begins at the root of the tree")
	case errors.As(err, &file):
		return environmentf("plan file %w", err).hint("correct the file, or name the others as FILE arguments")
	case errors.Is(err, ancestry.ErrMissing):
		return errorf(kindIndeterminate, "%w", err).hint("fetch what is missing: git fetch --unshallow, or git fetch in a partial clone")
	}
	return verifyError(err)
}
