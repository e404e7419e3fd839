package main

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// improveNarration bounds what a worker says of its change.
const improveNarration = 4 << 10

func improveVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "improve",
			Usage: "is this change worth keeping?",
			Description: "Keeps a change that leaves the suite green, the truth clean and more work than the baseline. What\n" +
				"is neither said nor proved counts as not so: without --suite-passed and --truth-clean nothing is\n" +
				"kept. The work is --work, a number of the caller's, or how many of the units named with --unit\n" +
				"git dos reconcile would call VERIFIED: then it is read from history, each unit counts once, and a\n" +
				"unit that cannot be told either way leaves no verdict.\n\n" +
				"A caller keeps two numbers: the baseline, which is the work of the last change that was kept, and\n" +
				"next_consecutive_reverts, which is given as --consecutive-reverts. The bounds are [improve] of\n" +
				"dos.toml. Nothing is stored, kept or reverted.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "suite-passed", Usage: "the suite passed after the change"},
				&cli.BoolFlag{Name: "truth-clean", Usage: "no claim of the change was found not to hold"},
				&cli.StringFlag{Name: "work", Usage: "the work after the change is `N`"},
				&cli.StringSliceFlag{Name: "unit", Usage: "the work is how many of these are verified: `UNIT`; can be given again"},
				&cli.StringFlag{Name: "baseline-work", Usage: "the work before it is `N`"},
				&cli.StringFlag{Name: "consecutive-reverts", Usage: "so many changes before it were not kept: `N`, by default 0"},
				&cli.StringFlag{Name: "max-reverts", Usage: "escalate at `N` reverts in a row, in place of improve.max_consecutive_reverts"},
				&cli.StringFlag{Name: "tokens", Usage: "it cost `N` tokens, by default not known"},
				&cli.StringFlag{Name: "narrated", Usage: "what the worker says of it: `TEXT`, repeated and never read"},
				&cli.BoolFlag{Name: "cached", Usage: "with --unit: answer from what was last seen of the remote, however old, and say as of when"},
			},
			Action: improveChange,
		},
		statuses: map[string][]status{"improve": {
			{Code: verdict.Yes, Outcome: string(improve.Keep), Meaning: "it is better than the baseline: keep it, and raise that"},
			{Code: 3, Outcome: string(improve.Revert), Meaning: "it is not: take it back"},
			{Code: 4, Outcome: string(improve.Escalate), Meaning: "it is not, and it was so too often: a human decides"},
		}},
	}
}

// An improveAnswer is the verdict and, where the work was read from history,
// of which units, and in a fleet as of when.
type improveAnswer struct {
	improve.Verdict
	Verified []string `json:"verified,omitzero"`
	Residual []string `json:"residual,omitzero"`
	trunkSeen
}

func (a improveAnswer) String() string {
	text := a.Verdict.String()
	if len(a.Residual) > 0 {
		text += "\n  not verified  " + strings.Join(a.Residual, " ")
	}
	if line := a.line(); line != "" {
		text += "\n" + line
	}
	return text
}

func improveChange(c *cli.Context) error {
	ev, err := improveFlags(c)
	if err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	var a improveAnswer
	if len(c.StringSlice("unit")) == 0 {
		rules, err := facts.LoadRules(c.Context, repo)
		if err != nil {
			return deskError(err)
		}
		ev.Policy = improvePolicy(rules, ev.Policy.MaxReverts)
	} else {
		desk, _, err := planDesk(c, repo)
		if err != nil {
			return planError(err)
		}
		proved, err := facts.Prove(c.Context, repo, c.StringSlice("unit"), facts.ShipScope{Ledger: desk.Ships})
		if err != nil {
			return improveError(err)
		}
		ev.Policy, ev.Work = improvePolicy(desk.Rules, ev.Policy.MaxReverts), int64(len(proved.Verified))
		a.Verified, a.Residual, a.trunkSeen = proved.Verified, proved.Residual, improveSeen(desk)
	}
	a.Verdict = improve.Decide(ev)
	if err := a.Err(); err != nil {
		return usagef("%w", err)
	}
	return answer(c, a)
}

// improveFlags reads what the caller says. Of the policy it holds no more than
// a bound that was stated.
func improveFlags(c *cli.Context) (improve.Evidence, error) {
	if err := noArguments(c); err != nil {
		return improve.Evidence{}, err
	}
	ev := improve.Evidence{SuitePassed: c.Bool("suite-passed"), TruthClean: c.Bool("truth-clean"), Narrated: c.String("narrated")}
	switch units := c.IsSet("unit"); {
	case units == c.IsSet("work"):
		return ev, usagef("want one of --work and --unit").hint("--work N is a number of yours, --unit PLAN/PHASE is read from history")
	case !c.IsSet("baseline-work"):
		return ev, usagef("--baseline-work is missing").hint("it is the work of the last change that was kept, 0 before the first")
	case c.Bool("cached") && !units:
		return ev, usagef("--cached is about --unit, and none is given")
	case len(ev.Narrated) > improveNarration || !utf8.ValidString(ev.Narrated):
		return ev, usagef("--narrated is longer than %d bytes, or is not UTF-8", improveNarration)
	}
	err := wholeFlags(c, 0, map[string]*int64{
		"work": &ev.Work, "baseline-work": &ev.Baseline, "consecutive-reverts": &ev.Reverts, "tokens": &ev.Tokens,
	})
	if err == nil {
		err = wholeFlags(c, 1, map[string]*int64{"max-reverts": &ev.Policy.MaxReverts})
	}
	return ev, err
}

// improvePolicy is that of the rules in force, with the bound that was stated.
func improvePolicy(r facts.Rules, stated int64) improve.Policy {
	by := r.Policy.Improve
	p := improve.Policy{MaxReverts: int64(by.MaxConsecutiveReverts), Floor: by.EfficiencyFloor, MinTokens: by.MinTokensForEfficiency}
	if stated > 0 {
		p.MaxReverts = stated
	}
	return p
}

func improveSeen(desk *admit.Desk) trunkSeen {
	s := trunkSeen{from: desk.Remote()}
	if at := desk.AsOf(true); !at.IsZero() {
		s.AsOf = &at
	}
	return s
}

func improveError(err error) error {
	var undecided *facts.UndecidedError
	if errors.As(err, &undecided) {
		return errorf(kindIndeterminate, "%w", err).hint("git dos verify asks about that unit and shows what was found")
	}
	return planError(err)
}
