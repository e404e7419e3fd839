package main

import (
	"strconv"
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
				"and reaches no remote. An error keeps some verb from working; remedies are shown, never run.\n\n" +
				"With --json it also says what a worker should not assume: the lanes, paths and rules in force,\n" +
				"which in a fleet are the trunk's, and what each exit status means. What cannot be told is null.",
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
	found.ExitCodes = doctorExitCodes(tableOf(allVerbs()))
	if c.Bool("check") {
		found = found.Strict()
	}
	return answer(c, found)
}

// doctorExitCodes is the table of exit-codes by verb and status. A status with
// several outcomes has them joined, one without any its meaning.
func doctorExitCodes(t exitCodeTable) map[string]map[string]string {
	byVerb := map[string]map[string]string{}
	for _, r := range t.ExitCodes {
		codes := byVerb[r.Verb]
		if codes == nil {
			codes = map[string]string{}
			byVerb[r.Verb] = codes
		}
		word, code := firstOf(r.Outcome, r.Meaning), strconv.Itoa(r.Status)
		if had := codes[code]; had != "" {
			word = had + ", " + word
		}
		codes[code] = word
	}
	return byVerb
}
