package life

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// How much of history is looked at for one run. More than that, and what it says
// counts as not known.
const (
	maxWalked  = 20_000 // commits after the run's start
	maxDiffed  = 5_000  // of them, those whose paths are looked at
	maxTouched = 2_000_000
)

// A past is what came after a commit in the history that counts for a run: that
// of the trunk, of the worktree that asks and of the one that has the lease.
type past struct {
	since   refstore.OID
	reached bool // it is in that history
	whole   bool // all that came after it is here, and was looked at
	cut     bool // there is more than is looked at
	commits []*commit
	byID    map[refstore.OID]*commit
}

// A commit is one that came after another.
type commit struct {
	ancestry.Commit
	runs  []string // that its trailers name
	after bool     // it descends from the other

	paths  []string
	diffed bool
}

// runTrailer says which run made a commit.
const runTrailer = "Dos-Run"

// own reports whether a commit says that it is the run's, foreign whether it says
// that it is another's.
func (c *commit) own(run string) bool     { return slices.Contains(c.runs, run) }
func (c *commit) foreign(run string) bool { return len(c.runs) > 0 && !c.own(run) }

func (c *commit) touches(in lane.Scope) bool { return slices.ContainsFunc(c.paths, in.Contains) }

// A histories answers for one run what came after which commit.
type histories struct {
	tips  []refstore.OID
	known bool
	since map[refstore.OID]*past
	in    map[refstore.OID]bool // commits that were asked for by themselves
}

// after is what came after a commit. What is not here to be read is left out, and
// the past is then not whole.
func (r Run) after(ctx context.Context, since refstore.OID) (*past, error) {
	if p := r.seen.since[since]; p != nil {
		return p, nil
	}
	tips, err := r.tips(ctx)
	if err != nil {
		return nil, err
	}
	p, err := r.pastOf(ctx, since, tips)
	if err == nil {
		r.seen.since[since] = p
	}
	return p, err
}

// pastOf is what came after a commit in the history of some tips: one walk for all
// runs of a book that ask for the same.
func (r Run) pastOf(ctx context.Context, since refstore.OID, tips []refstore.OID) (*past, error) {
	key := fmt.Sprintf("%s %s", since, tips)
	if p := r.book.pasts[key]; p != nil {
		return p, nil
	}
	p := &past{since: since, whole: true, byID: map[refstore.OID]*commit{}}
	for _, tip := range tips {
		if tip == since {
			p.reached = true
			continue
		}
		err := p.walk(ctx, ancestry.Range(r.book.Desk.Repo.Git, since, tip))
		switch {
		case errors.Is(err, ancestry.ErrMissing), errors.Is(err, ancestry.ErrNoRevision):
			p.whole = false
		case err != nil:
			return nil, storeError(err)
		}
	}
	r.book.pasts[key] = p
	return p, nil
}

// ownPast is the part of a past in which a commit that names no run may be the run's:
// while it has its lease, the history of the worktree that took it, of another clone's
// that of the trunk. Whoever else commits there, as one who has lost the lane, does so
// elsewhere.
func (r Run) ownPast(ctx context.Context, p *past) (*past, error) {
	w := r.workplace()
	switch {
	case !r.Live:
		return p, nil
	case !w.found:
		return r.pastAt(ctx, p, r.book.Desk.Rules.Trunk.ID)
	case w.head == "":
		head, err := r.Head(ctx)
		if err != nil {
			return nil, err
		}
		return r.pastAt(ctx, p, refstore.OID(head))
	}
	head, err := resolve(ctx, r.book.Desk.Repo, w.head)
	if err != nil {
		return nil, err
	}
	return r.pastAt(ctx, p, head)
}

// pastAt is the part of a past in the history of one tip, of none where there is no
// commit.
func (r Run) pastAt(ctx context.Context, p *past, tip refstore.OID) (*past, error) {
	switch {
	case tip == "":
		return r.pastOf(ctx, p.since, nil)
	case slices.Equal(r.seen.tips, []refstore.OID{tip}):
		return p, nil
	}
	return r.pastOf(ctx, p.since, []refstore.OID{tip})
}

// walk adds a piece of history. Children come before parents in it.
func (p *past) walk(ctx context.Context, log *ancestry.Log) error {
	var piece []*commit
	for c, err := range log.Commits(ctx) {
		if err != nil {
			return err
		}
		if len(p.byID)+len(piece) >= maxWalked {
			p.whole, p.cut = false, true
			break
		}
		if p.byID[c.ID] == nil {
			piece = append(piece, &commit{Commit: c, runs: runsOf(c)})
		}
	}
	for _, c := range slices.Backward(piece) {
		for _, parent := range c.Parents {
			of := p.byID[parent]
			c.after = c.after || parent == p.since || of != nil && of.after
		}
		p.reached = p.reached || c.after
		p.byID[c.ID] = c
		p.commits = append(p.commits, c)
	}
	return nil
}

func runsOf(c ancestry.Commit) (runs []string) {
	for _, t := range c.Trailers() {
		if strings.EqualFold(t.Key, runTrailer) {
			runs = append(runs, strings.TrimSpace(t.Value))
		}
	}
	return runs
}

// diff fills in the paths of commits. It is false when they are not all here, or
// too many.
func (r Run) diff(ctx context.Context, commits []*commit) (bool, error) {
	asked := map[refstore.OID]*commit{}
	var list []ancestry.Commit
	for _, c := range commits {
		if !c.diffed && asked[c.ID] == nil {
			asked[c.ID] = c
			list = append(list, c.Commit)
		}
	}
	if len(list) > maxDiffed {
		return false, nil
	}
	paths, found := 0, map[refstore.OID][]string{}
	for change, err := range ancestry.Changed(ctx, r.book.Desk.Repo.Git, list...) {
		if errors.Is(err, ancestry.ErrMissing) {
			return false, nil
		}
		if err != nil {
			return false, storeError(err)
		}
		if paths++; paths > maxTouched {
			return false, nil
		}
		found[change.Commit] = append(found[change.Commit], change.Path)
	}
	for _, c := range asked {
		c.paths, c.diffed = found[c.ID], true
	}
	return true, nil
}

// tips are the commits whose history counts.
func (r Run) tips(ctx context.Context) ([]refstore.OID, error) {
	if r.seen.known {
		return r.seen.tips, nil
	}
	repo := r.book.Desk.Repo
	var tips []refstore.OID
	add := func(id refstore.OID) {
		if id != "" && !slices.Contains(tips, id) {
			tips = append(tips, id)
		}
	}
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	add(refstore.OID(head))
	add(r.book.Desk.Rules.Trunk.ID)
	if w := r.workplace(); w.head != "" {
		id, err := resolve(ctx, repo, w.head)
		if err != nil {
			return nil, err
		}
		add(id)
	}
	r.seen.tips, r.seen.known = tips, true
	return tips, nil
}

// Head is the commit of the worktree that asks, "" where there is none yet.
func (r Run) Head(ctx context.Context) (string, error) {
	if head, known := r.book.Desk.Repo.Head(); known {
		return string(head.ID), nil
	}
	id, err := resolve(ctx, r.book.Desk.Repo, "HEAD")
	return string(id), err
}

// resolve is the commit of a HEAD, "" on a branch that has none.
func resolve(ctx context.Context, repo *refstore.Repo, rev string) (refstore.OID, error) {
	id, err := ancestry.Resolve(ctx, repo.Git, rev)
	if errors.Is(err, ancestry.ErrUnborn) || errors.Is(err, ancestry.ErrNoRevision) {
		return "", nil
	}
	return id, storeError(err)
}

// millis is a time as evidence has it.
func millis(t time.Time) int64 { return t.UnixMilli() }
