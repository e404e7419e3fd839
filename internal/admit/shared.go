package admit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// See reads refs of the given kinds, and the lanes, from where the lanes are
// decided. Against a remote the mirror serves while it, and the trunk, were
// seen within the fleet's interval, or whatever their age when cached is set.
func (d *Desk) See(ctx context.Context, kinds []string, cached bool) (refstore.Snapshot, error) {
	q := refstore.Query{Kinds: slices.Concat(laneKinds, kinds)}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	if d.remote == nil {
		s, err := d.auth.Read(ctx, q)
		return s, d.storeError(err)
	}
	branch := d.Rules.Trunk.Branch
	if !cached && !d.seen(q.Kinds, branch) {
		q.Branches = []string{branch}
		s, err := d.remote.Read(ctx, q)
		if err == nil {
			err = d.checkFleet(s)
		}
		if err == nil && s.Tip(branch).ID == "" {
			err = d.noTrunk(branch)
		}
		if err == nil {
			err = d.followTrunk(ctx, branch)
		}
		return s, d.storeError(err)
	}
	s, err := d.remote.Cached(ctx, q)
	if err == nil {
		err = d.checkFleet(s)
	}
	return s, d.storeError(err)
}

// seen reports whether kinds and a branch were read within the fleet's
// interval.
func (d *Desk) seen(kinds []string, branch string) bool {
	within := func(at time.Time) bool {
		age := time.Since(at)
		return age >= 0 && age < d.Rules.Policy.Fleet.Interval
	}
	return within(d.remote.LastFetchOf(kinds...)) && within(d.remote.LastSeen(branch))
}

// noTrunk is the error of a fleet whose remote lacks the trunk.
func (d *Desk) noTrunk(branch string) error {
	return &StoreError{
		Err:  fmt.Errorf("%s has no branch %s, which is its trunk as far as is known here", d.Remote(), short(branch)),
		Hint: fmt.Sprintf("git remote set-head %s --auto learns where it went; else set [trunk] ref in dos.toml", d.Remote()),
	}
}

// editTime is how long a change of what is no lease may take: it may be large,
// and many may write at once.
const editTime = 3 * time.Minute

// Edit changes refs of the given kinds where the lanes are decided, by
// [refstore.Repo.Update]. That the remote is the fleet's is seen to before
// anything is decided.
func (d *Desk) Edit(ctx context.Context, kinds []string, decide refstore.DecideFunc) (refstore.Update, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, editTime, errTimeUp)
	defer cancel()
	q := refstore.Query{Kinds: append([]string{"meta"}, kinds...)}
	u, err := d.Repo.Update(ctx, d.auth, q, func(s refstore.Snapshot) ([]refstore.Write, error) {
		if err := d.checkFleet(s); err != nil {
			return nil, err
		}
		return decide(s)
	})
	return u, d.storeError(err)
}

// Compact is [refstore.Repo.Compact] where the lanes are decided.
func (d *Desk) Compact(ctx context.Context, ref string, fold func(refstore.Tip) refstore.Folded) error {
	ctx, cancel := context.WithTimeoutCause(ctx, editTime, errTimeUp)
	defer cancel()
	_, err := d.Repo.Compact(ctx, d.auth, ref, d.Now().UTC().Truncate(time.Second), fold)
	return d.storeError(err)
}
