package admit

import (
	"context"
	"errors"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// Ships returns the units that SHIP entries on the lane chains name, newest
// first within a lane, as last seen: an older ledger holds fewer ships, never
// false ones. Refresh before it makes it the ledger as it is. An entry is
// leased when the admission below it on its chain has its generation, nonce and
// tree.
func (d *Desk) Ships(ctx context.Context) ([]ship.LedgerEntry, error) {
	l := shipLedger{}
	err := d.Chains(ctx, true, func(t refstore.Tip) bool {
		l.see(t)
		return l.err == nil
	})
	return l.entries, errors.Join(err, d.storeError(l.err))
}

// shipLedger folds lane chains, each from its tip down, into SHIP entries.
type shipLedger struct {
	entries []ship.LedgerEntry
	open    []opened // SHIP entries whose admission is still below
	err     error
}

// opened are the entries at[from:to] and the record they were made with.
type opened struct {
	record   lease.Record
	from, to int
}

func (l *shipLedger) see(t refstore.Tip) {
	admits := t.Entry.Op == lease.OpAcquire || t.Entry.Op == lease.OpDelegate
	if t.Entry.Op != lease.OpShip && !admits {
		return
	}
	r, err := record(t)
	if err != nil {
		l.err = err
		return
	}
	if admits {
		l.admitted(r)
		return
	}
	from := len(l.entries)
	for _, u := range shipped(r) {
		l.entries = append(l.entries, ship.LedgerEntry{
			ID: string(t.ID), Ref: t.Ref, Lane: r.Lane, Gen: r.Gen, Leased: ship.No,
			Plan: u.Plan, Phase: u.Phase, Commit: u.Commit, CommitTree: u.Tree, Tree: r.Tree,
		})
	}
	l.open = append(l.open, opened{r, from, len(l.entries)})
}

// admitted marks the entries above that the lease of this admission bore.
func (l *shipLedger) admitted(a lease.Record) {
	for _, o := range l.open {
		r := o.record
		if r.Lane == a.Lane && r.Gen == a.Gen && r.Nonce == a.Nonce && slices.Equal(r.Tree, a.Tree) && r.State == lane.Held {
			for i := o.from; i < o.to; i++ {
				l.entries[i].Leased = ship.Yes
			}
		}
	}
	l.open = nil
}

func shipped(r lease.Record) []lease.ShipUnit {
	if r.Ship == nil {
		return nil
	}
	return r.Ship.Units
}
