package decisions

import "testing"

// Whether a run can be gone on with, or diverged, changes: the last word counts, and the
// one before it asks nobody any more.
func TestLastWordOnARun(t *testing.T) {
	diverged := Alert{Op: "DECISION", Kind: "RESUME_PROPOSAL", Class: Diverged, RunID: "R"}
	there := proposal
	there.Lane = "src"
	asked := Alert{Op: "DECISION", Kind: "RESUME_PROPOSAL", Class: "OTHER", RunID: "R"}
	other := Alert{Op: "DECISION", Kind: "RESUME_PROPOSAL", Class: Diverged, RunID: "S"}
	at := func(a Alert, node string, seq uint64, minutesAgo int) Alert {
		a.Node = node
		a = rowsOf(a, minutesAgo)
		a.Seq, a.Seqs = seq, []uint64{seq}
		return a
	}
	answered := func(a Alert) Alert { a.Answered = true; return a }
	for claim, c := range map[string]struct {
		alerts []Alert
		want   string // the class of the last word, - for none
		open   int
	}{
		"nobody said anything":                     {nil, "-", 0},
		"a proposal":                               {[]Alert{at(proposal, "n1", 1, 9)}, "", 1},
		"it diverged then":                         {[]Alert{at(diverged, "n1", 2, 9), at(proposal, "n1", 1, 9)}, Diverged, 1},
		"and can be gone on with again":            {[]Alert{at(diverged, "n1", 2, 9), at(proposal, "n1", 3, 9)}, "", 1},
		"one ledger's order counts, not its clock": {[]Alert{at(diverged, "n1", 2, 9), at(proposal, "n1", 1, 5)}, Diverged, 1},
		"between two the clocks":                   {[]Alert{at(diverged, "n1", 2, 9), at(proposal, "n2", 1, 5)}, "", 1},
		"of one time both stand":                   {[]Alert{at(diverged, "n1", 2, 9), at(proposal, "n2", 1, 9)}, Diverged, 2},
		"another run's is another":                 {[]Alert{at(other, "n1", 2, 5), at(proposal, "n1", 1, 9)}, "", 2},
		"and so is what somebody asks":             {[]Alert{at(asked, "n1", 2, 5), at(proposal, "n1", 1, 9)}, "", 2},
		"on another lane it is a later word too":   {[]Alert{at(proposal, "n1", 1, 9), at(there, "n1", 2, 5)}, "", 1},
		"the same in two ledgers is one":           {[]Alert{at(proposal, "n1", 1, 9), at(proposal, "n2", 2, 5)}, "", 1},
		"what was answered is no word":             {[]Alert{answered(at(diverged, "n1", 2, 5)), answered(at(proposal, "n1", 1, 9))}, "-", 0},
		"and gives none of before its force back":  {[]Alert{answered(at(diverged, "n1", 2, 5)), at(proposal, "n1", 1, 9)}, "", 0},
	} {
		got := "-"
		if last, ok := LastWord(c.alerts, "R"); ok {
			got = last.Class
		}
		v := Decide(Evidence{Now: now, Alerts: c.alerts})
		if claim == "the same in two ledgers is one" && v.Entries[0].Count != 2 {
			t.Errorf("%s: it counts %d", claim, v.Entries[0].Count)
		}
		if got != c.want || v.Open != c.open {
			t.Errorf("%s: %q and %d open, want %q and %d", claim, got, v.Open, c.want, c.open)
		}
	}
}
