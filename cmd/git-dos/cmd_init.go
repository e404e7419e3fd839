package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/agentset"
	"github.com/git-dos/git-dos/internal/setup"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func initVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "init",
			Usage: "prepare this repository, or join it to a fleet",
			Description: "Writes dos.toml with the trunk and a lane for every directory at the top, adds .dos/ to .gitignore and gives\n" +
				"this clone a node id. What is there already stays as it is, so it can be run again at any time.\n" +
				"With --remote, the remote decides who holds a lane, for every clone that names it.\n\n" +
				"With --agents it does something else: it puts a section into AGENTS.md, between two lines of its own, skills\n" +
				"into .claude/skills and .agents/skills, and into .agents/dos-worker.md what a worker is told. Run again it\n" +
				"brings them up to date; what others wrote or changed stays as it is. --agents --remove takes all of it out,\n" +
				"to the byte.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "remote", Usage: "make the remote `R` the authority of this repository's fleet, or join the fleet it belongs to"},
				&cli.StringFlag{Name: "prefix", Usage: "where the fleet's refs live on the remote, by default refs/dos; `REFS` = refs/heads/dos suits hosts that accept only branches"},
				&cli.BoolFlag{Name: "dry-run", Usage: "say what would be done and write nothing"},
				&cli.BoolFlag{Name: "agents", Usage: "write what agents read instead: a section of AGENTS.md, skills and a worker's prompt"},
				&cli.BoolFlag{Name: "remove", Usage: "with --agents: take them out"},
				&cli.StringSliceFlag{Name: "skills", Usage: "with --agents: put the skills into this `FOLDER` and no other; may be given again"},
				&cli.BoolFlag{Name: "undo", Usage: "remove what init wrote here and nobody has changed since; refs stay"},
			},
			Action: writes(initialise),
		},
		statuses: map[string][]status{
			"init": {
				{Code: verdict.Yes, Outcome: "initialised", Meaning: "the steps shown were done"},
				{Code: verdict.Yes, Outcome: "already", Meaning: "there was nothing to do"},
				{Code: verdict.Yes, Outcome: "would", Meaning: "a dry run: nothing was changed"},
				{Code: verdict.Yes, Outcome: "undone", Meaning: "the steps shown were taken back"},
				{Code: 3, Outcome: agentset.Left, Meaning: "with --agents: what others made of some file is left as it is, the rest is done"},
			},
		},
	}
}

func initialise(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("agents") {
		return initAgents(c)
	}
	undo := c.Bool("undo")
	switch {
	case c.IsSet("remove") || c.IsSet("skills"):
		return usagef("--remove and --skills go with --agents").hint("--undo takes back what init wrote without it")
	case c.IsSet("remote") && c.String("remote") == "":
		return usagef("--remote is empty").hint("git remote -v lists the remotes")
	case undo && (c.IsSet("remote") || c.IsSet("prefix")):
		return usagef("--undo takes back everything here and leaves every remote alone").hint("run it without --remote and --prefix")
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	o := setup.Options{
		Repo: repo, Now: func() time.Time { return now(c) },
		Remote: c.String("remote"), Prefix: c.String("prefix"), DryRun: c.Bool("dry-run"),
	}
	do := setup.Init
	if undo {
		do = setup.Undo
	}
	report, err := do(c.Context, o)
	if err != nil {
		return setupError(err)
	}
	return answer(c, report)
}

// setupError gives an error of package setup its kind and hint.
func setupError(err error) error {
	var p *setup.Problem
	if errors.As(err, &p) && !errors.Is(err, context.Canceled) {
		return environmentf("%w", err).hint("%s", p.Hint)
	}
	return deskError(err)
}
