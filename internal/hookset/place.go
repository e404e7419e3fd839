package hookset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A Place is where git looks for hooks, seen from one worktree.
type Place struct {
	Dir    string `json:"dir"`              // absolute
	Value  string `json:"value,omitempty"`  // core.hooksPath, with ~ expanded; empty when not set
	Scope  string `json:"scope,omitempty"`  // local, worktree, global, system or command
	Origin string `json:"origin,omitempty"` // the file that sets it
	Shared bool   `json:"shared"`           // others than this repository may use the folder
}

// FindPlace asks git. A relative path is taken from the top of the worktree,
// where git runs hooks.
func FindPlace(ctx context.Context, repo *refstore.Repo) (Place, error) {
	out, err := repo.Git.Output(ctx, "config", "-z", "--show-scope", "--show-origin", "--type=path", "--get", "core.hooksPath")
	if git.Code(err) == 1 {
		dir := filepath.Join(repo.CommonDir, "hooks")
		return Place{Dir: dir, Shared: !within(dir, repo)}, nil
	}
	if err != nil {
		return Place{}, fmt.Errorf("core.hooksPath cannot be read: %w", err)
	}
	parts := strings.Split(string(out), "\x00")
	if len(parts) != 4 || parts[2] == "" {
		return Place{}, fmt.Errorf("core.hooksPath is %q, which names no folder: git config --show-origin --get core.hooksPath tells where it is set", strings.Join(parts, " "))
	}
	p := Place{Scope: parts[0], Origin: strings.TrimPrefix(parts[1], "file:"), Value: parts[2], Dir: parts[2]}
	if !filepath.IsAbs(p.Dir) {
		p.Dir = filepath.Join(top(repo), p.Dir)
	}
	p.Dir = filepath.Clean(p.Dir)
	local := p.Scope == "local" || p.Scope == "worktree"
	p.Shared = !local || !within(p.Dir, repo)
	return p, nil
}

// top is where git runs the hooks of a repository.
func top(repo *refstore.Repo) string {
	if repo.WorkTree != "" {
		return repo.WorkTree
	}
	return repo.GitDir
}

// ownDir is the folder that takes the place of a shared one.
func ownDir(repo *refstore.Repo) string { return filepath.Join(repo.CommonDir, "dos", "hooks") }

// within reports whether a folder belongs to the repository, links followed:
// to its git directory, to this worktree or to the main one.
func within(dir string, repo *refstore.Repo) bool {
	homes := []string{repo.CommonDir, repo.GitDir, repo.WorkTree}
	if filepath.Base(repo.CommonDir) == ".git" {
		homes = append(homes, filepath.Dir(repo.CommonDir))
	}
	dir, err := resolve(dir)
	if err != nil {
		return false
	}
	for _, home := range homes {
		if home == "" {
			continue
		}
		home, err := resolve(home)
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(home, dir)
		if err == nil && rel != "." && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// resolve follows the links of as much of a path as there is.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	parent := filepath.Dir(path)
	if parent == path || !errors.Is(err, errNotExist) || isLink(path) {
		return "", err
	}
	real, err = resolve(parent)
	return filepath.Join(real, filepath.Base(path)), err
}

// tracked reports whether a file is kept in the repository's history, so that
// to write it is to change what everybody gets.
func tracked(ctx context.Context, repo *refstore.Repo, path string) (bool, error) {
	if repo.WorkTree == "" {
		return false, nil
	}
	rel, err := filepath.Rel(repo.WorkTree, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false, nil
	}
	run := repo.Git
	run.Dir = repo.WorkTree
	out, err := run.With("GIT_LITERAL_PATHSPECS=1").Output(ctx, "ls-files", "-z", "--cached", "--", filepath.ToSlash(rel))
	return len(out) > 0, err
}
