package admit

import (
	"cmp"
	"context"
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
	Unread []UnreadLane   // by chain
	AsOf   time.Time
}

// An UnreadLane is a chain whose record cannot be read. It is not free.
type UnreadLane struct {
	Chain string // the lane's name, or its slot
	Lane  string // "" where a slot does not say whose it is
	Kind  string
	Tree  []string
	Known bool // Kind and Tree are what the order last admitted there; no kind: nobody
	Err   error
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
	out := Reading{AsOf: s.AsOf.UTC().Truncate(time.Second), Lanes: []lease.Record{}}
	for _, r := range t.Lanes {
		if r.Slot == "" || r.State != lane.Free {
			out.Lanes = append(out.Lanes, r)
		}
	}
	slices.SortFunc(out.Lanes, func(a, b lease.Record) int {
		return cmp.Or(strings.Compare(a.Lane, b.Lane), strings.Compare(a.Slot, b.Slot))
	})
	for _, chain := range slices.Sorted(maps.Keys(t.Unread)) {
		u := UnreadLane{Chain: chain, Err: t.Unread[chain]}
		u.Lane, u.Kind, u.Tree, u.Known = t.LastAdmitted(chain)
		out.Unread = append(out.Unread, u)
	}
	return out, nil
}

// lookTable reads all lanes at once. Those that are behind the order are among
// the unreadable ones.
func (d *Desk) lookTable(ctx context.Context, cached bool) (refstore.Snapshot, lease.Table, error) {
	s, err := d.look(ctx, cached)
	if err != nil {
		return s, lease.Table{}, err
	}
	s, behind, err := d.settled(ctx, s, cached, func(string) bool { return true })
	if err != nil {
		return s, lease.Table{}, err
	}
	t, err := d.table(ctx, s)
	for _, chain := range behind {
		delete(t.Lanes, chain)
		t.Unread[chain] = errBehind
	}
	return s, t, err
}

// Lease returns the newest record of one lane, nil when it is declared and was
// never leased. Other lanes may be unreadable.
func (d *Desk) Lease(ctx context.Context, name string, cached bool) (*lease.Record, time.Time, error) {
	name, err := d.canonical(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	s, at, err := d.lookFor(ctx, name, cached)
	if err == nil {
		s, at, err = d.upToDate(ctx, s, at, name, cached)
	}
	if err != nil {
		return nil, time.Time{}, d.storeError(err)
	}
	return at.current, s.AsOf.UTC().Truncate(time.Second), nil
}

// upToDate looks once more at a lane that is behind the order.
func (d *Desk) upToDate(ctx context.Context, s refstore.Snapshot, at place, name string, cached bool) (refstore.Snapshot, place, error) {
	again, behind, err := d.settled(ctx, s, cached, func(chain string) bool { return chain == at.chain })
	switch {
	case err != nil:
		return s, at, err
	case len(behind) > 0:
		return s, at, behindError(at.chain)
	case again.AsOf.Equal(s.AsOf):
		return s, at, nil
	}
	at, err = d.placeIn(ctx, again, name)
	return again, at, err
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
	if err == nil {
		err = d.checkFleet(s)
	}
	return s, err
}

// Log calls visit with the entries of one lane's chain, newest first.
func (d *Desk) Log(ctx context.Context, name string, cached bool, visit func(refstore.Tip) bool) error {
	name, err := d.canonical(name)
	if err != nil {
		return err
	}
	s, at, err := d.lookFor(ctx, name, cached)
	if err != nil || at.chain == "" {
		return d.storeError(err)
	}
	target, err := ref(at.chain)
	if err != nil {
		return err
	}
	tip := s.Tip(target)
	if tip.Err != nil {
		return d.storeError(tip.Err)
	}
	return d.storeError(d.Repo.Chain(ctx, target, tip.ID, func(t refstore.Tip) bool {
		if lane.IsSlot(at.chain) && name != at.chain && !about(t, name) {
			return true
		}
		return visit(t)
	}))
}

// about reports whether an entry of a slot is about the lane. One that cannot be
// read may be.
func about(t refstore.Tip, name string) bool {
	r, err := record(t)
	return err != nil || r.Lane == name
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
