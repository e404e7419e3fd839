package admit

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// A Reading is what a read verb may say: the lanes, and as of when.
type Reading struct {
	Lanes  []lease.Record // by name
	Claims []lease.Record // what is claimed inside leases that are held, by lane; it is in no other's way
	Unread []lease.Unread // by chain
	Seats  []lease.TakenSeat
	AsOf   time.Time
}

// Leases returns the newest record of every lane, free ones included, but not
// of lanes that no dos.toml declares and nobody holds. Against a remote the
// mirror serves while it is younger than the fleet's interval, or whatever its
// age when cached is set.
func (d *Desk) Leases(ctx context.Context, cached bool) (Reading, error) {
	s, t, err := d.lookTable(ctx, cached)
	if err != nil {
		return Reading{}, d.storeError(err)
	}
	out := Reading{AsOf: s.AsOf.UTC().Truncate(time.Second), Lanes: []lease.Record{}, Unread: t.Unreadable()}
	out.Claims = claimsOf(t)
	if err := d.overlay(ctx, &t, &out); err != nil {
		return Reading{}, d.storeError(err)
	}
	out.Seats = t.Seats(d.lapsing())
	for _, r := range t.Chains {
		if r.Rides == nil && (r.Slot == "" || r.State != lane.Free) {
			out.Lanes = append(out.Lanes, r)
		}
	}
	slices.SortFunc(out.Lanes, func(a, b lease.Record) int {
		return cmp.Or(strings.Compare(a.Lane, b.Lane), strings.Compare(a.Slot, b.Slot))
	})
	return out, nil
}

// lookTable reads all lanes at once. Those that are behind the order are among
// the unreadable ones.
func (d *Desk) lookTable(ctx context.Context, cached bool) (refstore.Snapshot, lease.Table, error) {
	s, err := d.look(ctx, cached)
	if err != nil {
		return s, lease.Table{}, err
	}
	v, err := d.viewOf(ctx, s)
	if err == nil {
		v, err = d.settledView(ctx, v, cached, func(string) bool { return true })
	}
	if err == nil {
		err = v.order
	}
	if err != nil {
		return s, lease.Table{}, err
	}
	for _, chain := range v.behind() {
		delete(v.table.Chains, chain)
		v.table.Unread[chain] = errBehind
	}
	return v.snapshot, v.table, nil
}

// Lease returns the newest record of one lane, nil when it is declared and was
// never leased. Other lanes may be unreadable.
func (d *Desk) Lease(ctx context.Context, name string, cached bool) (*lease.Record, time.Time, error) {
	r, at, err := d.lookThere(ctx, name, cached)
	if errors.As(err, new(*UnknownLaneError)) {
		claims, cerr := d.ownClaims(ctx)
		if i := slices.IndexFunc(claims, func(r lease.Record) bool { return r.Lane == name }); cerr == nil && i >= 0 {
			return &claims[i], d.Now().UTC().Truncate(time.Second), nil
		}
	}
	if err != nil || r == nil || !r.Delegate {
		return r, at, err
	}
	all, err := d.granted(ctx)
	for _, g := range all {
		switch {
		case g.delegation.Lane != r.Lane || g.delegation.State != lease.Unreadable && g.delegation.Nonce != r.Nonce:
		case g.unread != nil:
			return nil, at, d.storeError(&lease.UnreadError{Chain: r.Lane, Err: g.unread})
		case g.lease != nil:
			return g.lease, at, nil
		}
	}
	return r, at, d.storeError(err)
}

// lookThere is Lease as the authority has it: of a lane that this node has for its
// workers, what the node has.
func (d *Desk) lookThere(ctx context.Context, name string, cached bool) (*lease.Record, time.Time, error) {
	name, err := d.LaneWord(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	v, at, err := d.lookFor(ctx, name, cached)
	if err == nil {
		v, at, err = d.upToDate(ctx, v, at, name, cached)
	}
	if err != nil {
		return nil, time.Time{}, d.storeError(err)
	}
	return at.current, v.snapshot.AsOf.UTC().Truncate(time.Second), nil
}

// upToDate looks once more at a lane that is behind the order.
func (d *Desk) upToDate(ctx context.Context, v view, at place, name string, cached bool) (view, place, error) {
	v, err := d.settledView(ctx, v, cached, func(chain string) bool { return chain == at.chain })
	if err == nil {
		at, err = d.placeOf(v.table, name)
	}
	if err == nil && at.chain != "" && slices.Contains(v.behind(), at.chain) {
		err = behindError(at.chain)
	}
	return v, at, err
}

// overlay puts the leases that this node granted in the place of what it has of
// their lanes on the remote, and adds what is claimed inside them.
func (d *Desk) overlay(ctx context.Context, t *lease.Table, out *Reading) error {
	own := func(r lease.Record) bool { return r.Delegate }
	if d.remote == nil || !slices.ContainsFunc(slices.Collect(maps.Values(t.Chains)), own) {
		return nil
	}
	all, claims, err := d.grants(ctx)
	if err != nil {
		return err
	}
	out.Claims = append(out.Claims, claims...)
	for _, g := range all {
		name := g.delegation.Lane
		switch r := t.Chains[name]; {
		case !r.Delegate || g.delegation.State != lease.Unreadable && r.Nonce != g.delegation.Nonce:
		case g.unread != nil:
			out.Unread = append(out.Unread, lease.Unread{Chain: name, Lease: r.Unreadable(g.unread)})
			delete(t.Chains, name)
		case g.lease != nil:
			t.Chains[name] = *g.lease
		}
	}
	return nil
}

func (d *Desk) look(ctx context.Context, cached bool) (refstore.Snapshot, error) {
	q := refstore.Query{Kinds: laneKinds}
	if d.remote == nil {
		return d.auth.Read(ctx, q)
	}
	var s refstore.Snapshot
	var err error
	if cached || time.Since(d.remote.LastFetch()) < d.Rules.Policy.Fleet.Interval {
		s, err = d.remote.Cached(ctx, q)
	} else {
		s, err = d.remote.Read(ctx, q)
	}
	if err == nil && !cached && s.Tip(metaRef).ID == "" && s.Tip(metaRef).Err == nil {
		s, err = d.remote.Read(ctx, q) // somebody has emptied the mirror
	}
	if err == nil {
		err = d.checkFleet(s)
	}
	return s, err
}

// Log calls visit with the entries of one lane's chain, newest first; where this
// node grants leases on the lane, first with those of its own.
func (d *Desk) Log(ctx context.Context, name string, cached bool, visit func(refstore.Tip) bool) error {
	word, err := d.LaneWord(name)
	if err != nil {
		return err
	}
	v, at, err := d.lookFor(ctx, word, cached)
	var unknown *UnknownLaneError
	switch {
	case errors.As(err, &unknown):
		return d.pastLog(ctx, v.snapshot, at.lane, visit, unknown)
	case err != nil || at.chain == "":
		return d.storeError(err)
	}
	target, err := ref(at.chain)
	if err != nil {
		return err
	}
	tip := v.snapshot.Tip(target)
	if tip.Err != nil {
		return d.storeError(tip.Err)
	}
	if lane.IsSlot(at.chain) && at.lane != at.chain {
		visit = onlyAbout(at.lane, visit)
	}
	if d.remote != nil {
		more := true
		err := d.OwnChains(ctx, func(t refstore.Tip) bool {
			if t.Ref != target {
				return false
			}
			more = visit(t)
			return more
		})
		if err != nil || !more {
			return err
		}
	}
	return d.storeError(d.Repo.Chain(ctx, target, tip.ID, visit))
}

// pastLog visits what slots have of a lane that no slot holds or held last. When
// none has anything, the lane is unknown.
func (d *Desk) pastLog(ctx context.Context, s refstore.Snapshot, name string, visit func(refstore.Tip) bool, unknown error) error {
	held, err := d.everHeld(ctx, s, name)
	switch {
	case err != nil:
		return d.storeError(err)
	case !held:
		return unknown
	}
	return d.storeError(d.inSlots(ctx, s, name, visit))
}

// everHeld reports whether any slot has an entry of the lane.
func (d *Desk) everHeld(ctx context.Context, s refstore.Snapshot, name string) (held bool, err error) {
	err = d.inSlots(ctx, s, name, func(refstore.Tip) bool {
		held = true
		return false
	})
	return held, err
}

// inSlots visits the entries of a lane in the slots that can be read.
func (d *Desk) inSlots(ctx context.Context, s refstore.Snapshot, name string, visit func(refstore.Tip) bool) error {
	for _, tip := range s.List("lane") {
		chain, err := chainOf(tip)
		if err != nil || !lane.IsSlot(chain) || tip.Err != nil {
			continue
		}
		if err := d.Repo.Chain(ctx, tip.Ref, tip.ID, onlyAbout(name, visit)); err != nil {
			return err
		}
	}
	return nil
}

// onlyAbout passes the entries of a slot that are about the lane.
func onlyAbout(name string, visit func(refstore.Tip) bool) func(refstore.Tip) bool {
	return func(t refstore.Tip) bool {
		r, err := record(t)
		if err == nil && r.Lane == name {
			return visit(t)
		}
		return true
	}
}

// OwnChains is Chains for the leases that this node grants on lanes which it has on
// the remote. Without a fleet there are none.
func (d *Desk) OwnChains(ctx context.Context, visit func(refstore.Tip) bool) error {
	if d.remote == nil {
		return nil
	}
	s, err := d.Repo.Local().Read(ctx, refQuery([]string{"lane"}))
	if err != nil {
		return d.storeError(err)
	}
	for _, tip := range s.List("lane") {
		if tip.Err != nil {
			return d.storeError(tip.Err)
		}
		if err := d.Repo.Chain(ctx, tip.Ref, tip.ID, visit); err != nil {
			return d.storeError(err)
		}
	}
	return nil
}

// Chains calls visit with every entry of every lane, lane by lane, newest
// first within one, until visit returns false for that lane.
func (d *Desk) Chains(ctx context.Context, cached bool, visit func(refstore.Tip) bool) error {
	s, err := d.look(ctx, cached)
	if err != nil {
		return d.storeError(err)
	}
	for _, tip := range s.List("lane") {
		if tip.Err != nil {
			return d.storeError(tip.Err)
		}
		if err := d.Repo.Chain(ctx, tip.Ref, tip.ID, visit); err != nil {
			return d.storeError(err)
		}
	}
	return nil
}
