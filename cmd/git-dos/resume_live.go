package main

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/liveness"
)

// resumeLive is until when the lease of a run stands whose worker is at work; nil of a
// run that was suspended, whose lane is parked, whose lease is past its deadline, or
// that has stalled.
func resumeLive(c *cli.Context, r life.Run) (*time.Time, error) {
	held := resumeLease(r)
	if held == nil || r.Intent.Suspended() || held.State == lane.Parked || !now(c).Before(held.Deadline()) {
		return nil, nil
	}
	plan, err := lifeProgress(c, r)
	if err != nil {
		return nil, err
	}
	ev, err := r.Liveness(c.Context, life.Probe{}, plan)
	var mint *life.MintError
	switch {
	case errors.As(err, &mint):
		return nil, nil // it cannot be told, so that nothing is said of it
	case err != nil:
		return nil, lifeError(err)
	case ev.ProcessAlive != nil && !*ev.ProcessAlive, liveness.Decide(ev).Outcome == liveness.Stalled:
		return nil, nil
	}
	until := held.Deadline().UTC()
	return &until, nil
}

// resumeLease is the lease of a run, or what its node has of the lane for it.
func resumeLease(r life.Run) *lease.Record {
	if r.Live {
		return r.Lease
	}
	return r.Under
}
