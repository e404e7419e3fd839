package admit

import (
	"context"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// underDelegations adds to the evidence of an admission what this node has of the
// lanes on the remote, and which of them were fenced. The snapshot was read after
// the instant from.
func (a *acquisition) underDelegations(s refstore.Snapshot, from lease.Instant, ev lease.AcquireEvidence) (lease.AcquireEvidence, error) {
	ev.Under, ev.Clock, ev.Wait = true, from, false
	ev.Delegations = a.desk.delegationsIn(s)
	if a.looks != nil {
		if err := a.looks(ev.Delegations); err != nil {
			return ev, err
		}
	}
	ev.Table.Watch.Fenced = map[string]bool{}
	for chain, tip := range a.fenced {
		if target, err := ref(chain); err == nil && tip != "" && s.Tip(target).ID == tip {
			ev.Table.Watch.Fenced[chain] = true
		}
	}
	return ev, nil
}

// fence makes sure that no push under the last lease of a chain lands any more.
// The lease is marked as being taken; then the lane moves on the remote, so that a
// push which was decided on its tip before is refused there. A lane that this node
// has no more on the remote has moved.
func (a *acquisition) fence(ctx context.Context, chains []string) error {
	d := a.desk
	from := d.Clock()
	var t lease.Table
	u, err := d.Repo.Update(ctx, d.auth, refQuery(ownKinds), func(s refstore.Snapshot) (_ []refstore.Write, err error) {
		if t, err = d.watched(ctx, from, s); err != nil {
			return nil, err
		}
		return d.writes(lease.Take(t, chains, d.lapsing(), d.stamp("", "")))
	})
	if err != nil {
		return err
	}
	a.fenced = map[string]refstore.OID{}
	for _, chain := range chains {
		target, err := ref(chain)
		if err != nil {
			return err
		}
		tip := u.Seen.Tip(target).ID
		for _, m := range u.Wrote {
			if m.Ref == target {
				tip = m.New
			}
		}
		if err := d.hub.moveThere(ctx, t.Chains[chain]); err != nil {
			return err
		}
		a.fenced[chain] = tip
	}
	return nil
}

// moveThere moves the lane of a lease that this node granted on the remote, if the
// node has it there still.
func (d *Desk) moveThere(ctx context.Context, granted lease.Record) error {
	v, err := d.keepThere(ctx, lease.KeepEvidence{Lane: granted.Lane, Identity: lease.Identity{Nonce: granted.Under}, Node: true}, keepVerb{decide: lease.Heartbeat, order: true})
	switch {
	case err != nil:
		return err
	case v.Outcome == lease.Renewed, v.Outcome == lease.LostLease:
		return nil
	}
	return &StoreError{Err: fmt.Errorf("lane %s could not be moved on %s: %s", granted.Lane, d.Remote(), v.Reason), Hint: "try again"}
}

// A grantedLane is one that this node has on the remote, with the lease that it
// granted on it, nil when nobody has one.
type grantedLane struct {
	delegation lease.Delegation
	lease      *lease.Record
	unread     error // the lease, or what the node has, cannot be read
}

// granted reads what this node grants on the lanes that it has on the remote.
func (d *Desk) granted(ctx context.Context) ([]grantedLane, error) {
	lanes, _, err := d.grants(ctx)
	return lanes, err
}

// grants is granted with what is claimed inside those leases, of one read.
func (d *Desk) grants(ctx context.Context) (lanes []grantedLane, claims []lease.Record, err error) {
	own := d.own()
	s, err := own.auth.Read(ctx, refQuery(ownKinds))
	if err != nil {
		return nil, nil, err
	}
	all := d.delegationsIn(s)
	if len(all) == 0 {
		return nil, nil, nil
	}
	t, err := own.table(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	for name, has := range all {
		if has.State == lease.Unreadable {
			_, err := d.delegationIn(s, name)
			lanes = append(lanes, grantedLane{delegation: has, unread: err})
			continue
		}
		if has.State != lease.Live && has.State != lease.Returning {
			continue
		}
		g := grantedLane{delegation: has, unread: t.Unread[name]}
		if r, ok := t.Chains[name]; ok && r.State != lane.Free && r.Under == has.Nonce {
			r = has.Shown(r)
			g.lease = &r
		}
		lanes = append(lanes, g)
	}
	return lanes, claimsOf(t), nil
}
