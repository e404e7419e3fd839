package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A workerTree is a linked worktree that was made for one worker, on a branch of
// its own.
type workerTree struct {
	repo   *refstore.Repo // that it belongs to
	dir    string
	branch string
	base   refstore.OID
}

// gone reports whether the worktree is none any more: whoever works in it can
// delete it. One that was never made is not gone.
func (t *workerTree) gone() bool {
	if t == nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(t.dir, ".git"))
	return errors.Is(err, fs.ErrNotExist)
}

// unlisted reports whether git knows nothing of the worktree any more, and there is
// nothing in its place.
func (t *workerTree) unlisted() bool {
	_, listed := os.Lstat(filepath.Join(t.repo.CommonDir, "worktrees", filepath.Base(t.dir)))
	_, there := os.Lstat(t.dir)
	return errors.Is(listed, fs.ErrNotExist) && errors.Is(there, fs.ErrNotExist)
}

// head is how git names the worktree's HEAD from any other.
func (t *workerTree) head() string { return "worktrees/" + filepath.Base(t.dir) + "/HEAD" }

// workerBranches is where the branches of workers are, by run.
const workerBranches = "dos/"

// treesLock serialises what git does to its list of worktrees: side by side, two
// additions fail on the lock of the repository's configuration.
const treesLock = "worktrees.lock"

// newWorkerTree adds a worktree at the trunk. What git made of one that it could
// not finish is taken away.
func newWorkerTree(c *cli.Context, d *admit.Desk, run string) (*workerTree, error) {
	leaf, err := lane.Leaf(run)
	if err != nil {
		return nil, usagef("%w", err)
	}
	dir, err := d.Repo.SharedFile("worktrees", leaf)
	if err != nil {
		return nil, environmentf("%w", err)
	}
	base := d.Rules.Trunk.ID
	if base == "" {
		return nil, environmentf("a worktree is made at the trunk, and the trunk has no commit").hint("commit something first")
	}
	unlock, err := d.Repo.LockShared(c.Context, treesLock)
	if err != nil {
		return nil, environmentf("%w", err)
	}
	defer unlock()
	t := &workerTree{repo: d.Repo, dir: dir, branch: workerBranches + leaf, base: base}
	if _, err := d.Repo.Git.Output(c.Context, "worktree", "add", "--quiet", "--no-track", "-b", t.branch, "--", dir, string(base)); err != nil {
		t.dropBranch(c)
		return nil, environmentf("a worktree for the worker: %w", err).hint("git worktree list shows those that are there")
	}
	return t, nil
}

// dropBranch deletes the worker's branch where all its commits are elsewhere: git
// refuses one that has moved since it was looked at.
func (t *workerTree) dropBranch(c *cli.Context) {
	ref := "refs/heads/" + t.branch
	if id, err := t.repo.RefID(c.Context, ref); err == nil && id != "" {
		_, _ = t.repo.Git.Output(c.Context, "update-ref", "-d", ref, string(id)) // one that stays is in nobody's way
	}
}

// alone is a commit that would be lost with the worktree and its branch, "" where
// there is none. The worker may have left its branch, and deleted that or the
// worktree.
func (t *workerTree) alone(ctx context.Context) (string, error) {
	args := []string{"rev-list", "--max-count=1"}
	for _, name := range []string{t.head(), "refs/heads/" + t.branch} {
		id, err := ancestry.Resolve(ctx, t.repo.Git, name)
		switch {
		case err == nil:
			args = append(args, string(id))
		case !errors.Is(err, ancestry.ErrNoRevision) && !errors.Is(err, ancestry.ErrUnborn):
			return "", err
		}
	}
	// For --branches, a pattern is without refs/heads/.
	args = append(args, string(t.base), "--not", "--exclude="+t.branch, "--branches", "--remotes", "--tags", string(t.base))
	out, err := t.repo.Git.Output(ctx, args...)
	return strings.TrimSpace(string(out)), err
}

// remove takes the worktree and its branch away, unless there is work in it: files
// that git refuses to delete, or commits that nothing else has.
func (t *workerTree) remove(c *cli.Context) {
	keep := func(why string) {
		warn(c, "the worktree %s stays: %s", t.dir, why)
	}
	id, err := t.alone(c.Context)
	if err != nil {
		keep(err.Error())
		return
	}
	if id != "" {
		keep("its commit " + verdict.Short(id) + " is nowhere else")
		return
	}
	unlock, err := t.repo.LockShared(c.Context, treesLock)
	if err != nil {
		keep(err.Error())
		return
	}
	defer unlock()
	if _, err := t.repo.Git.Output(c.Context, "worktree", "remove", "--", t.dir); err != nil && !t.unlisted() {
		keep(verdict.Clip(err.Error()))
		return
	}
	t.dropBranch(c)
}
