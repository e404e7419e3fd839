package wave

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// screen sets aside what may not be started, and returns the places of the rest.
func (p *planner) screen() (rest []int) {
	for i, c := range p.Candidates {
		set, why, advice := p.keeps(c)
		if set == "" {
			rest = append(rest, i)
			continue
		}
		p.v.LeftOut = append(p.v.LeftOut, Row{
			Unit: c.Unit, Title: c.Title, Task: c.Task, Lane: c.Lane, Tree: append([]string{}, c.Tree...), Set: set, Reason: why, Advice: advice,
			CollidesWith: []string{}, Argv: []string{},
		})
	}
	return rest
}

// keeps is why a candidate may not be started whatever else is, "" where it may.
func (p *planner) keeps(c Candidate) (set Set, why, advice string) {
	switch {
	case c.Kept != "":
		if c.Kept == Ended {
			advice = AdviceHarvest
		}
		return c.Kept, c.Why, advice
	case c.Lane == "":
		return Unrouted, "no lane is known for it", AdviceRoute
	}
	asked := lane.Request{Lane: c.Lane, Tree: c.Tree}
	claim, no, ok := lane.Resolve(asked, p.Lanes)
	if !ok { // priced, it is blocked or of an unknown scope
		if no.Outcome == "" {
			return Blocked, no.Reason, ""
		}
		return "", "", ""
	}
	if in, hold, hit := p.Algebra.Overlap(claim.Tree, p.Hold); hit && len(p.Hold) > 0 {
		return Held, fmt.Sprintf("%s may touch %s, which no wave may", verdict.Show(in), verdict.Show(hold)), AdviceByHand
	}
	v := lane.Decide(lane.Evidence{Request: asked, Lanes: p.Lanes, Live: p.Live, Algebra: p.Algebra, RatioMax: p.Soft, SelfModify: p.Protect, Budgets: p.Budgets})
	switch {
	case v.Outcome == lane.Acquire:
		return "", "", ""
	case v.ReasonClass == lane.Unreadable:
		return Unclear, v.Reason + "; see git dos doctor", ""
	case v.Outcome == "":
		return Blocked, v.Reason, ""
	case v.ReasonClass == lane.SameLaneHeld:
		return LaneHeld, v.Reason, ""
	case v.ReasonClass == lane.SelfModify:
		return Blocked, v.Reason, lane.AdviceLeaveProtected
	}
	return TreeHeld, v.Reason, ""
}

// left is what of the class budgets the live leases leave. A wave is within it.
func (p *planner) left() map[string]int {
	left := map[string]int{}
	for kind, most := range p.Budgets {
		for _, l := range p.Live {
			if l.State != lane.Free && !lane.Reserved(l.Lane) && lane.CanonicalOr(l.Kind) == lane.CanonicalOr(kind) {
				most--
			}
		}
		left[kind] = max(0, most)
	}
	return left
}
