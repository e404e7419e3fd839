package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// finish grades the run, writes its EXIT row, releases what it held and tidies
// up. It goes on after an interrupt: until it has ended, the lane is held.
func (w *workerRunning) finish(exit supervise.Exit, cause error) (workerAnswer, error) {
	if errors.Is(cause, worker.ErrNoProgram) {
		warn(w.c, "%v", cause)
	} else if cause != nil {
		_ = w.marks.Remove(w.run)
		return workerAnswer{}, errors.Join(environmentf("%w", cause), w.giveBack())
	}
	interrupted := w.c.Context
	ctx, cancel := context.WithTimeout(context.WithoutCancel(interrupted), workerCleanup)
	defer cancel()
	w.c.Context = ctx
	defer func() { w.c.Context = interrupted }()

	a := workerAnswer{Lane: w.lease.Lane, RunID: w.run, Gen: w.lease.Gen, Dir: w.dir, Log: w.log, Ridden: w.ridden}
	if w.mark.Worker != nil {
		a.PID = w.mark.Worker.PID
	}
	ev, err := w.evidence(exit)
	if err != nil {
		err = fmt.Errorf("what came of run %s cannot be told: %w", w.run, err)
		return a, errors.Join(err, w.end(nil, &a))
	}
	a.Grade = supervise.Judge(ev)
	if err := w.end(&a.Grade, &a); err != nil {
		return a, err
	}
	return a, nil
}

// end writes the EXIT row, and gives back lease, worktree and marker. A worker
// that left processes keeps its marker: by it they are known to be ours.
func (w *workerRunning) end(g *supervise.Grade, a *workerAnswer) error {
	row := journal.Row{
		Op: journal.OpExit, Lane: w.lease.Lane, RunID: w.run, Gen: w.lease.Gen, Nonce: w.lease.Nonce,
		Unit: w.job.req.Unit, Seat: w.job.req.Seat, PID: a.PID, Log: w.log, Outcome: "UNKNOWN", Reason: "what came of it could not be told",
	}
	if w.account != nil {
		row.Account = w.account.Name
	}
	if g != nil {
		row.Outcome, row.Reason, row.Status = string(g.Claim), g.Reason, &g.Evidence.Exit.Status
		row.ReasonClass = string(g.End)
	}
	if w.mark.Worker != nil {
		row.Start, row.BootID = w.mark.Worker.Start, w.mark.Worker.Boot
	}
	if err := w.home.Journal(w.c.Context, row); err != nil {
		warn(w.c, "the end of run %s was not journaled: %v", w.run, err)
	}
	if w.account != nil && g != nil && g.End == supervise.EndRateLimited {
		w.capAccount()
	}
	w.tellEnd()
	err := w.release(g, a)
	if w.linked != nil {
		w.linked.remove(w.c)
	}
	if g == nil || len(g.Evidence.Survivors) == 0 {
		if rerr := w.marks.Remove(w.run); rerr != nil {
			warn(w.c, "the marker of run %s stays: %v", w.run, rerr)
		}
	} else {
		a.Next = "git dos reclaim"
	}
	return err
}

// release gives the lease back. One that is lost is somebody else's by now.
func (w *workerRunning) release(g *supervise.Grade, a *workerAnswer) error {
	w.stopKeeping()
	w.forget()
	if w.ridden {
		if err := w.dismount(w.c.Context); err != nil {
			warn(w.c, "what was claimed inside lane %s is held still: %v", w.lease.Lane, err)
		}
		return nil
	}
	v, err := w.home.Release(w.c.Context, w.lease.Lane, lease.Identity{Nonce: w.lease.Nonce})
	switch {
	case g != nil && g.Evidence.Exit.Lost:
		return nil
	case err != nil:
		warn(w.c, "lane %s is still held, and lapses by itself: %v", w.lease.Lane, err)
		a.Next = fmt.Sprintf("git dos lease release --lane %s --nonce %s", verdict.ShellWord(w.lease.Lane), w.lease.Nonce)
	case v.ExitCode() != verdict.Yes:
		a.Lease = &v
	}
	return nil
}
