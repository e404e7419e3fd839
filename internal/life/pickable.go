package life

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// Pickable gathers what keeps units of plans from being offered, as of the
// desk's time, by one look for all of them: what history says of them and of what
// they depend on, the leases that name them, workers on their way, the plan
// documents at the trunk, and the attempts that were made. Where a part of that
// cannot be read it is unknown, and not free of holds. The error says that the
// question cannot be put: a *[facts.CycleError] that units depend on each other.
func (b *Book) Pickable(ctx context.Context, units []facts.Unit) ([]pick.PickableEvidence, error) {
	p := picker{book: b, now: b.Desk.Now(), ships: map[facts.Unit]ship.Verdict{}}
	if err := p.look(ctx, units); err != nil {
		return nil, err
	}
	all := make([]pick.PickableEvidence, 0, len(units))
	for i, u := range units {
		c := candidate{PickableEvidence: pick.PickableEvidence{Unit: u.Plan + "/" + u.Phase, NowMS: millis(p.now)}, picker: &p}
		if i < len(p.holds.Units) {
			c.held(p.holds.Units[i])
		}
		c.shipped(u)
		c.leased()
		if err := c.tried(ctx); err != nil {
			return nil, err
		}
		c.Unknown = append(c.Unknown, p.unknown...)
		all = append(all, c.PickableEvidence)
	}
	return all, nil
}

// A picker is one look for several units.
type picker struct {
	book    *Book
	now     time.Time
	holds   facts.Holds
	ships   map[facts.Unit]ship.Verdict
	leases  admit.Reading
	unknown []pick.Finding // of every unit
	coming  []journal.Row  // workers on their way
}

func (p *picker) look(ctx context.Context, units []facts.Unit) (err error) {
	repo := p.book.Desk.Repo
	var file *facts.PlanFileError
	p.holds, err = facts.ReadHolds(ctx, repo, units)
	switch {
	case errors.As(err, &file), errors.Is(err, ancestry.ErrMissing):
		p.doubt(pick.Dependency, err)
	case err != nil:
		return err
	}
	if err := p.verify(ctx, units); err != nil {
		return err
	}
	if p.leases, err = p.book.Leases(ctx); err != nil {
		return err
	}
	for _, u := range p.leases.Unread {
		p.unknown = append(p.unknown, pick.Finding{Hold: pick.InFlight, Detail: fmt.Sprintf("lane %s cannot be read: %s", u.Chain, u.Unreadable)})
	}
	if err := p.launched(ctx); err != nil {
		return err
	}
	since := p.now.Add(-p.book.Desk.Rules.Policy.Supervise.PendingWindow)
	for _, why := range p.book.dark(func(h journal.Hidden) bool { return h.Spawn(since) || h.Launch(since) }) {
		p.unknown = append(p.unknown, pick.Finding{Hold: pick.SoftClaimed, Detail: why})
	}
	return nil
}

// launched finds the workers that were started of late.
func (p *picker) launched(ctx context.Context) (err error) {
	if err = p.book.Read(ctx, AskAttempts(), AskSpawns(), AskLaunches()); err != nil {
		return err
	}
	window := p.book.Desk.Rules.Policy.Supervise.PendingWindow
	if p.coming, err = p.book.Pending(ctx, p.now, window); err != nil {
		return err
	}
	rows, err := p.book.Launches(ctx)
	for _, r := range rows {
		if p.now.Sub(r.At) < window {
			p.coming = append(p.coming, r)
		}
	}
	return err
}

func (p *picker) doubt(h pick.Hold, err error) {
	p.unknown = append(p.unknown, pick.Finding{Hold: h, Detail: err.Error()})
}

// verify asks at the commit of the plan documents what shipped, of the units and
// of what they depend on.
func (p *picker) verify(ctx context.Context, units []facts.Unit) error {
	all := append([]facts.Unit{}, units...)
	for _, h := range p.holds.Units {
		all = append(all, h.Needs...)
	}
	evidence, err := facts.Ships(ctx, p.book.Desk.Repo, all, facts.ShipScope{Ref: p.holds.RefID, Ledger: p.book.Desk.Ships})
	var store *admit.StoreError
	switch {
	case errors.As(err, &store):
		p.doubt(pick.Shipped, err)
		return nil
	case err != nil:
		return err
	}
	for i, ev := range evidence {
		p.ships[all[i]] = ship.Decide(ev)
	}
	return nil
}

// A candidate is one unit and what is known of it.
type candidate struct {
	pick.PickableEvidence
	*picker
}

func (c *candidate) found(is *bool, h pick.Hold, detail string) {
	if detail != "" {
		*is = true
		c.Found = append(c.Found, pick.Finding{Hold: h, Detail: detail})
	}
}

func (c *candidate) doubtful(h pick.Hold, detail string) {
	c.Unknown = append(c.Unknown, pick.Finding{Hold: h, Detail: detail})
}

// held takes over what the plan documents say.
func (c *candidate) held(h facts.UnitHolds) {
	if len(h.Listed) == 0 {
		c.Found = append(c.Found, pick.Finding{Hold: pick.Offerable, Detail: "no plan document at " + c.holds.Ref + " lists it"})
	}
	c.found(&c.State.Unparseable, pick.Unparseable, h.Unclear)
	draft := false
	if c.found(&draft, pick.DraftClass, h.Draft); draft {
		c.State.PlanClass = "DRAFT"
	}
	c.found(&c.State.Gated, pick.Gated, h.Gated)
	c.found(&c.State.SoakOpen, pick.SoakOpen, h.Soaking)
	for _, n := range h.Needs {
		name := n.Plan + "/" + n.Phase
		switch v := c.ships[n]; v.Outcome {
		case ship.Shipped:
		case ship.NotShipped:
			c.found(&c.State.Dependency, pick.Dependency, "it depends on "+name+", which has not shipped: "+v.Reason)
		default:
			c.doubtful(pick.Dependency, "whether "+name+" shipped cannot be told: "+v.Reason)
		}
	}
}

func (c *candidate) shipped(u facts.Unit) {
	v, asked := c.ships[u]
	switch {
	case !asked: // the store is in doubt
	case v.Outcome == ship.Shipped:
		c.found(&c.State.Shipped, pick.Shipped, v.Reason)
	case v.Outcome != ship.NotShipped:
		c.doubtful(pick.Shipped, v.Reason)
	}
}

// leased looks for leases that name the unit, and for workers on their way to
// one. What a node has of a lane names none: a lease with a unit is always
// decided where everybody sees it.
func (c *candidate) leased() {
	same := reconcile.Same(c.PickableEvidence.Unit)
	for _, r := range append(slices.Clone(c.leases.Claims), c.leases.Lanes...) {
		if r.Unit == "" || r.State == lane.Free || !same(r.Unit) {
			continue
		}
		who := fmt.Sprintf("lane %s, %s by %s, names it", r.Lane, r.Display(c.now), r.Holder)
		switch {
		case r.Display(c.now) == lease.Suspended:
			c.found(&c.State.StaleClaim, pick.StaleClaim, who+"; its deadline was "+r.Deadline().UTC().Format(time.RFC3339))
		case r.State == lane.Waiting:
			c.found(&c.State.SoftClaimed, pick.SoftClaimed, who)
		default:
			c.found(&c.State.InFlight, pick.InFlight, who+", until "+r.Deadline().UTC().Format(time.RFC3339))
		}
	}
	for _, r := range c.coming {
		if r.Unit != "" && same(r.Unit) {
			c.found(&c.State.SoftClaimed, pick.SoftClaimed, fmt.Sprintf("node %s started a worker for it at %s, which has no lease yet", r.From, r.At.Format(time.RFC3339)))
		}
	}
}

func (c *candidate) tried(ctx context.Context) error {
	ev, err := c.book.Tried(ctx, c.PickableEvidence.Unit)
	if err != nil {
		return err
	}
	v := pick.DecideCooldown(ev)
	switch {
	case v.Err() != nil:
		c.doubtful(pick.Cooling, v.Reason)
	case v.Outcome == pick.RecentlyAttempted:
		c.State.CooldownUntilMS = v.UntilMS
		c.Found = append(c.Found, pick.Finding{Hold: pick.Cooling, Detail: v.Reason})
	}
	return nil
}
