package setup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// adviseGit is the git from which on unreachable objects of compacted chains
// are packed instead of being written out one by one.
const adviseGit = "2.37"

// git reports which git there is, and whether it will do.
func (x *examiner) git(ctx context.Context) bool {
	const id = "GIT"
	install := "install git " + adviseGit + " or newer"
	out, err := git.Runner{Foreign: true}.Output(ctx, "version")
	if errors.Is(err, git.ErrNotFound) {
		x.add(Check{ID: id, Severity: Error, Detail: err.Error(), Remedy: install})
		return false
	}
	words := strings.Fields(string(out))
	if err != nil || len(words) < 3 {
		x.add(Check{ID: id, Severity: Error, Detail: fmt.Sprintf("git version answers %.80q", out), Remedy: install})
		return false
	}
	x.Git = &GitFacts{Version: words[2], Minimum: refstore.MinGit}
	switch version := words[2]; {
	case olderThan(version, refstore.MinGit):
		x.add(Check{ID: id, Severity: Error, Detail: "git " + version + " is older than " + refstore.MinGit, Remedy: install})
		return false
	case olderThan(version, adviseGit):
		x.add(Check{ID: id, Severity: Info, Detail: "git " + version + "; from " + adviseGit + " on git gc handles compacted journals better", Remedy: install})
	default:
		x.add(Check{ID: id, Severity: OK, Detail: "git " + version})
	}
	return true
}

// olderThan compares dotted versions, of which a may have more after them, as
// 2.39.5.windows.1. A part that is no number is older than any.
func olderThan(a, b string) bool {
	as := strings.Split(a, ".")
	for i, want := range strings.Split(b, ".") {
		n, w := -1, 0
		if i < len(as) {
			if v, err := strconv.Atoi(as[i]); err == nil {
				n = v
			}
		}
		if w, _ = strconv.Atoi(want); n != w {
			return n < w
		}
	}
	return false
}

// repository reports whether git finds a repository it will work in.
func (x *examiner) repository(ctx context.Context, dir string) bool {
	repo, err := refstore.Open(ctx, dir)
	if err == nil {
		x.repo, x.Git.ObjectFormat = repo, string(repo.Format)
		x.add(Check{ID: "REPOSITORY", Severity: OK, Target: repo.CommonDir, Detail: "found"})
		return true
	}
	c := Check{ID: "REPOSITORY", Severity: Error, Detail: err.Error(), Remedy: "run it inside a repository, or name one with --workspace DIR"}
	if strings.Contains(err.Error(), "dubious ownership") || strings.Contains(err.Error(), "unsafe repository") {
		c.ID, c.Remedy = "UNSAFE_DIRECTORY", "git config --global --add safe.directory DIR, if you trust its owner; git names the DIR"
	}
	x.add(c)
	return false
}

// shape reports what kind of repository it is, as far as it matters.
func (x *examiner) shape(ctx context.Context) {
	conf, err := x.config(ctx)
	if err != nil {
		x.unknown("SHAPE", err)
		return
	}
	r := x.repo
	note := func(is bool, severity Severity, id, detail, remedy string) {
		if is {
			x.add(Check{ID: id, Severity: severity, Detail: detail, Remedy: remedy})
		}
	}
	note(true, OK, "OBJECT_FORMAT", string(r.Format), "")
	note(r.Bare, Info, "BARE", "bare: it can be a fleet's remote, and nobody works in it", "")
	note(!r.Bare && r.WorkTree == "", Warn, "NO_WORK_TREE", "not inside the work tree", "run it from the work tree")
	note(r.GitDir != r.CommonDir, Info, "WORKTREE", "a linked worktree: leases taken in it are remembered here alone", "")
	note(r.Shallow, Warn, "SHALLOW", "history is cut: what lies beyond it can neither be found nor ruled out", "git fetch --unshallow")
	partial := conf.get("extensions.partialclone") != "" || conf.any("remote.", ".promisor")
	note(partial, Info, "PARTIAL_CLONE", "a partial clone: reading history may reach for the network", "")
	note(conf.get("core.sparsecheckout") == "true", Info, "SPARSE", "a sparse checkout: lanes cover files that are not here", "")
	store := conf.get("extensions.refstorage")
	note(store != "" && store != "files", Warn, "REF_FORMAT", "refs are kept as "+store+": lock files that a killed git left in there are not found by this check", "")
	x.goGit(conf)
	out, err := r.Git.Output(ctx, "rev-parse", "--show-superproject-working-tree")
	if err != nil {
		x.unknown("SUBMODULE", err)
	}
	note(len(out) > 1, Info, "SUBMODULE", "a submodule of "+strings.TrimSpace(string(out))+": its lanes are its own", "")
}

// settings is the part of git's configuration that is looked at.
type settings map[string][]string

func (s settings) get(key string) string {
	if v := s[key]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

func (s settings) any(prefix, suffix string) bool {
	for key, v := range s {
		if strings.HasPrefix(key, prefix) && strings.HasSuffix(key, suffix) && v[len(v)-1] != "false" {
			return true
		}
	}
	return false
}

func (x *examiner) config(ctx context.Context) (settings, error) {
	out, err := x.repo.Git.Output(ctx, "config", "-z", "--get-regexp", `^(extensions\..*|core\.sparsecheckout|remote\..*\.(promisor|fetch|mirror))$`)
	var g *git.Error
	if err != nil && (!errors.As(err, &g) || g.Code != 1) {
		return nil, err
	}
	s := settings{}
	for record := range strings.SplitSeq(string(out), "\x00") {
		if key, value, _ := strings.Cut(record, "\n"); key != "" {
			s[key] = append(s[key], value)
		}
	}
	return s, nil
}

// settings reports configuration with which plain git would overwrite or
// delete what git-dos keeps.
func (x *examiner) settings(ctx context.Context) {
	conf, err := x.config(ctx)
	if err != nil {
		x.unknown("REFSPEC", err)
		return
	}
	for key, values := range conf {
		switch {
		case strings.HasSuffix(key, ".fetch"):
			for _, spec := range values {
				if overwritesRefs(spec) {
					x.add(Check{ID: "FETCH_REFSPEC", Severity: Error, Target: key, Detail: spec + ": a plain git fetch overwrites leases and journals of this repository with the remote's",
						Remedy: "git config --unset " + key + " " + verdict.ShellWord("^"+escaped(spec)+"$")})
				}
			}
		case strings.HasSuffix(key, ".mirror") && conf.get(key) != "false" && !x.repo.Bare:
			x.add(Check{ID: "PUSH_MIRROR", Severity: Warn, Target: key, Detail: "a plain git push deletes on the remote what is not here, the fleet's refs too",
				Remedy: "git config --unset " + key})
		}
	}
}

// overwritesRefs reports whether a fetch refspec writes into refs/dos outside
// the mirrors.
func overwritesRefs(spec string) bool {
	_, dst, two := strings.Cut(spec, ":")
	if !two {
		return false
	}
	dst, _, _ = strings.Cut(dst, "*")
	return strings.HasPrefix(dst, "refs/dos/") && !strings.HasPrefix(dst, "refs/dos/at/") ||
		strings.Contains(spec, "*") && strings.HasPrefix("refs/dos/", dst)
}

// escaped is text as a regular expression that matches it.
func escaped(s string) string {
	for _, c := range `\.+*?()|[]{}^$` {
		s = strings.ReplaceAll(s, string(c), `\`+string(c))
	}
	return s
}
