package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func pushVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "push",
			Usage:     "ship a commit to the trunk under the lanes you hold",
			ArgsUsage: "[REV]",
			Description: "The trunk and a SHIP entry on every touched lane move in one atomic push. When a lease is\n" +
				"not yours any more, or a changed path lies in no lane you hold, the trunk stays where it is.\n" +
				"REV is HEAD when left out.",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "lane", Usage: "ride on this `LANE` only; repeatable. By default on every lane this worktree took"},
				&cli.StringFlag{Name: "nonce", Usage: "the `NONCE` of the lease, with one --lane"},
				&cli.StringFlag{Name: "plan", Usage: "the `PLAN` whose phase this ships, when no commit says so in a Dos-Ship trailer"},
				&cli.StringFlag{Name: "phase", Usage: "the `PHASE`, with --plan"},
			},
			Action: writes(push),
		},
		statuses: map[string][]status{
			"push": {
				{Code: verdict.Yes, Outcome: "landed", Meaning: "the trunk moved and the ship is recorded"},
				{Code: verdict.Yes, Outcome: "nothing", Meaning: "the trunk already has the commit"},
				{Code: 3, Outcome: "fenced", Meaning: "a lease is not yours any more; the trunk did not move"},
				{Code: 3, Outcome: "raced", Meaning: "the trunk moved on; rebase and push again"},
				{Code: 5, Outcome: "gated", Meaning: "a gate or a hook refused, or a unit could not be recorded; the trunk did not move"},
			},
		},
	}
}

func push(c *cli.Context) error {
	if err := checkNonce(c); err != nil {
		return err
	}
	plan, phase := c.String("plan"), c.String("phase")
	switch {
	case c.NArg() > 1:
		return usagef("want one REV, have %d arguments", c.NArg())
	case (plan == "") != (phase == ""):
		return usagef("--plan and --phase go together")
	case strings.ContainsAny(plan+phase, "\n\r\x00"), strings.Contains(phase, "/"):
		return usagef("a unit is PLAN/PHASE on one line, and a phase has no slash")
	}
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	commit, err := pushedCommit(c.Context, d, c.Args().First())
	if err != nil {
		return err
	}
	holds, err := holdsFor(c, d)
	if err != nil {
		return err
	}
	v, err := d.Push(c.Context, admit.PushRequest{Commit: commit, Holds: holds, Plan: plan, Phase: phase})
	var out *admit.CheckedOutError
	if errors.As(err, &out) {
		return environmentf("%w", err).hint("%s", out.Hint)
	}
	if err != nil {
		return deskError(err)
	}
	return answer(c, pushedElsewhere(d, holds, v))
}

func pushedCommit(ctx context.Context, d *admit.Desk, rev string) (refstore.OID, error) {
	if rev == "" {
		rev = "HEAD"
	}
	if strings.Contains(rev, ":") {
		return "", usagef("git dos push moves the trunk only; use git push for %q", rev)
	}
	id, err := ancestry.Resolve(ctx, d.Repo.Git, rev)
	switch {
	case errors.Is(err, ancestry.ErrUnborn):
		return "", usagef("there is nothing to push: %w", err).hint("commit first: git dos commit -m MESSAGE PATHS, under the lane that has them")
	case err != nil:
		return "", usagef("%s: %w", rev, err).hint("git log --oneline shows what there is to push")
	}
	return id, nil
}

// holdsFor is what the pusher rides on: the named lanes, else every lane this
// worktree took.
func holdsFor(c *cli.Context, d *admit.Desk) ([]lease.Hold, error) {
	names := c.StringSlice("lane")
	if c.IsSet("nonce") && len(names) != 1 {
		return nil, usagef("--nonce needs exactly one --lane")
	}
	if len(names) > 0 {
		return namedHolds(c.Context, d, names, firstOf(c.String("nonce"), os.Getenv("GIT_DOS_NONCE")))
	}
	all, err := d.RecallAll()
	if err != nil {
		return nil, environmentf("%w", err)
	}
	var holds []lease.Hold
	for _, h := range all {
		holds = append(holds, lease.Hold{Lane: h.Lane, Identity: lease.Identity{Nonce: h.Nonce}})
	}
	return holds, nil
}

// namedHolds are the lanes the pusher named, each once. A nonce is that of one
// admission, which may have been of some of the lanes: of the others counts what
// this worktree remembers.
func namedHolds(ctx context.Context, d *admit.Desk, names []string, nonce string) ([]lease.Hold, error) {
	var holds []lease.Hold
	seen := map[string]bool{}
	for _, name := range names {
		name, err := canonicalLane(d, name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			continue // an alias or another spelling
		}
		seen[name] = true
		held, err := d.Recall(name)
		if err != nil {
			return nil, environmentf("%w", err)
		}
		id := lease.Identity{Nonce: nonce}
		if held != nil && held.Nonce != nonce && (nonce == "" || len(names) > 1 && !standsUnder(ctx, d, name, nonce)) {
			id.Nonce = held.Nonce
		}
		holds = append(holds, lease.Hold{Lane: name, Identity: id, Named: true})
	}
	return holds, nil
}

// standsUnder reports whether a lane was last seen held under a nonce. It only
// chooses what to offer: the push looks at what is there.
func standsUnder(ctx context.Context, d *admit.Desk, name, nonce string) bool {
	r, _, err := d.Lease(ctx, name, true)
	return err == nil && r != nil && r.State != lane.Free && r.Nonce == nonce
}
