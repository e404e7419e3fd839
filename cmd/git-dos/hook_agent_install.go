package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/agentset"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// hookAgentFiled are the statuses of install and of uninstall.
func hookAgentFiled() []status {
	return []status{
		{Code: verdict.Yes, Outcome: agentset.Wrote, Meaning: "the file was changed, or with --dry-run would be"},
		{Code: verdict.Yes, Outcome: agentset.Unchanged, Meaning: "there was nothing to change"},
	}
}

func hookAgentInstall() verb {
	return verb{
		command: &cli.Command{
			Name:  "install",
			Usage: "have Claude Code ask git-dos at each tool, and before it stops",
			Description: "Adds three hooks to " + agentset.SettingsFile + ", which is of the project: who commits it has all who use\n" +
				"Claude Code there ask git dos, which they must have, since a tool is denied where it cannot be run. What\n" +
				"else is in the file stays as it is. Other runtimes: docs/agent-hooks.md.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "require-lease", Usage: "deny to write in the repository without a lease"},
				&cli.BoolFlag{Name: "dry-run", Usage: "say what would be done, and write nothing"},
			},
			Action: writes(func(c *cli.Context) error {
				return hookAgentSettings(c, func(was []byte) ([]byte, error) {
					return agentset.WithHooks(was, agentset.ClaudeHooks(c.Bool("require-lease")))
				})
			}),
		},
		statuses: map[string][]status{"hook-agent install": hookAgentFiled()},
	}
}

func hookAgentUninstall() verb {
	return verb{
		command: &cli.Command{
			Name:        "uninstall",
			Usage:       "take out what install put in",
			Description: "The rest of the file is as it was before, to the byte. A file that install made is removed.",
			Flags:       []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "say what would be done, and write nothing"}},
			Action:      writes(func(c *cli.Context) error { return hookAgentSettings(c, agentset.WithoutHooks) }),
		},
		statuses: map[string][]status{"hook-agent uninstall": hookAgentFiled()},
	}
}

func hookAgentSettings(c *cli.Context, change func([]byte) ([]byte, error)) error {
	if err := noArguments(c); err != nil {
		return err
	}
	top, err := agentTop(c)
	if err != nil {
		return err
	}
	done, err := agentset.Edit(top, agentset.SettingsFile, c.Bool("dry-run"), change)
	if err != nil {
		return environmentf("%w", err).hint("put it right by hand; nothing was written")
	}
	return answer(c, agentFiles{Files: []agentset.Changed{done}, DryRun: c.Bool("dry-run")})
}

// agentTop is the top of the work tree, where agents look for their files.
func agentTop(c *cli.Context) (string, error) {
	repo, err := openRepo(c)
	if err != nil {
		return "", err
	}
	if repo.WorkTree == "" {
		return "", environmentf("%s is bare: there are no files in it", repo.CommonDir).hint("run it in a checkout, or name one with --workspace DIR")
	}
	return repo.WorkTree, nil
}

// agentFiles answers the verbs that put files for agents into a repository.
type agentFiles struct {
	Files  []agentset.Changed `json:"files"`
	DryRun bool               `json:"dry_run,omitempty"`
	Next   string             `json:"next,omitempty"`
}

func (a agentFiles) ExitCode() int {
	for _, f := range a.Files {
		if f.What == agentset.Left {
			return 3
		}
	}
	return verdict.Yes
}

func (a agentFiles) String() string {
	var lines []string
	for _, f := range a.Files {
		what := f.What
		if a.DryRun {
			what = strings.NewReplacer(agentset.Wrote, "would write", agentset.Removed, "would remove").Replace(what)
		}
		line := what + "  " + f.Path
		if f.Reason != "" {
			line += ": " + f.Reason
		}
		lines = append(lines, line)
	}
	if a.Next != "" {
		lines = append(lines, "  next      "+a.Next)
	}
	return strings.Join(lines, "\n")
}
