package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/drive"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/runid"
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
// renews or releases the one it rides. Its unit, its seat and its part of the tree it
// claims inside that.
func (w *workerRunning) ride(r lease.Record) (*workerAnswer, error) {
	l := lineage(w.c, "worker")
	if _, ok := runid.Decode(r.RunID); ok && l.Parent == "" {
		l.Parent, l.Root = r.RunID, r.RunID
	}
	m, err := mintRun(now(w.c), l)
	if err != nil {
		return nil, environmentf("mint a run id: %w", err)
	}
	w.ridden, w.lease, w.run = true, r, m.RunID
	w.from, w.began = w.desk.Clock(), w.desk.Now()
	if w.left = w.desk.Left(r); w.left <= 0 && w.keeper == nil {
		return refusedWorker(r.Lane, "lease", "the lease that it rides is about to lapse", "have its holder renew it, then run this again", func(*workerAnswer) {}), nil
	}
	if refused, err := w.claim(); refused != nil || err != nil {
		return refused, err
	}
	refused, err := w.prepare()
	if refused != nil || err != nil {
		err = errors.Join(err, w.giveBack())
	}
	return refused, err
}

// claim claims what the worker is to have inside the lease that it rides. A seat that
// was asked for and that lease has is had with it, unless it is to be a further one. What a killed worker of this machine
// has left there is given back for it.
func (w *workerRunning) claim() (*workerAnswer, error) {
	req, seats := w.job.req, w.job.seats
	met := !w.job.further && w.job.ask.met(w.home.Rules.Policy, w.lease.Seat)
	switch {
	case met:
		req.Seat, seats = "", nil
	case req.Seat == "" && len(seats) == 0:
		return refusedWorker(w.lease.Lane, "seat", "the lease that it rides does not have such a seat, and none is free", "git dos account list", func(*workerAnswer) {}), nil
	}
	w.bind(w.lease.Seat)
	if req.Unit == "" && req.Seat == "" && len(req.Tree) == 0 && len(seats) == 0 {
		return nil, nil
	}
	req.RunID = w.run
	if req.Owner == "" {
		req.Owner = w.lease.Holder.Owner
	}
	claims, v, err := w.rideSeated(&req, seats)
	if err == nil && len(claims) == 0 {
		var freed bool
		if freed, err = w.leftClaims(); freed && err == nil {
			claims, v, err = w.rideSeated(&req, seats)
		}
	}
	switch {
	case err != nil:
		return nil, acquireError(err)
	case len(claims) == 0:
		journalAcquire(w.c, w.desk, refusal(req, v))
		return refusedWorker(w.lease.Lane, "lease", v.Reason, v.Next, func(a *workerAnswer) { a.Lease = &v }), nil
	}
	w.claims = claims
	w.claimed = w.keepClaims(context.WithoutCancel(w.c.Context))
	if req.Seat != "" {
		w.bind(req.Seat)
	}
	return nil, nil
}

// rideSeated claims with the first of these seats that nobody has by then, and leaves
// in req the seat that the answer is about. Without any seat it asks once.
func (w *workerRunning) rideSeated(req *admit.Request, seats []string) (claims []lease.Record, v lease.Verdict, err error) {
	if len(seats) == 0 {
		return w.desk.Ride(w.c.Context, *req, w.lease)
	}
	for _, req.Seat = range seats {
		if claims, v, err = w.desk.Ride(w.c.Context, *req, w.lease); err != nil || v.ReasonClass != lease.SeatTaken {
			break
		}
	}
	return claims, v, err
}

// leftClaims gives back what workers claimed inside the ridden lease of which nothing
// runs any more on this machine, as their markers say.
func (w *workerRunning) leftClaims() (freed bool, err error) {
	f, err := marker.In(w.desk.Repo)
	if err != nil {
		return false, environmentf("%w", err)
	}
	spawns, unread, err := f.List()
	if err != nil || len(unread) > 0 {
		return false, nil // whose they are cannot be told
	}
	reading, err := w.desk.Leases(w.c.Context, false)
	if err != nil {
		return false, deskError(err)
	}
	for _, r := range reading.Claims {
		of := func(m marker.Marker) bool { return m.RunID == r.RunID && m.Nonce == w.lease.Nonce }
		at := slices.IndexFunc(spawns, of)
		if r.Rides.Nonce != w.lease.Nonce || at < 0 || !spawns[at].Over(w.desk.Node) {
			continue
		}
		if err := w.desk.Dismount(w.c.Context, []lease.Record{r}); err != nil {
			return false, deskError(err)
		}
		warn(w.c, "claim %s was left over by run %s, of which nothing runs any more", verdict.Show(r.Lane), verdict.Show(r.RunID))
		freed = true
	}
	return freed, nil
}

// dismount gives back what was claimed inside the ridden lease.
func (w *workerRunning) dismount(ctx context.Context) error {
	claims := w.claims
	w.claims = nil
	w.claimed.stop()
	return w.home.Dismount(ctx, claims)
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
	open := w.asked()
	if w.ridden {
		held.TTL = time.Duration(w.lease.TTL) * time.Second
		return drive.Watch(ctx, held, w.desk.Clock, open)
	}
	return drive.Keep(ctx, held, w.desk.Clock, open)
}

// asked opens the desk where the worker was asked from, whatever becomes of its own.
func (w *workerRunning) asked() func(context.Context) (*admit.Desk, error) {
	from := workerRunning{c: w.c, desk: w.home, dir: w.job.dir}
	return func(ctx context.Context) (*admit.Desk, error) { return from.reopened(ctx) }
}

func (w *workerRunning) stopKeeping() {
	if w.kept {
		w.keeper.Stop()
	}
}
