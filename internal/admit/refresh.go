package admit

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/refstore"
)

// Refresh looks at the fleet's remote afresh: it fetches the lanes and, with
// trunk set, the trunk, and reads the rules that stand there. Without a fleet
// there is nothing to fetch.
func (d *Desk) Refresh(ctx context.Context, trunk bool) error {
	return d.refresh(ctx, laneKinds, trunk)
}

// RefreshFleet is Refresh that also fetches the ledgers and the records of nodes, for
// whoever must know what others do now, and refs of further kinds.
func (d *Desk) RefreshFleet(ctx context.Context, trunk bool, kinds ...string) error {
	return d.refresh(ctx, append(slices.Clone(lifeKinds), kinds...), trunk)
}

func (d *Desk) refresh(ctx context.Context, kinds []string, trunk bool) error {
	if d.remote == nil {
		return nil
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	q := refstore.Query{Kinds: kinds}
	branch := d.Rules.Trunk.Branch
	if trunk {
		q.Branches = []string{branch}
	}
	s, err := d.remote.Read(ctx, q)
	if err == nil {
		err = d.checkFleet(s)
	}
	if err != nil || !trunk {
		return d.storeError(err)
	}
	if s.Tip(branch).ID == "" {
		return d.noTrunk(branch)
	}
	return d.followTrunk(ctx, branch)
}

// followTrunk reads the rules again, now that a branch has been fetched. Where
// they say that the trunk is another branch, that one is fetched too.
func (d *Desk) followTrunk(ctx context.Context, fetched string) error {
	trunk, err := d.loadRules(ctx)
	if trunk == "" || trunk == fetched {
		return err
	}
	if _, err := d.remote.Read(ctx, refstore.Query{Branches: []string{trunk}}); err != nil {
		return d.storeError(err)
	}
	_, err = d.loadRules(ctx)
	return err
}

// loadRules reads the policy again and returns the trunk's branch, also when
// all that is wrong is that it was not fetched; "" when it is not known.
func (d *Desk) loadRules(ctx context.Context) (string, error) {
	rules, err := facts.LoadRules(ctx, d.Repo)
	var t *facts.TrunkError
	switch {
	case errors.As(err, &t):
		return t.Unfetched, err
	case err != nil:
		return "", err
	}
	d.Rules = rules
	return rules.Trunk.Branch, nil
}

// Unreachable reports whether an error says that the remote did not answer, as
// opposed to what it answered.
func Unreachable(err error) bool {
	var o *refstore.OutcomeError
	return errors.As(err, &o) && o.Outcome.Result == refstore.Offline || errors.Is(err, errTimeUp)
}

// AsOf is the latest time of which all that is known here of the fleet's
// remote is known to be true: the lanes and, with trunk set, the trunk. It is
// the zero time where that is not on record, and without a fleet.
func (d *Desk) AsOf(trunk bool) time.Time {
	if d.remote == nil {
		return time.Time{}
	}
	at := d.remote.LastFetch()
	if trunk {
		if seen := d.remote.LastSeen(d.Rules.Trunk.Branch); seen.Before(at) {
			at = seen
		}
	}
	return at.UTC().Truncate(time.Second)
}
