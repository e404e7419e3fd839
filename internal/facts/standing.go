package facts

import (
	"context"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// A Standing is where the trunk stands, and the policy that is in force there.
type Standing struct {
	Ref    string
	ID     refstore.OID // "" before the first commit
	Policy policy.Policy
}

// TrunkStands resolves the trunk as every question about history does that
// names no ref.
func TrunkStands(ctx context.Context, repo *refstore.Repo) (Standing, error) {
	at, err := walkedRef(ctx, repo, "")
	return Standing{at.name, at.id, at.policy}, err
}
