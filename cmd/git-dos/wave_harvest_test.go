package main

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/wave"
)

// What cannot be seen here comes before a claim that does not hold, and that before
// an open end of which there is nothing to be asked.
func TestAHarvestAsksOnWhereItCannotSeeFirst(t *testing.T) {
	rows := []waveHarvestRow{
		{State: wave.HonestOpen, Unit: "SHOP/API1"}, {State: wave.QuietIncomplete, Unit: "SHOP/API2"}, {State: wave.Elsewhere, Unit: "SHOP/API3", Node: "north"},
	}
	for n, want := range map[int]string{3: "git dos wave harvest, on node north", 2: "git dos verify SHOP/API2 --explain", 1: ""} {
		a := waveHarvestAnswer{Rows: rows[:n]}
		if got := a.further(); got != want {
			t.Errorf("of %d rows: %q, want %q", n, got, want)
		}
	}
}
