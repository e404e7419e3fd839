package main

import (
	"context"
	"os"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// runFlag is --run-id. An empty one, as of a script's unset variable, is no run
// that anybody meant.
func runFlag(c *cli.Context) (string, error) {
	id := c.String("run-id")
	if c.IsSet("run-id") && id == "" {
		return "", usagef("--run-id is empty").hint("name a run, or leave the flag out")
	}
	return id, checkRun("--run-id", id)
}

// checkNonce refuses an empty --nonce, as of a script's unset variable: it names no
// lease, and does not stand for the one that this worktree took.
func checkNonce(c *cli.Context) error {
	if c.IsSet("nonce") && c.String("nonce") == "" {
		return usagef("--nonce is empty").hint("name a nonce, or leave the flag out")
	}
	return nil
}

// checkRun wants a run id to be one word.
func checkRun(what, id string) error {
	if strings.ContainsFunc(id, unicode.IsSpace) {
		return usagef("%s %q holds white space", what, id).hint("a run id is one word; git dos run-id mint NAME makes one")
	}
	return nil
}

// runName is the run a new lease belongs to: the flag, the environment, else a
// new one.
func runName(c *cli.Context) (string, error) {
	id, err := runFlag(c)
	if err != nil || id != "" {
		return id, err
	}
	for _, name := range []string{"GIT_DOS_RUN_ID", "DISPATCH_RUN_ID", "CID_RUN_ID"} {
		if id := os.Getenv(name); id != "" {
			return id, checkRun(name, id)
		}
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
	run, err := runFlag(c)
	if err == nil {
		err = checkNonce(c)
	}
	if err != nil {
		return lease.Identity{}, err
	}
	id := lease.Identity{Nonce: c.String("nonce"), RunID: run}
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
	d, err := leaseDesk(c)
	if err != nil {
		return err
	}
	if name, err = laneWord(d, name); err != nil {
		return err
	}
	if lane.IsSlot(name) {
		return usagef("%s is a slot, and a holder names its lane", name).hint("git dos lease show --lane %s tells whose it is", name)
	}
	id, err := identityFor(c, d, name)
	if err != nil {
		return err
	}
	v, err := verb(d, c.Context, name, id)
	if err != nil {
		return deskError(err)
	}
	if v.ExitCode() == verdict.Yes && v.Lease != nil && v.Lease.State != lane.Free {
		if err := rememberParked(d, name, id, v.Lease); err != nil {
			return environmentf("%s, but this worktree does not remember under which nonce: %w", v.Outcome, err)
		}
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

// rememberParked follows a lease that this worktree took to the remote, where its
// node keeps it parked under another nonce.
func rememberParked(d *admit.Desk, name string, id lease.Identity, parked *lease.Record) error {
	held, err := d.Recall(name)
	if err != nil || held == nil || parked == nil || held.Nonce == parked.Nonce || held.RunID != parked.RunID {
		return err
	}
	if id.Nonce != "" && id.Nonce != held.Nonce {
		return nil
	}
	return d.Remember(*parked)
}

func leaseScavenge(c *cli.Context) error {
	name, err := laneFlag(c)
	if err != nil {
		return err
	}
	operator := c.String("operator")
	if c.Bool("force") != (operator != "") {
		return usagef("taking a lane from a holder who may be at work needs an operator's word").hint("git dos lease scavenge --lane %s --force --operator NAME", name)
	}
	if err := lease.CheckWord("operator", operator); err != nil {
		return usagef("%w", err)
	}
	d, err := leaseDesk(c)
	if err != nil {
		return err
	}
	if name, err = laneWord(d, name); err != nil {
		return err
	}
	v, err := d.Scavenge(c.Context, name, operator)
	if err != nil {
		return deskError(err)
	}
	warnUnwatched(c, d)
	return answer(c, v)
}
