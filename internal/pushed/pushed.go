// Package pushed reads what a push brings, or a commit that is being made: the
// history that the gates of package hooks judge.
//
// What a push brings is what its tips reach and the receiving side does not
// have, as far as that is known here: neither the ids git was told, nor what the
// remote-tracking refs of that remote reach. It is read from objects alone,
// offline. What cannot be read is an error, never a shorter history.
package pushed

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// MaxCommits bounds how many commits are judged at once.
const MaxCommits = 100_000

// A TooManyError is a push that brings more than MaxCommits.
type TooManyError struct{}

func (TooManyError) Error() string {
	return fmt.Sprintf("the push brings more than %d commits; push them in parts, the oldest first: git push REMOTE COMMIT:BRANCH", MaxCommits)
}

// A History is the commits that some tips reach and none that is known does.
type History struct {
	repo *refstore.Repo
	tips []refstore.OID
	ids  []refstore.OID // newest first
	base []refstore.OID
	refs map[refstore.OID]string // of a push, by tip
	// leads is the tip of each ref of a push.
	leads map[string]refstore.OID
	tags  []tag // that the push brings
	solid solids

	load    sync.Once
	commits []hooks.Commit
	err     error
}

// Between is the history of tips without that of known, all of them commits.
func Between(ctx context.Context, repo *refstore.Repo, tips, known []refstore.OID) (*History, error) {
	h := &History{repo: repo, tips: tips}
	if len(tips) == 0 {
		return h, nil
	}
	var in strings.Builder
	for _, id := range tips {
		in.WriteString(string(id) + "\n")
	}
	for _, id := range known {
		in.WriteString("^" + string(id) + "\n")
	}
	out, _, err := repo.Git.Offline().Run(ctx, git.Call{
		Args:  []string{"rev-list", "--topo-order", fmt.Sprintf("--max-count=%d", MaxCommits+1), "--stdin"},
		Stdin: strings.NewReader(in.String()),
	})
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "the commits of the push", err)
	}
	for line := range bytes.Lines(out) {
		id, ok := refstore.ParseOID(strings.TrimSuffix(string(line), "\n"))
		if !ok {
			return nil, fmt.Errorf("%w: git rev-list answered %.50q", ancestry.ErrMissing, line)
		}
		h.ids = append(h.ids, id)
	}
	if len(h.ids) > MaxCommits {
		return nil, TooManyError{}
	}
	return h, nil
}

// IDs are the commits, newest first.
func (h *History) IDs() []refstore.OID { return h.ids }

// Ref is the first ref of the push that is to point at a commit.
func (h *History) Ref(commit string) (ref string, found bool) {
	ref, found = h.refs[refstore.OID(commit)]
	return ref, found
}

// Load reads the commits before they are asked for. Whoever asks gets the error.
func (h *History) Load(ctx context.Context) { _, _ = h.all(ctx) }

// Tips are the commits that refs of the push lead to, of those that it brings.
func (h *History) Tips(ctx context.Context) (map[string]hooks.Commit, error) {
	all, err := h.all(ctx)
	brought := make(map[string]hooks.Commit, len(all))
	for _, c := range all {
		brought[c.ID] = c
	}
	tips := map[string]hooks.Commit{}
	for ref, id := range h.leads {
		if c, ok := brought[string(id)]; ok {
			tips[ref] = c
		}
	}
	return tips, err
}

// Commits yields them with what each changes.
func (h *History) Commits(ctx context.Context) iter.Seq2[hooks.Commit, error] {
	return func(yield func(hooks.Commit, error) bool) {
		all, err := h.all(ctx)
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(hooks.Commit{}, err)
		}
	}
}

// all reads the commits once, however many gates ask.
func (h *History) all(ctx context.Context) ([]hooks.Commit, error) {
	h.load.Do(func() { h.commits, h.err = h.read(ctx) })
	return h.commits, h.err
}

func (h *History) read(ctx context.Context) ([]hooks.Commit, error) {
	var changes map[string][]hooks.Change
	var failed error
	done := make(chan struct{})
	go func() { // two gits at once
		defer close(done)
		changes, failed = changesOf(ctx, h.repo.Git, h.ids)
	}()
	commits, err := h.messages(ctx)
	<-done
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	for i := range commits {
		commits[i].Changes = changes[commits[i].ID]
	}
	return commits, nil
}

// messages reads the commit objects, and holds git's list to them: each is a tip
// or the parent of one before it, and what is left over is the base.
func (h *History) messages(ctx context.Context) ([]hooks.Commit, error) {
	expected := map[refstore.OID]bool{}
	for _, id := range h.tips {
		expected[id] = true
	}
	listed := map[refstore.OID]bool{}
	commits := make([]hooks.Commit, 0, len(h.ids))
	for c, err := range ancestry.Read(ctx, h.repo.Git, h.ids) {
		switch {
		case err != nil:
			return nil, err
		case !expected[c.ID]:
			return nil, fmt.Errorf("%w: git listed %s, which no commit before it names as a parent", ancestry.ErrMissing, c.ID)
		}
		listed[c.ID] = true
		commits = append(commits, commitOf(c))
		for _, p := range c.Parents {
			expected[p] = true
		}
	}
	if len(commits) != len(h.ids) {
		return nil, fmt.Errorf("%w: %d of %d commits were read", ancestry.ErrMissing, len(commits), len(h.ids))
	}
	for id := range expected {
		if !listed[id] {
			h.base = append(h.base, id)
		}
	}
	slices.Sort(h.base)
	return commits, h.reachesBase(ctx)
}

func commitOf(c ancestry.Commit) hooks.Commit {
	out := hooks.Commit{ID: string(c.ID), Tree: string(c.Tree), Subject: c.Subject(), Message: string(c.Message)}
	for _, p := range c.Parents {
		out.Parents = append(out.Parents, string(p))
	}
	out.Trailers = trailersOf(c.Message)
	return out
}

func trailersOf(message []byte) (all []hooks.Trailer) {
	for _, t := range ancestry.Trailers(message) {
		all = append(all, hooks.Trailer{Key: t.Key, Value: t.Value})
	}
	return all
}

// reachesBase makes sure that history ends where something known begins, and
// not where a shallow clone was cut.
func (h *History) reachesBase(ctx context.Context) error {
	if !h.repo.Shallow {
		return nil
	}
	for _, err := range ancestry.Read(ctx, h.repo.Git, h.base) {
		if err != nil {
			return fmt.Errorf("history ends in a shallow clone before anything the remote has: %w", err)
		}
	}
	return nil
}

// Base are the commits that the history stands on: it is what its tips reach
// and these do not.
func (h *History) Base(ctx context.Context) ([]refstore.OID, error) {
	_, err := h.all(ctx)
	return h.base, err
}
