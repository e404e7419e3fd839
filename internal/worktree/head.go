package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// head is the commit HEAD names, "" on a branch that has none yet. A HEAD that
// cannot be read is an error.
func (t *Tree) head(ctx context.Context) (refstore.OID, error) {
	id, err := ancestry.Resolve(ctx, t.repo.Git, "HEAD")
	if errors.Is(err, ancestry.ErrUnborn) {
		return "", nil
	}
	return id, err
}

// unfinished are the files by which git remembers an operation that is to go
// on, with its name.
var unfinished = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"},
	{"rebase-merge", "a rebase"},
	{"rebase-apply", "a rebase or git am"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"},
	{"sequencer", "a cherry-pick or revert of several commits"},
}

// inProgress names the operation that is not finished here, "" for none.
func (t *Tree) inProgress() (string, error) {
	for _, u := range unfinished {
		_, err := os.Lstat(filepath.Join(t.repo.GitDir, u.file))
		if err == nil {
			return u.what, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
	}
	return "", nil
}

// lock is git's lock on the index, nil when there is none.
func (t *Tree) lock() (*scope.Lock, error) {
	path := t.index + ".lock"
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return &scope.Lock{Path: path, Age: max(time.Since(info.ModTime()), 0)}, nil
}
