package admit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// Refresh looks at the fleet's remote afresh: it fetches the lanes and, with
// trunk set, the trunk, and reads the rules that stand there. Without a fleet
// there is nothing to fetch.
func (d *Desk) Refresh(ctx context.Context, trunk bool) error {
	if d.remote == nil {
		return nil
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	q := refstore.Query{Kinds: []string{"meta", "lane"}}
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
		return &StoreError{
			Err:  fmt.Errorf("%s has no branch %s, which is its trunk as far as is known here", d.Remote(), short(branch)),
			Hint: fmt.Sprintf("git remote set-head %s --auto learns where it went; else set [trunk] ref in dos.toml", d.Remote()),
		}
	}
	rules, err := d.loadRules(ctx)
	if err != nil || rules.Trunk.Branch == branch {
		return d.storeError(err)
	}
	return d.refetchRules(ctx) // the trunk says that it is another branch now
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
