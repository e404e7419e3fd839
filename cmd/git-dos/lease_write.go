package main

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/runid"
)

func leaseAcquire(c *cli.Context) error {
	name, err := laneFlag(c)
	if err != nil {
		return err
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	req, err := acquireRequest(c, d, name)
	if err != nil {
		return err
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	if req.Owner, err = ownerName(c, d); err != nil {
		return err
	}
	v, err := d.Acquire(c.Context, req)
	if err != nil {
		return acquireError(err)
	}
	if v.Outcome == lease.Acquired {
		return keepAndAnswer(c, d, v)
	}
	if v.Outcome == lease.Refused {
		v = explained(d, v)
		if err := d.Journal(c.Context, refusal(req, v)); err != nil {
			warn(c, "the refusal was not journaled: %v", err)
		}
	}
	return answer(c, v)
}

// acquireRequest reads the flags and refuses a bad request before anything is
// written for it. The owner is filled in only as far as it is stated.
func acquireRequest(c *cli.Context, d *admit.Desk, name string) (req admit.Request, err error) {
	req = admit.Request{
		Lane: name, Kind: c.String("kind"), Tree: c.StringSlice("tree"),
		Owner: statedOwner(c), Worker: firstEnv("FLEET_WORKER_ID"),
		// An inherited run id names the run; only one given here claims a lease.
		Identity: lease.Identity{Nonce: firstOf(c.String("nonce"), os.Getenv("GIT_DOS_NONCE")), RunID: c.String("run-id")},
	}
	if req.TTL, err = ttlFlag(c, d.Rules.Policy.Lease.TTL); err != nil {
		return req, err
	}
	if req.RunID, err = runName(c); err != nil {
		return req, err
	}
	if err := d.Check(req); err != nil {
		return req, usagef("%w", err)
	}
	return req, nil
}

// acquireError tells bad requests, which package lane reports as plain errors,
// from what the store did.
func acquireError(err error) error {
	e := deskError(err)
	if ce := asCmdError(e); ce != nil && ce.Kind == kindEnvironment {
		ce.Kind = kindUsage
	}
	return e
}

// keepAndAnswer stores a new lease for this worktree and reports it. A lease
// that the caller would not learn of is given back.
func keepAndAnswer(c *cli.Context, d *admit.Desk, v lease.Verdict) error {
	err := d.Remember(*v.Lease)
	if err == nil {
		err = answer(c, v)
	}
	if err != nil && !v.Reacquired {
		ctx := context.WithoutCancel(c.Context)
		_ = d.Forget(v.Lane, v.Lease.Nonce) // at worst a later verb says that it is lost
		if _, rerr := d.Release(ctx, v.Lane, lease.Identity{Nonce: v.Lease.Nonce}); rerr != nil {
			return environmentf("%w; lane %s is held", err, v.Lane).hint("git dos lease release --lane %s --nonce %s", v.Lane, v.Lease.Nonce)
		}
	}
	return err
}

func refusal(req admit.Request, v lease.Verdict) admit.Row {
	return admit.Row{Op: admit.OpRefuse, Lane: v.Lane, Owner: req.Owner, RunID: req.RunID, ReasonClass: v.ReasonClass, Reason: v.Reason, Holder: v.Holder}
}

// runName is the run a new lease belongs to: the flag, the environment, else a
// new one.
func runName(c *cli.Context) (string, error) {
	if id := firstOf(c.String("run-id"), firstEnv("GIT_DOS_RUN_ID", "DISPATCH_RUN_ID", "CID_RUN_ID")); id != "" {
		return id, nil
	}
	m, err := mintRun(now(c), runid.Lineage{Process: "lease"})
	if err != nil {
		return "", environmentf("mint a run id: %w", err)
	}
	return m.RunID, nil
}

// identityFor is what the caller offers for an existing lease: flags, then
// GIT_DOS_NONCE, then what this worktree remembers.
func identityFor(c *cli.Context, d *admit.Desk, name string) (lease.Identity, error) {
	id := lease.Identity{Nonce: c.String("nonce"), RunID: c.String("run-id")}
	if id.Nonce == "" && id.RunID == "" {
		id.Nonce = os.Getenv("GIT_DOS_NONCE")
	}
	if id != (lease.Identity{}) {
		return id, nil
	}
	held, err := d.Recall(name)
	if err != nil {
		return id, environmentf("%w", err)
	}
	if held != nil {
		id.Nonce = held.Nonce
	}
	return id, nil
}

func leaseHeartbeat(c *cli.Context) error { return leaseKeep(c, (*admit.Desk).Heartbeat) }

func leaseRelease(c *cli.Context) error { return leaseKeep(c, (*admit.Desk).Release) }

// leaseKeep runs a verb on a lease of the caller's.
func leaseKeep(c *cli.Context, verb func(*admit.Desk, context.Context, string, lease.Identity) (lease.Verdict, error)) error {
	name, err := laneFlag(c)
	if err != nil {
		return err
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	if name, err = canonicalLane(d, name); err != nil {
		return err
	}
	id, err := identityFor(c, d, name)
	if err != nil {
		return err
	}
	v, err := verb(d, c.Context, name, id)
	if err != nil {
		return deskError(err)
	}
	if v.Outcome == lease.Released || v.Outcome == lease.AlreadyFree || v.Outcome == lease.LostLease {
		nonce := id.Nonce
		if nonce == "" && v.Lease != nil {
			nonce = v.Lease.Nonce // released by its run id
		}
		if err := d.Forget(name, nonce); err != nil {
			return environmentf("%s, but this worktree still remembers it: %w", v.Outcome, err)
		}
	}
	return answer(c, keptElsewhere(d, id, v))
}

func leaseScavenge(c *cli.Context) error {
	name, err := laneFlag(c)
	if err != nil {
		return err
	}
	operator := c.String("operator")
	if !c.Bool("force") || operator == "" {
		return usagef("taking a lane away needs an operator's word").hint("git dos lease scavenge --lane %s --force --operator NAME", name)
	}
	if err := lease.CheckWord("operator", operator); err != nil {
		return usagef("%w", err)
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	if name, err = canonicalLane(d, name); err != nil {
		return err
	}
	v, err := d.Scavenge(c.Context, name, operator)
	if err != nil {
		return deskError(err)
	}
	return answer(c, v)
}
