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
// never was one.
func delegationIn(s refstore.Snapshot, name string) (lease.Delegation, error) {
	target, err := delegationRef(name)
	if err != nil {
		return lease.Delegation{}, err
	}
	tip := s.Tip(target)
	if tip.Err != nil || tip.ID == "" {
		return lease.Delegation{}, tip.Err
	}
	return lease.ParseDelegation(name, tip.Entry.Gen, tip.Entry.Payload)
}

// delegationsIn reads all of them, by lane. One that cannot be read is left out,
// and its error is among the others: nothing can be granted under it.
func delegationsIn(s refstore.Snapshot) (map[string]lease.Delegation, error) {
	all := map[string]lease.Delegation{}
	var unread []error
	for _, tip := range s.List("delegation") {
		name, ok := refstore.SplitRef(tip.Ref)
		if !ok {
			continue
		}
		word, err := lane.FromLeaf(name.Leaf)
		if err != nil {
			continue // it can be nobody's lane
		}
		d, err := delegationIn(s, word)
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", tip.Ref, err))
			continue
		}
		all[word] = d
	}
	return all, errors.Join(unread...)
}

// errMoved means that another process has meanwhile changed a delegation.
var errMoved = errors.New("the delegation is not as it was")

// turn carries out a decision about the delegation of a lane, which must be in the
// state and under the nonce that it was found with. At the node's own desk.
func (d *Desk) turn(ctx context.Context, was lease.Delegation, name string, decide func(lease.Delegation, lease.Table) (lease.Delegation, []lease.Write, error)) (n lease.Delegation, err error) {
	from := d.Clock()
	_, err = d.Repo.Update(ctx, d.auth, refstore.Query{Kinds: ownKinds}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		now, err := delegationIn(s, name)
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
	return delegationIn(s, name)
}
