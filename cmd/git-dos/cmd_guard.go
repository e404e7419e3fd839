package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/guard"
)

func guardVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "guard",
			Usage:     "may this command line be run, as far as it uses git?",
			ArgsUsage: "[-- COMMAND [ARG]...]",
			Description: "Judges a command line and runs nothing. It is given as words behind --, as a program gets them; or,\n" +
				"without words, on standard input, as the call of a tool in JSON: the event of a hook with tool_input,\n" +
				"a call with input, or an object with command (for a shell) or argv (words).\n\n" +
				"deny: it overwrites, deletes or makes anew what others have, takes in or throws away changes of others\n" +
				"in the same work tree, goes round the gates, leaves the trunk, moves refs by hand, or is for a person:\n" +
				"--force and --operator of git dos. Lists, pipes, substitutions, sh -c, env, xargs and their like are\n" +
				"looked into. unknown: what decides is a variable, an alias, a script from elsewhere, or no text: never a\n" +
				"yes. Each comes with what to run instead.\n\n" +
				"allow says nothing about programs that are not git, and nothing about scripts in files.",
			Action: guardLine,
		},
		statuses: map[string][]status{
			"guard": {
				{Code: 0, Outcome: string(guard.Allow), Meaning: "no use of git in it that is known to do harm"},
				{Code: 3, Outcome: string(guard.Deny), Meaning: "it uses git in a way that is forbidden"},
				{Code: 4, Outcome: string(guard.Unknown), Meaning: "what it does cannot be told before it runs"},
			},
		},
	}
}

func guardLine(c *cli.Context) error {
	if c.NArg() > 0 {
		return answer(c, guard.Decide(guard.Evidence{Argv: c.Args().Slice()}))
	}
	data, err := readInput(c, c.App.Reader, maxGuardCall)
	if err != nil {
		return environmentf("standard input: %w", err)
	}
	ev, err := guardCall(data)
	if err != nil {
		return usagef("standard input: %w", err).
			hint(`send {"command":"git status"} or another call of a tool, or give the words: git dos guard -- git status`)
	}
	return answer(c, guard.Decide(ev))
}
