package main

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// acquireLanes are the lanes asked for, by flag and by argument; none means any
// free one. A single empty name, as of a script's unset variable, is none.
func acquireLanes(c *cli.Context) ([]string, error) {
	names := slices.Concat(c.StringSlice("lane"), c.Args().Slice())
	switch {
	case len(names) == 1 && names[0] == "":
		return nil, nil
	case slices.Contains(names, ""):
		return nil, usagef("one of %d lanes has no name", len(names))
	}
	return names, nil
}

// checkAcquire refuses flags that do not go together, before anything is read.
func checkAcquire(c *cli.Context, lanes []string) error {
	force, operator := c.Bool("force"), c.String("operator")
	if len(lanes) == 0 {
		if err := checkUnnamed(c); err != nil {
			return err
		}
	}
	switch {
	case len(lanes) > 1 && len(c.StringSlice("tree")) > 0:
		return usagef("--tree is of one lane, and %d are named", len(lanes)).hint("take each with an acquire of its own, or leave --tree out")
	case len(lanes) > 1 && c.Bool("any"):
		return usagef("--any replaces one lane, and %d are named", len(lanes))
	case force != (operator != ""):
		return usagef("ending the leases of others needs an operator's word").hint("give both --force and --operator NAME, or neither: git dos lease acquire --lane %s --force --operator NAME", firstOf(append(lanes, "LANE")...))
	case force && len(lanes) == 0:
		return usagef("--force takes a lane by name, and none is named").hint("say which with --lane LANE")
	case force && c.Bool("any"):
		return usagef("--force takes the lane that is named, and --any another").hint("leave one of them out")
	}
	if err := checkTrees(c); err != nil {
		return err
	}
	for _, name := range []string{"unit", "seat", "proc"} {
		if c.IsSet(name) && c.String(name) == "" {
			return usagef("--%s is empty", name).hint("name one, or leave the flag out")
		}
	}
	return nil
}

// checkTrees refuses an empty glob, as of a script's unset variable: without a
// glob the request is for all of the lane.
func checkTrees(c *cli.Context) error {
	if slices.Contains(c.StringSlice("tree"), "") {
		return usagef("--tree is empty").hint("name a GLOB, or leave the flag out")
	}
	return nil
}

// checkUnnamed refuses what says more of a lane, where none is named.
func checkUnnamed(c *cli.Context) error {
	switch {
	case len(c.StringSlice("tree")) > 0:
		return usagef("--tree is of a lane, and none is named").hint("give the files a name with --lane LANE")
	case strings.EqualFold(c.String("kind"), lane.Keyword):
		return usagef("--kind keyword is of a lane, and none is named").hint("say which with --lane LANE, and its files with --tree GLOB")
	}
	return nil
}

// acquireRequest reads the flags and refuses a bad request before anything is
// written for it. The owner is filled in only as far as it is stated.
func acquireRequest(c *cli.Context, d *admit.Desk, lanes []string) (req admit.Request, err error) {
	req = admit.Request{
		Lanes: lanes, Any: c.Bool("any"), Kind: c.String("kind"), Tree: c.StringSlice("tree"),
		Owner: statedOwner(c), Worker: firstEnv("FLEET_WORKER_ID"),
		// An inherited run id names the run; only one given here claims a lease.
		Identity: lease.Identity{Nonce: firstOf(c.String("nonce"), os.Getenv("GIT_DOS_NONCE")), RunID: c.String("run-id")},
		Unit:     c.String("unit"), Seat: c.String("seat"), Force: c.Bool("force"), Operator: c.String("operator"),
	}
	if err = checkNonce(c); err != nil {
		return req, err
	}
	if req.TTL, err = ttlFlag(c, d.Rules.Policy.Lease.TTL); err != nil {
		return req, err
	}
	if req.Wait, err = waitFor(c); err != nil {
		return req, err
	}
	if req.RunID, err = runName(c); err == nil {
		err = lifeMinted(c, req.RunID)
	}
	if err != nil {
		return req, err
	}
	if req.Proc, err = procFlag(c); err != nil {
		return req, err
	}
	if req.Leases, _, err = leasesFlag(c); err != nil {
		return req, err
	}
	if err := d.Check(req); err != nil {
		return req, usagef("%w", err)
	}
	return req, nil
}

// procFlag looks at the worker's process.
func procFlag(c *cli.Context) (*lease.Proc, error) {
	if !c.IsSet("proc") {
		return nil, nil
	}
	pid, err := strconv.ParseInt(c.String("proc"), 10, 64)
	if err != nil {
		return nil, usagef("--proc %q is no process number", c.String("proc"))
	}
	p, err := host.Process(pid)
	if err != nil {
		return nil, usagef("--proc: %w", err).hint("name the worker's own process, while it runs, or leave the flag out: the lease then lives by its ttl alone")
	}
	return &lease.Proc{PID: p.PID, Start: p.Start, Boot: p.Boot, PIDNS: p.PIDNS}, nil
}

// leasesFlag reads --leases; given tells an empty list from none.
func leasesFlag(c *cli.Context) (leases []lane.Lease, given bool, err error) {
	if !c.IsSet("leases") {
		return nil, false, nil
	}
	data, where := []byte(c.String("leases")), "--leases"
	switch string(data) {
	case "":
		return nil, true, usagef("--leases is empty").hint("write [] for no lease at all, or leave the flag out")
	case "-":
		where = "--leases, standard input"
		if data, err = readInput(c, c.App.Reader, lane.MaxLeases); err != nil {
			return nil, true, environmentf("%s: %w", where, err)
		}
	}
	if leases, err = lane.ParseLeases(data); err != nil {
		return nil, true, usagef("%s: %w", where, err).hint("it is an array such as git dos lease live --json prints")
	}
	return leases, true, nil
}
