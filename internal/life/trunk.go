package life

import (
	"context"

	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
)

// OffTrunk are those of the steps of which no commit that counts for them is in the
// history of the trunk, none where no trunk is known.
func (r Run) OffTrunk(ctx context.Context, steps []string) (off []string, err error) {
	trunk := r.book.Desk.Rules.Trunk.ID
	if trunk == "" {
		return nil, nil
	}
	ev, err := r.Progress(ctx)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		on := false
		for _, f := range ev.Facts {
			if f.Step != step || f.Commit == "" || !f.Younger || !f.Touches || f.Foreign || on {
				continue
			}
			if on, err = r.book.Desk.Repo.IsAncestor(ctx, refstore.OID(f.Commit), trunk); err != nil {
				return nil, storeError(err)
			}
		}
		if !on {
			off = append(off, step)
		}
	}
	return off, nil
}

// Finished reports whether every step that the run declared is done, and it holds its
// lease, in the worktree that asks.
func (r Run) Finished(plan *resume.Verdict) bool {
	return plan != nil && plan.Outcome == resume.Complete && r.Live && r.Here()
}
