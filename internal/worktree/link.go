package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// links finds the symbolic links among paths of the work tree.
func (t *Tree) links(paths []string) ([]scope.Link, error) {
	var out []scope.Link
	for _, p := range paths {
		info, err := os.Lstat(t.onDisk(p))
		if isGone(err) {
			continue // a deletion
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		text, err := os.Readlink(t.onDisk(p))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		out = append(out, scope.Link{Path: p, Leads: t.leads(p, text)})
	}
	return out, nil
}

// isGone reports whether nothing is at a path, also because what should be a
// directory above it is none.
func isGone(err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	var at *fs.PathError
	return errors.As(err, &at) && notADirectory(at.Err)
}

// leads lists where a link leads: by its text alone and, where there is
// something, by what the disk makes of it.
func (t *Tree) leads(link, text string) []string {
	leads := []string{target(link, text)}
	real, err := filepath.EvalSymlinks(t.onDisk(link))
	if err != nil {
		return leads // it dangles
	}
	top, err := filepath.EvalSymlinks(t.top)
	if err != nil {
		return append(leads, "")
	}
	rel, err := filepath.Rel(top, real)
	if err != nil {
		return append(leads, "")
	}
	within, _ := scope.Tidy(filepath.ToSlash(rel))
	return append(leads, within)
}

// target is the path that the text of a link means, "" outside the repository
// and for its top.
func target(link, text string) string {
	if filepath.IsAbs(text) {
		return ""
	}
	return scope.LinkTarget(link, filepath.ToSlash(text))
}

// Beyond finds where paths of the work tree lead that are symbolic links or lie
// beyond one.
func (t *Tree) Beyond(paths []string) ([]scope.Link, error) {
	var out []scope.Link
	for _, p := range paths {
		for i := range p + "/" {
			if i < len(p) && p[i] != '/' {
				continue
			}
			found, err := t.links([]string{p[:i]})
			if err != nil {
				return nil, err
			}
			for _, l := range found {
				out = append(out, scope.Link{Path: p, Leads: extended(l.Leads, p[i:])})
			}
		}
	}
	return out, nil
}

// extended are places with what lies below them by the same names.
func extended(places []string, below string) []string {
	var out []string
	for _, p := range places {
		if p != "" {
			p, _ = scope.Tidy(p + below)
		}
		out = append(out, p)
	}
	return out
}

// StagedLinks finds the symbolic links among paths of the index.
func (t *Tree) StagedLinks(ctx context.Context, paths []string) ([]scope.Link, error) {
	index, err := listIndex(ctx, t.reading())
	if err != nil {
		return nil, err
	}
	var out []scope.Link
	for _, e := range index {
		if e.mode != "120000" || !slices.Contains(paths, e.path) {
			continue
		}
		text, err := t.reading().Output(ctx, "cat-file", "blob", e.id)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		out = append(out, scope.Link{Path: e.path, Leads: []string{target(e.path, string(text))}})
	}
	return out, nil
}

// committedLinks finds the symbolic links among the changes of a commit.
func (t *Tree) committedLinks(ctx context.Context, changes []ancestry.Change) ([]scope.Link, error) {
	var out []scope.Link
	for _, c := range changes {
		if c.NewMode != "120000" {
			continue
		}
		text, err := t.reading().Output(ctx, "cat-file", "blob", string(c.New))
		if err != nil {
			return nil, err
		}
		out = append(out, scope.Link{Path: c.Path, Leads: []string{target(c.Path, string(text))}})
	}
	return out, nil
}
