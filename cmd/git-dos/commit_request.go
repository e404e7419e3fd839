package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// commitUnit is the unit that --plan and --phase name, "" without them.
func commitUnit(c *cli.Context) (string, error) {
	plan, phase := c.String("plan"), c.String("phase")
	if c.IsSet("plan") != c.IsSet("phase") {
		return "", usagef("--plan and --phase go together")
	}
	if !c.IsSet("plan") {
		return "", nil
	}
	if _, err := ship.NewQuery(plan, phase, policy.Stamp{}); err != nil {
		return "", usagef("%w", err)
	}
	if strings.Contains(phase, "/") {
		return "", usagef("phase %q has a slash: a unit is PLAN/PHASE, split at the last slash", phase)
	}
	return plan + "/" + phase, nil
}

// commitText is the message as its author gave it. A file is looked for from
// the workspace, as the paths are.
func commitText(c *cli.Context) (string, error) {
	name := c.String("message-file")
	switch {
	case c.IsSet("message") == c.IsSet("message-file"):
		return "", usagef("EMPTY_MESSAGE: want a message, by -m TEXT or by -F FILE")
	case c.IsSet("message"):
		return strings.Join(c.StringSlice("message"), "\n\n"), nil
	}
	in := c.App.Reader
	if name != "-" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(workspace(c), name)
		}
		f, err := os.Open(name)
		if err != nil {
			return "", environmentf("read the message: %w", err)
		}
		defer f.Close()
		in = f
	}
	data, err := readInput(c, in, worktree.MaxMessage)
	if err != nil {
		return "", environmentf("read the message: %w", err)
	}
	return string(data), nil
}

func commitMessageError(err error) error {
	if errors.Is(err, worktree.ErrEmptyMessage) {
		return usagef("EMPTY_MESSAGE: %w", err)
	}
	return usagef("%w", err)
}

// commitRegion is the lane the work belongs to. What is known here of a lease
// serves: a push asks the fleet.
func commitRegion(c *cli.Context, repo *refstore.Repo) (scopeRegion, error) {
	d, err := scopeDesk(c, repo)
	if err != nil {
		return scopeRegion{}, err
	}
	return scopeRegionOf(c, d, c.String("lane"), true)
}

// A commitRemark is what is said of the lease beside a commit.
type commitRemark struct{ reason, next string }

// commitLease has the message name the lease that this worktree holds on the
// lane, whose tree then counts, since it is the one a push is judged by.
// Without one the lane's own tree counts, and the remark says so, as it says of a
// parked one that nothing is pushed under it.
func commitLease(c *cli.Context, r *scopeRegion, note *worktree.Note) (commitRemark, error) {
	held, err := commitHeld(r)
	if err != nil {
		return commitRemark{}, err
	}
	now, _, err := r.desk.Lease(c.Context, r.lane, true)
	take, remark := "git dos lease acquire --lane "+r.lane, commitRemark{"", "git dos push"}
	switch {
	case held == nil && err != nil:
		return commitRemark{"; this worktree holds no lease on lane " + r.lane + ", and who does cannot be read", take}, nil
	case held == nil:
		return commitRemark{commitHolder(c, r, now), take}, nil
	case err != nil:
		return commitRemark{}, deskError(err)
	case now != nil && (now.Gen >= held.Gen || held.Under != ""): // what its node granted, this repository has as it is
		switch {
		case now.Nonce == held.Nonce && now.State == lane.Parked:
			remark = commitRemark{"; PARKED: lane " + r.lane + " is parked, and nothing is pushed under it until it is unparked", unparkCommand(r.lane)}
		case now.Nonce != held.Nonce || now.State != lane.Held:
			return commitRemark{"; the lease this worktree took on lane " + r.lane + " is lost", take}, nil
		}
		r.tree = now.Tree
	}
	note.Lease, note.Run = fmt.Sprintf("%s@%d", r.lane, held.Gen), held.RunID
	if now != nil && now.UnderGen > 0 {
		note.Lease = fmt.Sprintf("%s@%d.%d", r.lane, now.UnderGen, now.Gen)
	}
	return remark, nil
}

// commitHolder says that this worktree does not hold the lane, and who does.
func commitHolder(c *cli.Context, r *scopeRegion, seen *lease.Record) string {
	words := "; this worktree holds no lease on lane " + r.lane
	if seen == nil || seen.State == lane.Free {
		return words
	}
	return words + ", which is " + stateOf(*seen, now(c)) + scopeSeen(r.desk)
}

// commitHeld is what this worktree remembers of the lane.
func commitHeld(r *scopeRegion) (*admit.Held, error) {
	if !scopeRemembers(r.desk) {
		return nil, nil
	}
	held, err := r.desk.Recall(r.lane)
	if err != nil {
		return nil, environmentf("%w", err)
	}
	return held, nil
}
