package super

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Regime is how a fleet is to be driven, as it was found.
type Regime string

const (
	Inspect   Regime = "INSPECT"    // what must be looked at could not be
	Reclaim   Regime = "RECLAIM"    // clean up before anything grows
	WaitReset Regime = "WAIT_RESET" // the seats come back by themselves, and not by trying
	Watch     Regime = "WATCH"      // as many live as may
	Canary    Regime = "CANARY"     // one worker, and more once git bears it out
	Full      Regime = "FULL"       // as many as there is room for
	Marathon  Regime = "MARATHON"   // waves at a cadence, and no bigger wave
)

// RegimeEvidence is everything Choose may know.
type RegimeEvidence struct {
	Preflight fleet.Readiness `json:"preflight"`
	Residue   []string        `json:"residue"`  // workers that ended without a word, leases of nobody, markers that are overdue
	Capped    bool            `json:"capped"`   // every account is
	Live      int             `json:"live"`     // workers
	Shipping  bool            `json:"shipping"` // something shipped of late
	Cold      []string        `json:"cold"`     // why nothing is known of how a wave goes here now
	Marathon  bool            `json:"marathon"` // waves are asked for at a cadence
}

// A Choice is a regime and why.
type Choice struct {
	Regime   Regime         `json:"regime"`
	Why      string         `json:"why"`
	Next     string         `json:"next,omitempty"`
	Evidence RegimeEvidence `json:"evidence"`
}

// Choose picks the regime, first that applies:
//
//  1. preflight could not look, or says what is not known: INSPECT
//  2. preflight refuses this host, or something is left over: RECLAIM
//  3. there is no seat or account, or all are used up: WAIT_RESET
//  4. as many live as may: WATCH; and RECLAIM where none of them does
//  5. waves are asked for at a cadence: MARATHON
//  6. nothing lives or ships, or it is cold for another reason: CANARY
//  7. FULL
//
// None of them is a way around a refusal.
func Choose(ev RegimeEvidence) Choice {
	ev.Residue, ev.Cold = append([]string{}, ev.Residue...), append([]string{}, ev.Cold...)
	c := Choice{Evidence: ev}
	c.Regime, c.Why, c.Next = ev.choose()
	return c
}

func (ev RegimeEvidence) choose() (r Regime, why, next string) {
	cold := ev.cold()
	switch {
	case !known[ev.Preflight] || ev.Live < 0:
		return Inspect, fmt.Sprintf("preflight says %q", ev.Preflight), "git dos preflight"
	case ev.Preflight == fleet.RefuseInspect:
		return Inspect, "preflight could not look at everything", "git dos preflight"
	case ev.Preflight == fleet.RefuseHost:
		return Reclaim, "this machine is in no state to bear one more", "git dos reclaim --evidence"
	case len(ev.Residue) > 0:
		return Reclaim, ev.Residue[0] + more(len(ev.Residue)-1), "git dos reclaim"
	case ev.Preflight == fleet.RefuseNoSeat || ev.Preflight == fleet.RefuseNoAccount || ev.Capped:
		return WaitReset, "no account takes a worker now", "git dos super status"
	case ev.Preflight == fleet.RefuseAtCap && ev.Live == 0:
		return Reclaim, "the cap is reached, and no worker lives", "git dos reclaim"
	case ev.Preflight == fleet.RefuseAtCap:
		return Watch, verdict.Count(ev.Live, "worker") + " live, and no more may", "git dos super status"
	case ev.Marathon:
		return Marathon, "waves are asked for at a cadence", "git dos super tick"
	case len(cold) > 0:
		return Canary, strings.Join(cold, ", "), "git dos wave plan --max-workers 1"
	}
	return Full, verdict.Count(ev.Live, "worker") + " live, and they ship", "git dos wave plan"
}

var known = map[fleet.Readiness]bool{
	fleet.SpawnOK: true, fleet.RefuseAtCap: true, fleet.RefuseNoSeat: true, fleet.RefuseNoAccount: true,
	fleet.RefuseHost: true, fleet.RefuseInspect: true,
}

// cold is why one worker has to come first.
func (ev RegimeEvidence) cold() (why []string) {
	if ev.Live == 0 {
		why = append(why, "no worker lives")
	}
	if !ev.Shipping {
		why = append(why, "nothing shipped of late")
	}
	return append(why, ev.Cold...)
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}
