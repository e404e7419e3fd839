package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/suite"
	"github.com/git-dos/git-dos/kernel/mergegate"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func mergeGateVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "merge-gate",
			Usage:     "may this branch be merged?",
			ArgsUsage: "BRANCH",
			Description: "Looks at the branch itself and believes nobody: gates.trunk_would_not_compile.command is run on\n" +
				"what the merge would be, in a clean checkout of its own; every Dos-Ship trailer of the branch\n" +
				"must be a ship; every commit is audited as git dos commit-audit does. The command and the rules\n" +
				"come from the dos.toml committed where the branch is to go. Without a command there the suite\n" +
				"has not run, which refuses unless --no-suite leaves it out. With --require-test-witness the\n" +
				"tests that the branch changes must also fail without the rest of it, which takes a second run.\n" +
				"In a fleet it looks at the remote's trunk afresh first, and has no verdict without that.\n" +
				"\n" +
				"The causes: merge-conflict (it does not merge), suite-red (the command failed on the merge),\n" +
				"suite-unrun (there is no command), truth-dirty (a Dos-Ship trailer names a unit that its commit\n" +
				"does not ship), audit-unwitnessed (a commit claims what its diff does not carry) and\n" +
				"test-not-witnessed (the tests do not tell the merge from the trunk).\n" +
				"\n" +
				"Without --into the trunk must be known from elsewhere than the branch: by the fleet, by the HEAD\n" +
				"(else main or master) of the remote, because what is checked out is on it, or by the main worktree\n" +
				"or the branch of init.defaultBranch, whose committed dos.toml must name it too.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "into", Usage: "what it is to be merged into, by default `REF` = the trunk"},
				&cli.BoolFlag{Name: "require-test-witness", Usage: "refuse unless the branch's tests fail without its other changes"},
				&cli.BoolFlag{Name: "no-suite", Usage: "do not run the suite; the answer says so"},
				&cli.BoolFlag{Name: "cached", Usage: "judge by the trunk as last seen of the remote, however old, and say as of when"},
			},
			Action: mergeGate,
		},
		statuses: map[string][]status{
			"merge-gate": {
				{Code: verdict.Yes, Outcome: string(mergegate.Clean), Meaning: "nothing speaks against the merge"},
				{Code: 3, Outcome: string(mergegate.Refuse), Meaning: "it is refused; refuse_causes names every cause"},
			},
		},
	}
}

func mergeGate(c *cli.Context) error {
	switch {
	case c.NArg() != 1:
		return usagef("want one BRANCH, have %d arguments", c.NArg())
	case c.Args().First() == "":
		return usagef("BRANCH is empty")
	case c.IsSet("into") && c.String("into") == "":
		return usagef("--into is empty").hint("name a ref, or leave the flag out for the trunk")
	case c.Bool("no-suite") && c.Bool("require-test-witness"):
		return usagef("--require-test-witness runs the suite, and --no-suite leaves it out")
	}
	req := facts.MergeGateRequest{Branch: c.Args().First(), Into: c.String("into"), NoSuite: c.Bool("no-suite"), TestWitness: c.Bool("require-test-witness")}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	view, err := mergeGateView(c, repo, req)
	if err != nil {
		return mergeGateError(err)
	}
	evidence, err := facts.MergeGate(c.Context, repo, req)
	if err != nil {
		return mergeGateError(err)
	}
	return answer(c, mergeGateAnswer{mergegate.Decide(evidence), view.seen()})
}

// mergeGateView looks at a fleet's trunk afresh: what merges into a trunk of
// yesterday may not merge today.
func mergeGateView(c *cli.Context, repo *refstore.Repo, req facts.MergeGateRequest) (trunkView, error) {
	if _, err := ancestry.Resolve(c.Context, repo.Git, req.Branch); err != nil {
		return trunkView{}, err // nobody need be asked about a branch that is not there
	}
	view, err := viewTrunk(c.Context, repo, req.Into)
	if err != nil || !view.fleet() || c.Bool("cached") {
		return view, err
	}
	if err := view.refresh(c.Context); admit.Unreachable(err) {
		return view, view.unseen(err)
	} else if err != nil {
		return view, err
	}
	return view, nil
}

// A mergeGateAnswer is the verdict and, in a fleet, as of when the trunk is known.
type mergeGateAnswer struct {
	mergegate.Verdict
	trunkSeen
}

func (a mergeGateAnswer) String() string { return a.Verdict.String() + a.line() }

func mergeGateError(err error) error {
	var nothing *facts.MergeGateError
	switch {
	case asCmdError(err) != nil:
		return err
	case errors.As(err, &nothing):
		e := usagef("%w", err)
		if nothing.Hint != "" {
			e = e.hint("%s", nothing.Hint)
		}
		return e
	case errors.Is(err, ancestry.ErrUnborn):
		return usagef("%w", err).hint("commit to it first")
	case errors.Is(err, ancestry.ErrMissing):
		return errorf(kindIndeterminate, "%w", err).hint("git fetch --unshallow brings the rest of a shallow history; git fsck names what is missing")
	case errors.Is(err, suite.ErrMissing):
		return errorf(kindIndeterminate, "%w", err).hint("git fsck names what is missing; a partial clone fetches it with git checkout")
	case errors.Is(err, suite.ErrNoProgram):
		return environmentf("%w", err).hint("install it, or run the gate where it is installed")
	}
	return verifyError(err)
}
