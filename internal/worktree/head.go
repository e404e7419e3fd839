package worktree

import (
	"context"
	"errors"
	"fmt"
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
// on.
var unfinished = []struct {
	file string
	op   scope.Operation
}{
	{"MERGE_HEAD", scope.Operation{Name: "a merge", Command: "git merge"}},
	{"rebase-merge", scope.Operation{Name: "a rebase", Command: "git rebase"}},
	{"rebase-apply/applying", scope.Operation{Name: "git am", Command: "git am"}},
	{"rebase-apply", scope.Operation{Name: "a rebase", Command: "git rebase"}},
	{"CHERRY_PICK_HEAD", scope.Operation{Name: "a cherry-pick", Command: "git cherry-pick"}},
	{"REVERT_HEAD", scope.Operation{Name: "a revert", Command: "git revert"}},
	{"sequencer", scope.Operation{Name: "a cherry-pick or revert of several commits"}},
}

// Unfinished is the operation that is not finished here.
func (t *Tree) Unfinished() (scope.Operation, error) {
	for _, u := range unfinished {
		_, err := os.Lstat(filepath.Join(t.repo.GitDir, u.file))
		if err == nil {
			return u.op, nil
		}
		if !isGone(err) {
			return scope.Operation{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
	}
	return scope.Operation{}, nil
}

// lock is git's lock on the index, nil when there is none.
func (t *Tree) lock() (*scope.Lock, error) {
	return lockAt(t.index + ".lock")
}

// refLock is git's lock on HEAD or on a branch, nil when there is none.
func (t *Tree) refLock(branch string) (*scope.Lock, error) {
	for _, path := range []string{
		filepath.Join(t.repo.GitDir, "HEAD.lock"), filepath.Join(t.repo.CommonDir, filepath.FromSlash(branch)+".lock"),
	} {
		if l, err := lockAt(path); l != nil || err != nil {
			return l, err
		}
	}
	return nil, nil
}

func lockAt(path string) (*scope.Lock, error) {
	info, err := os.Lstat(path)
	if isGone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return &scope.Lock{Path: path, Age: max(time.Since(info.ModTime()), 0)}, nil
}
