package main

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/journal"
)

// What rows hold makes no lines of its own.
func TestReplayPrintsALineForEachThing(t *testing.T) {
	const evil = "x\nrun RID-FAKE\n"
	s := journalState{
		Alerts: []journalAlert{{Op: "HALT", Count: 1, Lane: evil, RunID: evil, Handle: evil, ReasonClass: evil, Reason: evil}},
		Runs:   []string{evil}, Doubts: []journal.Doubt{{Node: "n1", Seq: 1, Why: evil}},
	}
	if text := s.String(); strings.Count(text, "\n") != 2 || strings.Contains(text, "\nrun RID-FAKE") {
		t.Errorf("%s", text)
	}
}
