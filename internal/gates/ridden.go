package gates

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// Ridden lists the lanes that move in the push by a SHIP entry which records just
// this move of the trunk, on top of the lease that it says it goes under. What
// moves otherwise rides on nothing and proves nothing.
func (s *Site) Ridden(ctx context.Context, p hooks.Push) ([]hooks.Hold, error) {
	moved, ok := p.MovesTrunk()
	if !ok || len(p.Riding) == 0 {
		return nil, nil
	}
	d, err := s.at(ctx)
	if err != nil {
		return nil, err
	}
	entries := s.Repo.Entries()
	defer entries.Close()
	var out []hooks.Hold
	for _, u := range p.Riding {
		ref, chain, ok := laneOf(u.Ref, d.Rules.Policy.Fleet.Prefix)
		if !ok || u.Creates() || u.Deletes() {
			continue
		}
		r, ok, err := ride(ctx, entries, ref, chain, u, moved)
		if err != nil {
			return nil, fmt.Errorf("%s, which is pushed too, cannot be read: %w", u.Ref, err)
		}
		if ok {
			out = append(out, hooks.Hold{Lane: r.Lane, Tree: r.Tree, Gen: r.Gen, Holder: r.Holder.String(), Mine: true})
		}
	}
	return out, nil
}

// laneOf is the local name of a lane's ref under the fleet's prefix, and the
// chain that it is.
func laneOf(ref, prefix string) (local, chain string, ok bool) {
	rest, under := strings.CutPrefix(ref, strings.TrimSuffix(prefix, "/")+"/")
	if !under {
		return "", "", false
	}
	local = "refs/dos/" + rest
	name, ok := refstore.SplitRef(local)
	if !ok || name.Kind != "lane" {
		return "", "", false
	}
	chain, err := lane.Chain(name.Leaf)
	return local, chain, err == nil
}

// ride reads the entry that a lane is to stand on, and the one it stands on.
func ride(ctx context.Context, entries *refstore.Entries, ref, chain string, u, moved hooks.Update) (r lease.Record, ok bool, err error) {
	tip, err := entries.Entry(ctx, ref, refstore.OID(u.New))
	if err != nil {
		return r, false, err
	}
	if tip.Entry.Op != lease.OpShip || string(tip.Parent) != u.Old {
		return r, false, nil
	}
	if r, err = lease.ParseRecord(chain, tip.Entry.Gen, tip.Entry.Payload); err != nil {
		return r, false, err
	}
	under, err := entries.Entry(ctx, ref, refstore.OID(u.Old))
	if err != nil {
		return r, false, err
	}
	was, err := lease.ParseRecord(chain, under.Entry.Gen, under.Entry.Payload)
	if err != nil {
		return r, false, err
	}
	ship := r.Ship
	return r, was.State == lane.Held && r.State == lane.Held && r.Nonce == was.Nonce && r.Gen == was.Gen && r.Lane == was.Lane &&
		ship != nil && ship.Ref == moved.Ref && ship.Old == moved.Old && ship.New == moved.New, nil
}
