package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// maxSince bounds how many commits of others are looked through for ours.
const maxSince = 100

// landing finds the commit that was made for a draft among those that HEAD, at
// now, has and had not: the one with the message and the paths asked for. Others
// may have committed before it, and a hook after it. Where git ended well and
// there is no such commit, the only new one is ours and was changed; among
// several it cannot be told. Where git refused, none is ours; where it failed
// otherwise, one that holds what the work tree has is as good as ours, and of
// another it cannot be told. The zero Landing means that there is none.
func (d Draft) landing(ctx context.Context, now refstore.OID, message []byte, gitErr error) (scope.Landing, error) {
	if refused(gitErr) {
		return scope.Landing{}, nil
	}
	since, err := d.since(ctx, now)
	if err != nil {
		return scope.Landing{}, err
	}
	branch, err := ancestry.Symbolic(ctx, d.tree.repo.Git, "HEAD")
	if err != nil {
		return scope.Landing{}, err
	}
	asked := d.paths()
	for _, c := range since {
		if bytes.Equal(c.Message, message) && slices.Equal(c.paths(), asked) {
			same := gitErr == nil
			if !same {
				if same, err = d.tree.has(ctx, c.changes); err != nil {
					return scope.Landing{}, err
				}
			}
			return d.landed(ctx, c, message, same && branch == d.Verdict.Branch)
		}
	}
	switch {
	case gitErr != nil:
		return scope.Landing{}, nil
	case len(since) == 1:
		return d.landed(ctx, since[0], message, branch == d.Verdict.Branch)
	}
	return scope.Landing{Commit: string(now)}, nil
}

// refused reports whether git ended by its own decision, before it had made a
// commit.
func refused(gitErr error) bool {
	var g *git.Error
	return errors.As(gitErr, &g) && g.Code == 1 || errors.As(gitErr, new(*hookError))
}

// has reports whether the work tree surely holds what was committed.
func (t *Tree) has(ctx context.Context, changes []ancestry.Change) (bool, error) {
	run := t.reading()
	run.Dir = t.top
	for _, c := range changes {
		info, err := os.Lstat(t.onDisk(c.Path))
		switch {
		case isGone(err):
			if c.NewMode != "000000" {
				return false, nil
			}
			continue
		case err != nil:
			return false, fmt.Errorf("%w: %w", ErrUnreadable, err)
		case !info.Mode().IsRegular() || c.NewMode == "120000":
			return false, nil // what it holds is not compared
		}
		out, err := run.Output(ctx, "hash-object", "--", c.Path)
		if err != nil {
			return false, err
		}
		if string(bytes.TrimSpace(out)) != string(c.New) {
			return false, nil
		}
	}
	return true, nil
}

// A made is a commit with what it changed against its first parent.
type made struct {
	ancestry.Commit
	changes []ancestry.Change
}

// paths are sorted.
func (m made) paths() []string {
	var out []string
	for _, c := range m.changes {
		out = append(out, c.Path)
	}
	slices.Sort(out)
	return out
}

// since reads the commits that HEAD has now and had not, newest first.
func (d Draft) since(ctx context.Context, now refstore.OID) ([]made, error) {
	run := d.tree.repo.Git
	log := ancestry.Walk(run, now)
	if d.head != "" {
		log = ancestry.Range(run, d.head, now)
	}
	var commits []ancestry.Commit
	for c, err := range log.Commits(ctx) {
		if err != nil {
			return nil, err
		}
		if len(commits) == maxSince {
			return nil, fmt.Errorf("more than %d commits were made meanwhile, and which one is this cannot be told: see git log", maxSince)
		}
		c.Message = bytes.Clone(c.Message)
		commits = append(commits, c)
	}
	changes := map[refstore.OID][]ancestry.Change{}
	for ch, err := range ancestry.Changed(ctx, run, commits...) {
		if err != nil {
			return nil, err
		}
		changes[ch.Commit] = append(changes[ch.Commit], ch)
	}
	var out []made
	for _, c := range commits {
		out = append(out, made{c, changes[c.ID]})
	}
	return out, nil
}

func (d Draft) landed(ctx context.Context, m made, message []byte, onBranch bool) (scope.Landing, error) {
	l := scope.Landing{
		Commit: string(m.ID), Paths: m.paths(), Asked: d.paths(), Found: onBranch && len(m.Parents) <= 1,
		Message: bytes.Equal(m.Message, message), Tree: d.within, Trailers: TrailersOf(m.Message),
	}
	var err error
	l.Links, err = d.tree.committedLinks(ctx, m.changes)
	return l, err
}
