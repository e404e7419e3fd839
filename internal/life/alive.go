package life

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
)

// A Probe is what the asker knows better than the refs do.
type Probe struct {
	Start   refstore.OID // count commits after this one, "" for the run's start
	BeatAge *int64       // milliseconds, instead of what is on record
	Process *bool        // whether its process is running
	NoProc  bool         // do not look at processes
}

// Liveness gathers what shows that the run gets on, as of the desk's time. The
// baseline is its start: how long ago things were is what makes it move.
func (r Run) Liveness(ctx context.Context, probe Probe, plan *resume.Verdict) (liveness.Evidence, error) {
	now := millis(r.book.Desk.Now())
	ev := liveness.Evidence{NowMS: now, Policy: policyOf(r.book.Desk.Rules.Policy.Liveness)}
	var err error
	if ev.StartedMS, err = r.started(now); err != nil {
		return ev, err
	}
	tally, err := r.tally(ctx, probe.Start, now)
	if err != nil {
		return ev, err
	}
	ev = ev.Seen(tally, r.events(now))
	if probe.BeatAge != nil {
		ev.BeatAgeMS = probe.BeatAge
	}
	if r.Live {
		ev.Holding = true
		ev.Workspace = r.workplace().workspace()
		if !probe.NoProc && probe.Process == nil {
			ev.ProcessAlive = process(r.Lease.Proc)
		}
	}
	if probe.Process != nil && !probe.NoProc {
		ev.ProcessAlive = probe.Process
	}
	ev.Finished = plan != nil && plan.Outcome == resume.Complete
	return ev, nil
}

func policyOf(p policy.Liveness) liveness.Policy {
	return liveness.Policy{GraceMS: p.Grace.Milliseconds(), SpinMS: p.Spin.Milliseconds(), ProgressWindowMS: p.ProgressWindow.Milliseconds()}
}

// started is when the run began: as its id says, else when it was first heard of.
func (r Run) started(nowMS int64) (int64, error) {
	first := r.MintedAt
	if first.IsZero() {
		if r.Lease != nil {
			first = r.Lease.AcquiredAt
		}
		for _, row := range r.Story.Rows {
			if first.IsZero() || row.At.Before(first) {
				first = row.At
			}
		}
		for _, b := range r.Beats() {
			if first.IsZero() || b.At.Before(first) {
				first = b.At
			}
		}
	}
	if first.IsZero() {
		return 0, &MintError{fmt.Errorf("when the run %.80q began is not known", r.ID)}
	}
	ms, err := liveness.Started(millis(first), nowMS)
	if err != nil {
		return 0, &MintError{err}
	}
	return ms, nil
}

// A MintError means that a run cannot be judged by the time at which it began.
type MintError struct{ Err error }

func (e *MintError) Error() string { return e.Err.Error() }
func (e *MintError) Unwrap() error { return e.Err }

// tally counts the run's commits after a start.
func (r Run) tally(ctx context.Context, start refstore.OID, nowMS int64) (liveness.Tally, error) {
	if start == "" {
		start = r.Start
	}
	if start == "" {
		return liveness.Tally{}, nil
	}
	p, mine, _, err := r.since(ctx, start)
	if err != nil {
		return liveness.Tally{}, err
	}
	return liveness.Count(r.counted(p.commits, mine), r.ID, nowMS), nil
}

// since is what came after a start, and of it the commits that name no run and may
// be this one's by when and where they were made. Of them none is, where it cannot
// be told of all: what cannot be told to be its own is no progress.
func (r Run) since(ctx context.Context, start refstore.OID) (p *past, mine []*commit, whole bool, err error) {
	if p, err = r.after(ctx, start); err != nil {
		return nil, nil, false, err
	}
	place, err := r.ownPast(ctx, p)
	if err != nil {
		return nil, nil, false, err
	}
	for _, c := range p.commits {
		if len(c.runs) == 0 && r.heldAt(c) && place.byID[c.ID] != nil {
			mine = append(mine, c)
		}
	}
	if whole, err = r.diff(ctx, mine); err != nil {
		return nil, nil, false, err
	} else if !whole {
		mine = nil
	}
	return p, mine, whole && p.whole, nil
}

// Own lists the run's commits after a start: those that name it, and those that
// name no run, were made while it had its lease and touch that lease's tree. Those
// that do not touch it are elsewhere: they may be its, and count for nothing. whole
// reports whether all that came after the start could be looked at.
func (r Run) Own(ctx context.Context, start refstore.OID) (own, elsewhere []refstore.OID, whole bool, err error) {
	p, mine, whole, err := r.since(ctx, start)
	if err != nil {
		return nil, nil, false, err
	}
	var tree lane.Scope
	if r.Lease != nil {
		tree = lane.NewScope(r.Lease.Tree)
	}
	for _, c := range p.commits {
		switch may := r.Lease != nil && slices.Contains(mine, c); {
		case c.own(r.ID), may && c.touches(tree):
			own = append(own, c.ID)
		case may && len(c.paths) > 0:
			elsewhere = append(elsewhere, c.ID)
		}
	}
	return own, elsewhere, whole, nil
}

// counted are the commits as the count of progress takes them.
func (r Run) counted(all, mine []*commit) iter.Seq[liveness.Commit] {
	return func(yield func(liveness.Commit) bool) {
		in := map[refstore.OID]bool{}
		if r.Lease != nil {
			tree := lane.NewScope(r.Lease.Tree)
			for _, c := range mine {
				in[c.ID] = c.touches(tree)
			}
		}
		for _, c := range all {
			run := ""
			switch {
			case c.own(r.ID):
				run = r.ID
			case len(c.runs) > 0:
				run = c.runs[0]
			}
			if !yield(liveness.Commit{Run: run, InTree: in[c.ID], AtMS: millis(c.CommitTime)}) {
				return
			}
		}
	}
}

// heldAt reports whether the run had its lease when a commit was made, by the
// commit's date: only then is one that names no run taken to be its own.
func (r Run) heldAt(c *commit) bool {
	return r.Lease != nil && !c.CommitTime.Before(r.Lease.AcquiredAt) && (r.Live || !c.CommitTime.After(r.Lease.RenewedAt))
}

// released is why a lease ended that its holder gave back.
const released = "released by its holder"

// events is what the run did with its lease, and when it last beat.
func (r Run) events(nowMS int64) (f liveness.Folded) {
	beat := func(atMS int64) {
		age, skewed := liveness.Age(atMS, nowMS)
		if age != nil && (f.BeatAgeMS == nil || *age < *f.BeatAgeMS) {
			f.BeatAgeMS = age
		}
		if skewed != nil && (f.SkewedMS == nil || *skewed > *f.SkewedMS) {
			f.SkewedMS = skewed
		}
	}
	for _, b := range r.Beats() {
		beat(millis(b.At))
	}
	if r.Under != nil { // which its node renews for the sake of who works there
		beat(millis(r.Under.RenewedAt))
	}
	l := r.Lease
	if l == nil {
		return f
	}
	beat(millis(l.AcquiredAt))
	switch {
	case r.Live:
		beat(millis(l.RenewedAt))
	case l.Reason == released:
		age, skewed := liveness.Age(millis(l.RenewedAt), nowMS)
		if age != nil {
			f.Events, f.EventAgeMS = 1, age
		} else if f.SkewedMS == nil || *skewed > *f.SkewedMS {
			f.SkewedMS = skewed
		}
	}
	return f
}
