// Package cherry makes commits anew on top of another, as git cherry-pick does, in no
// work tree and on no branch.
//
// It goes by whole files: a path that a commit changes must stand on the other side
// as it stood before the commit, or as the commit leaves it. Nothing is merged.
package cherry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A ConflictError means that both sides changed a path, and not to the same.
type ConflictError struct {
	Commit refstore.OID
	Path   string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s changes %.200q, which was changed on the other side too", e.Commit.Short(), e.Path)
}

// ErrMerge means that a commit has another number of parents than one.
var ErrMerge = errors.New("it is a merge, or has no parent")

// Pick makes commits anew on top of onto, in this order, and returns the newest.
// One that is there already is left out, also where another commit brought the same;
// one that follows directly on what it is put on top of is taken as it is. Author,
// committer, dates and message stay, a signature does not: the same commits on top
// of the same one are always the same commits.
func Pick(ctx context.Context, repo *refstore.Repo, onto refstore.OID, commits []refstore.OID) (refstore.OID, error) {
	tip := onto
	for c, err := range ancestry.Read(ctx, repo.Git, commits) {
		if err != nil {
			return "", err
		}
		there, err := repo.IsAncestor(ctx, c.ID, tip)
		switch {
		case err != nil:
			return "", err
		case there:
			continue
		case len(c.Parents) != 1:
			return "", fmt.Errorf("%s: %w", c.ID.Short(), ErrMerge)
		case c.Parents[0] == tip:
			tip = c.ID
			continue
		}
		if tip, err = one(ctx, repo, tip, c); err != nil {
			return "", err
		}
	}
	return tip, nil
}

// one makes one commit anew.
func one(ctx context.Context, repo *refstore.Repo, tip refstore.OID, c ancestry.Commit) (refstore.OID, error) {
	mine, err := diff(ctx, repo.Git, c.Parents[0], c.ID)
	if err != nil {
		return "", err
	}
	theirs, err := diff(ctx, repo.Git, c.Parents[0], tip)
	if err != nil {
		return "", err
	}
	for _, path := range slices.Sorted(maps.Keys(mine)) {
		other, both := theirs[path]
		switch {
		case both && other == mine[path]:
			delete(mine, path)
		case both, mine[path].there() && inTheWay(theirs, path):
			return "", &ConflictError{c.ID, path}
		}
	}
	if len(mine) == 0 {
		return tip, nil
	}
	tree, err := apply(ctx, repo, tip, mine)
	if err != nil {
		return "", err
	}
	return again(ctx, repo.Git, c.ID, tree, tip)
}

// inTheWay reports whether a file came where the path needs a folder, or the other
// way round.
func inTheWay(theirs map[string]entry, path string) bool {
	for other, e := range theirs {
		if e.there() && (strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/")) {
			return true
		}
	}
	return false
}

// apply is the tree of a commit with entries put in its place, made in an index of
// its own.
func apply(ctx context.Context, repo *refstore.Repo, tip refstore.OID, entries map[string]entry) (refstore.OID, error) {
	at, err := repo.StateFile("cherry")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(at), "cherry-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	run := repo.Git.With("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if _, err := run.Output(ctx, "read-tree", string(tip)); err != nil {
		return "", err
	}
	var list strings.Builder
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		fmt.Fprintf(&list, "%s %s\t%s\x00", entries[path].mode, entries[path].id, path)
	}
	if _, _, err := run.Run(ctx, git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: strings.NewReader(list.String())}); err != nil {
		return "", err
	}
	return object(run.Output(ctx, "write-tree"))
}

// object is the id that git printed.
func object(out []byte, err error) (refstore.OID, error) {
	if err != nil {
		return "", err
	}
	return refstore.OID(strings.TrimSpace(string(out))), nil
}
