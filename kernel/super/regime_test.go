package super

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/fleet"
)

func TestTheRegimeIsChosenByItsRules(t *testing.T) {
	says := []fleet.Readiness{fleet.SpawnOK, fleet.RefuseAtCap, fleet.RefuseNoSeat, fleet.RefuseNoAccount, fleet.RefuseHost, fleet.RefuseInspect, "", "READY"}
	seen, n := map[Regime]int{}, 0
	for _, preflight := range says {
		for bits := range 1 << 6 {
			is := func(bit int) bool { return bits&(1<<bit) != 0 }
			ev := RegimeEvidence{Preflight: preflight, Capped: is(0), Shipping: is(1), Marathon: is(2)}
			if is(3) {
				ev.Residue = []string{"run r ended without a word"}
			}
			if is(4) {
				ev.Live = 3
			}
			if is(5) {
				ev.Cold = []string{"the first wave of the day"}
			}
			n++
			seen[oneRegime(t, ev)]++
		}
	}
	if n != 8*64 || len(seen) != 7 {
		t.Errorf("%d combinations, regimes %v", n, seen)
	}
	if c := Choose(RegimeEvidence{Preflight: fleet.SpawnOK, Live: -1}); c.Regime != Inspect {
		t.Errorf("a negative count: %s", c.Regime)
	}
}

func oneRegime(t *testing.T, ev RegimeEvidence) Regime {
	t.Helper()
	p := ev.Preflight
	blind := p == fleet.RefuseInspect || p == "" || p == "READY"
	dirty := !blind && (p == fleet.RefuseHost || len(ev.Residue) > 0)
	spent := !blind && !dirty && (ev.Capped || p == fleet.RefuseNoSeat || p == fleet.RefuseNoAccount)
	atCap := !blind && !dirty && !spent && p == fleet.RefuseAtCap
	free := !blind && !dirty && !spent && p == fleet.SpawnOK
	warm := ev.Live > 0 && ev.Shipping && len(ev.Cold) == 0
	holds := map[Regime]bool{
		Inspect: blind, WaitReset: spent,
		Reclaim:  dirty || atCap && ev.Live == 0,
		Watch:    atCap && ev.Live > 0,
		Marathon: free && ev.Marathon,
		Canary:   free && !ev.Marathon && !warm,
		Full:     free && !ev.Marathon && warm,
	}
	c := Choose(ev)
	count := 0
	for _, yes := range holds {
		if yes {
			count++
		}
	}
	if count != 1 || !holds[c.Regime] || c.Why == "" {
		t.Fatalf("%+v: %s (%s), rules %v", ev, c.Regime, c.Why, holds)
	}
	return c.Regime
}
