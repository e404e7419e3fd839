package ship

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
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
	case ev.Near > 0:
		v.Outcome, v.Reason = NotShipped, fmt.Sprintf("no commit names it; %d hold the phase in another form, see --explain", ev.Near)
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
		g := ev.grade(c, undone)
		slot := &aside
		switch {
		case !g.named():
			continue
		case g.counts == Yes:
			slot = &counts
		case g.counts == Unknown:
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

// named reports whether anything connects the candidate with the unit.
func (g graded) named() bool { return g.rung != "" }

// before orders by witness, then rung, then how many of the plan's files it
// changed; candidates come newest first.
func (g graded) before(h graded) bool {
	if g.witness.rank() != h.witness.rank() {
		return g.witness.rank() < h.witness.rank()
	}
	if g.rung != h.rung {
		return g.rung.rank() < h.rung.rank()
	}
	return g.rung == RungFiles && len(g.Touches) > len(h.Touches)
}

func (g *graded) report(v *Verdict, o Outcome) {
	v.Outcome, v.Reason = o, g.reason
	v.Rung, v.Sha, v.Witness, v.Floor, v.Lane = g.rung, g.ID, g.witness, g.floor, legible(g.Lane)
	v.Summary = verdict.Short(g.ID) + " " + legible(g.Subject)
	v.RevertedBy = g.revertedBy
}

// grade weighs one candidate. One that nothing connects with the unit has no
// rung, and a reason that says why.
func (ev Evidence) grade(c Candidate, undone *undoing) graded {
	g := graded{Candidate: c, floor: ev.Floor, counts: No}
	if g.reason = g.evidence(ev); !g.named() {
		return g
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
		g.reason = fmt.Sprintf("%s changes nothing but release, ledger or plan files, or nothing at all", verdict.Short(c.ID))
	case reverted.undone == Yes:
		g.revertedBy = reverted.by
		g.reason = fmt.Sprintf("%s was reverted by %s", verdict.Short(c.ID), verdict.Short(reverted.by))
	case ev.Section == SectionContradicts && (g.rung == RungRelease || g.rung == RungBody):
		g.reason = fmt.Sprintf("%s mentions it as a %s, and the plan does not say that it has shipped", verdict.Short(c.ID), g.rung)
		g.rung = RungPlanBody
	case !g.witness.atLeast(g.floor) && !g.mayRise(ev):
		g.reason = fmt.Sprintf("%s is witness %s, below the floor %s%s", verdict.Short(c.ID), g.witness, g.floor, g.shortfall())
	default:
		g.counts, g.reason = ev.standing(g, reverted)
	}
	return g
}

// shortfall says why a trailer is worth no more than a subject, "" for others.
func (g *graded) shortfall() string {
	switch {
	case g.rung != RungTrailerBlock || g.witness != Subject:
		return ""
	case g.Lane == "":
		return ": no lane of the unit is known; git dos commit --lane names one"
	}
	return ": it changes paths outside lane " + legible(g.Lane)
}

// standing is what becomes of a candidate that nothing known speaks against.
func (ev Evidence) standing(g graded, reverted answer) (Fact, string) {
	switch {
	case g.Substantive == Unknown && ev.History == Shallow:
		return Unknown, fmt.Sprintf("what %s changed lies beyond the shallow edge: run git fetch --unshallow", verdict.Short(g.ID))
	case g.Substantive == Unknown:
		return Unknown, fmt.Sprintf("what %s changed cannot be read here", verdict.Short(g.ID))
	case !g.witness.atLeast(g.floor) && g.Signed == Unknown && g.floor == Signed:
		return Unknown, fmt.Sprintf("the signature of %s cannot be checked here", verdict.Short(g.ID))
	case !g.witness.atLeast(g.floor):
		return Unknown, fmt.Sprintf("what %s changed cannot be read here", verdict.Short(g.ID))
	case reverted.undone == Unknown:
		return Unknown, fmt.Sprintf("whether %s still reverts %s cannot be read here", verdict.Short(reverted.by), verdict.Short(g.ID))
	case ev.History == Shallow && g.Whole != Yes:
		return Unknown, fmt.Sprintf("a revert of %s may lie beyond the shallow edge: run git fetch --unshallow", verdict.Short(g.ID))
	}
	return Yes, fmt.Sprintf("%s names it and stands", verdict.Short(g.ID))
}

// mayRise reports whether reading more could still lift the witness to the
// floor: its paths or its signature are unknown, and some evidence waits on
// them.
func (g *graded) mayRise(ev Evidence) bool {
	explicit := g.rung == RungTrailerBlock || g.rung == RungLedger
	outside := g.Lane != "" && g.InTree == No
	if g.rung == RungTrailerBlock && g.Signed == Unknown && !outside && g.floor.rank() >= Signed.rank() {
		return true
	}
	if g.Lane != "" && g.InTree == Unknown && g.witness != Mention {
		switch {
		case g.floor == SubjectInTree:
			return explicit || g.rung == RungDirect || g.rung == RungParens
		case g.floor == Trailer:
			return explicit
		case g.floor == Signed && g.rung == RungTrailerBlock && g.Signed == Yes:
			return true
		}
	}
	return g.floor == Ledger && slices.ContainsFunc(ev.entries(g.ID), func(e LedgerEntry) bool { return e.Inside.and(e.Leased) == Unknown })
}

// evidence picks the strongest form in which the candidate names the unit. It
// returns why there is none.
func (g *graded) evidence(ev Evidence) (refusal string) {
	n, entries := ev.Query.Naming(g.Subject, g.Body, g.Units), ev.entries(g.ID)
	stamp, explicit := Subject, Subject
	if g.Lane != "" && g.InTree == Yes {
		stamp, explicit = SubjectInTree, Trailer
	}
	switch {
	case n.stamped() && borneOut(entries):
		g.rung, g.witness, g.source = RungLedger, Ledger, SourceLedger
	case n.Trailer && g.Signed == Yes && (g.Lane == "" || g.InTree == Yes):
		g.rung, g.witness, g.source = RungTrailerBlock, Signed, SourceTrailer
	case n.Trailer:
		g.rung, g.witness, g.source = RungTrailerBlock, explicit, SourceTrailer
	case len(entries) > 0 && !n.Withdrawn:
		g.rung, g.witness, g.source = RungLedger, explicit, SourceLedger
	case n.Rung == RungDirect || n.Rung == RungParens:
		g.rung, g.witness, g.source = n.Rung, stamp, SourceSubject
	case ev.Query.byFiles(g.Candidate, ev.Files):
		g.rung, g.witness, g.source = RungFiles, Subject, SourceArtifact
	case n.Rung != "":
		g.rung, g.witness, g.source = n.Rung, Mention, SourceSubject
	}
	return n.Refusal
}

// borneOut reports whether an entry was made under a lease in whose tree the
// commit's paths lie.
func borneOut(entries []LedgerEntry) bool {
	return slices.ContainsFunc(entries, func(e LedgerEntry) bool { return e.Inside.and(e.Leased) == Yes })
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
