package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/liveness"
)

// loopByLease is the word for a lease whose run cannot be judged. While the lease
// stands, nobody takes the lane for free, nor the worker for dead. Once it has lapsed,
// so that others may take it, it has stalled, unless what would tell of the run is
// only not to be read.
func loopByLease(c *cli.Context, b *life.Book, r lease.Record, why error) supervise.Liveness {
	if e := asCmdError(why); e == nil || e.Kind != kindUsage || !loopLapsed(c, b, r) {
		return ""
	}
	return supervise.Stalled
}

func loopLapsed(c *cli.Context, b *life.Book, r lease.Record) bool {
	over, err := b.Lapsed(c.Context)
	return err == nil && over[r.Nonce] != ""
}

// loopDelegated is the word for a lane that another node has for its workers, and the
// run that was at work there last. The node's renewals are all that shows that they
// are there. When they have ceased, and none of the runs that are known of gets on,
// the lane has stalled.
func loopDelegated(c *cli.Context, b *life.Book, r lease.Record) (word supervise.Liveness, run string) {
	age, _ := liveness.Age(r.RenewedAt.UnixMilli(), now(c).UnixMilli())
	if age == nil || *age <= b.Desk.Rules.Policy.Liveness.Spin.Milliseconds() {
		return "", ""
	}
	runs, err := b.RunsOn(c.Context, r)
	switch {
	case err != nil:
		return "", ""
	case len(runs) == 0:
		return loopByLease(c, b, r, usagef("nothing names a run on lane %s", r.Lane)), ""
	}
	for _, id := range runs {
		if !loopStalled(c, b, id) {
			return "", ""
		}
	}
	return supervise.Stalled, runs[len(runs)-1]
}

// loopStalled reports whether a run is known to have stalled.
func loopStalled(c *cli.Context, b *life.Book, id string) bool {
	run, err := b.Run(c.Context, id)
	if err != nil || run.Story.Corrupt || run.Story.Newer {
		return false
	}
	plan, err := lifeProgress(c, run)
	if err != nil {
		return false
	}
	v, err := livenessVerdict(c, run, life.Probe{}, plan)
	return err == nil && v.Outcome == liveness.Stalled
}
