package facts

import (
	"context"

	"github.com/git-dos/git-dos/refstore"
)

// FleetRemote names the remote of the fleet that a repository belongs to, "" when
// it is its own authority.
func FleetRemote(ctx context.Context, repo *refstore.Repo) (string, error) {
	r, err := ownRules(ctx, repo)
	return r.Remote, err
}
