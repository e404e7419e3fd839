package main

import (
	"maps"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// hooksSubcommands are the subcommands of hooks. A new one adds a line here.
func hooksSubcommands() []verb {
	return []verb{
		hooksStatusCommand(),
		hooksInstallCommand(),
		hooksUninstallCommand(),
		hooksChainCommand(),
		hooksAuditCommand(),
	}
}

func hooksVerb() verb {
	v := verb{
		command: &cli.Command{
			Name:  "hooks",
			Usage: "the files through which git asks git-dos",
			Description: "A hook on the pusher's machine is a courtesy: git push --no-verify, and clients that run no hooks, go\n" +
				"round it. What it does is to say no early.",
		},
		statuses: map[string][]status{},
	}
	for _, sub := range hooksSubcommands() {
		v.command.Subcommands = append(v.command.Subcommands, sub.command)
		maps.Copy(v.statuses, sub.statuses)
	}
	return v
}

func hooksStatusCommand() verb {
	return verb{
		command: &cli.Command{
			Name:  "status",
			Usage: "are the gates armed from here?",
			Description: "Looks at what git will run from this worktree: which file, whether it may be executed, whether it is to\n" +
				"the byte what install writes, whether the program it calls is there, and which other hook it runs.\n" +
				"Other worktrees of the repository may have other hooks: a relative core.hooksPath is taken from the top\n" +
				"of each.",
			Flags:  []cli.Flag{hooksServer("look at")},
			Action: hooksStatus,
		},
		statuses: map[string][]status{"hooks status": {
			{Code: verdict.Yes, Outcome: hookset.Armed, Meaning: "git runs git-dos for each hook that is wanted"},
			{Code: 3, Outcome: hookset.GateNotArmed, Meaning: "for one of them at least it does not"},
		}},
	}
}

func hooksStatus(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	repo, err := hooksRepo(c)
	if err != nil {
		return err
	}
	look, err := hookset.See(c.Context, repo)
	if err != nil {
		return environmentf("%w", err)
	}
	return answer(c, look)
}

func hooksUninstallCommand() verb {
	return verb{
		command: &cli.Command{
			Name:  "uninstall",
			Usage: "take out what install put in",
			Description: "Each hook that was there before is put back as it was: its bytes, its mode, its link. A file that\n" +
				"somebody has changed since is left as it is, and named.",
			Flags:  []cli.Flag{hooksServer("those of")},
			Action: writes(hooksUninstall),
		},
		statuses: map[string][]status{"hooks uninstall": {
			{Code: verdict.Yes, Outcome: hookset.Removed, Meaning: "all is as it was before"},
			{Code: verdict.Yes, Outcome: hookset.NothingHere, Meaning: "nothing was installed"},
			{Code: 3, Outcome: hookset.Left, Meaning: "what another hand changed is left, the rest is as it was"},
		}},
	}
}

func hooksUninstall(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	repo, err := hooksRepo(c)
	if err != nil {
		return err
	}
	removal, err := hookset.Uninstall(c.Context, repo)
	if err != nil {
		return environmentf("%w", err)
	}
	return answer(c, removal)
}
