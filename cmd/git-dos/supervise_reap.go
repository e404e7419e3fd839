package main

import (
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/decisions"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/resume"
)

// judgedLease is the lease of a row, as it was judged.
func (e *enacting) judgedLease(r supervise.Row) (*lease.Record, error) {
	reading, err := e.book.Leases(e.c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	for _, rec := range reading.Lanes {
		if r.Lease != nil && rec.Nonce == r.Nonce && int(rec.Gen) == r.Gen && rec.State != lane.Free && lane.CanonicalOr(rec.Lane) == lane.CanonicalOr(r.Lane) {
			return &rec, nil
		}
	}
	return nil, fmt.Errorf("its lease is not the one that was judged")
}

// reap asks whether the run of a stalled lease can be gone on with, and parks or
// scavenges the lease.
func (e *enacting) reap(r supervise.Row) superviseRow {
	out := e.row(r)
	rec, err := e.judgedLease(r)
	if err != nil {
		return out.came(isLeft, "%v", err)
	}
	var word resume.Outcome
	err = lifeWrite(e.c, false, func(b *life.Book) (err error) {
		word, err = e.resumes(b, r.RunID)
		return err
	})
	out.Resume = string(word)
	park := word == resume.Resumable || word == resume.Diverged
	var v lease.Verdict
	if err == nil {
		v, err = e.settle(*rec, park)
	}
	switch {
	case err != nil:
		return out.came(isLeft, "it cannot be told, or be done: %v", err)
	case park && v.Outcome == lease.Parked:
		return out.came(didPark, "its run is %s: git dos decisions shows it; the lane is kept until somebody decides", out.Resume)
	case !park && (v.Outcome == lease.Scavenged || v.Outcome == lease.AlreadyFree):
		e.free[r.Lane] = true
		return out.came(didScavenge, "its run is %s: %s", out.Resume, v.Reason)
	}
	return out.came(isLeft, "%s", v.Reason)
}

// resumes says whether a run can be gone on with, and puts that where git dos
// decisions finds it. A run that nothing names has nothing to be gone on with.
func (e *enacting) resumes(b *life.Book, id string) (resume.Outcome, error) {
	if id == "" {
		return resume.Unresumable, nil
	}
	run, err := b.Run(e.c.Context, id)
	var unknown *life.UnknownRunError
	if errors.As(err, &unknown) {
		return resume.Unresumable, nil
	}
	if err == nil {
		err = run.Sure()
	}
	if err != nil {
		return "", lifeError(err)
	}
	ev, err := run.Resume(e.c.Context, false)
	if err != nil {
		return "", lifeError(err)
	}
	v := resume.Decide(ev)
	if err := v.Err(); err != nil {
		return "", err
	}
	a := resumeAnswer{Verdict: v}
	return v.Outcome, a.record(e.c, b, run)
}

// settle parks a lease, or scavenges it.
func (e *enacting) settle(rec lease.Record, park bool) (lease.Verdict, error) {
	d, err := writingDesk(e.c)
	if err != nil {
		return lease.Verdict{}, err
	}
	if !park {
		v, err := d.ScavengeJudged(e.c.Context, rec)
		return v, deskError(err)
	}
	v, err := d.ParkJudged(e.c.Context, rec)
	if err == nil && v.Outcome == lease.Parked {
		err = rememberParked(d, rec.Lane, lease.Identity{Nonce: rec.Nonce}, v.Lease)
	}
	return v, deskError(err)
}

// spins reports whether the plan found the worker of a lane spinning.
func (e *enacting) spins(name string) bool {
	for _, l := range e.plan.Evidence.Lanes {
		if l.Name == name {
			return l.Liveness == supervise.Spinning
		}
	}
	return false
}

// superviseSpins is the class of a halt that a supervisor proposes.
const superviseSpins = "SPINNING"

// flag shows a row, and proposes a halt where its worker has begun to spin. What
// began it is named by the lease and by what the run had brought by then.
func (e *enacting) flag(r supervise.Row) superviseRow {
	out := e.row(r)
	if r.Lease == nil || !e.spins(r.Lane) {
		return out.came(isShown, "%s", r.Reason)
	}
	if e.flagged[r.Nonce] {
		return out.came(wasProposed, "%s", r.Reason)
	}
	rec, err := e.judgedLease(r)
	if err != nil {
		return out.came(isLeft, "%v", err)
	}
	v, err := loopJudge(e.c, e.book, *rec)
	if err != nil {
		return out.came(isLeft, "%v", err)
	}
	row := journal.Row{
		Op: journal.OpHalt, Lane: r.Lane, RunID: r.RunID, ReasonClass: superviseSpins, Reason: "supervise: it beats, and nothing comes of it",
		Gen: rec.Gen, Nonce: rec.Nonce, Node: rec.Holder.Node, Edge: fmt.Sprintf("%s %d", rec.Nonce, v.Evidence.Commits),
	}
	fresh := false
	err = lifeWrite(e.c, false, func(b *life.Book) error {
		told, err := b.Alerts(e.c.Context)
		if err != nil {
			return lifeError(err)
		}
		alert := decisions.Alert{Op: row.Op, Lane: row.Lane, Class: row.ReasonClass, Reason: row.Reason, RunID: row.RunID, Edge: row.Edge}
		if fresh = decisions.Fresh(decisionsAlerts(told.Alerts), alert); !fresh {
			return nil
		}
		if row.Owner, err = ownerName(e.c, b.Desk); err != nil {
			return err
		}
		_, err = b.Record(e.c.Context, row)
		return lifeError(err)
	})
	switch {
	case err != nil:
		return out.came(hasFailed, "the halt could not be proposed: %v", err)
	case !fresh:
		return out.came(wasProposed, "%s", r.Reason)
	}
	return out.came(didPropose, "%s: git dos decisions shows it, and nobody is stopped", r.Reason)
}
