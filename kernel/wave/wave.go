// Package wave decides which workers a wave starts, and how large the next one
// may be.
//
// [Plan] takes the units that are to be done, best first, sets aside with a
// reason whatever may not be started now, and compares the rest with each other
// as their leases would be: the largest set without a collision is the wave, and
// the others wait for later ones. A plan is a proposal with a name: the same
// evidence has the same [Verdict.PlanID], so that what was looked at is what is
// launched, and [Moved] says what has changed where it is not.
//
// [Ramp] decides how many workers the next wave may have by what became of the
// last: a host is tried with one, then with a few, then with as many as it
// bears. Time promotes nobody; only leases that are held and commits that git
// bears out do.
package wave

import "github.com/git-dos/git-dos/kernel/lane"

// Work kinds. Each has a tier of accounts that does it.
const (
	Engineering = "engineering"
	Gardening   = "gardening"
)

// A Candidate is a unit that is to be done.
type Candidate struct {
	Unit  string
	Title string
	Task  string   // its task in the queue, "" for none
	Lane  string   // "" unrouted
	Tree  []string // that its task states
	Kept  Set      // why it may not be started, "" where it may
	Why   string   // of Kept, in words
	Gen   uint64   // the newest generation of its lane
	Last  string   // the run of the newest launch of it by a wave, "" for none
}

// A Set says where a candidate ended up: to be launched, in a later wave, or
// among those that are left out, and why.
type Set string

const (
	Launch Set = "launch"

	Collides Set = "collision_risk" // with one that is launched before it
	NoRoom   Set = "no_room"        // as many are launched as may
	Unscoped Set = "unknown_scope"  // nobody knows which files it touches

	InFlight Set = "live"        // somebody works on it, or was started for it
	Cooling  Set = "cooling"     // it was tried a short while ago
	Waiting  Set = "kept"        // by a dependency, a hold, or its plan
	Unclear  Set = "unclear"     // what keeps it cannot be told
	Ended    Set = "unharvested" // a wave launched it, and nobody has looked at what came of it
	Unrouted Set = "unrouted"    // it has no lane
	Held     Set = "hold"        // its tree lies in the hold set
	LaneHeld Set = "lane_held"   // its lane is held
	TreeHeld Set = "tree_held"   // a lease that is live stands against its tree
	Blocked  Set = "blocked"     // acquire would refuse it whatever else lives
)

// What would let a candidate run that is left out, beside what a price advises.
const (
	AdviceByHand  = "run_by_hand"
	AdviceRoute   = "state_lane_or_files"
	AdviceHarvest = "harvest_first"
)

// A Seat is a place of an account for one worker.
type Seat struct {
	Account string `json:"account"`
	Seat    string `json:"seat"`
}

// A Dropped account gives no seat.
type Dropped struct {
	Account string `json:"account"`
	Why     string `json:"why"`             // one word
	Until   string `json:"until,omitempty"` // RFC 3339, where it comes back by itself
	Detail  string `json:"detail,omitempty"`
}

// A Pool is the seats that may be taken now, best first. A nil pool is one that
// nobody asked for: then no worker needs a seat.
type Pool struct {
	Free    []Seat
	Dropped []Dropped
}

// Evidence is everything Plan may know.
type Evidence struct {
	// What was asked for.
	Workers   int // how many are to be started
	Kind      string
	Downshift bool
	Scope     []string // only units of these lanes; none is all
	Command   []string // of every worker

	Candidates []Candidate // best first

	Live    []lane.Lease // that bind
	Lanes   lane.Taxonomy
	Algebra lane.Algebra
	Soft    float64 // overlap.ratio_max
	Protect []string
	Budgets map[string]int // by kind
	Hold    []string       // globs that no wave may touch

	Room   Bound // what this machine bears beside what lives
	Seats  *Pool
	Ramp   *State   // nil where nothing bounds a wave by the one before
	Step   int      // workers of the second rung
	Prefix []string // the words that start a worker, before its flags
}

// A Bound is a number of workers and what it comes from.
type Bound struct {
	Name string `json:"name"`
	Most int    `json:"most"`
}
