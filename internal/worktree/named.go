package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore/git"
)

// A PathError means that something cannot be named to be committed. Hint is
// what to do instead.
type PathError struct{ Path, Why, Hint string }

func (e *PathError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Why) }

// Named returns the paths from the top of the repository that a user names
// from where the repository was opened. The error is a *PathError.
func (t *Tree) Named(args []string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for _, arg := range args {
		p, err := t.named(arg)
		if err != nil {
			return nil, err
		}
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out, nil
}

func (t *Tree) named(arg string) (string, error) {
	written := filepath.ToSlash(arg)
	switch {
	case arg == "":
		return "", &PathError{arg, "is empty", "name a file or a directory"}
	case path.Clean(written) == ".":
		return "", &PathError{arg, "is everything here: name the files or directories", seeChanges}
	case filepath.IsAbs(arg):
		rel, ok := t.below(arg)
		if !ok {
			return "", &PathError{arg, "lies outside the work tree", "the work tree is " + t.top}
		}
		written = rel
	default:
		written = t.prefix + written
	}
	if path.Clean(written) == "." {
		return "", &PathError{arg, "is the whole work tree: name the files or directories", seeChanges}
	}
	p, ok := scope.Tidy(written)
	if !ok {
		return "", &PathError{arg, "lies outside the work tree, or inside a .git", "the work tree is " + t.top}
	}
	return p, nil
}

// inside is how to commit in a repository below this one.
func (t *Tree) inside(dir string) string {
	return "commit inside it: git dos commit -C " + admit.ShellWord(t.onDisk(dir)) + " ..."
}

const seeChanges = "git status --short lists what is changed; names are from where you stand"

// below is an absolute path as one from the top. Where its words do not begin
// with those of the top, it is below the first folder on the way that is the
// top by another name, as behind a symbolic link.
func (t *Tree) below(abs string) (string, bool) {
	abs = filepath.Clean(abs)
	rel, err := filepath.Rel(t.top, abs)
	if err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	top, err := os.Stat(t.top)
	if err != nil {
		return "", false
	}
	for i := range abs + string(filepath.Separator) {
		if i < len(abs) && !os.IsPathSeparator(abs[i]) {
			continue
		}
		if info, err := os.Stat(abs[:i]); err == nil && os.SameFile(info, top) {
			return filepath.ToSlash(strings.TrimLeft(abs[i:], string(filepath.Separator))), true
		}
	}
	return "", false
}

// A finding is what there is to commit under the named paths.
type finding struct {
	changed []entry
	beyond  []string // named, and led to by a symbolic link
	kept    []string // staged as deleted, and there
	foreign []string // staged, and not named
	hidden  []scope.Hidden
	bad     []string // with conflicts
}

// find sorts what differs from HEAD by what was named. A name that is neither
// in the work tree nor known to git is a *PathError, and so is a repository
// inside this one.
func (t *Tree) find(ctx context.Context, named []string) (finding, error) {
	all, words, err := t.status(ctx)
	if err == nil && words != "" {
		err = t.seenWhole(ctx, named)
	}
	if err != nil {
		return finding{}, err
	}
	index, err := listIndex(ctx, t.reading())
	if err != nil {
		return finding{}, err
	}
	var f finding
	used := map[string]bool{}
	for _, p := range named {
		used[p] = false
	}
	f.hidden = t.hiddenNamed(index, used)
	deleted := map[string]bool{}
	for _, e := range all {
		by := covering(used, e.path)
		for _, n := range by {
			used[n] = true
		}
		ok := len(by) > 0
		switch {
		case e.unmerged:
			f.bad = append(f.bad, e.path)
		case !ok && e.staged():
			f.foreign = append(f.foreign, e.path)
		case !ok || !e.commits():
		case e.dir:
			return finding{}, &PathError{e.path, "is a repository of its own", t.inside(e.path)}
		case e.untracked && deleted[e.path]:
			// listed as kept already
		default:
			if deleted[e.path] = e.x == 'D'; deleted[e.path] && t.holdsFile(e.path) {
				f.kept = append(f.kept, e.path)
			}
			f.changed = append(f.changed, e)
		}
	}
	for _, p := range named {
		if used[p] {
			continue
		}
		linked, err := t.unchanged(p, index)
		if err != nil {
			return finding{}, err
		}
		if linked {
			f.beyond = append(f.beyond, p)
		}
	}
	return f, nil
}

// seenWhole checks that git can look at all of what was named, where it has said
// that it cannot look at everything.
func (t *Tree) seenWhole(ctx context.Context, named []string) error {
	args := []string{"ls-files", "--others", "--exclude-standard", "-z", "--"}
	for _, p := range named {
		if info, err := os.Lstat(t.onDisk(p)); err == nil && info.IsDir() {
			args = append(args, exactly(p))
		}
	}
	if args[len(args)-1] == "--" {
		return nil
	}
	_, words, err := t.reading().Run(ctx, git.Call{Args: args})
	if words = strings.TrimSpace(words); err == nil && words != "" {
		err = errors.New(words)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return nil
}

// covering finds the names that are a path, or a directory above it.
func covering(names map[string]bool, p string) (by []string) {
	for i, c := range p {
		if _, named := names[p[:i]]; c == '/' && named {
			by = append(by, p[:i])
		}
	}
	if _, named := names[p]; named {
		by = append(by, p)
	}
	return by
}

// unchanged looks into a name under which git sees no change. It is in order
// when it is tracked, or an ordinary directory; linked when a symbolic link
// leads to it. What else there is to say of it is a *PathError.
func (t *Tree) unchanged(p string, index []tracked) (linked bool, err error) {
	if holds(index, p) {
		return false, nil
	}
	for i, c := range p {
		if c != '/' {
			continue
		}
		above := t.onDisk(p[:i])
		info, err := os.Lstat(above)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true, nil
		}
		if _, err := os.Lstat(filepath.Join(above, ".git")); err == nil {
			return false, &PathError{p, fmt.Sprintf("lies in %s, a repository of its own", p[:i]), t.inside(p[:i])}
		}
		if isModule(index, p[:i]) {
			return false, &PathError{p, fmt.Sprintf("lies in %s, a submodule that is not checked out", p[:i]), "git submodule update --init checks it out; move the file away first"}
		}
	}
	info, err := os.Lstat(t.onDisk(p))
	switch {
	case isGone(err):
		return false, &PathError{p, "is neither in the work tree nor known to git", seeChanges}
	case err != nil:
		return false, fmt.Errorf("%w: %w", ErrUnreadable, err)
	case info.IsDir():
		return false, nil
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return false, &PathError{p, "is neither a file, a directory nor a symbolic link", "git cannot store it"}
	}
	return false, &PathError{p, "is ignored", "git add -f adds it all the same; then commit it"}
}

func (t *Tree) holdsFile(p string) bool {
	info, err := os.Lstat(t.onDisk(p))
	return err == nil && !info.IsDir()
}

func (t *Tree) onDisk(p string) string { return filepath.Join(t.top, filepath.FromSlash(p)) }
