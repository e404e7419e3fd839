package admit

import (
	"context"
	"slices"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// lifeKinds is what is read of a fleet to tell how its runs and nodes are.
var lifeKinds = append(slices.Clone(laneKinds), "journal", "node")

// LifeKinds names the refs that reading runs and nodes takes, for a caller that
// lists them ahead.
func LifeKinds() []string { return append(slices.Clone(lifeKinds), "delegation") }

// Mirrors brings the mirror of the fleet's remote up to date where what it holds
// of lanes, ledgers and nodes is older than the fleet's interval, unless cached is
// set. It returns the remotes whose mirrors are to be read: none without a fleet.
func (d *Desk) Mirrors(ctx context.Context, cached bool) ([]*refstore.Remote, error) {
	if d.remote == nil {
		return nil, nil
	}
	all := []*refstore.Remote{d.remote}
	if cached || time.Since(d.remote.LastFetchOf(lifeKinds...)) < d.Rules.Policy.Fleet.Interval {
		return all, nil
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	s, err := d.remote.Read(ctx, refstore.Query{Kinds: lifeKinds})
	if err == nil {
		err = d.checkFleet(s)
	}
	return all, d.storeError(err)
}
