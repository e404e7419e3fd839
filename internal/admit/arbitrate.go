package admit

import (
	"context"
	"maps"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
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
	var asOf time.Time
	var err error
	if ev.Live, asOf, err = d.Binding(ctx, req.Cached); err != nil {
		return lane.Verdict{}, time.Time{}, err
	}
	return lane.Arbitrate(ev), asOf, nil
}

// Binding lists the leases that bind a worker of this node now, and as of when they
// were read. What cannot be read is among them. See [Desk.Leases].
func (d *Desk) Binding(ctx context.Context, cached bool) ([]lane.Lease, time.Time, error) {
	from, began := d.Clock(), time.Now()
	s, t, err := d.lookTable(ctx, cached)
	if err != nil {
		return nil, time.Time{}, d.storeError(err)
	}
	var over map[string]bool
	if d.remote == nil || !s.AsOf.Before(began) { // of a mirror nobody can say what has lapsed since
		d.watch(from, s, &t)
		over = t.Lapsed(d.lapsing())
	}
	live, err := d.binding(ctx, t, over)
	return live, s.AsOf.UTC().Truncate(time.Second), d.storeError(err)
}

// binding lists the leases that bind a worker of this node: of the lanes that the
// node has on the remote, those that it granted.
func (d *Desk) binding(ctx context.Context, t lease.Table, over map[string]bool) ([]lane.Lease, error) {
	if d.remote == nil {
		return t.Live(over), nil
	}
	all, err := d.granted(ctx)
	if err != nil {
		return nil, err
	}
	here := lease.Table{Chains: map[string]lease.Record{}, Unread: map[string]error{}}
	skip := map[string]bool{}
	maps.Copy(skip, over)
	for _, g := range all {
		name := g.delegation.Lane
		if r := t.Chains[name]; !r.Delegate || r.Nonce != g.delegation.Nonce || g.unread != nil {
			continue
		}
		if skip[name] = true; g.lease != nil {
			here.Chains[name] = *g.lease
		}
	}
	return append(t.Live(skip), here.Live(nil)...), nil
}
