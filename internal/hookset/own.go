package hookset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

func sharedWhy(p Place) string {
	if p.Scope == "" || p.Scope == "local" || p.Scope == "worktree" {
		return p.Dir + " is outside of this repository: others may use it, and nothing is written there"
	}
	return fmt.Sprintf("core.hooksPath is %s by the %s configuration: others use it, and nothing is written there", p.Value, p.Scope)
}

// installBeside gives the repository a folder of hooks of its own, from which
// those of the folder that was in force are still run.
func installBeside(ctx context.Context, repo *refstore.Repo, r *record, p Place, q Request) (Installation, error) {
	i := Installation{Place: p}
	if p.Scope == "command" || p.Scope == "worktree" {
		return i.refuse(SharedHooksPath, "core.hooksPath is set by the "+p.Scope+" configuration, which goes before the repository's",
			"take it away there, then git dos hooks install --local-hooks-path"), nil
	}
	before, err := localPath(ctx, repo)
	if err != nil {
		return i, err
	}
	switch {
	case r.Moved != nil && before == r.Moved.Set: // the repository, or its copy, is elsewhere now
		r.Moved = &moved{Before: r.Moved.Before, From: r.Moved.From}
	case p.Value != "" && !filepath.IsAbs(p.Value):
		r.Moved = &moved{Before: before, From: filepath.ToSlash(p.Value)}
	default:
		r.Moved = &moved{Before: before, From: filepath.ToSlash(p.Dir)}
	}
	r.Moved.Set = ownDir(repo)
	for _, dir := range r.dirs(repo, p) {
		if dir == ownDir(repo) {
			continue
		}
		changes, err := takeOut(dir)
		if err != nil {
			return i, err
		}
		if at := slices.IndexFunc(changes, func(c Change) bool { return c.Did == "left" }); at >= 0 {
			return i.refuse(EditedHook, changes[at].Why, "remove "+changes[at].File+", and install again"), nil
		}
	}
	if i, err = installOwn(repo, r, p, q); err != nil || i.Outcome == Refused {
		return i, err
	}
	if _, err := repo.Git.Output(ctx, "config", "--local", "core.hooksPath", ownDir(repo)); err != nil {
		return i, err
	}
	i.Outcome = Installed
	i.Place, err = FindPlace(ctx, repo)
	if err == nil && i.Place.Dir != ownDir(repo) {
		err = fmt.Errorf("core.hooksPath was set for the repository, and %s is still in force", i.Place.Value)
	}
	return i, err
}

// localPath is the repository's own core.hooksPath as it is written.
func localPath(ctx context.Context, repo *refstore.Repo) (string, error) {
	out, err := repo.Git.Output(ctx, "config", "-z", "--local", "--get", "core.hooksPath")
	if git.Code(err) == 1 {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\x00"), err
}

// installOwn fills the repository's own folder: our hooks, and for each other
// hook of the folder it stands for a file that passes it on.
func installOwn(repo *refstore.Repo, r *record, p Place, q Request) (Installation, error) {
	i := Installation{Outcome: Unchanged, Place: p, Hooks: []Change{}}
	dir := ownDir(repo)
	shims := map[string]Shim{}
	for _, name := range passedOn(repo, r.Moved.From) {
		shims[name] = Shim{Format: Format, Hook: name, Chained: r.Moved.From + "/" + name}
	}
	for _, name := range r.Hooks {
		shims[name] = Shim{Format: Format, Hook: name, Program: q.Program, Order: r.Order, Chained: r.Moved.From + "/" + name}
	}
	names := slices.Sorted(maps.Keys(shims))
	for _, name := range names {
		s, err := readSpot(dir, name)
		if err != nil {
			return i, err
		}
		if s.now.exists && s.now.claim != ours && s.now.claim != crlf {
			return i.refuse(EditedHook, s.now.path+" is not as install wrote it", "remove it, and install again"), nil
		}
	}
	if err := r.prepare(repo, dir); err != nil {
		return i, err
	}
	for _, name := range names {
		s, err := readSpot(dir, name)
		if err != nil {
			return i, err
		}
		shim := shims[name]
		c := Change{Name: name, File: s.now.path, Did: "armed", Order: shim.Order, Chained: shim.Chained}
		if shim.forward() {
			c.Did = "passed_on"
		}
		if err := s.write(shim, &c); err != nil {
			return i, err
		}
		if c.Did != "kept" {
			i.Outcome = Installed
		}
		i.Hooks = append(i.Hooks, c)
	}
	return i, nil
}

// passedOn are the hooks of another folder that git would run from there.
func passedOn(repo *refstore.Repo, from string) (names []string) {
	dir := filepath.FromSlash(from)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top(repo), dir)
	}
	for _, name := range slices.Concat(forwarded, Client, Server, []string{Update, RefTransaction}) {
		if runs(filepath.Join(dir, name)) {
			names = append(names, name)
		}
	}
	return names
}

// giveBack sets core.hooksPath to what it was, unless somebody has set it since.
func (m *moved) giveBack(ctx context.Context, repo *refstore.Repo) (done bool, err error) {
	value, err := localPath(ctx, repo)
	if err != nil || value != m.Set {
		return false, err
	}
	if m.Before != "" {
		_, err = repo.Git.Output(ctx, "config", "--local", "core.hooksPath", m.Before)
	} else {
		_, err = repo.Git.Output(ctx, "config", "--local", "--unset", "core.hooksPath")
	}
	if err != nil {
		return false, errors.Join(err, errors.New("core.hooksPath still names the folder of git-dos, and its hooks are kept"))
	}
	return true, nil
}
