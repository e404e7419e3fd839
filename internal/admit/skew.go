package admit

import (
	"context"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A skewError names two trunks of which neither contains the other.
type skewError struct{ theirs, ours string }

func (e *skewError) Error() string {
	return fmt.Sprintf("admissions are decided under trunk %.12s, this clone has %.12s, which does not contain it", e.theirs, e.ours)
}

// checkPolicy refuses to decide under a trunk that does not contain the one
// the last admission was decided under.
func (d *Desk) checkPolicy(ctx context.Context, theirs string) error {
	ours := d.Rules.Trunk.Commit()
	if d.remote == nil || theirs == "" || theirs == ours {
		return nil
	}
	id, ok := refstore.ParseOID(theirs)
	if !ok {
		return fmt.Errorf("order of admissions: %w: policy %q is no commit", lease.ErrRecord, theirs)
	}
	contained, err := d.Repo.IsAncestor(ctx, id, refstore.OID(ours))
	switch {
	case err == nil && contained:
		return nil
	case err == nil:
		return &skewError{theirs, ours}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if _, gone := ancestry.Resolve(ctx, d.Repo.Git, theirs); gone != nil {
		return &skewError{theirs, ours} // a commit that is not here is one we do not contain
	}
	// It may have come since it was asked about: others fetch beside us.
	if contained, err = d.Repo.IsAncestor(ctx, id, refstore.OID(ours)); err == nil && !contained {
		return &skewError{theirs, ours}
	}
	return err
}

// refetchRules fetches the trunk and reads the policy again.
func (d *Desk) refetchRules(ctx context.Context) error {
	branch := d.Rules.Trunk.Branch
	if _, err := d.remote.Read(ctx, refstore.Query{Branches: []string{branch}}); err != nil {
		return d.storeError(err)
	}
	return d.followTrunk(ctx, branch)
}
