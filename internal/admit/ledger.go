package admit

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// Ships returns the units that SHIP entries on the lane chains name, newest
// first within a lane, as last seen: an older ledger holds fewer ships, never
// false ones. Refresh before it makes it the ledger as it is.
func (d *Desk) Ships(ctx context.Context) ([]ship.LedgerEntry, error) {
	var out []ship.LedgerEntry
	var bad error
	err := d.Chains(ctx, true, func(t refstore.Tip) bool {
		if t.Entry.Op != lease.OpShip {
			return true
		}
		r, err := record(t)
		if err != nil {
			bad = err
			return false
		}
		for _, u := range shipped(r) {
			out = append(out, ship.LedgerEntry{
				ID: string(t.ID), Ref: t.Ref, Lane: r.Lane, Gen: r.Gen,
				Plan: u.Plan, Phase: u.Phase, Commit: u.Commit, Tree: r.Tree,
			})
		}
		return true
	})
	return out, errors.Join(err, d.storeError(bad))
}

func shipped(r lease.Record) []lease.ShipUnit {
	if r.Ship == nil {
		return nil
	}
	return r.Ship.Units
}
