package loop

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/improve"
)

// A Tried is one unit of a dispatch, as its worker ended and as git has it.
type Tried struct {
	End      Kind // SHIPPED for one that claims it, UNCLEAR, RATE_LIMITED, OVERLOADED or LAUNCH_FAILED
	Verified bool // it shipped, whatever its worker said
	Quiet    bool // it was claimed, and has not
}

// A Dispatched is what came of one dispatch.
type Dispatched struct {
	Gate    Judged
	Tried   []Tried
	Held    Hold   // of a BLOCKED packet: one that no dispatch ends, "" for none
	Cooling string // of a BLOCKED packet: a unit that was tried a short while ago, "" for none
}

// Iteration is the dispatch as a loop takes it. What of its units was served least
// decides, unless the unit shipped all the same. A packet that raced twice says
// nothing, and a LIVE one of which nobody was launched is blocked. The signals are
// those of a BLOCKED packet alone: where any unit is on offer, what holds another
// stops nothing.
func (d Dispatched) Iteration() (Iteration, Signals) {
	switch {
	case d.Gate == Race:
		return Iteration{Kind: Unclear}, Signals{}
	case d.Gate == Blocked && d.Held != "":
		return Iteration{Kind: Gate, Gate: Blocked}, Signals{Pick: &Pick{Held: true, Hold: d.Held}}
	case d.Gate == Blocked && d.Cooling != "":
		return Iteration{Kind: Gate, Gate: Blocked}, Signals{Cooldown: &Cooldown{State: RecentlyAttempted, Unit: d.Cooling}}
	case d.Gate != Live:
		return Iteration{Kind: Gate, Gate: d.Gate}, Signals{}
	case len(d.Tried) == 0:
		return Iteration{Kind: Gate, Gate: Blocked}, Signals{}
	}
	for _, kind := range []Kind{LaunchFailed, RateLimited, Overloaded} {
		if slices.ContainsFunc(d.Tried, func(t Tried) bool { return t.End == kind && !t.Verified }) {
			return Iteration{Kind: kind}, Signals{}
		}
	}
	if !slices.ContainsFunc(d.Tried, func(t Tried) bool { return t.Verified || t.Quiet }) {
		return Iteration{Kind: Unclear}, Signals{}
	}
	it := Iteration{Kind: Shipped, Measured: true, Judge: ShippedClean, Ships: new(int64)}
	*it.Ships = d.Gained()
	if *it.Ships == 0 || d.quiet() {
		it.Judge = ShippedDirty
	}
	return it, Signals{}
}

// Gained counts the units that shipped.
func (d Dispatched) Gained() (n int64) {
	for _, t := range d.Tried {
		if t.Verified {
			n++
		}
	}
	return n
}

func (d Dispatched) quiet() bool {
	return slices.ContainsFunc(d.Tried, func(t Tried) bool { return t.Quiet })
}

// A Progress is what a loop has to show for its iterations.
type Progress struct {
	Verified int64 `json:"verified"` // units that shipped
	Baseline int64 `json:"baseline"` // as many as had when an iteration was last worth it
	Reverts  int64 `json:"reverts"`  // iterations in a row that were not
}

// After is the progress after a dispatch, and whether that was worth it. Only one
// that says it shipped is asked: the others have a breaker of their own.
func (p Progress) After(d Dispatched, by improve.Policy) (Progress, improve.Outcome) {
	p.Verified += d.Gained()
	if it, _ := d.Iteration(); it.Kind != Shipped {
		return p, ""
	}
	v := improve.Decide(improve.Evidence{
		SuitePassed: d.Gate == Live, TruthClean: !d.quiet(), Work: p.Verified, Baseline: p.Baseline, Reverts: p.Reverts, Policy: by,
	})
	p.Reverts = v.Reverts
	if v.Outcome == improve.Keep {
		p.Baseline = p.Verified
	}
	return p, v.Outcome
}

// A Carried is all that one iteration leaves to the next, also to that of another
// process.
type Carried struct {
	Next     Counters `json:"next_state"`
	Mode     Mode     `json:"mode"`
	Progress Progress `json:"progress"`
}

// Check reports what cannot be in one, whoever wrote it.
func (c Carried) Check() error {
	if err := (Evidence{State: State{Counters: c.Next, Policy: DefaultPolicy()}, Iteration: Iteration{Kind: Unclear}}).check(); err != nil {
		return err
	}
	for _, n := range []number{{"verified", &c.Progress.Verified}, {"baseline", &c.Progress.Baseline}, {"reverts", &c.Progress.Reverts}} {
		if *n.value < 0 {
			return fmt.Errorf("%s is negative: %d", n.name, *n.value)
		}
	}
	if c.Mode == "" {
		return errors.New("mode is empty")
	}
	return oneOf("mode", c.Mode, Dispatch, Replan)
}
