package admit

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// ownKinds is what an admission under a delegation reads.
var ownKinds = []string{"meta", "lane", "order", "delegation"}

// own is the desk of this node's own repository, where it grants leases on the
// lanes that it has on the fleet's remote.
func (d *Desk) own() *Desk {
	o := *d
	o.auth, o.remote, o.hub = d.Repo.Local(), nil, d
	return &o
}

// kinds is what an admission at this desk reads.
func (d *Desk) kinds() []string {
	if d.hub != nil {
		return ownKinds
	}
	return laneKinds
}

// delegationRef is the ref of a lane's delegation.
func delegationRef(name string) (string, error) {
	leaf, err := lane.Leaf(name)
	if err != nil {
		return "", err
	}
	return refstore.Ref("delegation", leaf), nil
}

// delegationIn reads the delegation of a lane; the zero Delegation when there
// never was one. One that was made in the repository that this one is a copy of is
// over here.
func (d *Desk) delegationIn(s refstore.Snapshot, name string) (lease.Delegation, error) {
	target, err := delegationRef(name)
	if err != nil {
		return lease.Delegation{}, err
	}
	tip := s.Tip(target)
	if tip.ID == "" && tip.Err == nil {
		return lease.Delegation{}, nil
	}
	var has lease.Delegation
	if err = tip.Err; err == nil {
		has, err = lease.ParseDelegation(name, tip.Entry.Gen, tip.Entry.Payload)
	}
	if err != nil {
		return lease.Delegation{}, &StoreError{
			Err:  fmt.Errorf("what this node has of lane %s cannot be read: %w", name, err),
			Hint: fmt.Sprintf("git update-ref -d %s gives it up: workers of this node stop on lane %s, and it is free for all when it has lapsed", target, name),
		}
	}
	if has.Binding != d.delegationBinding() {
		has.State, has.Reason = lease.Gone, "it was made in another copy of this repository, or with another remote"
	}
	return has, nil
}

// delegationBinding identifies this repository and the fleet's remote: what a node
// has of a lane, it has there and for here. It is "-" where that cannot be told.
func (d *Desk) delegationBinding() string {
	here, err := nodeBinding(d.Repo)
	if err != nil {
		return "-"
	}
	return here + " " + d.Remote()
}

// delegationsIn reads all of them, by lane. One that cannot be read is Unreadable:
// nothing is granted under it, and nothing that was is over.
func (d *Desk) delegationsIn(s refstore.Snapshot) map[string]lease.Delegation {
	all := map[string]lease.Delegation{}
	for _, tip := range s.List("delegation") {
		name, ok := refstore.SplitRef(tip.Ref)
		if !ok {
			continue
		}
		word, err := lane.FromLeaf(name.Leaf)
		if err != nil {
			continue // it can be nobody's lane
		}
		has, err := d.delegationIn(s, word)
		if err != nil {
			has = lease.Delegation{Lane: word, State: lease.Unreadable}
		}
		all[word] = has
	}
	return all
}

// Delegations reads what this node has of lanes on the fleet's remote, by lane; nothing
// without a fleet.
func (d *Desk) Delegations(ctx context.Context) (map[string]lease.Delegation, error) {
	if d.remote == nil {
		return nil, nil
	}
	return d.own().delegations(ctx)
}

// errMoved means that another process has meanwhile changed a delegation.
var errMoved = errors.New("the delegation is not as it was")

// turn carries out a decision about the delegation of a lane, which must be in the
// state and under the nonce that it was found with. At the node's own desk.
func (d *Desk) turn(ctx context.Context, was lease.Delegation, name string, decide func(lease.Delegation, lease.Table) (lease.Delegation, []lease.Write, error)) (n lease.Delegation, err error) {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	from := d.Clock()
	_, err = d.Repo.Update(ctx, d.auth, refstore.Query{Kinds: ownKinds}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		now, err := d.delegationIn(s, name)
		if err != nil {
			return nil, err
		}
		if now.State != was.State || now.Nonce != was.Nonce {
			return nil, errMoved
		}
		t, err := d.watched(ctx, from, s)
		if err != nil {
			return nil, err
		}
		var decided []lease.Write
		if n, decided, err = decide(now, t); err != nil {
			return nil, err
		}
		return d.writes(decided)
	})
	return n, err
}

// delegation reads the delegation of one lane. At the node's own desk.
func (d *Desk) delegation(ctx context.Context, name string) (lease.Delegation, error) {
	s, err := d.auth.Read(ctx, refstore.Query{Kinds: []string{"delegation"}})
	if err != nil {
		return lease.Delegation{}, err
	}
	return d.delegationIn(s, name)
}
