package admit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
)

// delegated lists the lanes of a request, by canonical name, when this node grants
// them under delegations: nil when the fleet's remote decides on them. Directly go
// lanes that run alone or are not declared, those that [fleet] lanes names, leases
// that are to outlast what a node has, and whatever touches the tables of the fleet's
// order: units, seats and budgets, any lane, and an operator's force. Lanes of both kinds in one request are an error.
func (d *Desk) delegated(req Request) ([]string, error) {
	if d.remote == nil || req.Any || req.Force || len(req.Lanes) == 0 || req.Unit != "" || req.Seat != "" || req.TTL > d.Rules.Policy.Lease.TTL {
		return nil, nil
	}
	var here, there []string
	for _, asked := range req.asked() {
		c, _, ok := lane.Resolve(asked, facts.Taxonomy(d.Rules.Policy))
		if !ok {
			return nil, nil // the refusal is the remote's to word
		}
		if d.byNode(c) && len(req.Tree) == 0 && !d.hasDirectly(c.Lane, req.Identity) {
			here = append(here, c.Lane)
		} else {
			there = append(there, c.Lane)
		}
	}
	if len(here) > 0 && len(there) > 0 {
		return nil, fmt.Errorf("lanes %s are this node's to grant and %s the remote's: ask for them apart", strings.Join(here, ", "), strings.Join(there, ", "))
	}
	return here, nil
}

// byNode reports whether a lane is one that nodes take for their workers.
func (d *Desk) byNode(c lane.Claim) bool {
	lanes := d.Rules.Policy.Fleet.Lanes
	_, budget := facts.Budgets(d.Rules.Policy)[lane.Cluster]
	switch {
	case !c.Declared || c.Exclusive || lane.Reserved(c.Lane) || budget:
		return false
	case lanes.Mode == policy.FleetNamed:
		return !slices.ContainsFunc(lanes.Names, func(word string) bool {
			name, _ := d.Rules.Policy.Lane(word)
			return lane.CanonicalOr(name) == c.Lane
		})
	}
	return lanes.Mode == policy.FleetExclusive
}

// hasDirectly reports whether a lease of this identity is held on the remote, as
// last seen. It is had again there, however it would be taken now.
func (d *Desk) hasDirectly(name string, id lease.Identity) bool {
	if id == (lease.Identity{}) {
		return false
	}
	r := d.lastSeen(name)
	return r != nil && r.State != lane.Free && !r.Delegate && id.Owns(*r)
}

// lastSeen is a lane as the remote was last seen to have it, nil where that cannot be
// told.
func (d *Desk) lastSeen(name string) *lease.Record {
	target, err := ref(name)
	if err != nil {
		return nil
	}
	s, err := d.remote.Cached(context.Background(), refQuery(laneKinds))
	if err != nil {
		return nil
	}
	r, err := record(s.Tip(target))
	if err != nil {
		return nil
	}
	return &r
}

// grant admits a worker of this node to lanes, under delegations that the node has
// or takes for it.
func (d *Desk) grant(ctx context.Context, req Request, lanes []string) (lease.Verdict, error) {
	looks, taken := d.glance(ctx, lanes), false
	for range maxEnsured {
		v, err := d.own().acquireUnder(ctx, req, looks)
		var lacks *lease.DelegationError
		if errors.Is(err, errUntended) {
			looks = nil
			if no, err := d.drain(ctx, lanes); err != nil || no.Outcome == lease.Refused {
				return no, err
			}
			continue
		}
		if !errors.As(err, &lacks) {
			if taken && v.Outcome != lease.Acquired {
				d.putBack(ctx, lanes)
			}
			return v, err
		}
		looks, taken = nil, true // nobody who waits has seen yet what the node takes now
		if no, err := d.ensure(ctx, lacks.Lane); err != nil || no.Outcome == lease.Refused || no.Outcome == lease.Contended {
			d.putBack(ctx, lanes)
			return no, err
		}
		if now, err := d.delegated(req); err != nil || len(now) != len(lanes) {
			return contended(req.names()), err // the rules have changed
		}
	}
	return contended(req.names()), nil
}

// errUntended means that something is due for a delegation before anything is granted
// under it.
var errUntended = errors.New("a delegation is to be tended first")

// glance looks at the remote as last seen, while others look at what is here, for
// whom lanes are to go back.
func (d *Desk) glance(ctx context.Context, lanes []string) func(map[string]lease.Delegation) error {
	v := bothSides{desk: d}
	seen := make(chan error, 1)
	go func() { seen <- v.lookThere(ctx) }()
	done := false
	return func(own map[string]lease.Delegation) error {
		if !done {
			if err := <-seen; err != nil {
				return err
			}
			done = true
		}
		for _, name := range lanes {
			if has := own[name]; has.State == lease.Live && (has.Due(d.Clock()) || v.drained(has) != "" || has.Ended(v.there) != "") {
				return errUntended
			}
		}
		return nil
	}
}

// putBack gives back what an admission took that came to nothing. What stays here is
// given back at the next sync.
func (d *Desk) putBack(ctx context.Context, lanes []string) {
	ctx, cancel := detached(ctx)
	defer cancel()
	there := d.oneLook(ctx)
	for _, name := range lanes {
		if has, err := d.own().delegation(ctx, name); err == nil {
			_ = d.released(ctx, has, there)
		}
	}
}

// maxEnsured bounds how often lanes are made this node's for one admission: others
// that take them back in between are at it, too.
const maxEnsured = 20

// ensure makes a lane this node's on the remote, or renews what it has of it. The
// answer is a refusal when the remote has one.
func (d *Desk) ensure(ctx context.Context, name string) (lease.Verdict, error) {
	unlock, err := d.lockDelegation(ctx, name)
	if err != nil {
		return lease.Verdict{}, d.storeError(err)
	}
	defer unlock()
	for range maxEnsured {
		v, err := d.ensureOnce(ctx, name)
		if !errors.Is(err, errMoved) {
			return v, d.storeError(err)
		}
	}
	return contended(name), nil
}

// lockDelegation lets one process of the node at a time deal with a lane's
// delegation.
func (d *Desk) lockDelegation(ctx context.Context, name string) (unlock func(), err error) {
	leaf, err := lane.Leaf(name)
	if err != nil {
		return nil, err
	}
	return d.Repo.LockShared(ctx, "delegation."+leaf+".lock")
}

func (d *Desk) ensureOnce(ctx context.Context, name string) (lease.Verdict, error) {
	own := d.own()
	has, err := own.delegation(ctx, name)
	if err != nil {
		return lease.Verdict{}, err
	}
	if has.State == lease.Returning {
		if has, err = d.finish(ctx, has); err != nil {
			return lease.Verdict{}, err
		}
	}
	if has.State == lease.Live && d.fits(has) {
		if has.Usable(d.Clock(), d.lapsing()) && !has.Due(d.Clock()) {
			return lease.Verdict{}, nil // another process was at it
		}
		var ok bool
		if has, ok, err = d.renew(ctx, has); err != nil || ok {
			return lease.Verdict{}, err
		}
	} else if has.State == lease.Live {
		if has, err = d.giveUp(ctx, has); err != nil {
			return lease.Verdict{}, err
		}
		if has.State == lease.Live {
			return lease.Verdict{}, errMoved // somebody has come to work on it
		}
	}
	return d.ask(ctx, has, name)
}

// fits reports whether a delegation has the tree that the rules now give its lane.
func (d *Desk) fits(has lease.Delegation) bool {
	c, _, ok := lane.Resolve(lane.Request{Lane: has.Lane}, facts.Taxonomy(d.Rules.Policy))
	return ok && algebra(d.Rules.Policy).Within(c.Tree, has.Tree)
}

// ask takes a lane on the remote for this node's workers.
func (d *Desk) ask(ctx context.Context, has lease.Delegation, name string) (lease.Verdict, error) {
	own := d.own()
	asking, err := own.turn(ctx, has, name, func(now lease.Delegation, _ lease.Table) (lease.Delegation, []lease.Write, error) {
		n, writes := now.Ask(name, d.stamp("", ""))
		return n, writes, nil
	})
	if err != nil {
		return lease.Verdict{}, err
	}
	siblings, err := own.delegations(ctx)
	if err != nil {
		return lease.Verdict{}, err
	}
	ttl := d.Rules.Policy.Lease.TTL
	a := &acquisition{
		desk: d, delegate: true, delegations: siblings, stamp: d.stamp("", ""),
		req: Request{Lanes: []string{name}, Identity: lease.Identity{Nonce: asking.Nonce}, TTL: ttl},
	}
	a.stamp.Nonce = asking.Nonce
	began := d.Clock()
	v, err := a.whole(ctx)
	if err != nil {
		return lease.Verdict{}, err // it goes on asking under this nonce
	}
	if v.Outcome == lease.Acquired {
		_, err = own.turn(ctx, asking, name, func(now lease.Delegation, t lease.Table) (lease.Delegation, []lease.Write, error) {
			return now.Hold(*v.Lease, t, a.stamp, began)
		})
		return lease.Verdict{}, err
	}
	_, err = own.turn(ctx, asking, name, func(now lease.Delegation, t lease.Table) (lease.Delegation, []lease.Write, error) {
		n, writes := now.End("refused: "+v.ReasonClass, t, a.stamp)
		return n, writes, nil
	})
	d.want(ctx, a.wants)
	return v, err
}

// renew renews what this node has of a lane on the remote. It is not ok when the
// remote has it no more for this node; then that is noted. While the remote cannot
// be reached a delegation goes on until its own deadline.
func (d *Desk) renew(ctx context.Context, has lease.Delegation) (lease.Delegation, bool, error) {
	own := d.own()
	began, stamp := d.Clock(), d.stamp("", "")
	v, err := d.keepThere(ctx, lease.KeepEvidence{Lane: has.Lane, Identity: lease.Identity{Nonce: has.Nonce}, Node: true}, keepVerb{decide: lease.Heartbeat, order: true})
	switch {
	case err != nil && has.Usable(d.Clock(), d.lapsing()):
		return has, true, nil
	case err != nil:
		return has, false, err
	case v.Outcome == lease.Contended:
		return has, false, &StoreError{Err: fmt.Errorf("lane %s of this node: %s", has.Lane, othersFirst), Hint: "try again"}
	case v.Outcome == lease.Renewed:
		has, err = own.turn(ctx, has, has.Lane, func(now lease.Delegation, t lease.Table) (lease.Delegation, []lease.Write, error) {
			return now.Hold(*v.Lease, t, stamp, began)
		})
		return has, err == nil, err
	}
	has, err = own.end(ctx, has, "lost: "+v.Reason)
	return has, false, err
}

// end notes that this node has a lane no more. At the node's own desk.
func (d *Desk) end(ctx context.Context, has lease.Delegation, reason string) (lease.Delegation, error) {
	return d.turn(ctx, has, has.Lane, func(now lease.Delegation, t lease.Table) (lease.Delegation, []lease.Write, error) {
		n, writes := now.End(reason, t, d.stamp("", ""))
		return n, writes, nil
	})
}

// delegations reads all delegations. At the node's own desk.
func (d *Desk) delegations(ctx context.Context) (map[string]lease.Delegation, error) {
	s, err := d.auth.Read(ctx, refQuery([]string{"delegation"}))
	if err != nil {
		return nil, err
	}
	return d.delegationsIn(s), nil
}
