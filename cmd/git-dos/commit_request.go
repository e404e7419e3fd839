package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
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
	data, err := io.ReadAll(io.LimitReader(in, worktree.MaxMessage+1))
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

// commitLease has the message name the lease that this worktree holds on the
// lane, whose tree then counts, since it is the one a push is judged by.
// Without one the lane's own tree counts, and the remark says so.
func commitLease(c *cli.Context, r *scopeRegion, note *worktree.Note) (remark string, err error) {
	held, err := commitHeld(r)
	if err != nil {
		return "", environmentf("%w", err)
	}
	if r.unknown != nil {
		return "", deskError(r.unknown)
	}
	if held == nil {
		return "; this worktree holds no lease on lane " + r.lane, nil
	}
	now, _, err := r.desk.Lease(c.Context, r.lane, true)
	if err != nil {
		return "", deskError(err)
	}
	if now != nil && now.Gen >= held.Gen {
		if now.Nonce != held.Nonce || now.State != lane.Held {
			return "; the lease this worktree took on lane " + r.lane + " is lost", nil
		}
		r.tree = now.Tree
	}
	note.Lease, note.Run = fmt.Sprintf("%s@%d", r.lane, held.Gen), held.RunID
	return "", nil
}

// commitHeld is what this worktree remembers of the lane. Where it remembers
// nothing at all, not even a directory is made to look.
func commitHeld(r *scopeRegion) (*admit.Held, error) {
	_, err := os.Lstat(filepath.Join(r.desk.Repo.GitDir, "dos", "leases"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r.desk.Recall(r.lane)
}
