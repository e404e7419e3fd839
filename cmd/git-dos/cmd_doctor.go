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
			Name:      "doctor",
			Usage:     "look for what keeps git-dos from working here",
			ArgsUsage: "[NAME]",
			Description: "Looks at git, the repository, dos.toml, the refs and the files beside them. By itself it changes\n" +
				"nothing and reaches no remote. An error keeps some verb from working; remedies are shown, never run.\n" +
				"docs/doctor.md lists every check by its number, which never changes.\n\n" +
				"With --fix it puts right what is provably git-dos's own, and says so: lock files that killed writers left\n" +
				"on refs of git-dos, temporary folders that killed processes left, the name of a clone that is a copy, hooks\n" +
				"that were installed and are gone or cannot be run. What others made or changed is left to them.\n\n" +
				"With --remote it also asks a remote, the fleet's or the one of that NAME, and tries out on scratch\n" +
				"refs below meta/probe- what git-dos needs of it: that it takes such refs, or branches in their\n" +
				"place, moves each only from where it was seen, and several together or not at all. Whether it lets\n" +
				"refs be moved back or deleted, and what its clock says, is told too. The scratch refs are deleted\n" +
				"where it lets them be; no other ref moves. Lock files that killed pushes left on a remote that is a\n" +
				"path of this machine are named, and with --fix removed.\n\n" +
				"With --json it also says what a worker should not assume: the lanes, paths and rules in force,\n" +
				"which in a fleet are the trunk's, and what each exit status means. What cannot be told is null.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "check", Usage: "exit 1 when there is an error"},
				&cli.BoolFlag{Name: "fix", Usage: "put right what is provably git-dos's own, with --remote there too"},
				&cli.BoolFlag{Name: "remote", Usage: "try out a remote too: the fleet's, or that of the NAME given as an argument"},
			},
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
	repair, err := doctorRepair(c)
	if err != nil {
		return err
	}
	clock := func() time.Time { return now(c) }
	examine := func() (setup.Examination, error) { return setup.Examine(c.Context, workspace(c), clock, repair) }
	if c.Bool("remote") {
		name, err := doctorRemote(c)
		if err != nil {
			return err
		}
		examine = func() (setup.Examination, error) {
			return setup.ExamineRemote(c.Context, workspace(c), clock, name, repair)
		}
	} else if err := noArguments(c); err != nil {
		return err
	}
	found, err := examine()
	if err != nil {
		return err
	}
	found.ExitCodes = doctorExitCodes(tableOf(allVerbs()))
	if c.Bool("check") {
		found = found.Strict()
	}
	return answer(c, found)
}

// doctorRepair is what may be put right, nil without --fix.
func doctorRepair(c *cli.Context) (*setup.Repair, error) {
	if !c.Bool("fix") {
		return nil, nil
	}
	if c.IsSet("now") {
		return nil, usagef("--now replays a decision, and --fix writes").hint("run it without --now")
	}
	program, err := hooksProgram("")
	return &setup.Repair{Program: program}, err
}

// doctorRemote is the remote that was named, "" for the fleet's.
func doctorRemote(c *cli.Context) (string, error) {
	switch {
	case c.IsSet("now"):
		return "", usagef("--now replays a decision, and --remote asks now").hint("run it without --now")
	case c.NArg() > 1:
		return "", usagef("want one remote, have also %q", c.Args().Get(1))
	case c.NArg() == 1 && c.Args().First() == "":
		return "", usagef("the name of the remote is empty").hint("git remote -v lists the remotes")
	}
	return c.Args().First(), nil
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
