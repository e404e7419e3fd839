package main

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// hooksPatience is how long git may take before it begins to speak to a hook.
const hooksPatience = 10 * time.Second

func hooksChainCommand() verb {
	return verb{
		command: &cli.Command{
			Name:      "chain",
			Usage:     "run another tool's hook and ours; called by what install wrote",
			ArgsUsage: "HOOK FILE [ARGUMENT...]",
			Description: "Reads what git says to the hook, and gives it to the other hook and to git dos hook HOOK, each with the\n" +
				"same arguments. The status is the first that is not 0, and what comes after is not run. FILE is what\n" +
				"git started.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "before", Usage: "the other hook is `FILE`, and is run first"},
				&cli.StringFlag{Name: "after", Usage: "the other hook is `FILE`, and is run last"},
				&cli.StringFlag{Name: "program", Usage: "the git-dos to call as `FILE`"},
			},
			Action: hooksChain,
		},
		statuses: map[string][]status{"hooks chain": {
			{Code: verdict.Yes, Meaning: "both let it pass"},
			{Code: verdict.No, Meaning: "one of them refused; the status is its own"},
		}},
	}
}

func hooksChain(c *cli.Context) error {
	args := c.Args().Slice()
	before, after := c.String("before"), c.String("after")
	if len(args) < 2 || !hookset.Known(args[0]) || (before == "") == (after == "") || c.String("program") == "" {
		return usagef("HOOK, FILE, --program and one of --before and --after are needed").
			hint("git runs this by way of its hooks; git dos hooks install writes them")
	}
	if isTerminal(c.App.Reader) && hookset.ReadsInput(args[0]) {
		return usagef("%s expects lines from git on standard input, and this is a terminal", args[0]).
			hint("git runs it; git push --dry-run tries pre-push")
	}
	chain := hookset.Chain{
		Hook: args[0], Zero: args[1], Args: args[2:], Order: hookset.First, Chained: before, Program: c.String("program"),
		Patience: hooksPatience, In: c.App.Reader, Out: c.App.Writer, Err: c.App.ErrWriter,
	}
	if after != "" {
		chain.Order, chain.Chained = hookset.Last, after
	}
	code, err := chain.Run(c.Context)
	switch {
	case errors.Is(err, hookset.ErrNoInput):
		return environmentf("%s: %w", args[0], err).hint("whatever runs the hook is to pass its standard input on, or to close it")
	case err != nil:
		return environmentf("%s: %w", args[0], err)
	case code != 0:
		return answered(code)
	}
	return nil
}
