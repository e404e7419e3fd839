package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/internal/receive"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// hooksInstallServer writes the hooks into a repository that others push to.
func hooksInstallServer(c *cli.Context, dir string) error {
	if c.IsSet("hook") || c.Bool("after") || c.Bool("before") || c.Bool("local-hooks-path") {
		return usagef("--server goes with --program alone").hint("git dos hooks install --server DIR")
	}
	program, err := hooksProgram(c.String("program"))
	if err != nil {
		return err
	}
	repo, err := refstore.Open(c.Context, dir)
	if err != nil {
		return repoError(err)
	}
	out, err := repo.Git.Output(c.Context, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return environmentf("where the hooks are: %w", err)
	}
	all, err := receive.Install(filepath.Clean(strings.TrimSuffix(string(out), "\n")), program)
	var taken *receive.TakenError
	switch {
	case errors.As(err, &taken):
		return answer(c, serverAnswer{Outcome: hookset.Refused, Hooks: []receive.Installed{}, Reason: taken.Error()})
	case err != nil:
		return environmentf("%w", err)
	}
	a := serverAnswer{Outcome: hookset.Unchanged, Hooks: all}
	for _, h := range all {
		if h.State == receive.Written {
			a.Outcome = hookset.Installed
		}
	}
	return answer(c, a)
}

// A serverAnswer is what became of the hooks of a server.
type serverAnswer struct {
	Outcome string              `json:"outcome"`
	Hooks   []receive.Installed `json:"hooks"`
	Reason  string              `json:"reason,omitempty"`
}

var _ verdict.Verdict = serverAnswer{}

// ExitCode implements [verdict.Verdict].
func (a serverAnswer) ExitCode() int {
	if a.Outcome == hookset.Refused {
		return verdict.FirstOwned
	}
	return verdict.Yes
}

func (a serverAnswer) String() string {
	var b strings.Builder
	for _, h := range a.Hooks {
		fmt.Fprintf(&b, "%s %s\n", h.State, h.Path)
	}
	if a.Reason != "" {
		fmt.Fprintf(&b, "%s: %s\n", a.Outcome, a.Reason)
	}
	return b.String()
}
