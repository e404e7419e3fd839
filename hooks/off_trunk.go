package hooks

import (
	"context"
	"errors"
)

// OffTrunkGate refuses branches beside the trunk: a push that makes or moves
// one, or deletes the trunk, and a transaction that makes one here. To move or
// delete a branch that is there already is no matter of a transaction, and to
// delete one elsewhere leads back to the trunk. exists tells a branch that a
// transaction makes from one that it moves whatever it was.
func OffTrunkGate(exists func(ctx context.Context, ref string) (bool, error)) Gate {
	return Gate{OffTrunk, func(ctx context.Context, p Push, _ History) (found []Finding, err error) {
		for _, u := range p.Updates {
			if !u.IsBranch() {
				continue
			}
			if p.Trunk == "" {
				return nil, errors.New("which branch is the trunk is not known: set [trunk] ref in dos.toml")
			}
			if u.Deletes() && (u.Ref != p.Trunk || p.Hook == Transaction) || !u.Deletes() && u.Ref == p.Trunk {
				continue
			}
			if p.Hook == Transaction {
				if there, err := exists(ctx, u.Ref); err != nil || there || !u.Creates() {
					if err != nil {
						return nil, err
					}
					continue
				}
			}
			found = append(found, offTrunk(p, u))
		}
		return found, nil
	}}
}

func offTrunk(p Push, u Update) Finding {
	trunk := Update{Ref: p.Trunk}.Branch()
	if u.Deletes() {
		return Finding{Reason: "it deletes the trunk " + trunk, Fix: "leave the trunk where it is"}
	}
	return Finding{Commit: u.New, Reason: "branch " + u.Branch() + " is not the trunk " + trunk, Fix: "work on " + trunk + ": git dos push moves it"}
}
