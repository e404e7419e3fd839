package admit

import (
	"context"
	"errors"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// Ride claims the unit, the seat and the tree of a request inside a lease that
// another process keeps, all of them or none. Claims stand where the lease does. Of
// one that this node granted, the tree is claimed in its own repository, and unit and
// seat on the remote, so that they are had once by all; these are two claims. They
// are renewed and released each for itself, by lane and nonce, and end with the
// lease.
func (d *Desk) Ride(ctx context.Context, req Request, under lease.Record) ([]lease.Record, lease.Verdict, error) {
	req.Lanes, req.Identity, req.Any, req.Force, req.Wait = []string{under.Lane}, lease.Identity{}, false, false, 0
	on := lease.MountOf(under)
	if under.Under == "" {
		req.rides = &on
		return d.claim(ctx, req)
	}
	var claims []lease.Record
	var v lease.Verdict
	if len(req.Tree) > 0 {
		part := req
		part.Unit, part.Seat, part.rides = "", "", &on
		var err error
		if claims, v, err = d.own().claim(ctx, part); err != nil || len(claims) == 0 {
			return nil, v, err
		}
	}
	if req.Unit == "" && req.Seat == "" && len(claims) > 0 {
		return claims, v, nil
	}
	through := lease.MountThrough(under)
	req.Tree, req.rides = nil, &through
	more, no, err := d.claim(ctx, req)
	if err == nil && len(more) > 0 {
		return append(claims, more...), no, nil
	}
	if back := d.Dismount(ctx, claims); back != nil {
		err = errors.Join(err, back)
	}
	return nil, no, err
}

// claim asks the authority of this desk for one claim.
func (d *Desk) claim(ctx context.Context, req Request) ([]lease.Record, lease.Verdict, error) {
	if err := d.Check(req); err != nil {
		return nil, lease.Verdict{}, err
	}
	a := &acquisition{desk: d, req: req, stamp: d.stamp(req.Owner, req.Worker)}
	v, err := a.whole(ctx)
	if err != nil || v.Outcome != lease.Acquired || v.Lease == nil {
		return nil, v, err
	}
	return []lease.Record{*v.Lease}, v, nil
}

// Dismount releases claims inside a lease. Those that ended with it are over.
func (d *Desk) Dismount(ctx context.Context, claims []lease.Record) error {
	ctx, cancel := detached(ctx)
	defer cancel()
	var first error
	for _, r := range claims {
		if _, err := d.Release(ctx, r.Lane, lease.Identity{Nonce: r.Nonce}); err != nil && first == nil {
			first = &StoreError{Err: d.storeError(err), Hint: "git dos lease release --lane " + r.Lane + " --nonce " + r.Nonce + " gives it back; it lapses by itself, and ends with lane " + r.Rides.Lane}
		}
	}
	return first
}

// addRide adds to what a verb knows of a lease the claims inside it, and of a claim
// the lease that it is inside.
func addRide(t lease.Table, at place, ev *lease.KeepEvidence) (err error) {
	if at.current == nil {
		return nil
	}
	ev.Riders = t.Riders(*at.current)
	if m := at.current.Rides; m != nil {
		ev.Mount, err = t.Mount(*m)
	}
	return err
}

// claimHere reports whether a verb is about a claim that stands in this node's own
// repository: its caller proves that it is its own.
func (d *Desk) claimHere(s refstore.Snapshot, r *lease.Record, id lease.Identity) (has lease.Delegation, ok bool, err error) {
	if r == nil || r.Rides == nil || !id.Owns(*r) {
		return has, false, nil
	}
	has, err = d.delegationIn(s, r.Rides.Lane)
	return has, err == nil, err
}

// unseatThere ends, on the remote, what was claimed through this node's lane inside
// leases that the node has ended, by nonce: nothing where none of it was last seen.
func (d *Desk) unseatThere(ctx context.Context, seen lease.Table, ended map[string]bool) error {
	if len(seen.Unseat(ended, d.stamp("", ""))) == 0 {
		return nil
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	_, err := d.Repo.Update(ctx, d.auth, refQuery(d.kinds()), func(s refstore.Snapshot) ([]refstore.Write, error) {
		t, err := d.table(ctx, s)
		if err != nil {
			return nil, err
		}
		return d.writes(t.Unseat(ended, d.stamp("", "")))
	})
	return err
}

// unseated lists the leases, by nonce, through which something is claimed on the
// remote and which this node's repository has not any more.
func (v bothSides) unseated() map[string]bool {
	ended := map[string]bool{}
	for _, r := range v.there.Chains {
		m := r.Rides
		if m == nil || m.Through == "" || r.State == lane.Free || v.own[m.Lane].Nonce != m.Through {
			continue
		}
		if p, ok := v.here.Chains[m.Lane]; v.here.Unread[m.Lane] == nil && (!ok || p.Nonce != m.Nonce || p.State == lane.Free) {
			ended[m.Nonce] = true
		}
	}
	return ended
}

// claimsOf are the claims of a table inside leases that are held, in order of their
// chains. They are taken out of the table's lanes by whoever lists those.
func claimsOf(t lease.Table) (claims []lease.Record) {
	for _, r := range t.Chains {
		if r.Rides == nil || r.State != lane.Held {
			continue
		}
		if m, err := t.Mount(*r.Rides); err != nil || m != nil {
			claims = append(claims, r)
		}
	}
	slices.SortFunc(claims, func(a, b lease.Record) int {
		return slices.Compare([]string{a.Rides.Lane, a.Slot}, []string{b.Rides.Lane, b.Slot})
	})
	return claims
}

// ownClaims are those in this node's own repository, inside leases that it granted.
func (d *Desk) ownClaims(ctx context.Context) ([]lease.Record, error) {
	if d.remote == nil {
		return nil, nil
	}
	_, claims, err := d.grants(ctx)
	return claims, err
}
