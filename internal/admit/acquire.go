package admit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/refstore"
)

// A Request asks for lanes, all of them or none.
type Request struct {
	Lanes    []string // none: the first of the lanes for auto-pick that may be had
	Any      bool     // another lane will do where the one named may not be had
	Kind     string
	Tree     []string       // of the only lane
	RunID    string         // of the lease to be made
	Identity lease.Identity // of a lease the caller may already have
	Nonce    string         // of the lease to be made, by [NewNonce]; without one a new one
	Owner    string
	Worker   string
	TTL      time.Duration
	Unit     string
	Seat     string
	Proc     *lease.Proc
	Leases   []lane.Lease // live leases that the caller knows of besides
	Force    bool         // end what stands in the way, in the operator's name
	Operator string
	Wait     time.Duration // how long to try again, and an exclusive lane to wait, before the answer is no

	rides *lease.Mount // the lease inside which it is claimed, see [Desk.Ride]
}

func (r Request) asked() []lane.Request {
	if len(r.Lanes) == 0 {
		return []lane.Request{{Kind: r.Kind, Tree: r.Tree}}
	}
	var asked []lane.Request
	for _, name := range r.Lanes {
		asked = append(asked, lane.Request{Lane: name, Kind: r.Kind, Tree: r.Tree})
	}
	return asked
}

// names says which lanes are asked for, to people.
func (r Request) names() string { return strings.Join(r.Lanes, ", ") }

// acquire asks for lanes once: the node where it grants them, else the authority.
func (d *Desk) acquire(ctx context.Context, req Request) (lease.Verdict, error) {
	lanes, err := d.delegated(req)
	if err != nil {
		return lease.Verdict{}, err
	}
	if lanes != nil {
		return d.grant(ctx, req, lanes)
	}
	v, err := d.acquireHere(ctx, req)
	if err == nil && d.remote != nil {
		d.overruled(ctx, v)
	}
	if err != nil || d.remote == nil || !d.makeWay(ctx, v) {
		return v, err
	}
	switch v.Outcome {
	case lease.Refused:
		return d.acquireHere(ctx, req)
	case lease.Waits:
		return d.ready(ctx, v)
	}
	return v, nil
}

// acquireHere asks the authority of this desk for lanes once.
func (d *Desk) acquireHere(ctx context.Context, req Request) (lease.Verdict, error) {
	a := &acquisition{desk: d, req: req, stamp: d.stampOf(req)}
	a.remembered, a.granted = d.remembered(ctx)
	v, err := a.whole(ctx)
	if err == nil && d.remote != nil && v.Outcome == lease.Refused {
		d.want(ctx, a.wants)
	}
	return v, err
}

// acquireUnder grants lanes at a node's own desk. What looks says of the delegations
// comes before that; nil says nothing.
func (d *Desk) acquireUnder(ctx context.Context, req Request, looks func(map[string]lease.Delegation) error) (lease.Verdict, error) {
	a := &acquisition{desk: d, req: req, stamp: d.stampOf(req), looks: looks}
	a.remembered, a.granted = d.remembered(ctx)
	return a.whole(ctx)
}

// remembered lists the nonces of the leases that this worktree has taken, and of
// what its node has on the remote for them, and by those the leases themselves. They
// only word a refusal.
func (d *Desk) remembered(ctx context.Context) (nonces []string, under map[string]lease.Record) {
	held, err := d.RecallAll()
	if err != nil || len(held) == 0 {
		return nil, nil
	}
	for _, h := range held {
		nonces = append(nonces, h.Nonce)
	}
	if d.remote == nil {
		return nonces, nil
	}
	granted, err := d.granted(ctx)
	under = map[string]lease.Record{}
	for _, g := range granted {
		if err == nil && g.lease != nil && slices.Contains(nonces, g.lease.Nonce) {
			nonces = append(nonces, g.delegation.Nonce)
			under[g.delegation.Nonce] = *g.lease
		}
	}
	return nonces, under
}

// ready looks once more at a lease that waits, now that something was given back.
func (d *Desk) ready(ctx context.Context, v lease.Verdict) (lease.Verdict, error) {
	if err := d.Remember(*v.Lease); err != nil {
		return v, nil // it waits, which is true
	}
	next, err := d.await(ctx, v.Lease.Lane, lease.Identity{Nonce: v.Lease.Nonce}, lease.Verdict{}, d.waiting(0))
	if err != nil || next.Outcome != lease.Acquired {
		return v, nil
	}
	next.Reacquired = v.Reacquired
	return next, nil
}

// makeWay gives back what this node has on the remote and nobody works under,
// where it stands in the way of its own worker. It reports whether any of it was.
func (d *Desk) makeWay(ctx context.Context, v lease.Verdict) (made bool) {
	names := v.InTheWay()
	if v.ReasonClass == lane.AllHeld {
		names = d.Declared()
	}
	for _, name := range names {
		has, err := d.own().delegation(ctx, name)
		if err != nil || has.State != lease.Live {
			continue
		}
		n, err := d.giveUpLocked(ctx, has)
		made = made || err == nil && n.State == lease.Gone
	}
	return made
}

// whole runs an acquisition to its end: what it will not report is given back.
func (a *acquisition) whole(ctx context.Context) (lease.Verdict, error) {
	d := a.desk
	v, err := a.run(ctx)
	if err == nil && admitted(v) && ctx.Err() != nil && !v.Reacquired {
		err = context.Cause(ctx)
	}
	if a.sent != nil && (err != nil || !admitted(v)) {
		err = errors.Join(err, a.giveBack(ctx, d.remote != nil && !answered(err)))
	}
	if err != nil {
		return lease.Verdict{}, err
	}
	return v, nil
}

// admitted reports whether an answer is a lease, held or waiting.
func admitted(v lease.Verdict) bool {
	return v.Outcome == lease.Acquired || v.Outcome == lease.Waits
}

// Check reports what is wrong with a request on the face of it, before
// anything is read or written for it.
func (d *Desk) Check(req Request) error {
	ev := d.asEvidence(req)
	ev.Stamp = lease.Stamp{Nonce: "0", Holder: lease.Holder{Owner: req.Owner, Worker: req.Worker}}
	if err := ev.Check(); err != nil {
		return err
	}
	if req.Unit != "" {
		if err := reconcile.CheckName(req.Unit); err != nil {
			return err
		}
	}
	if req.Operator != "" && !req.Force {
		return errors.New("an operator is named for force alone")
	}
	if len(req.Lanes) > 1 && len(req.Tree) > 0 {
		return errors.New("a tree is asked for with one lane, and not with several")
	}
	for _, asked := range ev.Requests {
		if asked.Bare() && len(ev.Requests) == 1 {
			continue // auto-pick
		}
		if _, no, ok := lane.Resolve(asked, ev.Lanes); !ok && no.Err() != nil {
			return no.Err()
		}
	}
	if err := lease.CheckWord("nonce", req.Identity.Nonce); err != nil {
		return err
	}
	if margin := d.margin(req.TTL); req.TTL < 2*margin {
		return fmt.Errorf("ttl %s is under twice the margin of %s", req.TTL, margin)
	}
	return nil
}

// margin is the part of a ttl in which its holder no longer counts on it.
func (d *Desk) margin(ttl time.Duration) time.Duration {
	if p := d.Rules.Policy; p.Stated("lease.margin") {
		return p.Lease.Margin
	}
	return max(30*time.Second, ttl/10)
}

// Left is for how long one may work under a lease as it stands now, unless it is
// renewed.
func (d *Desk) Left(r lease.Record) time.Duration {
	return r.Deadline().Sub(d.Now()) - d.margin(time.Duration(r.TTL)*time.Second)
}

// An acquisition is one call of Acquire: one nonce, however many tries.
type acquisition struct {
	desk  *Desk
	req   Request
	stamp lease.Stamp
	sent  *lease.Sent // the admission that may have landed, nil before one was sent
	past  bool        // a read has seen the order overtake it

	remembered []string                // nonces of leases that this worktree has taken before
	granted    map[string]lease.Record // those of them that its node granted, by the nonces of its delegations

	delegate    bool                                    // the node asks, for its workers
	delegations map[string]lease.Delegation             // with delegate: what it has already
	wants       []lease.Want                            // delegations of others that the last answer was refused by
	looks       func(map[string]lease.Delegation) error // at a node's own desk: what is due for its delegations
	fenced      map[string]refstore.OID                 // by chain: the tip that stood when its lane moved on the remote

	torn      string // signature of the torn table last seen
	tornSince time.Time
	missed    string // the trunk of the order for which the trunk was fetched last
}

func (a *acquisition) run(ctx context.Context) (lease.Verdict, error) {
	ctx, cancel := a.desk.bounded(ctx)
	defer cancel()
	for {
		v, err := a.try(ctx, lease.Acquire)
		var torn *lease.TornError
		var skew *skewError
		var unfenced *lease.UnfencedError
		switch {
		case errors.As(err, &torn):
			if err := a.awaitOrRepair(ctx, torn); err != nil {
				return v, a.desk.storeError(err)
			}
		case errors.As(err, &unfenced):
			if err := a.fence(ctx, unfenced.Chains); err != nil {
				return v, a.desk.storeError(err)
			}
		case errors.As(err, &skew) && skew.theirs != a.missed:
			a.missed = skew.theirs
			if err := a.desk.refetchRules(ctx); err != nil {
				return v, err
			}
			a.stamp.Policy = a.desk.Rules.Trunk.Commit()
		case errors.As(err, &skew):
			return lease.Verdict{Outcome: lease.Refused, Lane: a.req.names(), ReasonClass: lease.PolicySkew, Reason: skew.Error(),
				Next: "bring the trunk of " + a.desk.Remote() + " to a commit that holds both"}, nil
		case lostRace(err):
			return contended(a.req.names()), nil
		default:
			return v, a.desk.storeError(err)
		}
	}
}

func contended(name string) lease.Verdict {
	return lease.Verdict{Outcome: lease.Contended, Lane: name, Reason: othersFirst, Next: "try again after a pause"}
}

// lostRace reports whether an update ended because others kept winning.
func lostRace(err error) bool {
	var o *refstore.OutcomeError
	return errors.As(err, &o) && errors.Is(err, errTimeUp) && (o.Outcome.Result == refstore.Lost || o.Outcome.Result == refstore.Unchanged)
}

// A decision is [lease.Acquire], or what becomes of one that was sent.
type decision func(lease.AcquireEvidence) (lease.Verdict, []lease.Write, error)

func (a *acquisition) try(ctx context.Context, decide decision) (lease.Verdict, error) {
	d := a.desk
	from := d.Clock()
	a.stamp.Now = d.Now() // before anything is read: a holder counts its time from here
	var v lease.Verdict
	var tried tries[lease.Verdict]
	u, err := d.Repo.Update(ctx, d.auth, refQuery(d.kinds()), func(s refstore.Snapshot) ([]refstore.Write, error) {
		if err := d.checkFleet(s); err != nil {
			return nil, err
		}
		t, err := d.watched(ctx, from, s)
		if err != nil {
			return nil, err
		}
		ev := a.evidence(t)
		if d.hub != nil {
			if ev, err = a.underDelegations(s, from, ev); err != nil {
				return nil, err
			}
		}
		if err := d.checkPolicy(ctx, t.Order.Policy); err != nil {
			return nil, err
		}
		a.past = a.sent != nil && t.Overtaken(*a.sent)
		var decided []lease.Write
		if v, decided, err = decide(ev); err != nil {
			return nil, a.noteTorn(s, err)
		}
		if a.wants = v.Wants(t, d.Node); d.hub != nil {
			v = v.WithinAll(ev.Delegations, ev.Lapsing)
		}
		asOf := s.AsOf.UTC().Truncate(time.Second)
		v.AsOf = &asOf
		if admitted(v) && !v.Reacquired {
			a.sent, a.past = t.Send(v, a.sent), false
		}
		tried.note(v, decided)
		return d.writes(decided)
	})
	if err != nil {
		return v, err
	}
	v, late := tried.winner(u, v)
	if late && admitted(v) {
		return a.try(ctx, func(ev lease.AcquireEvidence) (lease.Verdict, []lease.Write, error) { return lease.Confirm(ev, v) })
	}
	if v.Outcome == lease.Contended {
		return contended(v.Lane), nil
	}
	return d.stands(ctx, v)
}

func (a *acquisition) evidence(t lease.Table) lease.AcquireEvidence {
	ev := a.desk.asEvidence(a.req)
	ev.Stamp, ev.Table, ev.Sent, ev.Remembered, ev.Granted = a.stamp, t, a.sent, a.remembered, a.granted
	if a.delegate {
		ev.Delegate, ev.Delegations, ev.Wait = true, a.delegations, false
	}
	return ev
}

// asEvidence is the request and the rules, without what the authority holds.
func (d *Desk) asEvidence(req Request) lease.AcquireEvidence {
	p := d.Rules.Policy
	return lease.AcquireEvidence{
		Requests: req.asked(), Any: req.Any, Force: req.Force, Operator: req.Operator,
		RunID: req.RunID, Identity: req.Identity, TTL: req.TTL, Scope: d.Scope(),
		Unit: reconcile.Spelled(req.Unit), Seat: req.Seat, Proc: req.Proc, Extra: req.Leases,
		Lanes: facts.Taxonomy(p), Algebra: algebra(p), RatioMax: p.Overlap.RatioMax, SelfModify: p.Admission.SelfModify,
		Budgets: facts.Budgets(p), Lapsing: d.lapsing(), Wait: d.remote != nil || req.Wait > 0, Rides: req.rides,
	}
}

// noteTorn notes since when a torn table has looked the same.
func (a *acquisition) noteTorn(s refstore.Snapshot, err error) error {
	var torn *lease.TornError
	if !errors.As(err, &torn) {
		return err
	}
	signature := string(s.Tip(orderRef).ID)
	for _, name := range torn.Chains {
		if target, rerr := ref(name); rerr == nil {
			signature += " " + string(s.Tip(target).ID)
		}
	}
	if signature != a.torn {
		a.torn, a.tornSince = signature, s.AsOf
	}
	return err
}

// awaitOrRepair gives a half-done admission the time to finish, and frees its
// lane when it has not moved for so long that it never will. A lane that is torn
// for another reason is nobody's to free.
func (a *acquisition) awaitOrRepair(ctx context.Context, torn *lease.TornError) error {
	if time.Since(a.tornSince) < lease.TornFor {
		select {
		case <-time.After(lease.TornFor / 4):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	d := a.desk
	_, err := d.Repo.Update(ctx, d.auth, refstore.Query{Kinds: laneKinds}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		t, err := d.table(ctx, s)
		if err != nil {
			return nil, err
		}
		still := t.Torn()
		repair := slices.DeleteFunc(slices.Clone(torn.Chains), func(name string) bool { return !slices.Contains(still, name) })
		before := a.torn
		_ = a.noteTorn(s, torn)
		if a.torn != before || len(repair) == 0 {
			return nil, nil // it moved after all
		}
		if lost := t.Lost(); len(lost) > 0 {
			return nil, lostState(lost)
		}
		return d.writes(lease.Repair(t, repair, a.stamp))
	})
	return err
}
