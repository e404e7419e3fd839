package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/setup"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func doctorVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "doctor",
			Usage: "look for what keeps git-dos from working here",
			Description: "Looks at git, the repository, dos.toml, the refs and the files beside them. It changes nothing\n" +
				"and reaches no remote. An error keeps some verb from working; remedies are shown, never run.",
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "exit 1 when there is an error"}},
			Action: doctor,
		},
		statuses: map[string][]status{
			"doctor": {
				{Code: verdict.Yes, Meaning: "the checks are printed; with --check, none is an error"},
				{Code: verdict.No, Meaning: "with --check: at least one check is an error"},
			},
		},
	}
}

func doctor(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	found, err := setup.Examine(c.Context, workspace(c), func() time.Time { return now(c) })
	if err != nil {
		return err
	}
	if c.Bool("check") {
		found = found.Strict()
	}
	return answer(c, found)
}
