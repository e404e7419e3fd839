package ship

import (
	"fmt"
	"strings"
)

// Decide judges the unit against the candidates. In order:
//
//  1. a bare number that two plans share names no unit: NOT_SHIPPED;
//  2. objects missing: INDETERMINATE, since what is out of sight may be a
//     revert;
//  3. a candidate that counts: SHIPPED, by the strongest witness, then the
//     stronger rung, then the newest;
//  4. a candidate that would count but for something out of sight, or a
//     history cut short: INDETERMINATE;
//  5. NOT_SHIPPED, with the best candidate that was set aside, if any.
func Decide(ev Evidence) Verdict {
	q := ev.Query
	if q.Plan == "" || q.Phase == "" {
		return Verdict{}
	}
	counts, open, aside := ev.best()
	v := Verdict{Plan: legible(q.Plan), Phase: legible(q.Phase), Source: SourceNowhere, Ref: legible(ev.Ref), RefID: ev.RefID}
	switch {
	case q.ambiguous():
		v.Outcome, v.Rung = NotShipped, RungAmbiguous
		v.Summary = legible(strings.Join(q.SameNumber, " "))
		v.Reason = fmt.Sprintf("%d plans share this number: name the plan in full", len(q.SameNumber))
	case ev.History != Complete && ev.History != Shallow:
		v.Outcome, v.Reason = Indeterminate, "history is not all readable here: "+legible(ev.Gap)
	case counts != nil:
		counts.report(&v, Shipped)
		v.Shipped, v.Source = true, counts.source
	case open != nil:
		open.report(&v, Indeterminate)
	case ev.History == Shallow:
		v.Outcome, v.Reason = Indeterminate, "nothing found in a shallow history: run git fetch --unshallow"
	case aside != nil:
		aside.report(&v, NotShipped)
	case ev.RefID == "":
		v.Outcome, v.Reason = NotShipped, "the branch has no commit yet"
	default:
		v.Outcome, v.Reason = NotShipped, "no commit names it"
	}
	return v
}

// best returns the first among the candidates that count, that are open, and
// that were set aside.
func (ev Evidence) best() (counts, open, aside *graded) {
	undone := newUndoing(ev.Reverts)
	for _, c := range ev.Candidates {
		g, named := ev.grade(c, undone)
		if !named {
			continue
		}
		slot := &aside
		switch g.counts {
		case Yes:
			slot = &counts
		case Unknown:
			slot = &open
		}
		if *slot == nil || g.before(**slot) {
			*slot = &g
		}
	}
	return counts, open, aside
}

// graded is a candidate with what it is worth.
type graded struct {
	Candidate
	rung       Rung
	witness    Witness
	source     Source
	floor      Witness
	counts     Fact
	revertedBy string
	reason     string
}

// before orders by witness, then rung; candidates come newest first.
func (g graded) before(h graded) bool {
	if g.witness.rank() != h.witness.rank() {
		return g.witness.rank() < h.witness.rank()
	}
	return g.rung != h.rung && h.rung == RungTrailer
}

func (g *graded) report(v *Verdict, o Outcome) {
	v.Outcome, v.Reason = o, g.reason
	v.Rung, v.Sha, v.Witness, v.Floor, v.Lane = g.rung, g.ID, g.witness, g.floor, legible(g.Lane)
	v.Summary = short(g.ID) + " " + legible(g.Subject)
	v.RevertedBy = g.revertedBy
}

// grade weighs one candidate. It reports false for a commit that nothing
// connects with the unit.
func (ev Evidence) grade(c Candidate, undone *undoing) (graded, bool) {
	g := graded{Candidate: c, floor: ev.Floor}
	if !g.evidence(ev.Query.Naming(c.Subject, c.Units), ev.entries(c.ID)) {
		return g, false
	}
	if g.floor == "" {
		g.floor = Subject
		if c.Lane != "" {
			g.floor = SubjectInTree
		}
	}
	reverted := undone.ship(c.ID)
	switch {
	case c.Substantive == No:
		g.counts, g.reason = No, fmt.Sprintf("%s changes nothing but release, ledger or plan files, or nothing at all", short(c.ID))
	case reverted.undone == Yes:
		g.counts, g.revertedBy = No, reverted.by
		g.reason = fmt.Sprintf("%s was reverted by %s", short(c.ID), short(reverted.by))
	case !g.witness.atLeast(g.floor) && !g.mayRise(ev):
		g.counts, g.reason = No, fmt.Sprintf("%s is witness %s, below the floor %s", short(c.ID), g.witness, g.floor)
	case c.Substantive == Unknown || !g.witness.atLeast(g.floor):
		g.reason = fmt.Sprintf("what %s changed cannot be read here", short(c.ID))
	case reverted.undone == Unknown:
		g.reason = fmt.Sprintf("whether %s still reverts %s cannot be read here", short(reverted.by), short(c.ID))
	case ev.History == Shallow && c.Whole != Yes:
		g.reason = fmt.Sprintf("a revert of %s may lie beyond the shallow edge: run git fetch --unshallow", short(c.ID))
	default:
		g.counts, g.reason = Yes, fmt.Sprintf("%s names it and stands", short(c.ID))
	}
	return g, true
}

// mayRise reports whether reading the paths could still lift the witness: they
// are unknown, and some evidence waits on them.
func (g *graded) mayRise(ev Evidence) bool {
	if g.Lane != "" && g.InTree == Unknown && g.floor.rank() >= Trailer.rank() {
		return g.floor != Trailer || g.rung != RungDirect && g.rung != RungTrailer
	}
	for _, e := range ev.entries(g.ID) {
		if e.Inside == Unknown && g.floor == Ledger {
			return true
		}
	}
	return false
}

// evidence picks the strongest form in which the candidate names the unit.
func (g *graded) evidence(n Naming, entries []LedgerEntry) bool {
	stamp := Subject
	explicit := Subject
	if g.Lane != "" && g.InTree == Yes {
		stamp, explicit = SubjectInTree, Trailer
	}
	switch {
	case n.any() && borneOut(entries):
		g.rung, g.witness, g.source = RungLedger, Ledger, SourceLedger
	case n.Trailer:
		g.rung, g.witness, g.source = RungTrailers, explicit, SourceTrailer
	case len(entries) > 0:
		g.rung, g.witness, g.source = RungLedger, explicit, SourceLedger
	case n.Direct:
		g.rung, g.witness, g.source = RungDirect, stamp, SourceSubject
	case n.Parens:
		g.rung, g.witness, g.source = RungTrailer, stamp, SourceSubject
	default:
		return false
	}
	return true
}

// borneOut reports whether the commit's paths lie in the tree of a lease that
// recorded it.
func borneOut(entries []LedgerEntry) bool {
	for _, e := range entries {
		if e.Inside == Yes {
			return true
		}
	}
	return false
}

// entries returns the SHIP entries that name the unit and this commit.
func (ev Evidence) entries(id string) []LedgerEntry {
	var found []LedgerEntry
	for _, e := range ev.Ledger {
		if e.Commit == id && ev.Query.Is(e.Plan, e.Phase) {
			found = append(found, e)
		}
	}
	return found
}
