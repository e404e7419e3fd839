package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/refstore"
)

// replanPatience bounds the wait for another look: it may wait for the fleet's
// remote in its turn, and no longer than that.
var replanPatience = 2 * time.Minute

// replanLock makes this the only look in the repository: two at once would both
// count what is new.
func replanLock(c *cli.Context, repo *refstore.Repo) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(c.Context, replanPatience)
	defer cancel()
	unlock, err = repo.LockShared(ctx, "replan.lock")
	switch {
	case err == nil || c.Context.Err() != nil:
		return unlock, err
	case ctx.Err() != nil:
		return nil, environmentf("another git dos replan has been at it in this repository for %s", replanPatience).
			hint("see what it waits for, or end it; --dry-run looks beside it")
	}
	return nil, environmentf("%w", err).hint("see git dos doctor")
}
