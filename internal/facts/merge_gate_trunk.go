package facts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// trunkIsKnown refuses a trunk that only a branch names. In a fleet, and where
// the HEAD of a remote or its main or master is known, that says which branch it
// is. Elsewhere it is what the work tree's dos.toml says, which may be the very
// branch's that is to be judged; it counts where
//
//   - what is checked out is a commit of that trunk, or
//   - the main worktree is on a commit of it, and would itself go by it, or
//   - the branch that init.defaultBranch names would itself go by it.
func (g *mergeGate) trunkIsKnown(ctx context.Context) error {
	if g.req.Into != "" {
		return nil
	}
	for _, known := range []func(context.Context) (bool, error){g.remoteKnows, g.headIsOnIt, g.mainWorktreeAgrees, g.defaultBranchAgrees} {
		if ok, err := known(ctx); ok || err != nil {
			return err
		}
	}
	return &MergeGateError{
		Err: fmt.Errorf("only what is checked out says that %s is the trunk, and that may be the branch's own word", g.into.name),
		Hint: fmt.Sprintf("if it is, say so: git dos merge-gate BRANCH --into %s; [trunk] ref in the dos.toml of the main worktree, or the HEAD of a remote, says it for good",
			strings.TrimPrefix(g.into.name, "refs/heads/")),
	}
}

// remoteKnows reports whether a remote names the trunk.
func (g *mergeGate) remoteKnows(ctx context.Context) (bool, error) {
	own, _, err := ownPolicy(ctx, g.repo)
	if err != nil {
		return false, err
	}
	if remote, err := fleetRemote(g.repo, own); err != nil || remote != "" {
		return remote != "", err
	}
	remote, err := plainRemote(g.repo)
	if err != nil || remote == "" {
		return false, err
	}
	files := g.repo.Files(ctx)
	defer files.Close()
	s := trunkSearch{repo: g.repo, files: files, remote: remote}
	head, err := s.usual(ctx)
	if err != nil || head == "" {
		return false, err
	}
	_, decided, err := s.stated(ctx, head)
	if err != nil || decided {
		return decided, err
	}
	t, err := s.named(head) // where the work tree had the say, it must say the same
	return g.into.name == t.Branch || g.into.name == t.Ref, err
}

func (g *mergeGate) headIsOnIt(ctx context.Context) (bool, error) { return g.holds(ctx, "HEAD") }

// holds reports whether the trunk holds the commit of a HEAD; false for one that
// is unborn.
func (g *mergeGate) holds(ctx context.Context, head string) (bool, error) {
	id, err := ancestry.Resolve(ctx, g.repo.Git, head)
	switch {
	case errors.Is(err, ancestry.ErrUnborn), errors.Is(err, ancestry.ErrNoRevision):
		return false, nil
	case err != nil:
		return false, err
	}
	return ancestry.ReachesAll(ctx, g.repo.Git, g.into.id, []refstore.OID{id})
}

// mainWorktree is how git names the HEAD of the main worktree in any other.
const mainWorktree = "main-worktree/HEAD"

// mainWorktreeAgrees asks the main worktree from a linked one.
func (g *mergeGate) mainWorktreeAgrees(ctx context.Context) (bool, error) {
	if g.repo.GitDir == g.repo.CommonDir {
		return false, nil // it is this one
	}
	if on, err := g.holds(ctx, mainWorktree); err != nil || !on {
		return false, err
	}
	branch, err := ancestry.Symbolic(ctx, g.repo.Git, mainWorktree)
	if err != nil {
		return false, err
	}
	return g.goesBy(ctx, mainWorktree, branch)
}

// defaultBranchAgrees asks the branch that this user's repositories begin with,
// where the configuration names it and there is such a branch.
func (g *mergeGate) defaultBranchAgrees(ctx context.Context) (bool, error) {
	out, err := g.repo.Git.Output(ctx, "config", "--get", "init.defaultBranch")
	var failed *git.Error
	if errors.As(err, &failed) && failed.Code == 1 {
		return false, nil // it is not set
	}
	if err != nil {
		return false, err
	}
	branch := "refs/heads/" + strings.TrimSuffix(string(out), "\n")
	return g.goesBy(ctx, branch, branch)
}

// goesBy reports whether the trunk is the one that the dos.toml committed at rev
// states, or the branch of rev where that states none.
func (g *mergeGate) goesBy(ctx context.Context, rev, branch string) (bool, error) {
	id, err := ancestry.Resolve(ctx, g.repo.Git, rev)
	if errors.Is(err, ancestry.ErrUnborn) || errors.Is(err, ancestry.ErrNoRevision) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p, _, err := policyIn(ctx, g.repo, id)
	if err != nil {
		return false, err
	}
	if stated := p.Trunk.Ref; stated != "" {
		if branch = stated; !strings.HasPrefix(stated, "refs/") {
			branch = "refs/heads/" + stated
		}
	}
	return branch != "" && branch == g.into.name, nil
}
