package admit

import (
	"context"
	"errors"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// An announcement is what a push says, in this node's repository, of the leases it
// goes under that the node granted. Whoever grants such a lane anew before the end
// of the push is known makes sure that it does not land any more.
type announcement struct {
	own   *Desk
	push  string       // the push, by a nonce of its own
	lanes []lease.Hold // those it was announced on
}

// An ownSide is what this node has of lanes on the remote, and granted on them.
type ownSide struct {
	own      *Desk
	snapshot refstore.Snapshot
	table    lease.Table
	there    lease.Table // the remote, as read before
}

// side reads it. The remote was read before.
func (d *Desk) side(ctx context.Context, there lease.Table) (ownSide, error) {
	own := d.own()
	s, err := own.auth.Read(ctx, refQuery(ownKinds))
	if err != nil || len(s.List("delegation")) == 0 {
		return ownSide{own: own, snapshot: s}, err
	}
	t, err := own.table(ctx, s)
	return ownSide{own, s, t, there}, err
}

// fill adds to a hold the lease that this node granted, if it did. Of a delegation
// that the remote has ended it takes note, so that nobody works on under it.
func (o ownSide) fill(ctx context.Context, h lease.Hold) (lease.Hold, error) {
	r, ok := o.table.Chains[h.Lane]
	switch {
	case o.table.Unread[h.Lane] != nil:
		return h, &lease.UnreadError{Chain: h.Lane, Err: o.table.Unread[h.Lane]}
	case !ok || r.Under == "":
		return h, nil
	}
	has, err := o.own.delegationIn(o.snapshot, h.Lane)
	if err != nil {
		return h, err
	}
	if why := has.Ended(o.there); why != "" {
		_, _ = o.own.end(ctx, has, why)
	}
	if id, moved := keptThere(r, h.Current, h.Identity); moved {
		h.Identity = id
		return h, nil
	}
	if h.Identity.Owns(r) || h.Current != nil && h.Current.Delegate && h.Current.Nonce == has.Nonce {
		h.Granted = &lease.Granted{Chain: h.Lane, Current: &r, Order: o.table.Order, Delegation: &has}
	}
	return h, nil
}

// keptThere reports whether the remote keeps, as there, a lane for the worker who
// parked it under a delegation, as r, and under which identity: what it was on the
// remote goes on under the nonce of the delegation.
func keptThere(r lease.Record, there *lease.Record, id lease.Identity) (lease.Identity, bool) {
	if r.State != lane.Free || r.Under == "" || !id.Owns(r) || there == nil || there.State == lane.Free || there.Delegate || there.Nonce != r.Under {
		return id, false
	}
	return lease.Identity{Nonce: r.Under}, true
}

// announce announces a push on the lanes that it rides on and that this node
// granted, each once. The answer is the verdict of a lease that is lost.
func (a *announcement) announce(ctx context.Context, holds []lease.Hold, lanes []string) (lease.Verdict, error) {
	for _, h := range holds {
		told := slices.ContainsFunc(a.lanes, func(b lease.Hold) bool { return b.Lane == h.Lane })
		if h.Granted == nil || told || !slices.Contains(lanes, h.Lane) {
			continue
		}
		v, err := a.own.keepThere(ctx, lease.KeepEvidence{Lane: h.Lane, Identity: h.Identity}, keepVerb{order: true,
			decide: func(ev lease.KeepEvidence) (lease.Verdict, []lease.Write) { return lease.Announce(ev, a.push) }})
		if err != nil || v.Outcome != lease.Renewed {
			return v, err
		}
		a.lanes = append(a.lanes, h)
	}
	return lease.Verdict{}, nil
}

// resolve notes the end of the push where it was announced. What cannot be noted
// stays announced, which costs the next who takes the lane a move on the remote.
func (a *announcement) resolve(ctx context.Context, v lease.PushVerdict, err error) {
	ctx, cancel := detached(ctx)
	defer cancel()
	var ship *lease.Ship
	switch {
	case err != nil || v.Outcome == lease.Raced && v.Reason == othersFirst:
		return
	case v.Outcome == lease.Landed:
		ship = &lease.Ship{Ref: v.Ref, Old: v.Old, New: v.New, Units: v.Units}
	}
	for _, h := range a.lanes {
		_, _ = a.own.Repo.Update(ctx, a.own.auth, refQuery(ownKinds), func(s refstore.Snapshot) ([]refstore.Write, error) {
			t, err := a.own.table(ctx, s)
			if r, ok := t.Chains[h.Lane]; err == nil && ok {
				ev := lease.KeepEvidence{Lane: h.Lane, Chain: h.Lane, Current: &r, Order: t.Order}
				return a.own.writes(lease.Resolve(ev, a.push, ship))
			}
			return nil, errors.Join(err, t.Unread[h.Lane])
		})
	}
}
