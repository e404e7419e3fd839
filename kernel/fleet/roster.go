package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Live is a lease that binds others now, with what is known of its worker.
// Whoever cannot tell leaves Liveness empty: that is not a free lane but one
// whose worker is Unclassified.
type Live struct {
	Lane      string
	Kind      string
	Tree      []string // empty or not: as recorded; what could not be read is empty
	Exclusive bool
	State     lane.State
	Liveness  Liveness
	Spinning  *time.Duration // since its last beat
	Since     time.Time      // when the lease was taken
	Lease     Lease
}

// A Launch is the record that a worker was started on a lane.
type Launch struct {
	Lane  string
	RunID string // of the worker, if it was given one
	At    time.Time
	Over  bool // it has provably ended, and left nothing that might become a worker
}

// A Census is everything Roster may know.
type Census struct {
	Taxonomy lane.Taxonomy
	Live     []Live
	Launches []Launch
	Now      time.Time
	Window   time.Duration // for how long a launch stands for its worker
	Skew     time.Duration // how far ahead of Now a launch may be stamped
	Budget   bool          // handles may be used
}

// anywhere is the tree of what may be anywhere.
const anywhere = "**/*"

// autoHandle is what the handle of the budget is called.
const autoHandle = "auto"

// Roster reads a census as the lanes a plan is made for: the concurrent lanes,
// then the exclusive ones, as declared. With a budget come the live leases on
// lanes that nobody declared, as handles, and one free handle. A declared lane
// is never a handle. Live leases that fit nowhere are returned as outsiders: on
// exclusive lanes outside the roster, on concurrent lanes without a tree, which
// nobody can be started on, and without a budget all that are not declared.
// Reserved lanes are left out. It is an error if the taxonomy is unusable.
//
// A launch stands for a worker on its way until its window is over, or a lease
// with its run id is live, or one on its lane that is not older than it. One that
// is over stands for nobody: for as long, its lane rests, so that a command which
// fails is not started over and over.
func Roster(c Census) ([]Lane, []Outsider, error) {
	declared, err := c.Taxonomy.Roster()
	if err != nil {
		return nil, nil, fmt.Errorf("read the lanes of dos.toml: %w", err)
	}
	r := rolls{Census: c, declared: declared, index: map[string]int{}, taken: map[string]bool{}}
	for _, name := range slices.Concat(c.Taxonomy.Concurrent, c.Taxonomy.Exclusive) {
		r.enter(name)
	}
	for _, l := range c.Live {
		r.add(l)
	}
	if c.Budget {
		r.lanes = append(r.lanes, Lane{Name: r.handleName(), Tree: []string{}, Repeatable: true})
	}
	r.launches()
	return r.lanes, r.outside, nil
}

// rolls is a roster in the making. Its maps are by canonical name.
type rolls struct {
	Census
	declared lane.Roster
	lanes    []Lane
	outside  []Outsider
	index    map[string]int  // in lanes, of the declared ones
	taken    map[string]bool // all that are in lanes or outside
}

// enter adds a declared lane that a worker can be started on, once. Its tree is
// what a lease on it would record.
func (r *rolls) enter(name string) {
	claim, ok := r.declared.Declared(name)
	if !ok || r.taken[claim.Lane] {
		return
	}
	r.taken[claim.Lane] = true
	r.index[claim.Lane] = len(r.lanes)
	r.lanes = append(r.lanes, Lane{Name: claim.Lane, Tree: claim.Tree, Exclusive: claim.Exclusive})
}

// add enters a live lease. A second one on a lane of the roster, which the
// store should not hold, keeps its region like any outsider.
func (r *rolls) add(l Live) {
	name := lane.CanonicalOr(l.Lane)
	if l.State == lane.Free || lane.Reserved(name) {
		return
	}
	if i, ok := r.index[name]; ok && r.lanes[i].Liveness == "" {
		r.lanes[i] = l.on(r.lanes[i])
		r.lanes[i].Exclusive = r.lanes[i].Exclusive || r.excludes(l)
		return
	}
	if r.Budget && !r.declared.Declares(name) && !r.taken[name] && !r.excludes(l) {
		r.lanes = append(r.lanes, l.on(Lane{Name: l.Lane, Tree: []string{}, Repeatable: true}))
	} else {
		r.outside = append(r.outside, Outsider{l.Lane, l.Tree, r.excludes(l)})
	}
	r.taken[name] = true
}

// on is the lane with this lease on it. A tree that was not read may be
// anywhere.
func (l Live) on(at Lane) Lane {
	at.Liveness = cmp.Or(l.Liveness, Unclassified)
	at.Parked = l.State == lane.Parked
	lease := l.Lease
	at.Lease = &lease
	if l.Spinning != nil && l.Liveness == Spinning {
		ms := l.Spinning.Milliseconds()
		at.SpinningMS = &ms
	}
	switch {
	case len(l.Tree) == 0:
		at.LeaseTree = []string{anywhere}
	case !slices.Equal(l.Tree, at.Tree):
		at.LeaseTree = l.Tree
	}
	return at
}

// excludes reports whether the lease tolerates no other. Its kind, its lane
// and what it says of itself count, whichever of them says so.
func (r *rolls) excludes(l Live) bool {
	return l.Exclusive || r.declared.Excludes(l.Lane, l.Kind)
}

// handleName is a name that no lane in sight has.
func (r *rolls) handleName() string {
	name := autoHandle
	for r.declared.Declares(name) || r.taken[name] {
		name += "*"
	}
	return name
}

// launches counts the workers that are on their way: each to its lane if that
// is one of the roster, or else to the handle of the budget.
func (r *rolls) launches() {
	runs, newest := map[string]bool{}, map[string]time.Time{}
	for _, l := range r.Live {
		name := lane.CanonicalOr(l.Lane)
		if l.State == lane.Free {
			continue
		}
		runs[l.Lease.RunID] = true
		if l.Since.After(newest[name]) {
			newest[name] = l.Since
		}
	}
	for _, launch := range r.Launches {
		name, age := lane.CanonicalOr(launch.Lane), r.Now.Sub(launch.At)
		since, live := newest[name]
		switch i, ok := r.index[name]; {
		case age >= r.Window || age < -r.Skew:
		case launch.RunID != "" && runs[launch.RunID]:
		case live && !since.Before(launch.At):
		case launch.Over && ok:
			r.lanes[i].Resting++
		case launch.Over && r.Budget:
			r.lanes[len(r.lanes)-1].Resting++
		case launch.Over:
		case ok:
			r.lanes[i].Pending = true
		case r.Budget:
			last := &r.lanes[len(r.lanes)-1]
			last.Pending = true
			last.Coming++
		}
	}
}
