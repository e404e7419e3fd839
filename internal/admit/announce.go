package admit

import (
	"context"
	"errors"
	"slices"

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

// grantedHolds fills in what this node granted of the lanes that a push rides on.
// The remote was read before.
func (d *Desk) grantedHolds(ctx context.Context, ev *lease.PushEvidence) error {
	own := d.own()
	s, err := own.auth.Read(ctx, refQuery(ownKinds))
	if err != nil || len(s.List("delegation")) == 0 {
		return err
	}
	t, err := own.table(ctx, s)
	if err != nil {
		return err
	}
	for i, h := range ev.Holds {
		r, ok := t.Chains[h.Lane]
		switch {
		case t.Unread[h.Lane] != nil:
			return &lease.UnreadError{Chain: h.Lane, Err: t.Unread[h.Lane]}
		case !ok || r.Under == "":
			continue
		}
		has, err := delegationIn(s, h.Lane)
		if err != nil {
			return err
		}
		if h.Identity.Owns(r) || h.Current != nil && h.Current.Delegate && h.Current.Nonce == has.Nonce {
			ev.Holds[i].Granted = &lease.Granted{Chain: h.Lane, Current: &r, Order: t.Order, Delegation: &has}
		}
	}
	return nil
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
