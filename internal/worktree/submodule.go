package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore/git"
)

// A module is a repository inside the work tree, the top one included, with the
// path that leads to it from the top: "" or "dir/".
type module struct {
	run    git.Runner
	top    string
	prefix string
}

// explore looks into a repository and those below it for what git status at the
// top does not see: paths it was told not to look at, submodules that are not
// checked out and hold files, and work in submodules that some setting hides.
// It is ErrUnreadable where in says that a path matters of which git cannot
// tell. dirty are the submodules that hold work, by their paths from the top.
func (m module) explore(ctx context.Context, in func(path string, dir bool) bool) (dirty []string, err error) {
	index, err := listIndex(ctx, m.run)
	if err != nil {
		return nil, err
	}
	for _, e := range index {
		path := m.prefix + e.path
		if !in(path, e.isModule()) {
			continue
		}
		if flag := e.hidden(m.top); flag != "" {
			return nil, fmt.Errorf("%w: %q is marked %s: run git update-index --no-%s on it", ErrUnreadable, path, flag, flag)
		}
		if !e.isModule() {
			continue
		}
		sub, there, err := m.enter(e.path)
		if err != nil || !there {
			if err != nil {
				return nil, err
			}
			continue
		}
		below, err := sub.work(ctx, in)
		if err != nil {
			return nil, err
		}
		if below {
			dirty = append(dirty, path)
		}
	}
	return dirty, nil
}

// enter is the submodule at a path, if it is checked out. A folder that holds
// files and is no repository of its own is ErrUnreadable: git looks into it
// from no side.
func (m module) enter(path string) (sub module, there bool, err error) {
	dir := filepath.Join(m.top, filepath.FromSlash(path))
	info, err := os.Lstat(dir)
	if isGone(err) || err == nil && !info.IsDir() {
		return sub, false, nil // git status tells
	}
	var files []fs.DirEntry
	if err == nil {
		files, err = os.ReadDir(dir)
	}
	if err != nil {
		return sub, false, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if len(files) == 0 {
		return sub, false, nil
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return sub, false, fmt.Errorf("%w: %q is a submodule that is not checked out, and holds files: move them away, or run git submodule update --init there", ErrUnreadable, m.prefix+path)
	}
	sub = module{run: m.run, top: dir, prefix: m.prefix + path + "/"}
	sub.run.Dir, sub.run.Foreign = dir, true
	return sub, true, nil
}

// work reports whether a submodule holds what none of its commits has, or one
// below it does.
func (m module) work(ctx context.Context, in func(path string, dir bool) bool) (bool, error) {
	if err := m.isItself(ctx); err != nil {
		return false, err
	}
	all, words, err := statusOf(ctx, m.run)
	switch {
	case err != nil:
		return false, err
	case words != "":
		return false, fmt.Errorf("%w: git status in %q: %s", ErrUnreadable, m.prefix, words)
	}
	dirty, err := m.explore(ctx, in)
	return len(all)+len(dirty) > 0, err
}

// isItself checks that git takes the folder for a work tree of its own: with a
// broken .git it would look at the repository around it.
func (m module) isItself(ctx context.Context) error {
	out, err := m.run.Output(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return fmt.Errorf("%w: %q: %w", ErrUnreadable, m.prefix, err)
	}
	found, err := os.Stat(strings.TrimSuffix(string(out), "\n"))
	own, oerr := os.Stat(m.top)
	if err != nil || oerr != nil || !os.SameFile(found, own) {
		return fmt.Errorf("%w: %q is a submodule whose .git leads elsewhere", ErrUnreadable, m.prefix)
	}
	return nil
}
