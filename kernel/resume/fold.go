package resume

import (
	"errors"
	"maps"
	"slices"
)

// A State is what the rows of one run add up to. It is folded from the ledgers
// of any number of nodes: the rows of one node are added in their order, and in
// what order nodes come, or how they are mixed, makes no difference.
//
// The zero State is of no run; make one with [New].
type State struct {
	run   string
	nodes map[string]uint64 // the round of each node's last INTENT

	rows    int
	corrupt int
	newer   int

	goal, plan, phase, start said
	starts                   map[string]bool // all that were ever declared

	declared     []string
	regions      map[string][]string
	contradicted bool

	intent uint64 // the round of the last INTENT
	last   map[place]stamped
}

// A stamp orders the rows of different nodes: by round, which is what their
// writers knew of each other, then in an order that is the same for every
// reader.
type stamp struct {
	round uint64
	node  string
}

func (s stamp) before(t stamp) bool {
	return s.round < t.round || s.round == t.round && s.node < t.node
}

// said is the last thing that any INTENT said about something.
type said struct {
	at    stamp
	value string
}

func (s *said) hear(t said) {
	if t.value != "" && (s.value == "" || s.at.before(t.at)) {
		*s = t
	}
}

// A place is what the last row of a node with this op stands for, whatever that
// node wrote there before: a step, a proposal, the suspension.
type place struct{ node, op, about string }

type stamped struct {
	at  stamp
	row Row
}

// New is the state of a run of which no row was read yet.
func New(run string) State {
	return State{
		run:     run,
		nodes:   map[string]uint64{},
		starts:  map[string]bool{},
		regions: map[string][]string{},
		last:    map[place]stamped{},
	}
}

// Read adds one row of a node's ledger as it stands on the ref. A row of
// another run, of another kind or with another op is passed over. One that
// cannot be read counts against the run, unless it says that it is another's.
func (s *State) Read(node string, data []byte) {
	o, err := readObject(data)
	if err != nil {
		s.Corrupt()
		return
	}
	var run, op string
	named := o.read("run_id", &run) == nil && run != ""
	if named && run != s.run {
		return
	}
	_ = o.read("op", &op)
	r, err := o.row()
	switch {
	case err == nil:
		s.Add(node, r)
	case errors.Is(err, ErrOther) || !named && op != "" && !slices.Contains(ops, op):
		return
	case errors.Is(err, ErrNewer):
		s.Newer()
	default:
		s.Corrupt()
	}
}

// Corrupt counts a row that could not be read, or is no longer kept, and may
// have been the run's.
func (s *State) Corrupt() { s.rows, s.corrupt = s.rows+1, s.corrupt+1 }

// Newer counts a row of a newer version that may have been the run's.
func (s *State) Newer() { s.rows, s.newer = s.rows+1, s.newer+1 }

// Add adds the next row of a node. A row of another run is passed over.
func (s *State) Add(node string, r Row) {
	if r.RunID != s.run || s.run == "" {
		return
	}
	s.rows++
	round := s.nodes[node]
	if r.Op == OpIntent {
		round = max(round+1, r.Round)
	}
	s.nodes[node] = round
	at := stamp{max(round, r.Round), node}
	switch r.Op {
	case OpIntent:
		s.addIntent(at, r)
	case OpStepClaimed, OpStepVerified:
		s.last[place{node, r.Op, r.StepID}] = stamped{at, r}
	case OpSuspend:
		s.last[place{node, r.Op, ""}] = stamped{at, r}
	case OpResumeProposed:
		s.last[place{node, r.Op, proposalKey(r.ResumeSha, r.Residual)}] = stamped{at, r}
	}
}

// lastOf is the last row with this op about something, of all nodes.
func (s State) lastOf(op, about string) (last stamped, ok bool) {
	for node := range s.nodes {
		t, there := s.last[place{node, op, about}]
		if there && (!ok || last.at.before(t.at)) {
			last, ok = t, true
		}
	}
	return last, ok
}

func (s *State) addIntent(at stamp, r Row) {
	s.intent = max(s.intent, at.round)
	s.goal.hear(said{at, r.Goal})
	s.plan.hear(said{at, r.Plan})
	s.phase.hear(said{at, r.Phase})
	s.start.hear(said{at, r.StartSha})
	if r.StartSha != "" {
		s.starts[r.StartSha] = true
	}
	s.declare(r.DeclaredSteps)
	for step, globs := range r.StepRegions {
		s.bound(step, globs)
	}
}

// Merge adds what was folded elsewhere from the ledgers of other nodes.
func (s *State) Merge(t State) {
	if t.run != s.run {
		return
	}
	s.rows, s.corrupt, s.newer = s.rows+t.rows, s.corrupt+t.corrupt, s.newer+t.newer
	s.intent = max(s.intent, t.intent)
	maps.Copy(s.nodes, t.nodes)
	maps.Copy(s.last, t.last)
	maps.Copy(s.starts, t.starts)
	s.goal.hear(t.goal)
	s.plan.hear(t.plan)
	s.phase.hear(t.phase)
	s.start.hear(t.start)
	s.contradicted = s.contradicted || t.contradicted
	s.declare(t.declared)
	for step, globs := range t.regions {
		s.bound(step, globs)
	}
}
