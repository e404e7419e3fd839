package admit

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// A Reading is what a read verb may say: the lanes, and as of when.
type Reading struct {
	Lanes []lease.Record
	AsOf  time.Time
}

// Leases returns the newest record of every lane, free ones included, in name
// order. Against a remote the mirror serves while it is younger than the
// fleet's interval, or whatever its age when cached is set.
func (d *Desk) Leases(ctx context.Context, cached bool) (Reading, error) {
	s, err := d.look(ctx, cached)
	if err == nil {
		s, err = d.settled(ctx, s, cached, func(string) bool { return true })
	}
	if err != nil {
		return Reading{}, d.storeError(err)
	}
	out := Reading{AsOf: s.AsOf.UTC().Truncate(time.Second), Lanes: []lease.Record{}}
	for _, tip := range s.List("lane") {
		r, err := record(tip)
		if err != nil {
			return Reading{}, d.storeError(err)
		}
		out.Lanes = append(out.Lanes, r)
	}
	slices.SortFunc(out.Lanes, func(a, b lease.Record) int { return strings.Compare(a.Lane, b.Lane) })
	return out, nil
}

// Lease returns the newest record of one lane, nil when it is declared and was
// never leased. Other lanes may be unreadable.
func (d *Desk) Lease(ctx context.Context, name string, cached bool) (*lease.Record, time.Time, error) {
	name, err := d.canonical(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	target, err := ref(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	s, err := d.lookFor(ctx, name, target, cached)
	if err == nil {
		s, err = d.settled(ctx, s, cached, func(lane string) bool { return lane == name })
	}
	if err != nil {
		return nil, time.Time{}, d.storeError(err)
	}
	r, err := current(s, target)
	return r, s.AsOf.UTC().Truncate(time.Second), d.storeError(err)
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
	target, err := ref(name)
	if err != nil {
		return err
	}
	s, err := d.lookFor(ctx, name, target, cached)
	if err != nil {
		return d.storeError(err)
	}
	tip := s.Tip(target)
	if tip.Err != nil {
		return d.storeError(tip.Err)
	}
	return d.storeError(d.Repo.Chain(ctx, target, tip.ID, visit))
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
