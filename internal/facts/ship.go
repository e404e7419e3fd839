package facts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A ShipRequest asks whether a unit has shipped.
type ShipRequest struct {
	Plan  string
	Phase string
	ShipScope
}

// A ShipScope says where ships are looked for, and how.
type ShipScope struct {
	Ref   string       // what to walk, "" for the trunk
	Floor ship.Witness // the least that counts, "" for the policy's

	// PlanDoc is the path of a plan document in the tree of the ref, for the
	// evidence that needs one; "" for none.
	PlanDoc string

	// Explain keeps the commits that hold the phase and do not name the unit.
	Explain bool

	// Cold reads the whole history, whatever the index has.
	Cold bool

	// Ledger returns the SHIP entries of the lane chains; nil where there are
	// none to read.
	Ledger func(context.Context) ([]ship.LedgerEntry, error)
}

// A Unit is a plan and one of its phases.
type Unit struct{ Plan, Phase string }

// A ShipRequestError is a request that no evidence could answer.
type ShipRequestError struct{ err error }

func (e *ShipRequestError) Error() string { return e.err.Error() }
func (e *ShipRequestError) Unwrap() error { return e.err }

// Ship gathers the evidence of one unit; see Ships.
func Ship(ctx context.Context, repo *refstore.Repo, req ShipRequest) (ship.Evidence, error) {
	list, err := Ships(ctx, repo, []Unit{{req.Plan, req.Phase}}, req.ShipScope)
	if err != nil {
		return ship.Evidence{}, err
	}
	return list[0], nil
}

// Ships gathers the evidence of units, in their order, by one reading of the
// history of the ref: from the index where that has it, else by a walk that
// brings the index up to date. Only commits that may name a unit are kept, and
// those that undo others; then it looks up what the few that matter changed.
//
// The grammar, the floor and the lanes come from the dos.toml committed at the
// ref that is walked, so that no other branch and no work tree can bend them.
// Only where that commit has none is the work tree's dos.toml read. A dos.toml
// with errors is an error, and so is a ref that does not exist; a history or a
// policy that is not all here is evidence of its own.
func Ships(ctx context.Context, repo *refstore.Repo, units []Unit, scope ShipScope) ([]ship.Evidence, error) {
	if _, err := queries(units, policy.Stamp{}); err != nil {
		return nil, &ShipRequestError{err}
	}
	at, missing := walkedRef(ctx, repo, scope.Ref)
	if missing != nil && !errors.Is(missing, ancestry.ErrMissing) {
		return nil, missing
	}
	asked, err := queries(units, at.policy.Stamp)
	if err != nil {
		return nil, &ShipRequestError{err}
	}
	list := make([]ship.Evidence, len(units))
	for i, q := range asked {
		list[i] = ship.Evidence{Query: q, Ref: at.name, RefID: string(at.id), Floor: scope.Floor}
	}
	if missing != nil {
		return incomplete(list, missing), nil
	}
	if err := withPolicy(ctx, list, at.policy, scope); err != nil {
		return nil, err
	}
	if at.id == "" {
		for i := range list {
			list[i].History = ship.Complete
		}
		return list, nil
	}
	s := shipSearch{repo: repo, policy: at.policy, tip: at.id, scope: scope}
	err = s.run(ctx, list)
	if errors.Is(err, ancestry.ErrMissing) {
		return incomplete(list, err), nil
	}
	return list, err
}

func queries(units []Unit, stamp policy.Stamp) ([]ship.Query, error) {
	list := make([]ship.Query, len(units))
	for i, u := range units {
		var err error
		if list[i], err = ship.NewQuery(u.Plan, u.Phase, stamp); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Gap is what an error that wraps ancestry.ErrMissing says is missing.
func Gap(err error) string {
	return strings.ReplaceAll(err.Error(), ancestry.ErrMissing.Error()+": ", "")
}

// incomplete marks evidence that an object is missing from.
func incomplete(list []ship.Evidence, why error) []ship.Evidence {
	for i := range list {
		list[i].History, list[i].Gap = ship.Missing, Gap(why)
	}
	return list
}

// withPolicy fills in the floor and the ledger.
func withPolicy(ctx context.Context, list []ship.Evidence, p policy.Policy, scope ShipScope) error {
	floor, err := scope.Floor, error(nil)
	if floor == "" {
		if floor, err = ship.ParseFloor(p.Verify.Floor); err != nil {
			return fmt.Errorf("dos.toml: verify.%w", err)
		}
	}
	var entries []ship.LedgerEntry
	if scope.Ledger != nil {
		if entries, err = scope.Ledger(ctx); err != nil {
			return fmt.Errorf("read the SHIP entries: %w", err)
		}
	}
	for i := range list {
		list[i].Floor = floor
		for _, e := range entries {
			if list[i].Query.Is(e.Plan, e.Phase) {
				list[i].Ledger = append(list[i].Ledger, e)
			}
		}
	}
	return nil
}
