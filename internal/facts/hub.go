package facts

import (
	"context"

	"github.com/git-dos/git-dos/refstore"
)

// LoadHubRules reads the policy of a fleet in what may be its hub, which is asked where
// LoadRules fails with ErrNoFleetRemote: the dos.toml of the branch that HEAD names
// counts. What is not bare, or has a remote, is no hub, and ok is false.
func LoadHubRules(ctx context.Context, repo *refstore.Repo) (r Rules, ok bool, err error) {
	c, err := repo.Config()
	if err != nil || !repo.Bare || len(c.Remotes()) > 0 {
		return r, false, err
	}
	if r.Policy, r.Source, err = ownPolicy(ctx, repo); err != nil {
		return r, false, err
	}
	r.Trunk, err = localTrunk(ctx, repo, r.Policy)
	return r, err == nil, err
}
