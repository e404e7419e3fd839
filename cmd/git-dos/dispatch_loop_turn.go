package main

import (
	"fmt"
	"time"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// An iterated is what one iteration came to.
type iterated struct {
	it      loop.Iteration
	signals loop.Signals
	record  runIteration
}

// turn iterates until it is told to stop, its lane is lost or it is interrupted.
func (l *looping) turn() (dispatchLoopAnswer, error) {
	a := dispatchLoopAnswer{
		Lane: l.lease.Lane, RunID: l.run, Gen: l.lease.Gen, Ridden: l.ridden, Continued: l.was,
		Iterations: []dispatchTurn{}, Flags: []string{}, Shipped: []string{}, Stranded: append([]dispatchStray{}, l.strayed...),
	}
	r := runRecord{Verb: loopRows, RunID: l.run, Lane: l.lease.Lane, Gen: l.lease.Gen, Iterations: []runIteration{}}
	for !l.over(&a, &r) {
		i, err := l.iterate()
		if err != nil && len(a.Iterations) == 0 && !l.started && l.c.Context.Err() == nil {
			return a, err // nothing was done that could be told of
		}
		i.record.N, i.record.Mode = l.carried.Next.Iteration, string(l.carried.Mode)
		if err != nil {
			i.it, i.signals = loop.Iteration{Kind: loop.Unclear}, loop.Signals{}
			i.record.Verdict, i.record.Reason = firstOf(i.record.Verdict, "ERROR"), verdict.Clip(err.Error())
		}
		r.Iterations = append(r.Iterations, i.record)
		if l.over(&a, &r) {
			break
		}
		if err != nil {
			warn(l.c, "iteration %d: %v", l.carried.Next.Iteration, err)
		}
		v, err := l.decide(i, &a)
		if err != nil {
			return a, err
		}
		if v.Outcome == loop.Stop {
			a.Ended, r.StopReason = loop.EndOf(v), string(v.StopReason)
			break
		}
		l.wait(v.BackoffSeconds)
	}
	return a, l.close(&a, r)
}

// over reports whether the loop ends whatever its iterations say: its lane is lost, or
// it is interrupted.
func (l *looping) over(a *dispatchLoopAnswer, r *runRecord) bool {
	if why := l.lost(); why != "" {
		a.Ended = loop.Ended{Outcome: loop.LaneLost, Surface: true, Reason: "the lease on lane " + l.lease.Lane + " is lost: " + why}
		r.StopReason = stopLost
	} else if l.c.Context.Err() != nil {
		a.Ended = loop.Ended{Outcome: loop.Stopped, Reason: fmt.Sprintf("it was interrupted, and goes on with iteration %d when it is started again", l.carried.Next.Iteration)}
		r.StopReason = stopInterrupted
		l.keepCounters(stopInterrupted, "")
	}
	return a.Outcome != ""
}

// iterate is one dispatch or one look back.
func (l *looping) iterate() (i iterated, err error) {
	if l.carried.Mode == loop.Replan {
		if err := l.reopen(); err != nil {
			return i, err
		}
		v, err := replanOnce(l.c, l.desk, l.scope)
		if err != nil {
			return i, err
		}
		l.stamped(v)
		l.publish()
		i.it = loop.Iteration{Kind: loop.ReplanDone, Productivity: v.Outcome}
		i.record = runIteration{Verdict: string(v.Outcome), Reason: v.Reason}
		return i, nil
	}
	a, err := l.once(l.tag())
	i.record = iterationOf(0, "", a)
	d := loop.Dispatched{Gate: loop.Judged(a.Gate), Held: loop.Hold(a.holds.held), Cooling: a.holds.cooling}
	for _, p := range a.Picks {
		l.started = l.started || p.Started
		d.Tried = append(d.Tried, triedOf(p))
	}
	if err != nil {
		return i, err
	}
	l.tell(a, d)
	i.it, i.signals = d.Iteration()
	l.carried.Progress, i.signals.Ratchet = l.carried.Progress.After(d, l.improve)
	return i, nil
}

// triedOf is a pick as the loop takes it.
func triedOf(p supervise.PickRow) loop.Tried {
	t := loop.Tried{End: loop.Kind(p.End), Verified: p.State == supervise.Verified, Quiet: p.State == supervise.Quiet}
	switch p.End {
	case supervise.EndClaim:
		t.End = loop.Shipped
	case "":
		t.End = loop.Unclear
	}
	return t
}

// tell names what would apply to what came of a dispatch, and is not done.
func (l *looping) tell(a dispatchAnswer, d loop.Dispatched) {
	if it, _ := d.Iteration(); it.Kind == loop.RateLimited {
		l.gap("rate-limit-resume", "the loop stops, and nobody starts it again when the quota is back")
	}
	if a.holds.claimed {
		l.gap("soft-claim-wait", "a unit is claimed elsewhere, and that is not waited for")
	}
}

// decide asks what comes after an iteration, and keeps it.
func (l *looping) decide(i iterated, a *dispatchLoopAnswer) (loop.Verdict, error) {
	v := loop.Decide(loop.Evidence{State: loop.State{Counters: l.carried.Next, Policy: l.policy, Signals: i.signals}, Iteration: i.it})
	if err := v.Err(); err != nil {
		return v, errorf(kindIndeterminate, "iteration %d: %w", l.carried.Next.Iteration, err)
	}
	t := dispatchTurn{
		N: l.carried.Next.Iteration, Mode: l.carried.Mode, Verdict: i.record.Verdict, Kind: i.it.Kind, Units: []string{},
		Action: v.Outcome, Backoff: v.BackoffSeconds, Ratchet: string(i.signals.Ratchet), Reason: v.Reason,
	}
	for _, p := range i.record.Picks {
		t.Units = append(t.Units, p.Unit)
	}
	a.Iterations = append(a.Iterations, t)
	l.carried.Next = v.Next
	if v.Outcome == loop.Continue {
		l.carried.Mode = v.NextMode
	}
	l.keepCounters(string(v.Outcome), string(v.StopReason))
	return v, nil
}

// wait is the back-off after an overload. A loss or an interrupt ends it early.
func (l *looping) wait(seconds int64) {
	if seconds == 0 {
		return
	}
	d := time.Duration(seconds) * time.Second
	if testPause != nil {
		d = testPause(d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.keeper.Lost():
	case <-l.c.Context.Done():
	}
}

// testPause lets a test binary wait less. It is nil in the product.
var testPause func(time.Duration) time.Duration

// close writes the record of the loop.
func (l *looping) close(a *dispatchLoopAnswer, r runRecord) error {
	for _, it := range r.Iterations {
		a.Stranded = append(a.Stranded, it.Strays...)
		for _, p := range it.Picks {
			switch p.State {
			case supervise.Verified:
				a.Shipped = append(a.Shipped, p.Unit)
			case supervise.Quiet:
				a.Flags = append(a.Flags, p.Unit)
			}
		}
	}
	a.Next, a.Progress = l.carried.Next, l.carried.Progress
	return l.settling(func() (err error) {
		a.Archive, err = l.keepRecord("", r)
		return err
	})
}
