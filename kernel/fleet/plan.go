package fleet

import (
	"fmt"
	"slices"
)

// Plan says what is to be done about the roster. It counts who is alive, how
// many could be, and starts workers on what is free until either the target or
// that number is reached. Outcomes, first that applies:
//
//  1. the evidence is malformed: no verdict
//  2. the target is more than the lanes can hold at once: TARGET_UNREACHABLE
//  3. more are alive than the target says: OVER_TARGET
//  4. fewer are alive than could and should be: FILLING
//  5. AT_TARGET
//
// Lanes with a tree come first, then handles, then exclusive lanes, each in
// the order of the roster. Whatever the outcome, its spawns and reaps stand.
func Plan(ev Evidence) PlanVerdict {
	if err := ev.check(); err != nil {
		return noPlan(ev, err)
	}
	p := planner{Evidence: ev, v: empty(ev), stuck: map[string]Blocker{}}
	for _, l := range ev.Lanes {
		p.roster = append(p.roster, newSite(ev.Algebra, l))
	}
	for _, s := range p.roster {
		p.look(s)
	}
	for _, o := range ev.Outside {
		p.occupied = append(p.occupied, occupant{
			site:   newSite(ev.Algebra, Lane{Name: o.Name, Tree: o.Tree, Exclusive: o.Exclusive}),
			phrase: "is held by a lease outside the roster",
		})
	}
	p.v.Admissible = p.admissible()
	p.start(max(0, min(ev.Target, p.v.Admissible)-p.v.Alive))
	p.conclude()
	return p.v
}

// A planner is a plan in the making.
type planner struct {
	Evidence
	v            PlanVerdict
	roster       []site
	occupied     []occupant // what stays: live leases, and workers on their way
	reaped       []site
	candidates   []site
	stuck        map[string]Blocker // by lane: why nobody is started there
	unclassified []string
	resting      int // workers of handles that have ended a short while ago
}

// An occupant is somebody on a lane.
type occupant struct {
	site
	phrase string // follows the lane's name
}

// look counts a lane and says what is to be done about its lease. Everything
// that is not free and not reaped here keeps its region, counted or not.
func (p *planner) look(l site) {
	if l.role() == handle {
		p.resting += l.Resting
	}
	switch {
	case l.Pending:
		p.keep(l, l.workers(), "waits for a worker that was started and shows no lease yet")
	case l.Parked:
		p.keep(l, 0, "is parked until somebody decides about it")
	case l.Liveness == "":
		p.offer(l)
	case l.Liveness == Advancing:
		p.keep(l, 1, "has a worker that is advancing")
		if l.role() == handle {
			p.offer(l)
		}
	case l.Liveness == Spinning:
		p.spinning(l)
	case l.Liveness == Stalled && p.Policy.ReapStalled:
		p.v.Reap = append(p.v.Reap, l.row(Reap, "its lease is stalled: scavenge it, unless its run can be resumed"))
		p.reaped = append(p.reaped, l)
		p.offer(l)
	case l.Liveness == Stalled:
		p.keep(l, 0, "has a stalled lease, and supervise.reap_stalled is off")
	default:
		p.unclassified = append(p.unclassified, l.Name)
		p.keep(l, 1, "has a lease whose liveness cannot be told")
	}
}

func (p *planner) spinning(l site) {
	p.v.Flag = append(p.v.Flag, l.row(Flag, "its worker is spinning: it beats, and nothing comes of it"))
	if after := p.Policy.SpinHaltAfterMS; after != nil && l.spunMS() >= *after {
		p.v.ProposedHalt = append(p.v.ProposedHalt, l.row(ProposeHalt,
			fmt.Sprintf("its worker has been spinning for %d ms, the limit is %d ms", l.spunMS(), *after)))
	}
	alive := 0
	if p.Policy.CountSpinningAsAlive {
		alive = 1
	}
	p.keep(l, alive, "has a worker that is spinning")
}

// keep leaves a lane to whoever is on it. Unless they count in full, they are
// why the lane does not help to reach the target.
func (p *planner) keep(l site, alive int, phrase string) {
	p.v.Alive += alive
	p.occupied = append(p.occupied, occupant{l, phrase})
	if alive == 0 || l.role() == handle {
		p.stuck[l.Name] = Blocker{l.Name, l.Name, "it " + phrase}
	}
}

// rests is why nobody is started where nobody is.
const rests = "a worker that was started on it has ended already: the next one waits until supervise.pending_window is over"

// offer makes a lane one that a worker can be started on, unless it rests. A handle
// is used only where there is a budget for it.
func (p *planner) offer(l site) {
	if l.Resting > 0 && l.role() != handle {
		p.stuck[l.Name] = Blocker{l.Name, l.Name, rests}
		return
	}
	if l.role() == handle && p.Policy.MaxConcurrency == nil {
		p.stuck[l.Name] = Blocker{l.Name, l.Name, "a handle needs supervise.max_concurrency"}
		return
	}
	p.candidates = append(p.candidates, l)
}

// admissible is how many workers the roster can hold at once: the lanes that
// are disjoint from all counted before them, or the budget if that is more.
// The order of the roster matters: a lane of everything that comes first is
// the only one. Beside an exclusive lease there is nobody.
func (p *planner) admissible() int {
	var kept []site
	exclusive, handles := false, false
	for _, l := range p.roster {
		switch l.role() {
		case alone:
			exclusive = true
		case handle:
			handles = true
		case fixed:
			if !slices.ContainsFunc(kept, func(k site) bool { return k.tree.Meets(l.tree) }) {
				kept = append(kept, l)
			}
		}
	}
	n := len(kept)
	if n == 0 && exclusive {
		n = 1
	}
	if budget := p.Policy.MaxConcurrency; budget != nil && handles {
		n = max(n, *budget)
	}
	if p.recluse() != nil {
		n = min(n, 1)
	}
	return n
}

// recluse is who tolerates nobody else, if somebody does.
func (p *planner) recluse() *occupant {
	if i := slices.IndexFunc(p.occupied, func(o occupant) bool { return o.Exclusive }); i >= 0 {
		return &p.occupied[i]
	}
	return nil
}

// row is a row about the lane and its lease.
func (l Lane) row(d Disposition, reason string) Row {
	r := Row{Lane: l.Name, Disposition: d, Reason: reason}
	if l.Lease != nil {
		lease := *l.Lease
		r.Lease = &lease
	}
	return r
}
