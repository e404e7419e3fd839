package lane

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// pick answers a request that names no lane. Its error says that the ladder is
// malformed.
func (h *hearing) pick(ladder *Ladder) (Verdict, error) {
	v := h.decideOnBoth(func(d *docket) (Verdict, *held) {
		if d.exclusive != nil {
			return exclusiveLive(d.exclusive), d.exclusive
		}
		return Verdict{}, nil
	})
	if v.ReasonClass != "" {
		return v, nil
	}
	if ladder != nil {
		return h.climb(ladder)
	}
	v, f := h.walk(h.declaredOffers(), nil, nil)
	if v.Outcome == Acquire {
		return v, nil
	}
	return h.nothing(f, false), nil
}

// redirect finds another lane for a plea that v refuses.
func (h *hearing) redirect(p plea, v Verdict, ladder *Ladder) Verdict {
	var picks oracle
	if ladder != nil {
		picks = newOracle(ladder.Picks)
	}
	other, f := h.walk(h.declaredOffers(), picks, nil)
	if other.Outcome == Acquire {
		if v.ReasonClass != SameLaneHeld {
			other.HintRefused = v.ReasonClass
		}
		other.Reason = "in place of lane " + verdict.Show(p.Lane) + ": " + v.Reason
		return other
	}
	none := h.nothing(f, ladder != nil)
	if none.Outcome == Refuse {
		none.Holder, none.ConflictLane = v.Holder, v.ConflictLane
		none.Reason = v.Reason + "; and " + none.Reason
	}
	return none
}

// declaredOffers lists the auto-pick lanes that have a tree.
func (h *hearing) declaredOffers() []Claim {
	var offers []Claim
	for _, name := range h.offered(h.autopick) {
		c := Claim{Lane: name, Kind: Cluster, Declared: true, Tree: h.trees[name]}
		if len(c.Tree) > 0 {
			offers = append(offers, c)
		}
	}
	return offers
}

// findings is what a walk met on its way to nothing.
type findings struct {
	spent     int     // offers whose class budget is used up
	reached   int     // offers that were free and within their budget
	asked     int     // of these, the ones the oracle was asked about
	zero      int     // and the ones it found no work on
	undecided Verdict // of the first offer that hangs on an unreadable lease
}

// walk takes the first offer that may become a lease. Held names are passed
// over, and so is what is not known to be apart from everything in the list.
func (h *hearing) walk(offers []Claim, picks oracle, apart []region) (Verdict, findings) {
	var f findings
	for _, c := range offers {
		if h.readable.byName[c.Lane] != nil {
			continue
		}
		if !h.budgets.room(c.Kind, h.readable.kinds[c.Kind]) {
			f.spent++
			continue
		}
		f.reached++
		if !h.apartFrom(c.Tree, apart) {
			continue
		}
		v := h.judge(plea{Claim: c})
		if v.Outcome != Acquire {
			if v.ReasonClass == Unreadable && f.undecided.ReasonClass == "" {
				f.undecided = v
			}
			continue
		}
		f.asked++
		count, work := picks.work(c)
		if !work {
			if count != nil {
				f.zero++
			}
			continue
		}
		v.ReasonClass, v.AutoPicked, v.PickCount = AutoPick, true, count
		return v, f
	}
	return Verdict{}, f
}

// nothing is the answer after a walk that found no lane.
func (h *hearing) nothing(f findings, ladder bool) Verdict {
	switch {
	case f.undecided.ReasonClass != "":
		return f.undecided
	case f.spent > 0 && f.reached == 0:
		return refuse(ClassBudgetExhausted, "the class budget of every lane that could be picked is used up")
	case ladder && f.asked > 0 && f.zero == f.asked:
		v := refuse(AllZeroPicks, "no work waits on any lane that could be picked")
		v.PickCount = new(int)
		return v
	case ladder:
		return refuse(LadderExhausted, "no lane of the ladder can be had")
	case len(h.free(h.concurrent)) > 0:
		return refuse(LadderEmptyOthersFree, "no lane can be picked; the free ones are to be asked for by name")
	case len(h.offered(h.concurrent))+len(h.offered(h.autopick)) == 0:
		return refuse(AllHeld, "no lane is declared to be picked: name one with --lane and its files with --tree")
	}
	return refuse(AllHeld, "every lane that could be picked is held")
}

func (h *hearing) apartFrom(tree []string, others []region) bool {
	if len(others) == 0 {
		return true
	}
	r := h.Algebra.region(tree)
	return !slices.ContainsFunc(others, func(other region) bool {
		_, _, overlap := overlapping(r, other)
		return overlap
	})
}
