package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/suite"
	"github.com/git-dos/git-dos/kernel/mergegate"
	"github.com/git-dos/git-dos/kernel/verdict"
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
				"tests that the branch changes must also fail without the rest of it, which takes a second run.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "into", Usage: "what it is to be merged into, by default `REF` = the trunk"},
				&cli.BoolFlag{Name: "require-test-witness", Usage: "refuse unless the branch's tests fail without its other changes"},
				&cli.BoolFlag{Name: "no-suite", Usage: "do not run the suite; the answer says so"},
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
	evidence, err := facts.MergeGate(c.Context, repo, req)
	if err != nil {
		return mergeGateError(err)
	}
	return answer(c, mergegate.Decide(evidence))
}

func mergeGateError(err error) error {
	var nothing *facts.MergeGateError
	switch {
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
