package admit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// shippedUntil is where the trunk stood when a lease last shipped or, before
// that, when it began. It also tells whether any of the lease's ships has the
// unit of the request.
func (d *Desk) shippedUntil(ctx context.Context, s refstore.Snapshot, r lease.Record, req PushRequest) (since refstore.OID, recorded bool, err error) {
	target, err := ref(r.Chain())
	if err != nil {
		return "", false, err
	}
	found := false
	cerr := d.Repo.Chain(ctx, target, s.Tip(target).ID, func(t refstore.Tip) bool {
		if t.Entry.Gen != r.Gen || t.Entry.Op != lease.OpShip {
			return t.Entry.Gen == r.Gen
		}
		var shipped lease.Record
		if shipped, err = record(t); err != nil || shipped.Ship == nil {
			return false
		}
		if !found {
			since, found = refstore.OID(shipped.Ship.New), true
		}
		recorded = recorded || slices.ContainsFunc(shipped.Ship.Units, func(u lease.ShipUnit) bool {
			return strings.EqualFold(u.Plan, req.Plan) && strings.EqualFold(u.Phase, req.Phase)
		})
		return req.Plan != "" && !recorded
	})
	if !found {
		since = refstore.OID(r.Policy)
	}
	return since, recorded, errors.Join(err, cerr)
}

// fillShip is fillPush for a trunk that already stands on the commit. Each lane
// counts from its own last ship, and only the paths of held trees count: on a
// trunk that several workers of one repository commit to, the others' paths
// have landed under their leases.
func (d *Desk) fillShip(ctx context.Context, s refstore.Snapshot, ev *lease.PushEvidence, req PushRequest) error {
	seen := map[string]bool{}
	units := map[string]bool{}
	for _, h := range ev.Holds {
		if h.Current == nil {
			continue
		}
		since, recorded, err := d.shippedUntil(ctx, s, *h.Current, req)
		if err != nil {
			return err
		}
		ev.Recorded = ev.Recorded || recorded
		if past, err := d.past(ctx, req.Commit, since); err != nil || past {
			if err != nil {
				return err
			}
			continue
		}
		part := lease.PushEvidence{}
		if err := d.fillPush(ctx, &part, since, req); err != nil {
			return err
		}
		for _, p := range part.Paths {
			if !seen[p] && ev.Algebra.Contains(h.Current.Tree, p) {
				seen[p] = true
				ev.Paths = append(ev.Paths, p)
			}
		}
		for _, u := range part.Ship.Units {
			if key := strings.ToLower(u.Plan + "/" + u.Phase); !units[key] {
				units[key] = true
				ev.Ship.Units = append(ev.Ship.Units, u)
			}
		}
	}
	return nil
}

// past reports whether a commit was on the trunk already at an earlier look;
// since is "" when there was none.
func (d *Desk) past(ctx context.Context, commit, since refstore.OID) (bool, error) {
	if since == "" {
		return false, nil
	}
	return d.Repo.IsAncestor(ctx, commit, since)
}
