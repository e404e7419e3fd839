package facts

import (
	"context"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// signatures checks the candidates that carry a signature and name the unit in
// a trailer: no other form gains by one.
func (s *shipSearch) signatures(ctx context.Context) error {
	var ids []refstore.OID
	for _, f := range s.finds() {
		if f.signed && len(f.Units) > 0 {
			f.Signed = ship.Unknown
			ids = append(ids, f.commit.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	facts, err := Signatures(ctx, s.repo, s.tip, s.policy, ids)
	for _, f := range s.finds() {
		if f.Signed == ship.Unknown {
			f.Signed = facts[f.commit.ID]
		}
	}
	return err
}
