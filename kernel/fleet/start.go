package fleet

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// start chooses who is started, n at most, and says what stands in the way
// when there are fewer.
func (p *planner) start(n int) {
	slices.SortStableFunc(p.candidates, func(a, b site) int { return cmp.Compare(a.role(), b.role()) })
	var chosen []occupant
	for _, c := range p.candidates {
		if len(p.v.Spawn) == n {
			break
		}
		if o, reason := p.against(c, chosen); o != nil {
			p.stuck[c.Name] = Blocker{c.Name, o.Name, reason}
			continue
		}
		times := 1
		if c.role() == handle {
			if p.resting > 0 {
				p.stuck[c.Name] = Blocker{c.Name, c.Name, rests}
			}
			if times = n - len(p.v.Spawn) - p.resting; times <= 0 {
				continue
			}
		}
		p.v.Spawn = append(p.v.Spawn, slices.Repeat([]Row{p.spawn(c)}, times)...)
		c.held = []lane.Region{c.tree} // what was reaped is free by then
		chosen = append(chosen, occupant{c, "is about to get a worker"})
	}
	if len(p.v.Spawn) == n {
		return
	}
	for _, l := range p.Lanes {
		if b, ok := p.stuck[l.Name]; ok {
			p.v.Blockers = append(p.v.Blockers, b)
		}
	}
}

// against returns who stands against a worker on the lane, and why.
func (p *planner) against(c site, chosen []occupant) (*occupant, string) {
	if o := p.recluse(); o != nil {
		return o, fmt.Sprintf("lane %s runs alone, and it %s", verdict.Show(o.Name), o.phrase)
	}
	if c.role() == handle {
		return nil, ""
	}
	for _, list := range [][]occupant{p.occupied, chosen} {
		for i, o := range list {
			switch {
			case c.role() == alone:
				return &list[i], fmt.Sprintf("it runs alone, and lane %s %s", verdict.Show(o.Name), o.phrase)
			case o.key == c.key:
				return &list[i], "it " + o.phrase
			case o.holds(c.tree):
				return &list[i], fmt.Sprintf("it overlaps lane %s, which %s", verdict.Show(o.Name), o.phrase)
			}
		}
	}
	return nil, ""
}

// spawn is the row that starts a worker. The region of a lease that is reaped
// by the same plan is free only once that has happened.
func (p *planner) spawn(c site) Row {
	r := Row{Lane: c.Name, Disposition: Spawn, Reason: "the lane is free", Handle: c.role() == handle}
	if r.Handle {
		r.Reason = "a worker more is within the budget: it picks its lane itself"
	}
	for _, o := range p.reaped {
		waits := o.key == c.key || o.Exclusive || c.role() == alone
		if waits || c.role() == fixed && o.holds(c.tree) {
			r.AfterReap = append(r.AfterReap, o.Name)
		}
	}
	if len(r.AfterReap) > 0 {
		r.Reason = "the lane is free once what is in its way has been scavenged"
	}
	return r
}
