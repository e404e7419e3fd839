package admit

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// grantedHere reports whether a verb is about a lease that this node granted: the
// caller proves that it is its own, or it is the one on a lane that the node has on
// the remote. What the caller had here and the remote keeps for it is the remote's to
// answer for, by the identity that ev then has.
func (d *Desk) grantedHere(ctx context.Context, ev *lease.KeepEvidence) (has lease.Delegation, ok bool, err error) {
	own := d.own()
	s, err := own.auth.Read(ctx, refQuery(ownKinds))
	if err != nil || len(s.List("delegation")) == 0 {
		return has, false, err
	}
	t, unordered := own.table(ctx, s)
	at, err := d.placeOf(t, ev.Lane)
	if err != nil {
		return has, false, err
	}
	if has, ok, err := d.claimHere(s, at.current, ev.Identity); ok || err != nil {
		return has, ok, err
	}
	if at.current == nil || at.current.Under == "" {
		return has, false, unordered
	}
	if has, err = d.delegationIn(s, at.lane); err != nil {
		return has, false, err
	}
	r := *at.current
	if r.State == lane.Parked && has.State == lease.Returning { // whoever parked it died on the way to the remote
		if _, err := d.putRight(ctx, has); err != nil && !errors.Is(err, errMoved) {
			return has, false, &StoreError{Err: d.storeError(err), Hint: "try again: the lane is kept here, and is on its way to " + d.Remote()}
		}
		return d.grantedHere(ctx, ev)
	}
	if r.State == lane.Free && d.nowThere(at.lane, r, ev) {
		return has, false, nil
	}
	return has, ev.Identity.Owns(r) || r.State != lane.Free && has.Nonce == r.Under && has.State != lease.Gone, nil
}

// nowThere reports whether what the caller had here of a lane is on the remote by now,
// as last seen: kept there for it, under the identity that ev then has, or taken anew.
func (d *Desk) nowThere(name string, had lease.Record, ev *lease.KeepEvidence) bool {
	there := d.lastSeen(name)
	if there == nil {
		return false
	}
	if id, moved := keptThere(had, there, ev.Identity); moved {
		ev.Identity = id
		return true
	}
	return there.State != lane.Free && ev.Identity.Owns(*there)
}

// keepHere carries out a decision about a lease that this node granted. One that
// lets it run on renews what the node has on the remote first, when that is due.
func (d *Desk) keepHere(ctx context.Context, has lease.Delegation, ev lease.KeepEvidence, verb keepVerb) (lease.Verdict, error) {
	own := d.own()
	if verb.renews && has.State == lease.Live && has.Due(d.Clock()) {
		var err error
		if has, err = d.renewLocked(ctx, has); err != nil {
			return lease.Verdict{}, d.storeError(err)
		}
	}
	v, err := own.keepThere(ctx, ev, verb)
	switch {
	case err != nil:
		return v, err
	case v.Outcome == lease.Renewed:
		v = v.Within(has, d.lapsing())
	case v.Outcome == lease.Parked:
		return d.parkedThere(ctx, has, v)
	case v.Outcome == lease.Released, v.Outcome == lease.Scavenged, v.Outcome == lease.AlreadyFree:
		if err := d.endedHere(ctx, has, v.Lease); err != nil {
			v.Reason += "; this node gives it back to " + d.Remote() + " at the next git dos sync: " + d.storeError(err).Error()
		}
	}
	return v, nil
}

// endedHere carries to the remote what the end of a lease that this node granted
// means there. The lease is nil where its end is not known.
func (d *Desk) endedHere(ctx context.Context, has lease.Delegation, ended *lease.Record) error {
	there := d.oneLook(ctx)
	if ended != nil && ended.Rides == nil {
		if v, err := there(); err == nil {
			_ = d.unseatThere(ctx, v.there, map[string]bool{ended.Nonce: true}) // else the next sync does
		}
	}
	return d.released(ctx, has, there)
}

// renewLocked renews what this node has of a lane, unless another process of it
// just did.
func (d *Desk) renewLocked(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	unlock, err := d.lockDelegation(ctx, has.Lane)
	if err != nil {
		return has, err
	}
	defer unlock()
	now, err := d.own().delegation(ctx, has.Lane)
	if err != nil || now.State != lease.Live || now.Nonce != has.Nonce || !now.Due(d.Clock()) {
		return now, err
	}
	now, _, err = d.renew(ctx, now)
	if errors.Is(err, errMoved) {
		return d.own().delegation(ctx, has.Lane)
	}
	return now, err
}

// parkedThere parks on the remote what was parked here, so that it outlives what
// the node has of the lane. The answer is the lane as the remote has it.
func (d *Desk) parkedThere(ctx context.Context, has lease.Delegation, v lease.Verdict) (lease.Verdict, error) {
	now, err := has, errMoved
	for n := 0; n < maxEnsured && errors.Is(err, errMoved); n++ { // a sync of this node is at it, too
		now, err = d.own().delegation(ctx, has.Lane)
		if err == nil && now.State != lease.Gone {
			now, err = d.putRight(ctx, now)
		}
	}
	if err != nil {
		return lease.Verdict{}, &StoreError{Err: d.storeError(err), Hint: "the lane is kept here; git dos sync parks it on " + d.Remote()}
	}
	there, _, err := d.lookThere(ctx, has.Lane, true)
	if err != nil {
		return lease.Verdict{}, err
	}
	if there == nil || there.State != lane.Parked || there.Nonce != has.Nonce {
		return lease.Verdict{Outcome: lease.LostLease, Lane: v.Lane, ReasonClass: lease.DelegationOver, Reason: now.Reason, Next: "stop work on this lane"}, nil
	}
	v.Lease = there
	return v, nil
}
