package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore/git"
)

// A PathError means that something cannot be named to be committed.
type PathError struct{ Path, Why string }

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
		return "", &PathError{arg, "is empty"}
	case path.Clean(written) == ".":
		return "", &PathError{arg, "is everything here: name the files or directories"}
	case filepath.IsAbs(arg):
		rel, err := filepath.Rel(t.top, arg)
		if err != nil {
			return "", &PathError{arg, "lies outside the work tree"}
		}
		written = filepath.ToSlash(rel)
	default:
		written = t.prefix + written
	}
	if path.Clean(written) == "." {
		return "", &PathError{arg, "is the whole work tree: name the files or directories"}
	}
	p, ok := scope.Tidy(written)
	if !ok {
		return "", &PathError{arg, "lies outside the work tree, or inside a .git"}
	}
	return p, nil
}

// A finding is what there is to commit under the named paths.
type finding struct {
	changed []entry
	beyond  []string // named, and led to by a symbolic link
	kept    []string // staged as deleted, and there
	foreign []string // staged, and not named
	bad     []string // with conflicts
}

// find sorts what differs from HEAD by what was named. A name that is neither
// in the work tree nor known to git is a *PathError, and so is a repository
// inside this one.
func (t *Tree) find(ctx context.Context, named []string) (finding, error) {
	all, _, err := t.status(ctx)
	if err != nil {
		return finding{}, err
	}
	var f finding
	used := map[string]bool{}
	for _, p := range named {
		used[p] = false
	}
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
			return finding{}, &PathError{e.path, "is a repository of its own: commit inside it"}
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
		linked, err := t.unchanged(ctx, p)
		if err != nil {
			return finding{}, err
		}
		if linked {
			f.beyond = append(f.beyond, p)
		}
	}
	return f, nil
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
func (t *Tree) unchanged(ctx context.Context, p string) (linked bool, err error) {
	out, _, err := t.reading().Run(ctx, git.Call{Args: []string{"ls-files", "-z", "--full-name", "--cached", "--", exactly(p)}})
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if len(out) > 0 {
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
			return false, &PathError{p, fmt.Sprintf("lies in %s, a repository of its own: commit inside it", p[:i])}
		}
	}
	info, err := os.Lstat(t.onDisk(p))
	switch {
	case isGone(err):
		return false, &PathError{p, "is neither in the work tree nor known to git"}
	case err != nil:
		return false, fmt.Errorf("%w: %w", ErrUnreadable, err)
	case info.IsDir():
		return false, nil
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return false, &PathError{p, "is neither a file, a directory nor a symbolic link"}
	}
	return false, &PathError{p, "is ignored: git add -f adds it all the same"}
}

func (t *Tree) holdsFile(p string) bool {
	info, err := os.Lstat(t.onDisk(p))
	return err == nil && !info.IsDir()
}

func (t *Tree) onDisk(p string) string { return filepath.Join(t.top, filepath.FromSlash(p)) }
