package facts

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A ShipRequest asks whether a unit has shipped.
type ShipRequest struct {
	Plan  string
	Phase string
	Ref   string       // what to walk, "" for the trunk
	Floor ship.Witness // the least that counts, "" for the policy's

	// Ledger returns the SHIP entries of the lane chains; nil where there are
	// none to read.
	Ledger func(context.Context) ([]ship.LedgerEntry, error)
}

// A ShipRequestError is a request that no evidence could answer.
type ShipRequestError struct{ err error }

func (e *ShipRequestError) Error() string { return e.err.Error() }
func (e *ShipRequestError) Unwrap() error { return e.err }

// Ship gathers the evidence of one unit: it walks the whole history of the ref
// and keeps only the commits that may name the unit and those that undo
// others, then looks up what the few that matter changed.
//
// The grammar, the floor and the lanes come from the dos.toml committed at the
// ref that is walked, so that no other branch and no work tree can bend them.
// Only where that commit has none is the work tree's dos.toml read. A dos.toml
// with errors is an error, and so is a ref that does not exist; a history or a
// policy that is not all here is evidence of its own.
func Ship(ctx context.Context, repo *refstore.Repo, req ShipRequest) (ship.Evidence, error) {
	if _, err := ship.NewQuery(req.Plan, req.Phase, policy.Stamp{}); err != nil {
		return ship.Evidence{}, &ShipRequestError{err}
	}
	at, err := walkedRef(ctx, repo, req.Ref)
	ev := ship.Evidence{Ref: at.name, RefID: string(at.id), Floor: req.Floor}
	if ev.Query, _ = ship.NewQuery(req.Plan, req.Phase, at.policy.Stamp); errors.Is(err, ancestry.ErrMissing) {
		ev.History, ev.Gap = ship.Missing, err.Error()
		return ev, nil
	}
	if err != nil {
		return ship.Evidence{}, err
	}
	if ev.Floor == "" {
		if ev.Floor, err = ship.ParseFloor(at.policy.Verify.Floor); err != nil {
			return ship.Evidence{}, fmt.Errorf("dos.toml: verify.%w", err)
		}
	}
	if req.Ledger != nil {
		if ev.Ledger, err = req.Ledger(ctx); err != nil {
			return ship.Evidence{}, fmt.Errorf("read the SHIP entries: %w", err)
		}
	}
	if at.id == "" {
		ev.History = ship.Complete
		return ev, nil
	}
	s := shipSearch{repo: repo, policy: at.policy, tip: at.id, ev: &ev}
	err = s.run(ctx)
	if errors.Is(err, ancestry.ErrMissing) {
		ev.History, ev.Gap = ship.Missing, err.Error()
		err = nil
	}
	return ev, err
}
