package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/drive"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// riddenLease is the live lease on a lane that GIT_DOS_NONCE names, nil where it
// names none there.
func riddenLease(c *cli.Context, d *admit.Desk, name string) (*lease.Record, error) {
	nonce := os.Getenv("GIT_DOS_NONCE")
	if nonce == "" {
		return nil, nil
	}
	r, _, err := d.Lease(c.Context, name, false)
	var unknown *admit.UnknownLaneError
	switch {
	case errors.As(err, &unknown):
		return nil, nil
	case err != nil:
		return nil, deskError(err)
	case r == nil || r.Delegate || r.Nonce != nonce || r.State != lane.Held || r.Lapsed(now(c)):
		return nil, nil
	}
	return r, nil
}

// ride works under a lease that another process keeps: it takes no lane, and never
// renews or releases the one it rides. A unit that another lease names, and a seat
// that the ridden one does not have, are refused.
func (w *workerRunning) ride(r lease.Record) (*workerAnswer, error) {
	if refused, err := w.rideRefused(r); refused != nil || err != nil {
		return refused, err
	}
	l := lineage(w.c, "worker")
	if _, ok := runid.Decode(r.RunID); ok && l.Parent == "" {
		l.Parent, l.Root = r.RunID, r.RunID
	}
	m, err := mintRun(now(w.c), l)
	if err != nil {
		return nil, environmentf("mint a run id: %w", err)
	}
	w.ridden, w.lease, w.run = true, r, m.RunID
	w.bind(r.Seat)
	w.from, w.began = w.desk.Clock(), w.desk.Now()
	if w.left = w.desk.Left(r); w.left <= 0 && w.keeper == nil {
		return refusedWorker(r.Lane, "lease", "the lease that it rides is about to lapse", "have its holder renew it, then run this again", func(*workerAnswer) {}), nil
	}
	refused, err := w.prepare()
	if refused != nil || err != nil {
		err = errors.Join(err, w.giveBack())
	}
	return refused, err
}

// rideRefused looks for what stands against the worker's unit and seat. They are
// looked at and not claimed: beside the ridden lease there is no record to claim
// them in.
func (w *workerRunning) rideRefused(r lease.Record) (*workerAnswer, error) {
	refuse := func(reason, next string) *workerAnswer {
		return refusedWorker(r.Lane, "lease", reason, next, func(*workerAnswer) {})
	}
	req := w.job.req
	switch {
	case len(req.Tree) > 0:
		return refuse("a part of a lane that is ridden cannot be claimed", "leave --tree out, and keep to the files yourself"), nil
	case req.Seat != "" && req.Seat != r.Seat:
		return refuse(fmt.Sprintf("the lease that it rides does not have seat %s", verdict.Show(req.Seat)), "take the lane with that seat, or run it without GIT_DOS_NONCE"), nil
	case w.job.ask.asks() && !w.job.ask.has(w.home.Rules.Policy, r.Seat):
		return refuse("the lease that it rides does not have a seat of such an account", "take the lane with --account or --work-kind, or run it without GIT_DOS_NONCE"), nil
	case req.Unit == "":
		return nil, nil
	}
	reading, err := w.desk.Leases(w.c.Context, false)
	if err != nil {
		return nil, deskError(err)
	}
	for _, u := range reading.Unread {
		return nil, errorf(kindStore, "who has unit %.80q cannot be told: %s cannot be read", req.Unit, lease.ChainName(u.Chain)).hint("see git dos doctor")
	}
	for _, o := range reading.Lanes {
		if o.State != lane.Free && o.Nonce != r.Nonce && o.Unit != "" && ship.Fold(o.Unit) == ship.Fold(req.Unit) {
			return refuse(fmt.Sprintf("unit %s is had by %s on lane %s", verdict.Show(req.Unit), o.Holder, o.Lane), "git dos lease show --lane "+verdict.ShellWord(o.Lane)), nil
		}
	}
	return nil, nil
}

// note has the worktree remember the lease, so that verbs there find it by its lane.
// Where the one that is ridden was taken in the same worktree, it does already.
func (w *workerRunning) note() error {
	if w.ridden {
		held, err := w.desk.Recall(w.lease.Lane)
		if err != nil || held != nil && held.Nonce == w.lease.Nonce {
			return err
		}
	}
	w.noted = true
	return w.desk.Remember(w.lease)
}

func (w *workerRunning) forget() {
	if w.noted {
		_ = w.desk.Forget(w.lease.Lane, w.lease.Nonce) // at worst a later verb says that it is lost
	}
}

// keep renews the worker's lease, or watches the one that it rides, from its admission
// until it is given back: also while a worktree is made, and while the run is graded.
func (w *workerRunning) keep(ctx context.Context) *drive.Keeper {
	held := drive.Held{Lane: w.lease.Lane, Nonce: w.lease.Nonce, TTL: w.job.req.TTL, Left: w.left, From: w.from}
	from := workerRunning{c: w.c, desk: w.home, dir: w.job.dir} // where it was asked from, whatever becomes of its own
	open := func(ctx context.Context) (*admit.Desk, error) { return from.reopened(ctx) }
	if w.ridden {
		held.TTL = time.Duration(w.lease.TTL) * time.Second
		return drive.Watch(ctx, held, w.desk.Clock, open)
	}
	return drive.Keep(ctx, held, w.desk.Clock, open)
}

func (w *workerRunning) stopKeeping() {
	if w.kept {
		w.keeper.Stop()
	}
}
