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
				"UNDER_CLAIM. The files are those that paths.plans_glob names, or each FILE, as committed on the\n" +
				"trunk, or on REF with --ref; the work tree is not read. A FILE is named as for git, from where one\n" +
				"stands. Without --check the board is printed and the status is 0 whatever it says.\n\n" +
				"What is read:\n" +
				"  ## 3. PLAN PHASE — title    opens a plan with its first phase; level 2 to 4, number and full stop\n" +
				"  - **PHASE — title**         below it, one more phase; the bold may end before the dash\n" +
				"A PHASE has a letter and a digit, as AUTH2, or is \"Phase 2\". The dash is an em or en dash, or one to\n" +
				"three hyphens, and stands alone (an em dash need not). Code fences are not read, HTML comments are.\n" +
				"What looks like a plan or phase and has another form is listed as not read.\n\n" +
				"What it claims, in the text up to the next phase or heading, in capitals, as whole words:\n" +
				"  shipped  SHIPPED, unless \"not\" or \"never\" stands before it\n" +
				"  blocked  SOAK, SOAKING, BLOCKED, AWAITING, GATED or DEFERRED\n" +
				"  open     none of these",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "check", Usage: "exit 3 when a claim differs from history, 2 when one cannot be told, or there is none to check"},
				&cli.StringFlag{Name: "ref", Usage: "read the plans and walk history at `REF` instead of the trunk"},
				&cli.StringFlag{Name: "floor", Usage: "the least `WITNESS` that counts, as in git dos verify"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
			},
			Action: planBoard,
		},
		statuses: map[string][]status{
			"plan": {
				{Code: verdict.Yes, Outcome: string(plan.Agrees), Meaning: "every claim agrees with history"},
				{Code: verdict.Yes, Outcome: string(plan.Diverges), Meaning: "without --check: some claim differs from history"},
				{Code: verdict.Yes, Outcome: string(plan.Unknown), Meaning: "without --check: some claim cannot be told; with --check this is no verdict"},
				{Code: verdict.Yes, Outcome: string(plan.Nothing), Meaning: "without --check: no plan file has a phase that is read; with --check this is no verdict"},
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
	a.Ref, a.RefID, a.Files = plans.Ref, plans.RefID, append([]string{}, plans.Files...)
	a.Glob, a.Loose, a.Unread, a.UnreadTotal = plans.Glob, plans.Loose, plans.Unread, plans.UnreadTotal
	if at := desk.AsOf(trunk); !at.IsZero() {
		a.AsOf = &at
	}
	if c.Bool("check") {
		a.Board = a.Strict()
	}
	if a.ExitCode() == verdict.NoVerdict {
		return planUnchecked(a)
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

// planUnchecked is the error of a check that can be neither passed nor failed.
func planUnchecked(a planAnswer) error {
	if a.Outcome == plan.Nothing {
		return usagef("there is nothing to check: %s", a.Idle()).
			hint("git dos plan -h shows the forms that are read; paths.plans_glob of dos.toml, or FILE, says which files are")
	}
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
		return usagef("%w", err).hint("name a file as for git, from the current directory; git ls-tree -r --name-only REF lists those of a ref")
	case errors.As(err, &file):
		return environmentf("plan file %w", err).hint("correct the file, or name the others as FILE arguments")
	case errors.Is(err, ancestry.ErrMissing):
		return errorf(kindIndeterminate, "%w", err).hint("fetch what is missing: git fetch --unshallow, or git fetch in a partial clone")
	}
	return verifyError(err)
}
