package facts

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/kernel/mergegate"
	"github.com/git-dos/git-dos/kernel/ship"
)

// gateShip is one Dos-Ship trailer of a commit of the branch.
type gateShip struct{ commit, unit string }

// claims holds every Dos-Ship trailer of the branch against what its own commit
// did, as verify would on the branch's tip: an empty commit ships nothing, and
// neither does one that the branch takes back, unless it ships the unit again.
func (g *mergeGate) claims(ctx context.Context) error {
	floor, err := g.floor()
	if err != nil || len(g.ships) == 0 {
		return err
	}
	// The tip is where the policy and its signers are read.
	s := shipSearch{repo: g.repo, policy: g.into.policy, tip: g.into.id, undoing: undoSearch{repo: g.repo, tip: g.tip}}
	units := map[string]*unitSearch{}
	for _, c := range g.ships {
		q, err := g.query(c.unit)
		if err != nil || units[c.unit] != nil {
			continue // what names no unit is told below
		}
		u := newUnitSearch(&ship.Evidence{Query: q, Ref: g.ev.Branch, RefID: string(g.tip), Floor: floor, History: ship.Complete}, false)
		units[c.unit] = u
		s.units = append(s.units, u)
	}
	for _, row := range g.rows {
		s.consider(row)
	}
	for _, step := range []func(context.Context) error{s.paths, s.signatures, s.undone} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, c := range g.ships {
		g.ev.Claims = append(g.ev.Claims, g.judged(c, units[c.unit]))
	}
	return nil
}

func (g *mergeGate) query(unit string) (ship.Query, error) {
	plan, phase, ok := ship.SplitUnit(unit)
	if !ok {
		return ship.Query{}, errors.New("it is no PLAN/PHASE")
	}
	return ship.NewQuery(plan, phase, g.into.policy.Stamp)
}

func (g *mergeGate) judged(c gateShip, u *unitSearch) mergegate.Claim {
	claim := mergegate.Claim{Commit: c.commit, Unit: c.unit}
	if u == nil {
		_, err := g.query(c.unit)
		claim.Reason = fmt.Sprintf("the trailer names no unit: %v", err)
		return claim
	}
	v := ship.Decide(u.alone(claim.Commit))
	claim.Holds, claim.Reason = v.Outcome == ship.Shipped, v.Reason
	if v.Outcome == ship.NotShipped && v.RevertedBy != "" {
		if again := ship.Decide(u.alone("")); again.Outcome == ship.Shipped {
			claim.Holds, claim.Reason = true, fmt.Sprintf("%s; %s ships it again", v.Reason, again.Sha[:min(len(again.Sha), 12)])
		}
	}
	return claim
}

// alone is the unit's evidence with one candidate, or with all for "".
func (u *unitSearch) alone(id string) ship.Evidence {
	ev := *u.ev
	for _, f := range u.found {
		if id == "" || f.ID == id {
			ev.Candidates = append(ev.Candidates, f.Candidate)
		}
	}
	return ev
}
