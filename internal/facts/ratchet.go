package facts

import (
	"context"
	"fmt"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// Proved tells of units which of them history proves, each as PLAN/PHASE and
// once, however often and in whichever spelling it was named.
type Proved struct {
	Verified []string // they are shipped
	Residual []string // they are still to be done
}

// An UndecidedError means that history does not tell whether a unit shipped. It
// must not be read as either.
type UndecidedError struct{ Unit, Reason string }

func (e *UndecidedError) Error() string {
	return fmt.Sprintf("whether %s shipped cannot be told: %s", e.Unit, e.Reason)
}

// Prove holds units against history by one reading of it. What is verified is
// the measure of a loop's work that no worker can write: nobody's claim is
// asked for.
func Prove(ctx context.Context, repo *refstore.Repo, units []string, scope ShipScope) (Proved, error) {
	asked, err := distinct(units)
	if err != nil {
		return Proved{}, err
	}
	list, err := Ships(ctx, repo, asked, scope)
	if err != nil {
		return Proved{}, err
	}
	p := Proved{Verified: []string{}, Residual: []string{}}
	for i, ev := range list {
		unit, truth := asked[i].Plan+"/"+asked[i].Phase, ship.Decide(ev)
		switch v := reconcile.Decide(reconcile.Evidence{Unit: unit, Ship: truth}); v.State {
		case reconcile.Verified:
			p.Verified = append(p.Verified, unit)
		case reconcile.HonestOpen:
			p.Residual = append(p.Residual, unit)
		default:
			return Proved{}, &UndecidedError{unit, truth.Reason}
		}
	}
	return p, nil
}

// distinct binds units to their plans and phases, and names each once.
func distinct(units []string) ([]Unit, error) {
	var list []Unit
	var seen []ship.Query
next:
	for _, name := range units {
		if err := reconcile.CheckUnit(name); err != nil {
			return nil, &ShipRequestError{err}
		}
		plan, phase, err := reconcile.Bind(name, "", "")
		if err != nil {
			return nil, &ShipRequestError{err}
		}
		for _, q := range seen {
			if q.Is(plan, phase) {
				continue next
			}
		}
		q, err := ship.NewQuery(plan, phase, policy.Stamp{})
		if err != nil {
			return nil, &ShipRequestError{err}
		}
		list, seen = append(list, Unit{plan, phase}), append(seen, q)
	}
	return list, nil
}
