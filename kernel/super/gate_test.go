package super

import (
	"strings"
	"testing"
)

// Every combination of what a gate may be told has the answer that the rules, each
// written down by itself, have for it: and exactly one rule applies.
func TestTheGateAnswersEveryCombinationByItsRules(t *testing.T) {
	n, seen := 0, map[Gating]int{}
	for _, unread := range [][]string{nil, {"lane _dispatcher"}} {
		for _, lease := range []Standing{NotTaken, Live, Lapsed, "", "PARKED"} {
			for _, pulse := range []Pulse{Fresh, Late, Missing, "", "QUICK"} {
				for _, alive := range []int{0, 2, -1} {
					for _, ready := range []int{0, 3} {
						for _, shipped := range []int{0, 1} {
							for _, attended := range []bool{false, true} {
								ev := GateEvidence{Lease: lease, Beat: pulse, Alive: alive, Ready: ready, Shipped: shipped, Attended: attended, Unread: unread}
								n++
								seen[oneGate(t, ev)]++
							}
						}
					}
				}
			}
		}
	}
	if n != 2*5*5*3*2*2*2 || len(seen) != 4 {
		t.Errorf("%d combinations, answers %v", n, seen)
	}
}

func oneGate(t *testing.T, ev GateEvidence) Gating {
	t.Helper()
	sure := len(ev.Unread) == 0 && ev.Alive >= 0
	beats := ev.Beat == Fresh || ev.Beat == Late || ev.Beat == Missing
	idle := ev.Alive == 0 && ev.Ready > 0 && ev.Shipped == 0
	holds := map[Gating]bool{
		HandLaunch:       sure && ev.Lease == NotTaken,
		AlreadyGardening: sure && ev.Lease == Live && ev.Beat == Fresh && !idle,
		CronDown:         sure && (ev.Lease == Lapsed || ev.Lease == Live && beats && (ev.Beat != Fresh || idle)),
		Unreadable:       !sure || ev.Lease != NotTaken && ev.Lease != Lapsed && (ev.Lease != Live || !beats),
	}
	var want []Gating
	for _, g := range []Gating{HandLaunch, AlreadyGardening, CronDown, Unreadable} {
		if holds[g] {
			want = append(want, g)
		}
	}
	v := Gate(ev)
	if len(want) != 1 || v.Found != want[0] {
		t.Fatalf("%+v: found %s, want %v", ev, v.Found, want)
	}
	outcome := v.Found
	if ev.Attended && (v.Found == AlreadyGardening || v.Found == CronDown) {
		outcome = HandLaunch
	}
	code := map[Gating]int{HandLaunch: 0, AlreadyGardening: 3, CronDown: 4, Unreadable: 5}[outcome]
	if v.Outcome != outcome || v.Overridden != (outcome != v.Found) || v.ExitCode() != code || v.Reason == "" {
		t.Fatalf("%+v: %+v, exit %d", ev, v, v.ExitCode())
	}
	return v.Outcome
}

func TestWhatTheGateSaysIsFitForATerminal(t *testing.T) {
	v := Gate(GateEvidence{Lease: Lapsed, Holder: "\x1b[31mred"})
	if strings.Contains(v.String(), "\x1b") || !strings.Contains(v.String(), "--operator NAME") {
		t.Errorf("%q", v)
	}
	if (GateVerdict{}).ExitCode() != 2 {
		t.Error("what nobody decided has a status of its own")
	}
}
