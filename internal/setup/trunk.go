package setup

import (
	"context"
	"errors"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// lookAtTrunk finds the branch to state as the trunk in a dos.toml that states
// none: the fleet's; without a fleet what the only remote calls its HEAD, when
// there is such a branch here, else the branch of the main worktree. It is ""
// when there is none that dos.toml can name.
func (w *work) lookAtTrunk(ctx context.Context) error {
	branch := w.trunk.Branch
	var err error
	if branch == "" {
		if branch, err = w.headOfOnlyRemote(ctx); err != nil {
			return err
		}
	}
	if branch == "" {
		if branch, err = w.mainBranch(ctx); err != nil {
			return err
		}
	}
	name := strings.TrimPrefix(branch, "refs/heads/")
	if p, err := policy.Parse(policy.TemplateTrunk(name)); err == nil && p.Trunk.Ref == name {
		w.stated = name
	}
	return nil
}

// headOfOnlyRemote is the branch here that is named like the HEAD of the only
// remote, "" when there is none.
func (w *work) headOfOnlyRemote(ctx context.Context) (string, error) {
	c, err := w.Repo.Config()
	if err != nil || len(c.Remotes()) != 1 {
		return "", err
	}
	tracking := "refs/remotes/" + c.Remotes()[0] + "/"
	head, err := ancestry.Symbolic(ctx, w.Repo.Git, tracking+"HEAD")
	name, ok := strings.CutPrefix(head, tracking)
	if err != nil || !ok {
		return "", err
	}
	id, err := w.Repo.RefID(ctx, "refs/heads/"+name)
	if err != nil || id == "" {
		return "", err
	}
	return "refs/heads/" + name, nil
}

// mainBranch is the branch that the main worktree is on, whichever worktree
// this is; "" when its HEAD is detached.
func (w *work) mainBranch(ctx context.Context) (string, error) {
	if w.Repo.GitDir == w.Repo.CommonDir {
		return w.branch, nil
	}
	out, err := w.Repo.Git.Output(ctx, "--git-dir="+w.Repo.CommonDir, "symbolic-ref", "--quiet", "HEAD")
	var g *git.Error
	if errors.As(err, &g) && g.Code == 1 {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// unshared says that lanes are this repository's own, where somebody may think
// that a remote shares them; "" elsewhere.
func unshared(remotes []string) string {
	switch len(remotes) {
	case 0:
		return ""
	case 1:
		return "lanes are held in this repository only; other clones do not see them. To share: git dos init --remote " + verdict.ShellWord(remotes[0])
	}
	return "lanes are held in this repository only; other clones do not see them. To share: git dos init --remote NAME"
}

// noteScope notes it in the report.
func (w *work) noteScope() error {
	c, err := w.Repo.Config()
	if err == nil && w.Remote == "" && w.own.Fleet.ID == "" && c.Get("dos.remote") == "" {
		w.report.Note = unshared(c.Remotes())
	}
	return err
}
