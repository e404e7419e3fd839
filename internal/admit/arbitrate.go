package admit

import (
	"context"
	"maps"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
)

// An ArbitrateRequest asks what the answer to a lease would be.
type ArbitrateRequest struct {
	lane.Request
	Force       bool
	Leases      []lane.Lease   // with LeasesGiven: in place of what the authority holds
	LeasesGiven bool           // the authority is then not read
	Budgets     map[string]int // by kind, over the policy's
	Cached      bool
}

// Arbitrate judges a request and stores nothing: by the time its lane is asked
// for, the answer may be another. The time is as of when the leases were read,
// the zero time when they were given.
func (d *Desk) Arbitrate(ctx context.Context, req ArbitrateRequest) (lane.Verdict, time.Time, error) {
	p := d.Rules.Policy
	ev := lane.Evidence{
		Request: req.Request, Lanes: facts.Taxonomy(p), Live: req.Leases, Algebra: algebra(p), RatioMax: p.Overlap.RatioMax,
		SelfModify: p.Admission.SelfModify, Budgets: facts.Budgets(p), Force: req.Force,
	}
	maps.Copy(ev.Budgets, req.Budgets)
	if req.LeasesGiven {
		return lane.Arbitrate(ev), time.Time{}, nil
	}
	from, began := d.Clock(), time.Now()
	s, t, err := d.lookTable(ctx, req.Cached)
	if err != nil {
		return lane.Verdict{}, time.Time{}, d.storeError(err)
	}
	if d.remote != nil && s.AsOf.Before(began) {
		ev.Live = t.Live(nil) // of a mirror nobody can say what has lapsed since
	} else {
		d.watch(from, s, &t)
		ev.Live = t.Live(t.Lapsed(d.lapsing()))
	}
	return lane.Arbitrate(ev), s.AsOf.UTC().Truncate(time.Second), nil
}
