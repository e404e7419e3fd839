package main

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// hooksServer is the flag that names a repository which others push to.
func hooksServer(what string) cli.Flag {
	return &cli.StringFlag{Name: "server", Usage: what + " the bare repository `DIR` that others push to"}
}

// hooksRepo is the repository whose hooks are meant: that of the workspace, or the one
// that --server names.
func hooksRepo(c *cli.Context) (*refstore.Repo, error) {
	if !c.IsSet("server") {
		return openRepo(c)
	}
	dir := c.String("server")
	switch {
	case dir == "":
		return nil, usagef("--server names no folder").hint("name the repository that others push to: --server DIR")
	case os.Getenv("GIT_DIR") != "":
		return nil, usagef("GIT_DIR is set, and would stand in for --server %s", verdict.ShellWord(dir)).hint("run it without GIT_DIR")
	}
	repo, err := refstore.Open(c.Context, dir)
	switch {
	case err != nil:
		return nil, repoError(err)
	case !repo.Bare:
		return nil, usagef("%s is not bare: its hooks are those of whoever works in it", dir).
			hint("git dos hooks %s, run in it, without --server", c.Command.Name)
	}
	return repo, nil
}

// hooksNamed refuses a hook that git-dos does not answer on that side.
func hooksNamed(c *cli.Context) error {
	known, side := append([]string{hookset.RefTransaction}, hookset.Client...), "a client"
	is := hooksOfClient
	if c.IsSet("server") {
		known, side, is = append([]string{hookset.Update}, hookset.Server...), "a server", hookset.OfServer
	}
	for _, name := range c.StringSlice("hook") {
		if !is(name) {
			return usagef("--hook %q: no hook of %s that git-dos answers", name, side).hint("it is one of %s", strings.Join(known, ", "))
		}
	}
	return nil
}
