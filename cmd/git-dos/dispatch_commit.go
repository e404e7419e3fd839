package main

import (
	"errors"
	"time"

	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// commitPatience bounds how long a commit of a dispatch waits for others that commit
// or stage in the same work tree.
const commitPatience = 5 * time.Second

// commitPause is the time between two tries.
const commitPause = 50 * time.Millisecond

// commit commits exactly these paths, or says why not. In a work tree that several
// lanes share, one that meets another's is tried again.
func (s *dispatching) commit(text string, paths, tree []string) (id, why string, err error) {
	t, err := worktree.Open(s.c.Context, s.desk.Repo)
	if err != nil {
		return "", "", scopeError(err)
	}
	note := worktree.Note{Run: s.lease.RunID, Worker: firstEnv("FLEET_WORKER_ID")}
	name := ""
	if len(tree) > 0 {
		name, note.Lease = s.lease.Lane, s.worker().token()
	}
	message, err := worktree.Compose(text, note)
	if err != nil {
		return "", "", commitMessageError(err)
	}
	for until := time.Now().Add(commitPatience); ; {
		v, err := s.commitOnce(t, message, paths, name, tree)
		switch {
		case err == nil && v.Outcome == scope.Committed:
			s.own = append(s.own, refstore.OID(v.Commit))
			return v.Commit, "", nil
		case commitMet(v, err) && time.Now().Before(until) && pause(s.c.Context, commitPause) == nil:
		case err != nil:
			return "", "", scopeError(err)
		default:
			return "", firstOf(v.Reason, "it could not be committed"), nil
		}
	}
}

func (s *dispatching) commitOnce(t *worktree.Tree, message []byte, paths []string, name string, tree []string) (scope.CommitVerdict, error) {
	draft, err := t.Draft(s.c.Context, paths, name, tree)
	if err != nil {
		return scope.CommitVerdict{}, err
	}
	return draft.Commit(s.c.Context, message)
}

// commitMet reports whether a commit may have failed for another that was being made
// beside it: what git has locked or staged then is there for an instant. An error of
// git's own is taken for that, one about the paths is not.
func commitMet(v scope.CommitVerdict, err error) bool {
	var path *worktree.PathError
	switch {
	case err == nil:
		return v.ReasonClass == scope.LockBusy || v.ReasonClass == scope.ForeignStaged
	case errors.As(err, &path), errors.Is(err, ancestry.ErrMissing), errors.Is(err, worktree.ErrBare):
		return false
	}
	return true
}
