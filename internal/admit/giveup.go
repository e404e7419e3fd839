package admit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

func refQuery(kinds []string) refstore.Query { return refstore.Query{Kinds: kinds} }

// giveUp gives a lane back to the remote, unless somebody works under it: then it
// stays as it is.
func (d *Desk) giveUp(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	idle, torn := false, false
	back := func(now lease.Delegation, t lease.Table) (n lease.Delegation, writes []lease.Write, err error) {
		n, writes, idle = now.Return(t, d.stamp("", ""), d.lapsing())
		torn = len(t.Torn()) > 0
		return n, writes, nil
	}
	n, err := d.own().turn(ctx, has, has.Lane, back)
	if err == nil && !idle && torn {
		if err = d.own().mend(ctx); err == nil {
			n, err = d.own().turn(ctx, has, has.Lane, back)
		}
	}
	if err != nil || !idle {
		return n, err
	}
	return d.finish(ctx, n)
}

// mend settles admissions that were cut off: what they may have granted keeps a lane
// from going back, and nobody else comes to settle it while the lane is drained.
func (d *Desk) mend(ctx context.Context) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	a := &acquisition{desk: d, stamp: d.stamp("", "")}
	for {
		s, err := d.auth.Read(ctx, refQuery(d.kinds()))
		if err != nil {
			return err
		}
		t, err := d.table(ctx, s)
		if err != nil || len(t.Torn()) == 0 {
			return err
		}
		cut := &lease.TornError{Chains: t.Torn()}
		_ = a.noteTorn(s, cut)
		if err := a.awaitOrRepair(ctx, cut); err != nil {
			return err
		}
	}
}

// finish carries to the remote that a lane goes back, or that it is kept there for
// the worker who parked it, and notes the end of the delegation.
func (d *Desk) finish(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	own := d.own()
	s, err := own.auth.Read(ctx, refQuery(ownKinds))
	if err != nil {
		return has, err
	}
	t, err := own.table(ctx, s)
	if err == nil && t.Unread[has.Lane] != nil {
		err = &lease.UnreadError{Chain: has.Lane, Err: t.Unread[has.Lane]}
	}
	if err != nil {
		return has, err
	}
	ev := lease.KeepEvidence{Lane: has.Lane, Identity: lease.Identity{Nonce: has.Nonce}, Node: true}
	verb, reason := keepVerb{decide: lease.Release}, "given back"
	if r, kept := has.Kept(t); kept {
		if err := d.standAlone(ctx, has, t); err != nil {
			return has, err
		}
		ev.For, verb, reason = &r, keepVerb{decide: lease.Park, order: true}, "parked on the remote"
	}
	v, err := d.keepThere(ctx, ev, verb)
	switch {
	case err != nil:
		return has, err
	case v.Outcome == lease.Contended:
		return has, errMoved
	case ev.For != nil && v.ReasonClass == lane.Collision:
		return has, &StoreError{Err: fmt.Errorf("lane %s: %s", has.Lane, v.Reason), Hint: "git dos sync parks it when that went back"}
	case v.ExitCode() != 0:
		reason = "lost: " + v.Reason
	}
	return own.end(ctx, has, reason)
}

// standAlone gives back what this node has beside a lane that is to be parked on the
// remote: nobody works on it, for the parked lane is in the way here.
func (d *Desk) standAlone(ctx context.Context, has lease.Delegation, t lease.Table) error {
	all, err := d.own().delegations(ctx)
	if err != nil {
		return err
	}
	kept := t.Chains[has.Lane].Tree
	for _, name := range slices.Sorted(maps.Keys(all)) {
		other := all[name]
		tree := other.Tree
		if other.State == lease.Asking {
			tree = d.Rules.Policy.Tree(name)
		}
		if name == has.Lane || other.State == lease.Gone || algebra(d.Rules.Policy).Disjoint(tree, kept) {
			continue
		}
		if _, err := d.tendAway(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

// tendAway gives back a delegation, however far the node has come with it.
func (d *Desk) tendAway(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	if has.State == lease.Asking {
		return d.abandon(ctx, has)
	}
	return d.putRight(ctx, has)
}

// drain gives back the lanes that others wait for. Where that leaves nobody's work
// undone, the worker who asks for such a lane is refused once, so that they come
// before it.
func (d *Desk) drain(ctx context.Context, lanes []string) (lease.Verdict, error) {
	v, err := d.looked(ctx)
	if err != nil {
		return lease.Verdict{}, d.storeError(err)
	}
	for _, name := range lanes {
		has := v.own[name]
		if has.State != lease.Live {
			continue
		}
		if why := has.Ended(v.there); why != "" {
			if _, err := d.own().end(ctx, has, why); err != nil && !errors.Is(err, errMoved) {
				return lease.Verdict{}, d.storeError(err)
			}
			continue
		}
		to := v.drained(has)
		if to == "" && has.Due(d.Clock()) {
			if no, err := d.ensure(ctx, name); err != nil || no.Outcome == lease.Refused {
				return no, err
			}
		}
		if to == "" {
			continue
		}
		n, err := d.giveUpLocked(ctx, has)
		if err != nil {
			return lease.Verdict{}, d.storeError(err)
		}
		if n.State != lease.Live {
			return lease.Drains(name, to), nil
		}
	}
	return lease.Verdict{}, nil
}

// A bothSides is what this node has of lanes on the remote, with the leases that it
// granted on them, and the remote as last seen.
type bothSides struct {
	desk  *Desk
	own   map[string]lease.Delegation
	here  lease.Table
	there lease.Table
	seen  refstore.Snapshot
}

// looked reads both sides.
func (d *Desk) looked(ctx context.Context) (v bothSides, err error) {
	v.desk = d
	mirror := make(chan error, 1)
	go func() { mirror <- v.lookThere(ctx) }()
	own := d.own()
	s, err := own.auth.Read(ctx, refQuery(ownKinds))
	if err = errors.Join(err, <-mirror); err != nil {
		return v, err
	}
	v.own = d.delegationsIn(s)
	v.here, err = own.table(ctx, s)
	return v, err
}

// lookThere reads the remote as last seen.
func (v *bothSides) lookThere(ctx context.Context) (err error) {
	if v.seen, err = v.desk.remote.Cached(ctx, refQuery(append(slices.Clone(laneKinds), "node"))); err == nil {
		v.there, err = v.desk.table(ctx, v.seen)
	}
	return err
}

// A oneLook is the remote as last seen, read when it is first asked for.
type oneLook func() (bothSides, error)

func (d *Desk) oneLook(ctx context.Context) oneLook {
	return sync.OnceValues(func() (bothSides, error) {
		v := bothSides{desk: d}
		err := v.lookThere(ctx)
		return v, err
	})
}

// drained says for whom a delegation is to go back, "" when it may be kept.
func (v bothSides) drained(has lease.Delegation) string {
	return has.Drained(v.there, v.desk.wanting(v.seen, has))
}

// idleFor is how long nobody has worked under a delegation.
func (v bothSides) idleFor(has lease.Delegation) time.Duration {
	since := has.RenewedAt
	if r, ok := v.here.Chains[has.Lane]; ok && r.Under == has.Nonce {
		since = r.RenewedAt
	}
	return max(0, v.desk.Now().Sub(since))
}

// giveUpLocked is giveUp for a caller that does not deal with the delegation yet.
func (d *Desk) giveUpLocked(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	unlock, err := d.lockDelegation(ctx, has.Lane)
	if err != nil {
		return has, err
	}
	defer unlock()
	n, err := d.giveUp(ctx, has)
	if errors.Is(err, errMoved) {
		return d.own().delegation(ctx, has.Lane)
	}
	return n, err
}

// overruled notes the end of what this node had on the remote and an operator's
// force has ended. Where it cannot be noted, the next renewal tells.
func (d *Desk) overruled(ctx context.Context, v lease.Verdict) {
	for _, taken := range v.Scavenged {
		has, err := d.own().delegation(ctx, taken.Lane)
		if err == nil && has.State == lease.Live && has.Nonce == taken.Nonce {
			_, _ = d.own().end(ctx, has, v.Reason)
		}
	}
}

// released gives a lane back after its last lease has ended, unless it is kept for
// the next. What the remote does not take now, it takes at the next sync.
func (d *Desk) released(ctx context.Context, has lease.Delegation, there oneLook) error {
	if has.State != lease.Live && has.State != lease.Returning {
		return nil
	}
	if has.State == lease.Live && d.Rules.Policy.Fleet.Keep > 0 {
		if v, err := there(); err != nil || v.drained(has) == "" {
			return err
		}
	}
	_, err := d.putRight(ctx, has)
	return err
}

// putRight gives back a delegation that nobody works under, and finishes a return
// that was cut off.
func (d *Desk) putRight(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	unlock, err := d.lockDelegation(ctx, has.Lane)
	if err != nil {
		return has, err
	}
	defer unlock()
	now, err := d.own().delegation(ctx, has.Lane)
	switch {
	case err != nil || now.Nonce != has.Nonce:
		return now, err // another process of the node was at it
	case now.State == lease.Returning:
		return d.finish(ctx, now)
	case now.State == lease.Live:
		return d.giveUp(ctx, now)
	}
	return now, nil
}

// ReturnIdle gives back the lanes that this node has and nobody works on, when they
// are wanted or were kept for long enough, finishes what was left half done, and
// renews the rest in time. It returns the lanes that went back, in name order.
// Those of which the end is not known are left to the next sync, with the first
// reason why.
func (d *Desk) ReturnIdle(ctx context.Context) ([]string, error) {
	back := []string{}
	if d.remote == nil {
		return back, nil
	}
	v, err := d.looked(ctx)
	if err != nil {
		return back, err
	}
	var first error
	for _, name := range slices.Sorted(maps.Keys(v.own)) {
		n, err := d.tend(ctx, v, v.own[name])
		if err != nil && !errors.Is(err, errMoved) && first == nil {
			first = err
		}
		if was := v.own[name].State; n.State == lease.Gone && (was == lease.Live || was == lease.Returning) {
			back = append(back, name)
		}
	}
	if ended := v.unseated(); len(ended) > 0 {
		if err := d.unseatThere(ctx, v.there, ended); err != nil && first == nil {
			first = err
		}
	}
	return back, first
}

// tend does what is due for one delegation.
func (d *Desk) tend(ctx context.Context, v bothSides, has lease.Delegation) (_ lease.Delegation, err error) {
	switch has.State {
	case lease.Returning:
		return d.putRight(ctx, has)
	case lease.Asking:
		return d.abandon(ctx, has)
	case lease.Gone:
		return has, nil
	case lease.Unreadable:
		return d.own().delegation(ctx, has.Lane)
	}
	if why := has.Ended(v.there); why != "" {
		return d.own().end(ctx, has, why)
	}
	_, parked := has.Kept(v.here)
	if parked || v.drained(has) != "" || v.idleFor(has) >= d.Rules.Policy.Fleet.Keep {
		if has, err = d.putRight(ctx, has); err != nil || has.State != lease.Live {
			return has, err
		}
	}
	if !has.Due(d.Clock()) {
		return has, nil
	}
	unlock, err := d.lockDelegation(ctx, has.Lane)
	if err != nil {
		return has, err
	}
	defer unlock()
	has, _, err = d.renew(ctx, has)
	return has, err
}

// abandon settles an ask whose asker did not live to see its end: what the remote
// has given is given back.
func (d *Desk) abandon(ctx context.Context, has lease.Delegation) (lease.Delegation, error) {
	unlock, err := d.lockDelegation(ctx, has.Lane)
	if err != nil {
		return has, err
	}
	defer unlock()
	now, err := d.own().delegation(ctx, has.Lane)
	if err != nil || now.State != lease.Asking {
		return now, err
	}
	return d.finish(ctx, now)
}
