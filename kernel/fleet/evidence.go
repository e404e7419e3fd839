package fleet

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Liveness is how the worker behind a lane's lease is doing. Its zero value
// says that the lane is free, and is null in JSON. A word that is not in this
// list is read as Unclassified.
type Liveness string

const (
	Advancing    Liveness = "ADVANCING"    // it gets on
	Spinning     Liveness = "SPINNING"     // it beats, and nothing comes of it
	Stalled      Liveness = "STALLED"      // it does not beat
	Unclassified Liveness = "UNCLASSIFIED" // somebody holds the lane; nothing else is known
)

// MarshalJSON writes a free lane's liveness as null.
func (l Liveness) MarshalJSON() ([]byte, error) {
	if l == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(l))
}

// A Policy holds the numbers of the supervise table.
type Policy struct {
	CountSpinningAsAlive bool   `json:"count_spinning_as_alive"`
	ReapStalled          bool   `json:"reap_stalled"`
	SpinHaltAfterMS      *int64 `json:"spin_halt_after_ms"` // nil: a halt is never proposed
	MaxConcurrency       *int   `json:"max_concurrency"`    // nil: no budget, and handles are not used
}

// A Lease names the lease behind a lane, so that whoever acts on a row can
// tell that it is still the one that was judged.
type Lease struct {
	RunID string `json:"run_id"`
	Gen   int    `json:"gen"`
	Nonce string `json:"nonce"`
	Node  string `json:"node"`
}

// A Lane is one entry of the roster as it was found.
type Lane struct {
	Name       string   `json:"lane"`
	Liveness   Liveness `json:"liveness"` // of its lease
	Tree       []string `json:"tree"`     // declared; an unknown region when empty, unless this is a handle
	Exclusive  bool     `json:"is_exclusive"`
	Pending    bool     `json:"pending"` // a worker was started on it and shows no lease yet
	SpinningMS *int64   `json:"spinning_age_ms"`
	Repeatable bool     `json:"repeatable"` // a handle, if it has no tree and is not exclusive

	Coming    int      `json:"coming,omitempty"`     // workers on their way to a pending handle, when more than one
	Resting   int      `json:"resting,omitempty"`    // workers that were started a short while ago and have ended
	Parked    bool     `json:"parked,omitempty"`     // its lease is kept for somebody to decide about
	LeaseTree []string `json:"lease_tree,omitempty"` // held by its lease besides Tree
	Lease     *Lease   `json:"lease,omitempty"`
}

// An Outsider is a live lease on a lane that is not in the roster. What it
// holds is held, and that is all it counts for.
type Outsider struct {
	Name      string   `json:"lane"`
	Tree      []string `json:"tree"` // empty: an unknown region
	Exclusive bool     `json:"is_exclusive"`
}

// Evidence is everything Plan may know.
type Evidence struct {
	Target  int          `json:"target"`
	Policy  Policy       `json:"policy"`
	Lanes   []Lane       `json:"lanes"` // the roster, in its order
	Outside []Outsider   `json:"outside"`
	Algebra lane.Algebra `json:"algebra"`
}

// Bounds on what is planned for. The work grows with the square of the lanes.
const (
	maxLanes   = 2000
	maxWorkers = 10000
)

// check reports why the evidence cannot be judged.
func (ev Evidence) check() error {
	budget := ev.Policy.MaxConcurrency
	switch {
	case ev.Target < 0:
		return fmt.Errorf("target %d is negative", ev.Target)
	case budget != nil && (*budget < 1 || *budget > maxWorkers):
		return fmt.Errorf("max concurrency %d is not between 1 and %d", *budget, maxWorkers)
	case len(ev.Lanes)+len(ev.Outside) > maxLanes:
		return fmt.Errorf("%d lanes and leases are more than the %d a plan is made for", len(ev.Lanes)+len(ev.Outside), maxLanes)
	}
	seen := make(map[string]bool, len(ev.Lanes))
	for _, l := range ev.Lanes {
		name := lane.CanonicalOr(l.Name) // a handle's need not be one a lane can have
		switch {
		case name == "":
			return fmt.Errorf("a lane of the roster has no name")
		case lane.Reserved(name):
			return fmt.Errorf("lane %s is reserved and takes no workers: leave it out of the roster", verdict.Show(l.Name))
		case seen[name]:
			return fmt.Errorf("lane %s is in the roster twice", verdict.Show(l.Name))
		case l.Resting < 0 || l.Resting > maxWorkers:
			return fmt.Errorf("%d workers of lane %s that have ended are not between 0 and %d", l.Resting, verdict.Show(l.Name), maxWorkers)
		case l.Coming < 0 || l.Coming > maxWorkers:
			return fmt.Errorf("%d workers on their way to lane %s are not between 0 and %d", l.Coming, verdict.Show(l.Name), maxWorkers)
		}
		seen[name] = true
	}
	for _, o := range ev.Outside {
		if lane.Reserved(lane.CanonicalOr(o.Name)) {
			return fmt.Errorf("lane %s is reserved and holds no tree: leave it out of the plan", verdict.Show(o.Name))
		}
	}
	return nil
}

// copied is the evidence to show with a verdict: no list of it is null, and
// none is the caller's.
func (ev Evidence) copied() Evidence {
	ev.Lanes = append([]Lane{}, ev.Lanes...)
	for i := range ev.Lanes {
		ev.Lanes[i].Tree = append([]string{}, ev.Lanes[i].Tree...)
		ev.Lanes[i].LeaseTree = slices.Clone(ev.Lanes[i].LeaseTree)
	}
	ev.Outside = append([]Outsider{}, ev.Outside...)
	for i := range ev.Outside {
		ev.Outside[i].Tree = append([]string{}, ev.Outside[i].Tree...)
	}
	return ev
}

// A role is what can be started on a lane, in the order in which it is.
type role int

const (
	fixed  role = iota // one worker, if its tree is free
	handle             // any number of workers
	alone              // one worker, if nothing else lives
)

// role never lets a lane with a tree be a handle: two workers in one tree are
// what leases are there to prevent.
func (l Lane) role() role {
	switch {
	case l.Exclusive:
		return alone
	case l.Repeatable && len(l.Tree) == 0:
		return handle
	}
	return fixed
}

// workers is how many a pending lane stands for.
func (l Lane) workers() int {
	if l.role() == handle {
		return max(1, l.Coming)
	}
	return 1
}

// spunMS is for how long the worker has been spinning; what is unknown is not
// long.
func (l Lane) spunMS() int64 {
	if l.SpinningMS == nil {
		return math.MinInt64
	}
	return *l.SpinningMS
}
