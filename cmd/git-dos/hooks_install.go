package main

import (
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func hooksInstallCommand() verb {
	return verb{
		command: &cli.Command{
			Name:  "install",
			Usage: "have git ask git-dos before it commits and pushes",
			Description: "Installs pre-commit, commit-msg and pre-push; reference-transaction, which git runs for every change of\n" +
				"a ref, only where gates.off_trunk is on. Each is a short script that calls this program. A hook that\n" +
				"is there already is kept as NAME.dos-prev and run before ours, with the same arguments and input; the\n" +
				"first status that is not 0 counts. To run it again is how to arm again what another tool wrote over.\n" +
				"A folder that core.hooksPath names for more than this repository is not written to, nor is a tracked\n" +
				"hook. With --local-hooks-path the repository gets a folder of its own, from which theirs are run.\n\n" +
				"With --server it is pre-receive and post-receive of a bare repository, and update with --hook update.\n" +
				"They call this program by its full path and look nowhere else, and need no HOME. Run it as the account\n" +
				"that git runs as there.",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "hook", Usage: "only, and besides those of before, the hook `NAME`; may be given again"},
				&cli.BoolFlag{Name: "after", Usage: "run a hook that is there already after ours"},
				&cli.BoolFlag{Name: "before", Usage: "run it before ours, as without a flag"},
				&cli.BoolFlag{Name: "local-hooks-path", Usage: "set core.hooksPath of this repository to a folder of its own"},
				hooksServer("arm"),
				&cli.StringFlag{Name: "program", Usage: "the `FILE` to call, in place of the program that is running"},
			},
			Action: writes(hooksInstall),
		},
		statuses: map[string][]status{"hooks install": {
			{Code: verdict.Yes, Outcome: hookset.Installed, Meaning: "git runs git-dos for these hooks"},
			{Code: verdict.Yes, Outcome: hookset.Unchanged, Meaning: "it did so already, and nothing was written"},
			{Code: 3, Outcome: hookset.Refused, Meaning: "something of others is in the way, and nothing was written"},
		}},
	}
}

func hooksInstall(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	q, err := hooksRequest(c)
	if err != nil {
		return err
	}
	repo, err := hooksRepo(c)
	if err != nil {
		return err
	}
	server := c.IsSet("server")
	if repo.Bare && !server {
		return usagef("%s is bare: nobody commits in it or pushes from it", repo.CommonDir).
			hint("hooks that judge what is pushed to it: git dos hooks install --server %s", verdict.ShellWord(repo.CommonDir))
	}
	if server {
		q.Also = hookset.Server
	} else if off, err := hooksOffTrunk(c, repo); err != nil {
		return err
	} else if off {
		q.Also = append(q.Also, hookset.RefTransaction)
	}
	done, err := hookset.Install(c.Context, repo, q)
	if err != nil {
		return environmentf("%w", err).hint("git dos hooks status tells what stands now; install may be repeated")
	}
	return answer(c, done)
}

func hooksRequest(c *cli.Context) (hookset.Request, error) {
	q := hookset.Request{Hooks: c.StringSlice("hook"), OwnPath: c.Bool("local-hooks-path")}
	if err := hooksNamed(c); err != nil {
		return q, err
	}
	switch {
	case c.Bool("after") && c.Bool("before"):
		return q, usagef("--after and --before exclude each other")
	case c.Bool("after"):
		q.Order = hookset.Last
	case c.Bool("before"):
		q.Order = hookset.First
	}
	program, err := hooksProgram(c.String("program"))
	q.Program = program
	return q, err
}

func hooksOfClient(name string) bool {
	for _, known := range append([]string{hookset.RefTransaction}, hookset.Client...) {
		if name == known {
			return true
		}
	}
	return false
}

// hooksProgram is what the hooks will call, by its full path.
func hooksProgram(stated string) (string, error) {
	if stated == "" {
		own, err := os.Executable()
		if err != nil {
			return "", environmentf("the path of this program cannot be told: %w", err).hint("name it with --program FILE")
		}
		return filepath.ToSlash(own), nil
	}
	full, err := filepath.Abs(stated)
	if err != nil {
		return "", environmentf("%w", err)
	}
	if st, err := os.Stat(full); err != nil || !st.Mode().IsRegular() {
		return "", usagef("--program %s: there is no such file", stated)
	}
	return filepath.ToSlash(full), nil
}

// hooksOffTrunk reports whether the policy has a gate that only a
// reference-transaction hook can keep.
func hooksOffTrunk(c *cli.Context, repo *refstore.Repo) (bool, error) {
	rules, err := facts.LoadRules(c.Context, repo)
	if err != nil {
		return false, deskError(err)
	}
	return rules.Policy.Gates.Mode("off_trunk") != policy.GateOff, nil
}
