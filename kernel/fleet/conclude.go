package fleet

import (
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// conclude names the outcome, and flags those that are too many: the last
// lanes of the roster that are advancing.
func (p *planner) conclude() {
	v := &p.v
	switch {
	case v.Target > v.Admissible:
		v.Outcome, v.Reason = TargetUnreachable, p.unreachable()
	case v.Alive > v.Target:
		v.Outcome = OverTarget
		v.Reason = fmt.Sprintf("%s alive, the target is %d: nobody is stopped", workers(v.Alive), v.Target)
		p.flagExcess(v.Alive - v.Target)
	case v.Alive < v.Target:
		v.Outcome, v.Reason = Filling, p.filling()
	default:
		v.Outcome, v.Reason = AtTarget, fmt.Sprintf("%s alive, as many as the target says", workers(v.Alive))
	}
	if n := len(p.unclassified); n > 0 {
		v.Reason += fmt.Sprintf("; counted as alive, though its liveness cannot be told: lane %s", verdict.Show(p.unclassified[0]))
		if n > 1 {
			v.Reason += fmt.Sprintf(" and %d more", n-1)
		}
	}
}

func (p *planner) flagExcess(n int) {
	for _, l := range slices.Backward(p.Lanes) {
		if n == 0 {
			return
		}
		if l.Liveness == Advancing && !l.Pending && !l.Parked {
			p.v.Flag = append(p.v.Flag, l.row(Flag, "more workers are alive than the target says: this one is advancing, leave it alone"))
			n--
		}
	}
}

func (p *planner) filling() string {
	v := p.v
	s := fmt.Sprintf("%s alive, the target is %d: ", workers(v.Alive), v.Target)
	if n := len(v.Spawn); n > 0 {
		s += fmt.Sprintf("%d to start", n)
	} else {
		s += "none can be started"
	}
	if len(v.Blockers) > 0 {
		s += fmt.Sprintf("; lane %s: %s", verdict.Show(v.Blockers[0].Lane), v.Blockers[0].Reason)
		if n := len(v.Blockers) - 1; n > 0 {
			s += fmt.Sprintf(", and %d more", n)
		}
	}
	return s
}

// unreachable says what would help.
func (p *planner) unreachable() string {
	s := fmt.Sprintf("the target is %d, and the lanes hold at most %d at once", p.v.Target, p.v.Admissible)
	switch o := p.recluse(); {
	case o != nil:
		return s + fmt.Sprintf(" while lane %s, which runs alone, %s", verdict.Show(o.Name), o.phrase)
	case p.Policy.MaxConcurrency != nil:
		return s + ": raise supervise.max_concurrency, or declare more disjoint concurrent lanes in dos.toml"
	}
	return s + ": declare more disjoint concurrent lanes in dos.toml, or set supervise.max_concurrency"
}

func workers(n int) string {
	if n == 1 {
		return "1 worker is"
	}
	return fmt.Sprintf("%d workers are", n)
}
