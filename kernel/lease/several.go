package lease

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A draft is an admission in the making.
type draft struct {
	AcquireEvidence
	parts []*part
	rest  Table           // the table without the admission: what it ends is free
	work  Table           // the table as it will be: what is granted is held
	skip  map[string]bool // chains of leases of the caller's that are decided anew: they bind nobody

	lapsed map[string]Record // by chain: leases that are over, as they read when they are ended

	ended  []Write  // what force takes away, and what has lapsed
	over   []Record // of those, what has lapsed
	taken  []Taken
	unsafe time.Time
}

// A part is one lane of an admission.
type part struct {
	req   lane.Request
	claim lane.Claim
	lane  string
	have  Record // what stands under its name
	mine  bool   // it is a held lease of the caller's
	had   bool   // mine, and admitted: it is only renewed

	op     string
	rec    Record
	kernel *lane.Verdict
	waits  bool // it is admitted to wait
}

// admit decides on all requests at once. When the lane was picked, kernel is the
// decision that did it.
func (ev AcquireEvidence) admit(reqs []lane.Request, kernel *lane.Verdict, dropped ...string) (Verdict, []Write, error) {
	d := ev.draft(dropped)
	for _, req := range reqs {
		if err := d.add(req); err != nil {
			return Verdict{}, nil, err
		}
	}
	no, err := d.decide()
	switch {
	case err != nil:
		return Verdict{}, nil, err
	case no.Outcome == Refused:
		return d.refused(no)
	}
	if kernel != nil {
		d.parts[0].kernel = kernel
	}
	return d.concluded()
}

// concluded is what an admission comes to that nothing stands against.
func (d *draft) concluded() (Verdict, []Write, error) {
	d.succeed()
	d.unseat()
	if chains := d.unfenced(); len(chains) > 0 {
		return Verdict{}, nil, &UnfencedError{chains}
	}
	return d.granted()
}

// decide is the refusal of the admission, or the zero Verdict.
func (d *draft) decide() (Verdict, error) {
	if no := d.differs(); no.Outcome == Refused {
		return no, nil
	}
	if d.Force {
		if err := d.force(); err != nil {
			return Verdict{}, err
		}
	}
	for _, p := range d.parts {
		if no, err := d.judge(p); err != nil || no.Outcome == Refused {
			return no, err
		}
	}
	return d.book()
}

// draft leaves out what earlier tries of this call have landed half, and the
// chains that the caller has dropped: all of it is decided anew or ended.
func (ev AcquireEvidence) draft(dropped []string) *draft {
	d := &draft{AcquireEvidence: ev, rest: ev.Table, work: ev.Table, skip: map[string]bool{}, lapsed: map[string]Record{}}
	d.Extra = ev.besides()
	d.rest.Chains, d.work.Chains = map[string]Record{}, map[string]Record{}
	maps.Copy(d.rest.Chains, ev.Table.Chains)
	maps.Copy(d.work.Chains, ev.Table.Chains)
	for chain, r := range ev.Table.Chains {
		if r.State != lane.Free && (r.Nonce == ev.Stamp.Nonce || slices.Contains(dropped, chain)) {
			d.skip[chain] = true
		}
	}
	d.lapse()
	return d
}

// owns reports whether a lease is the caller's: it was made by this very call, or
// its identity is offered.
func (ev AcquireEvidence) owns(r Record) bool {
	return (r.State == lane.Held || r.State == lane.Waiting) && (r.Nonce == ev.Stamp.Nonce || ev.Identity.Owns(r))
}

// add reads one request and finds what the caller has of it already.
func (d *draft) add(req lane.Request) error {
	c, no, ok := lane.Resolve(req, d.Lanes)
	if err := no.Err(); !ok && err != nil {
		return err
	}
	p := &part{req: req, claim: c, lane: c.Lane}
	if slices.ContainsFunc(d.parts, func(q *part) bool { return q.lane == p.lane }) {
		return fmt.Errorf("lane %q is asked for twice", p.lane)
	}
	d.parts = append(d.parts, p)
	if have, ok := d.Table.holding(p.lane, d.owns); ok && d.owns(have) {
		p.have, p.mine, p.had = have, true, d.Table.Order.admits(have) && d.orphaned(have) == ""
		if d.skip[have.Chain()] = true; p.had {
			delete(d.skip, have.Chain())
		}
		return nil
	}
	return d.Table.unreadNamed(p.lane)
}

// judge decides on one lane and, when it may be had, on its record: the answer is
// then the zero Verdict.
func (d *draft) judge(p *part) (Verdict, error) {
	if p.had && p.have.State == lane.Waiting {
		return d.otherwise(p.have, "what is asked for is had at once or not at all"), nil
	}
	if p.had {
		return Verdict{}, d.renew(p)
	}
	k := lane.Decide(d.evidence(p.req, d.Budgets, d.SelfModify))
	if err := d.Table.undecided(k); err != nil {
		return Verdict{}, err
	}
	if k.Outcome != lane.Acquire {
		wait, ok := d.mayWait(p)
		if !ok {
			return d.refusal(p.lane, k), nil
		}
		k, p.waits = wait, true
	}
	p.kernel = &k
	switch err := d.fill(p, k); {
	case errors.Is(err, errNoSlot):
		v := refuse(p.lane, lane.ClassBudgetExhausted, fmt.Sprintf("%s, %d", errNoSlot, maxSlots))
		v.Next = "release one, or declare lanes in dos.toml: git dos lease live"
		return v, nil
	case err != nil:
		return Verdict{}, err
	}
	d.work.Chains[p.rec.Chain()] = p.rec
	delete(d.skip, p.rec.Chain())
	return Verdict{}, nil
}

// renew makes the record of a lane that is had.
func (d *draft) renew(p *part) error {
	if own := d.Delegations[p.have.authority()]; d.Under && !own.Usable(d.Clock, d.Lapsing) {
		return &DelegationError{p.lane, "its node does not have it"}
	}
	p.op, p.rec = OpHeartbeat, p.have
	p.rec.Reason, p.rec.Ship, p.rec.Taking, p.rec.RenewedAt = "", nil, false, stampSeconds(d.Stamp)
	if p.rec.Proc = p.rec.proc(d.Table.Watch.Gone[p.have.Chain()]); d.Proc != nil && p == d.parts[0] {
		p.rec.Proc = d.Proc
	}
	return nil
}

// evidence is what package lane decides on: all that lives beside the caller.
// Force leaves out what it overrides.
func (d *draft) evidence(req lane.Request, budgets map[string]int, protected []string) lane.Evidence {
	if d.Force {
		budgets, protected = nil, nil
	}
	return lane.Evidence{
		Request: req, Lanes: d.Lanes, Live: append(d.work.Live(d.unbound(req)), d.Extra...), Algebra: d.Algebra, RatioMax: d.RatioMax,
		SelfModify: protected, Budgets: budgets,
	}
}

// unbound are the chains whose leases do not bind a request: those that are
// decided anew and, for a node that asks for its workers, its delegations of
// other lanes.
func (d *draft) unbound(req lane.Request) map[string]bool {
	if !d.Delegate {
		return d.skip
	}
	free := maps.Clone(d.skip)
	for chain, r := range d.work.Chains {
		if r.Lane != lane.CanonicalOr(req.Lane) && d.sibling(r) {
			free[chain] = true
		}
	}
	return free
}

// sibling reports whether a lease is one that the asker's node has for its
// workers, as its nonce proves.
func (d *draft) sibling(r Record) bool {
	own, ok := d.Delegations[r.Lane]
	return d.Delegate && r.Delegate && ok && own.State != Gone && own.Nonce == r.Nonce
}

// fill makes the record. A lane that landed without its order entry is completed
// when the same is asked for: readers tell an admission that they have missed by
// its generation, so within one generation nothing but times changes. Else the
// generation passes the chain's own and the order's, so that it never restarts.
func (d *draft) fill(p *part, k lane.Verdict) error {
	now := stampSeconds(d.Stamp)
	r := Record{
		V: Version, Lane: k.Lane, LaneKind: k.LaneKind, Tree: k.Tree, Scope: d.Scope, State: lane.Held,
		Nonce: d.Stamp.Nonce, Holder: d.Stamp.Holder, RunID: d.RunID,
		TTL: int64(d.TTL / time.Second), AcquiredAt: now, RenewedAt: now, Policy: d.Stamp.Policy,
	}
	if p.waits {
		r.State = lane.Waiting
	}
	r.Delegate = d.Delegate
	if err := d.under(&r); err != nil {
		return err
	}
	if p == d.parts[0] {
		r.Unit, r.Seat, r.Proc = d.first(bookUnit), d.first(bookSeat), d.Proc
	}
	have := p.have
	if p.mine && have.State == r.State && have.LaneKind == r.LaneKind && slices.Equal(have.Tree, r.Tree) && have.Unit == r.Unit && have.Seat == r.Seat && have.Under == r.Under {
		p.op, p.rec = OpHeartbeat, have
		p.rec.TTL, p.rec.RenewedAt, p.rec.Policy, p.rec.Proc = r.TTL, now, r.Policy, r.Proc
		return nil
	}
	chain, err := have.Chain(), error(nil)
	if p.mine {
		r.Pushing = have.Pushing                        // they are the caller's own
		d.rest.Chains[chain] = freed(have, "", d.Stamp) // it ends with the grant
	} else {
		chain, err = d.chainFor(p.claim)
	}
	if chain != r.Lane {
		r.Slot = chain
	}
	r.Gen = max(d.work.Chains[chain].Gen, d.Table.Order.Lanes[chain].Gen) + 1
	p.op, p.rec = OpAcquire, r
	if d.Delegate {
		p.op = OpDelegate
	}
	return err
}
