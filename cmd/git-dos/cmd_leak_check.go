package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/leak"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func leakCheckVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "leak-check",
			Usage:     "does this text give away what it should not?",
			ArgsUsage: "FILE|-",
			Description: "Looks for keys, tokens and passwords, for paths and hosts of somebody's machine, and for addresses of\n" +
				"mail, in a text that is to leave through another door than git's: the body of an issue, a log, a report.\n" +
				"What is found is not repeated, only where it stands, its first characters, and a fingerprint. A\n" +
				"fingerprint, or a glob of the file's path from the top of the repository, lets it through: with --allow,\n" +
				"or in [gates] secret_shape.allow of the dos.toml committed on the trunk. Outside a repository there is\n" +
				"no policy. A file that is not text, or has more than 64 MiB, is an error and never clean. Clean means\n" +
				"that nothing of a known shape was found, and is no proof.",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "allow", Usage: "let `WHAT` through, a fingerprint or a glob; repeatable"},
			},
			Action: leakCheck,
		},
		statuses: map[string][]status{
			"leak-check": {
				{Code: verdict.Yes, Outcome: string(leak.Clean), Meaning: "nothing of a known shape was found, or the allow list lets it through"},
				{Code: verdict.FirstOwned, Outcome: string(leak.Leaks), Meaning: "a secret, a path, a host or a person may be given away"},
			},
		},
	}
}

func leakCheck(c *cli.Context) error {
	if c.NArg() != 1 || c.Args().First() == "" {
		return usagef("want one FILE, have %d arguments", c.NArg()).hint("- is standard input")
	}
	name := c.Args().First()
	if _, err := leak.NewScanner(c.StringSlice("allow")); err != nil {
		return usagef("--%w", err).hint("name a fingerprint of 16 hex digits, or a glob of paths such as docs/**")
	}
	repo, stated, err := leakPolicy(c)
	if err != nil {
		return err
	}
	s, err := leak.NewScanner(slices.Concat(stated, c.StringSlice("allow")))
	if err != nil {
		return usagef("dos.toml on the trunk: gates.secret_shape.%w", err).hint("it names fingerprints of 16 hex digits and globs of paths; git dos doctor shows where dos.toml is read from")
	}
	text, err := leakText(c, name)
	if err != nil {
		return err
	}
	v, err := unlessInterrupted(c.Context, func() (leak.Verdict, error) { return s.Check(leakPath(repo, name), text) })
	switch {
	case c.Context.Err() != nil:
		return c.Context.Err()
	case err != nil:
		return errorf(kindIndeterminate, "%s: %w", name, err).hint("cut it into parts, and check each of them")
	}
	return answer(c, v)
}

// leakPolicy is the workspace's repository and what its policy lets through.
// Without a repository there is none, unless one was named.
func leakPolicy(c *cli.Context) (*refstore.Repo, []string, error) {
	repo, err := refstore.Open(c.Context, workspace(c))
	if errors.Is(err, refstore.ErrNoRepository) && workspace(c) == "." {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, repoError(err)
	}
	rules, err := facts.LoadRules(c.Context, repo)
	if err == nil {
		rules, err = facts.ScopeRules(c.Context, repo, rules)
	}
	if errors.Is(err, ancestry.ErrNoRevision) {
		return nil, nil, environmentf("find the trunk: %w", err).hint("[trunk] ref in dos.toml names it; git branch --all lists the branches")
	}
	return repo, rules.Policy.Gates.SecretAllow, deskError(err)
}

// leakText reads what is to be judged.
func leakText(c *cli.Context, name string) (text []byte, err error) {
	if name == "-" {
		text, err = readInput(c, c.App.Reader, leak.MaxText)
	} else {
		text, err = unlessInterrupted(c.Context, func() ([]byte, error) { return pickFile(name, leak.MaxText) })
	}
	switch {
	case c.Context.Err() != nil:
		return nil, c.Context.Err()
	case errors.Is(err, os.ErrNotExist):
		return nil, usagef("%w", err)
	case err != nil:
		return nil, environmentf("read %s: %w", name, err).hint("- reads standard input")
	case len(text) > leak.MaxText:
		return nil, usagef("%s: %w", name, leak.ErrTooLong).hint("cut it into parts, and check each of them")
	case bytes.IndexByte(text, 0) >= 0:
		return nil, usagef("%s is not text: it has a zero byte", name).hint("unpack or decode it first, UTF-16 to UTF-8: nothing can be said of it as it is")
	}
	return text, nil
}

// leakPath is a file's path from the top of the repository, "" for what is not
// in it.
func leakPath(repo *refstore.Repo, name string) string {
	if repo == nil || repo.WorkTree == "" || name == "-" {
		return ""
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	full, err := filepath.Abs(real)
	if err != nil {
		return ""
	}
	top, err := filepath.EvalSymlinks(repo.WorkTree)
	if err != nil {
		return ""
	}
	path, err := filepath.Rel(top, full)
	if path = filepath.ToSlash(path); err != nil || path == ".." || strings.HasPrefix(path, "../") {
		return ""
	}
	return path
}
