package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// openRepo opens the workspace.
func openRepo(c *cli.Context) (*refstore.Repo, error) {
	repo, err := refstore.Open(c.Context, workspace(c))
	return repo, repoError(err)
}

// repoError gives an error of opening a repository its kind and hint.
func repoError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, refstore.ErrGitTooOld):
		return environmentf("%w", err).hint("install git %s or newer; git dos version shows which one is found", refstore.MinGit)
	case errors.Is(err, git.ErrNotFound):
		return environmentf("%w", err).hint("install git %s or newer", refstore.MinGit)
	case errors.Is(err, refstore.ErrNoDirectory):
		return environmentf("%w", err).hint("name the directory of a repository with -C DIR")
	case errors.Is(err, refstore.ErrNoRepository):
		return environmentf("%w", err).hint("run it inside a repository, or name one with --workspace DIR")
	}
	return environmentf("%w", err)
}

// openDesk opens the workspace and the authority of its lanes.
func openDesk(c *cli.Context) (*admit.Desk, error) {
	repo, err := openRepo(c)
	if err != nil {
		return nil, err
	}
	return deskOf(c, repo, admit.Open)
}

// leaseDesk is openDesk for a verb about a lease. Where a remote may decide on it, git
// begins with what such a verb looks at first.
func leaseDesk(c *cli.Context) (*admit.Desk, error) {
	return openAhead(c, refstore.Ahead{Kinds: admit.LeaseKinds(), If: facts.MayHaveFleet}, admit.Open)
}

// viewingDesk is openDesk for verbs that write nothing, which the fleet's hub answers
// from its own refs.
func viewingDesk(c *cli.Context) (*admit.Desk, error) {
	repo, err := openRepo(c)
	if err != nil {
		return nil, err
	}
	return deskOf(c, repo, admit.OpenHub)
}

// readingDesk is viewingDesk for verbs that read the lanes.
func readingDesk(c *cli.Context) (*admit.Desk, error) { return readingWith(c, admit.OpenHub) }

// lookingDesk is readingDesk for a verb that asks for the leases and no more.
func lookingDesk(c *cli.Context) (*admit.Desk, error) { return readingWith(c, admit.OpenHubToLook) }

type deskOpener func(context.Context, *refstore.Repo, func() time.Time) (*admit.Desk, error)

func readingWith(c *cli.Context, open deskOpener) (*admit.Desk, error) {
	return openAhead(c, refstore.Ahead{Kinds: admit.LaneKinds()}, open)
}

func openAhead(c *cli.Context, next refstore.Ahead, open deskOpener) (*admit.Desk, error) {
	repo, err := refstore.OpenAhead(c.Context, workspace(c), next)
	if err != nil {
		return nil, repoError(err)
	}
	return deskOf(c, repo, open)
}

func deskOf(c *cli.Context, repo *refstore.Repo, open deskOpener) (*admit.Desk, error) {
	d, err := open(c.Context, repo, func() time.Time { return now(c) })
	if err != nil {
		return nil, deskError(err)
	}
	d.Clock = instant(d.Clock)
	return d, nil
}

// writingDesk is openDesk for verbs that write, which need a node id.
func writingDesk(c *cli.Context) (*admit.Desk, error) {
	d, err := openDesk(c)
	if err == nil {
		err = deskError(d.EnsureNode(c.Context))
	}
	return d, err
}

// deskError gives an error of package admit or facts its kind and hint.
func deskError(err error) error {
	var store *admit.StoreError
	var bad policy.Errors
	var trunk *facts.TrunkError
	var unknown *admit.UnknownLaneError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &store):
		return errorf(kindStore, "%w", err).hint("%s", store.Hint)
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &bad):
		return usagef("%w", err).hint("%s; git dos doctor lists every problem", correction(err))
	case errors.As(err, &trunk):
		return environmentf("%w", err).hint("%s", trunk.Hint)
	case errors.As(err, &unknown):
		return usagef("%w", err).hint("%s", unknownLaneHint(unknown))
	case errors.Is(err, facts.ErrNoFleetRemote):
		return environmentf("%w", err).hint("git remote -v lists the remotes")
	}
	return environmentf("%w", err)
}

// correction says which dos.toml to put right. While the trunk's is broken, no
// push can be judged, so it is not git dos push that brings the correction.
func correction(err error) string {
	var at *facts.PolicyError
	if errors.As(err, &at) && at.Remote != "" {
		return fmt.Sprintf("push a correction to the trunk with git push %s HEAD:%s, then git fetch %s", at.Remote, at.Branch, at.Remote)
	}
	return "correct dos.toml"
}

// laneWord folds a word that names a lane for a verb on its lease.
func laneWord(d *admit.Desk, word string) (string, error) {
	folded, err := d.LaneWord(word)
	if err != nil {
		return "", usagef("%w", err)
	}
	return folded, nil
}

// canonicalLane folds a lane's name and resolves an alias.
func canonicalLane(d *admit.Desk, name string) (string, error) {
	folded, err := d.CanonicalLane(name)
	if err != nil {
		return "", usagef("%w", err)
	}
	return folded, nil
}

// statedOwner is the owner as the flag or the environment states it.
func statedOwner(c *cli.Context) string {
	return firstOf(c.String("owner"), firstEnv("GIT_DOS_OWNER", "FLEET_WORKER_ID"))
}

// ownerName says who works: the flag, the environment, git config, else the
// user on this node.
func ownerName(c *cli.Context, d *admit.Desk) (string, error) {
	if name := statedOwner(c); name != "" {
		return name, nil
	}
	conf, err := d.Repo.Config()
	if err != nil {
		return "", environmentf("%w", err)
	}
	if name := conf.Get("dos.owner"); name != "" {
		return name, nil
	}
	return loginName() + "@" + d.Node, nil
}

func loginName() string {
	if name := firstEnv("USER", "LOGNAME", "USERNAME"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid%d", os.Getuid())
}
