package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/agent"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/refstore"
)

// places tells where paths lead that are named from dir: each by the folder it
// stands in, and once more where it is itself a symbolic link.
func (s *agentSite) places(dir string, paths []string) (out []agent.Place, err error) {
	for _, written := range paths {
		abs := filepath.FromSlash(written)
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, abs)
		}
		if abs, err = filepath.Abs(abs); err != nil {
			return nil, environmentf("%w", err)
		}
		parent, err := followed(filepath.Dir(abs), 0)
		if err != nil {
			return nil, environmentf("%q: %w", written, err)
		}
		named := filepath.Join(parent, filepath.Base(abs))
		target, err := followed(named, 0)
		if err != nil {
			return nil, environmentf("%q: %w", written, err)
		}
		for i, full := range []string{named, target} {
			if i == 0 || target != named {
				out = append(out, s.place(written, full))
			}
		}
	}
	return out, nil
}

// followed is a path with all symbolic links on it followed, as far as there is
// something; a link that leads to nothing yet is followed all the same.
func followed(path string, links int) (string, error) {
	if links > 40 {
		return "", errors.New("too many symbolic links")
	}
	full, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return full, err
	}
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return followed(to, links+1)
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	if dir, err = followed(dir, links); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// place tells where a path without symbolic links lies. What a repository within
// this one has in its .git is git's as well: nobody can commit it.
func (s *agentSite) place(written, full string) agent.Place {
	p := agent.Place{Written: written}
	for _, dir := range []string{s.repo.GitDir, s.repo.CommonDir} {
		if _, in := beneath(dir, full); in {
			p.InGit = true
			return p
		}
	}
	if s.repo.WorkTree != "" {
		if rel, in := beneath(s.repo.WorkTree, full); in {
			p.Path = filepath.ToSlash(rel)
			p.InGit = slices.ContainsFunc(strings.Split(p.Path, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
			return p
		}
	}
	other, err := refstore.Open(s.c.Context, nearestDir(full))
	if err == nil && sameFile(other.CommonDir, s.repo.CommonDir) {
		p.Beside = firstOf(other.WorkTree, other.CommonDir)
	}
	return p
}

// beneath is a path as one from dir, whatever dir is called on the way.
func beneath(dir, full string) (rel string, in bool) {
	for at, rest := full, ""; ; {
		if sameFile(at, dir) {
			return rest, true
		}
		up := filepath.Dir(at)
		if up == at {
			return "", false
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = up
	}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// nearestDir is the folder that a path stands in, or the next above that is
// there.
func nearestDir(path string) string {
	for {
		dir := filepath.Dir(path)
		if st, err := os.Stat(dir); dir == path || err == nil && st.IsDir() {
			return dir
		}
		path = dir
	}
}

// splitUnit is a unit as a plan and a phase.
func splitUnit(unit string) (plan, phase string, ok bool) {
	plan, phase, err := reconcile.Bind(unit, "", "")
	return plan, phase, err == nil
}
