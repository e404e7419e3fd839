package loop

import "math"

// State is where a loop stands.
type State struct {
	Counters
	Policy
	Signals
}

// After is the state of the next iteration. Nothing that was judged for this
// one is in it.
func (s State) After(v Verdict) State { return State{Counters: v.Next, Policy: s.Policy} }

// Counters are what one iteration leaves to the next.
type Counters struct {
	Iteration               int64 `json:"iteration"`           // from 1
	ReplanDrained           bool  `json:"last_replan_drained"` // the last productive replan answered a DRAIN
	Unclear                 int64 `json:"consecutive_unclear"`
	DirtyZero               int64 `json:"consecutive_dirty_zero"`
	Overloaded              int64 `json:"consecutive_overloaded"`
	StaleStamp              int64 `json:"consecutive_stale_stamp"`
	UnproductiveReplanDrain int64 `json:"consecutive_unproductive_replan_drains"`
	UnproductiveReplan      int64 `json:"consecutive_unproductive_replan"`
	GateWasDrain            bool  `json:"last_gate_was_drain"`
	AdoptWait               int64 `json:"consecutive_adopt_wait"` // waits for the child of a parked parent
}

// A GateMode is what a packet that is not LIVE leads to.
type GateMode string

const (
	Hard  GateMode = "hard"  // to a replan
	Soft  GateMode = "soft"  // to the end, but for stamps, which are reconciled
	Drive GateMode = "drive" // as soft; what carries it out repairs the stamps itself
)

// A Policy bounds a loop. Every bound is at least 1, and reaching it ends the
// loop.
type Policy struct {
	GateMode                    GateMode `json:"gate_mode"`
	MaxIterations               int64    `json:"max_iterations"`
	MaxUnclear                  int64    `json:"max_unclear"`
	MaxDirtyZero                int64    `json:"max_dirty_zero"`
	MaxOverloaded               int64    `json:"max_overloaded"`
	MaxStaleStamp               int64    `json:"max_stale_stamp"`
	MaxUnproductiveReplanDrains int64    `json:"max_unproductive_replan_drains"`
	MaxUnproductiveReplan       int64    `json:"max_unproductive_replan"`
	MaxAdoptWait                int64    `json:"max_adopt_wait"` // reaching it ends only the waiting
}

// DefaultPolicy is the policy of a loop that states none. Four overloads in a
// row end it, so that each step of the back-off is taken once.
func DefaultPolicy() Policy {
	return Policy{
		GateMode: Hard, MaxIterations: 10, MaxUnclear: 3, MaxDirtyZero: 3, MaxOverloaded: 4, MaxStaleStamp: 3,
		MaxUnproductiveReplanDrains: 2, MaxUnproductiveReplan: 2, MaxAdoptWait: 2,
	}
}

// A number is a field that holds one.
type number struct {
	name  string
	value *int64
}

func (n *Counters) numbers() []number {
	return []number{
		{"iteration", &n.Iteration},
		{"consecutive_unclear", &n.Unclear},
		{"consecutive_dirty_zero", &n.DirtyZero},
		{"consecutive_overloaded", &n.Overloaded},
		{"consecutive_stale_stamp", &n.StaleStamp},
		{"consecutive_unproductive_replan_drains", &n.UnproductiveReplanDrain},
		{"consecutive_unproductive_replan", &n.UnproductiveReplan},
		{"consecutive_adopt_wait", &n.AdoptWait},
	}
}

func (p *Policy) numbers() []number {
	return []number{
		{"max_iterations", &p.MaxIterations},
		{"max_unclear", &p.MaxUnclear},
		{"max_dirty_zero", &p.MaxDirtyZero},
		{"max_overloaded", &p.MaxOverloaded},
		{"max_stale_stamp", &p.MaxStaleStamp},
		{"max_unproductive_replan_drains", &p.MaxUnproductiveReplanDrains},
		{"max_unproductive_replan", &p.MaxUnproductiveReplan},
		{"max_adopt_wait", &p.MaxAdoptWait},
	}
}

// bump counts one more, and reports whether that is as many as are allowed. A
// count that can grow no more stays where it is.
func bump(n *int64, most int64) (reached bool) {
	if *n < math.MaxInt64 {
		*n++
	}
	return *n >= most
}
