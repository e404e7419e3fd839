package main

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// The statuses that help and exit-codes tell are those of the verdicts.
func TestPickStatusesAreTheVerdicts(t *testing.T) {
	for name, exit := range map[string]func(word string) verdict.Verdict{
		"gate":          func(w string) verdict.Verdict { return pick.GateVerdict{Outcome: pick.GateOutcome(w)} },
		"pickable":      func(w string) verdict.Verdict { return pick.PickableVerdict{Outcome: pick.Hold(w)} },
		"cooldown":      func(w string) verdict.Verdict { return pick.CooldownVerdict{Outcome: pick.CooldownOutcome(w)} },
		"pick-priority": func(w string) verdict.Verdict { return pick.PriorityVerdict{Outcome: pick.Freshness(w)} },
	} {
		seen := 0
		for _, v := range allVerbs() {
			for _, s := range v.statuses[name] {
				seen++
				if got := exit(s.Outcome).ExitCode(); got != s.Code {
					t.Errorf("%s: %s is listed as %d and exits %d", name, s.Outcome, s.Code, got)
				}
			}
		}
		if seen < 2 {
			t.Errorf("%s: %d statuses seen", name, seen)
		}
		if got := exit("x").ExitCode(); got != verdict.NoVerdict {
			t.Errorf("%s: a word of no verdict exits %d", name, got)
		}
	}
}
