package lane

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A hearing is everything the rungs look at, prepared once for however many
// lanes are judged.
type hearing struct {
	Evidence
	Roster
	protected []pattern
	budgets   budgets
	readable  *docket // the leases that can be read
	all       *docket // and those that cannot; the same docket when there are none
}

// hear prepares the evidence. Its error says that the taxonomy is malformed.
func hear(ev Evidence) (*hearing, error) {
	r, err := ev.Lanes.Roster()
	if err != nil {
		return nil, err
	}
	h := &hearing{Evidence: ev, Roster: r, protected: ev.Algebra.patterns(ev.SelfModify), budgets: foldBudgets(ev.Budgets)}
	live := r.binding(ev.Live, ev.Algebra)
	h.all = newDocket(live)
	h.readable = h.all
	if known := onlyReadable(live); len(known) < len(live) {
		h.readable = newDocket(known)
	}
	return h, nil
}

// judge takes a plea through the rungs.
func (h *hearing) judge(p plea) Verdict {
	return h.decideOnBoth(func(d *docket) (Verdict, *held) { return h.rungs(p, d) })
}

// decideOnBoth asks with the leases that can be read, and then with all: what only a
// lease that cannot be read refuses is not decided.
func (h *hearing) decideOnBoth(ask func(*docket) (Verdict, *held)) Verdict {
	v, _ := ask(h.readable)
	if v.Outcome == Refuse || h.all == h.readable {
		return v
	}
	if no, by := ask(h.all); no.Outcome == Refuse {
		return undecided(by)
	}
	return v
}

// rungs is the order of what can refuse, as [Decide] and [Arbitrate] list it.
// Beside a refusal that leases cause it returns the lease to blame.
func (h *hearing) rungs(p plea, d *docket) (Verdict, *held) {
	reserved := Reserved(p.Lane)
	if l := d.exclusive; l != nil && !reserved {
		return exclusiveLive(l), l
	}
	if h.Force && p.asked.Lane != "" {
		return p.forced(), nil
	}
	if l := d.byName[p.Lane]; l != nil {
		return conflict(SameLaneHeld, l, l.phrase()+" lane "+verdict.Show(p.Lane)), l
	}
	if p.no.Outcome != "" {
		return p.no, nil
	}
	if reserved {
		return acquire(p.Claim, ReservedAdmitted), nil
	}
	if l := d.first; l != nil && p.Exclusive {
		return conflict(ExclusiveNotAlone, l, "lane "+verdict.Show(p.Lane)+" runs alone, and "+l.phrase()+" lane "+verdict.Show(l.name)), l
	}
	region := h.Algebra.region(p.Tree)
	hits := region.hits(h.protected)
	if v, l := h.collision(region, d); l != nil && (len(hits) == 0 || h.keepsOut(region, d.given)) {
		return v, l
	}
	if !h.budgets.room(p.Kind, d.kinds[p.Kind]) {
		return h.overBudget(p.Kind), d.oneOf(p.Kind)
	}
	if len(hits) > 0 {
		return selfModifying(p.Tree, hits), nil
	}
	return acquire(p.Claim, p.admitted()), nil
}

// collision finds the first lease whose tree keeps the region out.
func (h *hearing) collision(r region, d *docket) (Verdict, *held) {
	for i := range d.regions.candidates(r) {
		l := &d.live[i]
		a, b, blocked := blocks(r, l.region, h.RatioMax)
		switch {
		case !blocked:
		case a == "":
			return conflict(Collision, l, l.phrase()+" lane "+verdict.Show(l.name)+", whose tree is unknown"), l
		default:
			return conflict(Collision, l, fmt.Sprintf("%s overlaps %s, which %s on lane %s",
				verdict.Show(a), verdict.Show(b), l.phrase(), verdict.Show(l.name))), l
		}
	}
	return Verdict{}, nil
}

// opposes is what rungs asks of one lease, for an operator who must know of
// every one.
func (h *hearing) opposes(p plea, r region, l held) bool {
	switch {
	case l.name == p.Lane:
		return true
	case l.reserved || Reserved(p.Lane):
		return false
	case l.alone || p.Exclusive:
		return true
	}
	return h.keepsOut(r, &l)
}

func (h *hearing) keepsOut(r region, l *held) bool {
	_, _, blocked := blocks(r, l.region, h.RatioMax)
	return blocked
}

func exclusiveLive(l *held) Verdict {
	return conflict(ExclusiveLive, l, l.phrase()+" lane "+verdict.Show(l.name)+", which runs alone")
}

func (c Claim) admitted() string {
	switch {
	case c.Exclusive:
		return ExclusiveAdmitted
	case c.Kind == Keyword:
		return KeywordAdmitted
	}
	return ClusterAdmitted
}
