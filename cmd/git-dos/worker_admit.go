package main

import (
	"context"
	"errors"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// admit takes lane, unit and seat in one admission, or rides the lease that
// GIT_DOS_NONCE names on the lane. Nothing is held when it returns an answer or an
// error.
func (w *workerRunning) admit() (*workerAnswer, error) {
	c, d := w.c, w.desk
	req := w.job.req
	ridden, err := riddenLease(c, d, c.String("lane"))
	if err != nil {
		return nil, err
	}
	if ridden != nil {
		return w.ride(*ridden)
	}
	if req.Owner, err = ownerName(c, d); err != nil {
		return nil, err
	}
	m, err := mintRun(now(c), lineage(c, "worker"))
	if err != nil {
		return nil, environmentf("mint a run id: %w", err)
	}
	req.RunID = m.RunID
	w.from, w.began = d.Clock(), d.Now()
	v, err := acquireSeated(c.Context, d, &req, w.job.seats)
	if err == nil && v.Outcome == lease.Refused && v.HeldHere {
		var freed bool
		if freed, err = w.leftOver(v.Lane); freed && err == nil {
			v, err = acquireSeated(c.Context, d, &req, w.job.seats)
		}
	}
	if err != nil {
		return nil, acquireError(err)
	}
	warnUnwatched(c, d)
	name := c.String("lane")
	switch {
	case v.Outcome == lease.Waits:
		w.lease = *v.Lease
		return refusedWorker(name, "lease", "lane "+name+" waits for others to end: "+v.Reason, "git dos lease await --lane "+verdict.ShellWord(name)+" shows when it can be had", func(a *workerAnswer) { a.Lease = &v }), w.giveBack()
	case v.Outcome != lease.Acquired || v.Lease == nil:
		journalAcquire(c, d, refusal(req, explained(d, v)))
		return refusedWorker(name, "lease", v.Reason, v.Next, func(a *workerAnswer) { a.Lease = &v }), nil
	}
	w.lease, w.left, w.run = *v.Lease, w.job.req.TTL, v.Lease.RunID
	w.bind(v.Lease.Seat)
	if v.WorkUntil != nil {
		w.left = v.WorkUntil.Sub(w.began)
	}
	refused, err := w.prepare()
	if refused != nil || err != nil {
		err = errors.Join(err, w.giveBack())
	}
	return refused, err
}

// leftOver gives back a lapsed lease that this worktree still remembers, where its
// worker and keeper have provably ended: they were killed, and nobody else of this
// worktree is to have it again.
func (w *workerRunning) leftOver(name string) (bool, error) {
	c, d := w.c, w.desk
	held, err := d.Recall(name)
	if err != nil || held == nil {
		return false, err
	}
	r, _, err := d.Lease(c.Context, name, false)
	if err != nil || r == nil || r.Nonce != held.Nonce || !r.Lapsed(now(c)) {
		return false, err
	}
	f, err := marker.In(d.Repo)
	if err != nil {
		return false, err
	}
	spawns, unread, err := f.List()
	if err != nil || len(unread) > 0 || !marker.Ended(spawns, d.Node, r.RunID, r.Nonce) {
		return false, err
	}
	v, err := d.Release(c.Context, name, lease.Identity{Nonce: r.Nonce})
	if err != nil || v.ExitCode() != verdict.Yes {
		return false, err
	}
	warn(c, "lane %s was left over by run %s, of which nothing runs any more", verdict.Show(r.Lane), verdict.Show(r.RunID))
	return true, d.Forget(r.Lane, r.Nonce)
}

// giveBack ends what was taken for a worker that does not start.
func (w *workerRunning) giveBack() error {
	w.stopKeeping()
	if w.linked != nil {
		w.linked.remove(w.c)
	}
	w.forget()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.c.Context), workerCleanup)
	defer cancel()
	if w.ridden {
		return deskError(w.dismount(ctx))
	}
	if _, err := w.home.Release(ctx, w.lease.Lane, lease.Identity{Nonce: w.lease.Nonce}); err != nil {
		return environmentf("lane %s is still held: %w", w.lease.Lane, err).
			hint("git dos lease release --lane %s --nonce %s", verdict.ShellWord(w.lease.Lane), w.lease.Nonce)
	}
	return nil
}

// workerCleanup bounds what is done after an interrupt.
const workerCleanup = 2 * time.Minute

// prepare makes the place to work in, and names the files that go with the run.
func (w *workerRunning) prepare() (*workerAnswer, error) {
	c, d := w.c, w.desk
	if w.keeper == nil { // a large worktree takes its time
		w.keeper, w.kept = w.keep(context.WithoutCancel(c.Context)), true
	}
	w.dir = w.job.dir
	if w.job.worktree {
		tree, err := newWorkerTree(c, d, w.run)
		if err != nil {
			return nil, err
		}
		w.linked, w.dir = tree, tree.dir
	} else if refused, err := w.dirty(); refused != nil || err != nil {
		return refused, err
	}
	repo, err := refstore.Open(c.Context, w.dir)
	if err != nil {
		return nil, repoError(err)
	}
	own, err := deskOf(c, repo, admit.Open)
	if err != nil {
		return nil, err
	}
	own.Node = d.Node
	w.desk, w.trunk = own, d.Rules.Trunk
	if err := w.note(); err != nil {
		return nil, environmentf("the lease cannot be noted in %s: %w", w.dir, err)
	}
	if w.base, err = ancestry.Resolve(c.Context, repo.Git, "HEAD"); errors.Is(err, ancestry.ErrUnborn) {
		w.base = d.Rules.Trunk.ID // nothing was committed here yet
	} else if err != nil {
		return nil, scopeError(err)
	}
	leaf, err := lane.Leaf(w.run)
	if err != nil {
		return nil, usagef("%w", err)
	}
	if w.log, err = repo.SharedFile("logs", leaf+".log"); err != nil {
		return nil, environmentf("%w", err)
	}
	w.marks, err = marker.In(repo)
	return nil, err
}
