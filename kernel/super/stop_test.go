package super

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 20, 0, 0, time.UTC)

func at(d time.Duration) *time.Time { t := noon.Add(d); return &t }

// Every set of signals that are up at once is answered with the first of them, under
// its own status.
func TestTheFirstSignalOfItsOrderStops(t *testing.T) {
	up := map[Signal]func(*StopEvidence){
		OperatorStop: func(ev *StopEvidence) {
			ev.Stands = &Word{Signal: OperatorStop, By: "ann", At: noon, Reason: "release day"}
		},
		WeeklyCapped: func(ev *StopEvidence) {
			ev.Accounts = []Cap{{"a", true, at(3 * time.Hour)}, {"b", true, at(time.Hour)}}
		},
		ThroughputFlat: func(ev *StopEvidence) { ev.Spans = []Tally{{Launches: 3}, {Launches: 3}} },
		BacklogDrained: func(ev *StopEvidence) { ev.Open = 0 },
		SpawnFailures:  func(ev *StopEvidence) { ev.Failures = 3 },
		OverdueMarkers: func(ev *StopEvidence) { ev.Overdue = []string{"run r"} },
	}
	for bits := range 1 << len(Signals) {
		ev := StopEvidence{Now: noon, Open: 4, Complete: true, Accounts: []Cap{{"a", true, at(time.Hour)}, {"b", false, nil}}, Failures: 2}
		want := Signal("")
		for i, s := range Signals {
			if bits&(1<<i) != 0 {
				up[s](&ev)
				if want == "" {
					want = s
				}
			}
		}
		h := Stop(ev)
		if h.Signal != want || (want == "") != (h.Reason == "") || (want == "") != (h.Next == "") {
			t.Fatalf("%06b: %+v, want %q", bits, h, want)
		}
	}
	for i, s := range Signals {
		if s.ExitCode() != 10+i {
			t.Errorf("%s exits %d", s, s.ExitCode())
		}
	}
	if Signal("").ExitCode() != 0 || Signal("OTHER").ExitCode() != 2 {
		t.Error("a signal that is none has a status of its own")
	}
}

func TestAllAccountsThatAreUsedUpNameTheEarliestReset(t *testing.T) {
	h := Stop(StopEvidence{Now: noon, Open: 1, Accounts: []Cap{{"a", true, at(3 * time.Hour)}, {"b", true, at(time.Hour)}}})
	if h.Until == nil || !h.Until.Equal(*at(time.Hour)) || !strings.Contains(h.Reason, "2026-01-02T13:20:00Z") {
		t.Errorf("%+v", h)
	}
	for name, c := range map[string]struct {
		accounts []Cap
		until    *time.Time
	}{
		"of one nobody knows":   {[]Cap{{"a", true, nil}, {"b", true, at(time.Hour)}}, at(time.Hour)},
		"of none anybody knows": {[]Cap{{"a", true, nil}, {"b", true, nil}}, nil},
	} {
		h := Stop(StopEvidence{Now: noon, Open: 1, Accounts: c.accounts})
		if h.Signal != WeeklyCapped || (h.Until == nil) != (c.until == nil) || h.Until != nil && !h.Until.Equal(*c.until) {
			t.Errorf("%s: %+v", name, h)
		}
	}
	for name, accounts := range map[string][]Cap{
		"one is free":           {{"a", true, at(time.Hour)}, {"b", false, nil}},
		"one has come back":     {{"a", true, at(time.Hour)}, {"b", true, at(-time.Second)}},
		"one comes back now":    {{"a", true, at(time.Hour)}, {"b", true, at(0)}},
		"no account is at hand": nil,
	} {
		if h := Stop(StopEvidence{Now: noon, Open: 1, Accounts: accounts}); h.Signal != "" {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

func TestABacklogIsDrainedOnlyWhenAllOfItWasRead(t *testing.T) {
	for _, c := range []struct {
		open     int
		complete bool
		want     Signal
	}{{0, true, BacklogDrained}, {0, false, ""}, {1, true, ""}, {1, false, ""}} {
		if h := Stop(StopEvidence{Now: noon, Open: c.open, Complete: c.complete}); h.Signal != c.want {
			t.Errorf("%+v: %+v", c, h)
		}
	}
}

// What an operator has to lift stands, whatever has changed meanwhile; a signal that
// comes before it is still said first.
func TestWhatStandsHasThePlaceOfItsKind(t *testing.T) {
	flat := &Word{Signal: ThroughputFlat, At: noon.Add(-9 * time.Hour), Reason: "7 launches, 0 ships"}
	if h := Stop(StopEvidence{Now: noon, Open: 1, Stands: flat}); h.Signal != ThroughputFlat || !strings.Contains(h.Reason, "since 2026-01-02T03:20:00Z") {
		t.Errorf("%+v", h)
	}
	if h := Stop(StopEvidence{Now: noon, Open: 1, Stands: flat, Accounts: []Cap{{"a", true, at(time.Hour)}}}); h.Signal != WeeklyCapped {
		t.Errorf("%+v", h)
	}
	for _, s := range Signals {
		if s.Stays() && s.Waits() {
			t.Errorf("%s both stays until it is lifted and waits for itself to end", s)
		}
	}
}
