package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/git"
)

const goGitModule = "github.com/go-git/go-git/v5"

// A packaged build is linked with what it was made from, because it is built
// outside of a repository. Other builds leave these empty.
var (
	packagedVersion string
	packagedCommit  string
)

func versionVerb() verb {
	return verb{
		command: &cli.Command{
			Name:        "version",
			Usage:       "say which git-dos, Go and git these are",
			Description: "A git that cannot be run is part of the answer, not an error.",
			Action:      showVersion,
		},
		statuses: map[string][]status{"version": {{Code: verdict.Yes, Meaning: "the versions are printed"}}},
	}
}

func showVersion(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	v := buildVersion(debug.ReadBuildInfo())
	found, err := gitVersion(c.Context)
	if c.Context.Err() != nil {
		return c.Context.Err()
	}
	v.Git = found
	if err != nil {
		v.GitError = err.Error()
	}
	return answer(c, v)
}

// versions answers version. A field is empty when the build does not record it.
type versions struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Dirty    bool   `json:"dirty"`
	Go       string `json:"go"`
	GoGit    string `json:"go_git"`
	Git      string `json:"git"`
	GitError string `json:"git_error,omitempty"`
}

func buildVersion(info *debug.BuildInfo, ok bool) versions {
	if !ok {
		return versions{}
	}
	v := versions{Version: info.Main.Version, Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Dirty = s.Value == "true"
		}
	}
	for _, m := range info.Deps {
		if m.Path == goGitModule {
			v.GoGit = m.Version
		}
	}
	return v.packaged(packagedVersion, packagedCommit)
}

// packaged is v as a package says it is. Packages are made of commits alone, so
// there are no local changes in them.
func (v versions) packaged(version, commit string) versions {
	if version != "" {
		v.Version, v.Commit, v.Dirty = version, commit, false
	}
	return v
}

// gitVersion asks the git on the path. It runs only here, because starting git
// costs more than everything else this verb does.
func gitVersion(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := git.Runner{}.Output(ctx, "version")
	if err != nil {
		return "", fmt.Errorf("git version: %w", err)
	}
	version, found := strings.CutPrefix(strings.TrimSpace(string(out)), "git version ")
	if !found || len(version) > 100 {
		return "", errors.New("git version: the answer is not git's")
	}
	return version, nil
}

func (v versions) ExitCode() int { return verdict.Yes }

func (v versions) String() string {
	commit := orUnknown(v.Commit)
	if v.Dirty {
		commit += " (with local changes)"
	}
	found := v.Git
	if v.GitError != "" {
		found = "none: " + v.GitError
	}
	return fmt.Sprintf("git-dos %s\ncommit %s\ngo %s\ngo-git %s\ngit %s",
		orUnknown(v.Version), commit, orUnknown(v.Go), orUnknown(v.GoGit), found)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
