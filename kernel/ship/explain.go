package ship

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Weighing is one candidate and what it is worth.
type Weighing struct {
	Sha        string  `json:"sha"`
	Summary    string  `json:"summary"`
	Counts     string  `json:"counts"` // yes, no or unknown
	Rung       Rung    `json:"rung,omitempty"`
	Witness    Witness `json:"witness,omitempty"`
	Floor      Witness `json:"floor,omitempty"`
	Lane       string  `json:"lane,omitempty"`
	RevertedBy string  `json:"reverted_by,omitempty"`
	Reason     string  `json:"reason"`
}

func (w Weighing) String() string {
	form := "no evidence"
	if w.Rung != "" {
		form = fmt.Sprintf("%s as %s", w.Witness, w.Rung)
	}
	return fmt.Sprintf("%s %s (%s): %s", w.Counts, verdict.Short(w.Sha), form, w.Reason)
}

// Explain weighs every candidate as Decide does, newest first. Commits whose
// text has the phase in it and that name the unit in no form are among them,
// with the reason.
func Explain(ev Evidence) []Weighing {
	undone := newUndoing(ev.Reverts)
	list := make([]Weighing, len(ev.Candidates))
	for i, c := range ev.Candidates {
		g := ev.grade(c, undone)
		list[i] = Weighing{
			Sha: g.ID, Summary: legible(g.Subject), Counts: g.counts.String(), Rung: g.rung, Witness: g.witness,
			Floor: g.floor, Lane: legible(g.Lane), RevertedBy: g.revertedBy, Reason: g.reason,
		}
	}
	return list
}

// Undone reports whether reverts that stand take a commit back, and which.
func Undone(reverts []Revert, id string) (Fact, string) {
	a := newUndoing(reverts).ship(id)
	return a.undone, a.by
}
