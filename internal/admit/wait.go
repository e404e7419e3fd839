package admit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// How long one waits between two looks at an authority: a little at first, and
// never long, since nobody tells when a lane becomes free.
const (
	firstLook, lastLook             = 100 * time.Millisecond, time.Second
	firstRemoteLook, lastRemoteLook = time.Second, 10 * time.Second
)

// Acquire asks the authority for lanes, again and again as long as the request
// waits. The answer is a verdict: had, waiting, refused with the holder named, or
// contended. A lease that the caller will not learn of, because ctx ended
// meanwhile, is given back, and so is one that waits.
func (d *Desk) Acquire(ctx context.Context, req Request) (lease.Verdict, error) {
	if err := d.Check(req); err != nil {
		return lease.Verdict{}, err
	}
	w := d.waiting(req.Wait)
	for {
		v, err := d.acquire(ctx, req)
		switch {
		case err != nil || v.Outcome == lease.Acquired || req.Wait <= 0:
			return v, err
		case v.Outcome == lease.Waits:
			return d.awaitOwn(ctx, v, w)
		case !passes(v) || !w.pause(ctx, v):
			return v, context.Cause(ctx)
		}
	}
}

// awaitOwn waits for the lease that this very call was admitted with. When the
// caller goes away, it is withdrawn; when the authority does, it stays, to be
// awaited later.
func (d *Desk) awaitOwn(ctx context.Context, v lease.Verdict, w *waiting) (lease.Verdict, error) {
	own, reacquired := *v.Lease, v.Reacquired
	id := lease.Identity{Nonce: own.Nonce}
	err := d.Remember(own) // should this process not live to see the end of it
	if err == nil {
		v, err = d.await(ctx, own.Lane, id, v, w)
	}
	switch {
	case reacquired:
		return v, err
	case ctx.Err() == nil && v.Outcome == lease.LostLease:
		return v, errors.Join(err, d.Forget(own.Lane, own.Nonce))
	case ctx.Err() == nil:
		return v, err
	}
	whole, cancel := detached(ctx)
	defer cancel()
	if _, err := d.Release(whole, own.Lane, id); err != nil {
		return lease.Verdict{}, &StoreError{
			Err:  fmt.Errorf("lane %s waits still: %w", own.Lane, err),
			Hint: "git dos lease release --lane " + own.Lane + " --nonce " + own.Nonce + " withdraws it",
		}
	}
	return lease.Verdict{}, errors.Join(context.Cause(ctx), d.Forget(own.Lane, own.Nonce))
}

// Await waits for a lease of the caller's that waits, at most for so long. It
// renews it meanwhile.
func (d *Desk) Await(ctx context.Context, name string, id lease.Identity, most time.Duration) (lease.Verdict, error) {
	word, err := d.LaneWord(name)
	if err != nil {
		return lease.Verdict{}, err
	}
	if d.remote != nil {
		ev := lease.KeepEvidence{Lane: word, Identity: id}
		has, ok, err := d.grantedHere(ctx, &ev)
		if err != nil {
			return lease.Verdict{}, d.storeError(err)
		}
		if ok { // what a node grants is had at once
			v, err := d.keepHere(ctx, has, ev, keepVerb{decide: lease.Heartbeat, order: true, renews: true})
			if v.Outcome == lease.Renewed {
				v.Outcome, v.Reacquired, v.Reason = lease.Acquired, true, "the lane is yours"
			}
			return v, err
		}
	}
	return d.await(ctx, word, id, lease.Verdict{}, d.waiting(most))
}

func (d *Desk) await(ctx context.Context, name string, id lease.Identity, v lease.Verdict, w *waiting) (lease.Verdict, error) {
	var taken []lease.Taken
	a := &acquisition{desk: d, stamp: d.stamp("", "")} // to settle what somebody left half done
	for {
		if v.Outcome == lease.Waits && len(v.Scavenged) == 0 && !w.pause(ctx, v) {
			v.Scavenged = taken
			return v, context.Cause(ctx)
		}
		next, err := a.awaitOnce(ctx, name, id)
		var torn *lease.TornError
		var store *StoreError
		switch {
		case errors.As(err, &store) && v.Outcome == lease.Waits && w.pause(ctx, v):
			continue // it may be back by then
		case errors.As(err, &torn):
			if err := a.awaitOrRepair(ctx, torn); err != nil {
				return next, d.storeError(err)
			}
			v = lease.Verdict{}
			continue
		case err != nil:
			return next, err
		case next.Outcome != lease.Waits:
			next.Scavenged = taken
			return next, nil
		}
		taken = append(taken, next.Scavenged...)
		v = next
	}
}

// awaitOnce looks once whether a lease still has to wait. A *lease.TornError asks
// for another look.
func (a *acquisition) awaitOnce(ctx context.Context, name string, id lease.Identity) (lease.Verdict, error) {
	d := a.desk
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	from := d.Clock()
	ev := lease.AwaitEvidence{Identity: id, Stamp: d.stamp("", ""), Lapsing: d.lapsing()}
	var v lease.Verdict
	var tried tries[lease.Verdict]
	u, err := d.Repo.Update(ctx, d.auth, refstore.Query{Kinds: laneKinds}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		if err := d.checkFleet(s); err != nil {
			return nil, err
		}
		t, err := d.watched(ctx, from, s)
		if err != nil {
			return nil, err
		}
		at, err := d.placeOf(t, name)
		if err != nil {
			return nil, err
		}
		if at.current == nil && !d.declared(at.lane) {
			// A slot that it had may be another's by now: then it is over.
			if held, err := d.everHeld(ctx, s, at.lane); err != nil || !held {
				return nil, errors.Join(err, d.unknownLane(at.lane, s))
			}
		}
		var decided []lease.Write
		ev.Lane, ev.Table = at.lane, t
		if v, decided, err = lease.Await(ev); err != nil {
			return nil, a.noteTorn(s, err)
		}
		asOf := s.AsOf.UTC().Truncate(time.Second)
		v.AsOf = &asOf
		tried.note(v, decided)
		return d.writes(decided)
	})
	if lostRace(err) {
		return lease.Verdict{Outcome: lease.Waits, Lane: name, Reason: othersFirst, Next: "git dos lease await again"}, nil
	}
	var torn *lease.TornError
	if err != nil && !errors.As(err, &torn) {
		err = d.storeError(err)
	}
	if err != nil {
		return v, err
	}
	return d.stands(ctx, tried.verdict(u, v))
}

// passes reports whether a refusal may be over by itself.
func passes(v lease.Verdict) bool {
	classes := []string{
		lane.SameLaneHeld, lane.ExclusiveLive, lane.ExclusiveNotAlone, lane.Collision, lane.ClassBudgetExhausted,
		lease.UnitClaimed, lease.SeatTaken, lease.Draining,
	}
	return v.Outcome == lease.Contended || v.Outcome == lease.Refused && !v.HeldHere && slices.Contains(classes, v.ReasonClass)
}

// A waiting is a caller's patience.
type waiting struct {
	until    time.Time
	pauseFor time.Duration
	longest  time.Duration
}

func (d *Desk) waiting(most time.Duration) *waiting {
	w := &waiting{until: time.Now().Add(most), pauseFor: firstLook, longest: lastLook}
	if d.remote != nil {
		w.pauseFor, w.longest = firstRemoteLook, lastRemoteLook
	}
	return w
}

// pause waits until the next look, and reports false when there is none: time is
// up, or ctx has ended. A look is taken when the lease in the way can be taken,
// and one when time is up.
func (w *waiting) pause(ctx context.Context, v lease.Verdict) bool {
	left := time.Until(w.until)
	if left <= 0 {
		return false
	}
	d := min(w.pauseFor, left)
	if lapses := time.Duration(v.LapsesIn) * time.Second; lapses > 0 {
		d = min(d, lapses)
	}
	if v.Outcome == lease.Waits && v.Lease != nil { // which has to be renewed in time
		d = min(d, time.Duration(v.Lease.TTL)*time.Second/6)
	}
	w.pauseFor = min(2*w.pauseFor, w.longest)
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
