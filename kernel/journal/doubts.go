package journal

import (
	"maps"
	"slices"
	"time"
)

// A Doubt is an entry of a ledger that could not be read as a row.
type Doubt struct {
	Node  string    `json:"node"`
	Seq   uint64    `json:"seq"`
	Op    string    `json:"op,omitempty"`     // of the entry, "" where its row says another
	At    time.Time `json:"at,omitzero"`      // of the entry, zero where that is not known
	RunID string    `json:"run_id,omitempty"` // of the run it seems to be about
	Newer bool      `json:"newer,omitempty"`  // written by a later version
	Why   string    `json:"why"`
}

// doubts keeps the newest few in full and counts the others.
type doubts struct {
	last   []Doubt
	count  uint64
	newer  uint64
	runs   map[string]bool
	newest newest
}

const (
	maxDoubts     = 32
	maxDoubtRuns  = 1000
	maxDoubtWords = 300
)

// What an entry that is no row may hide.
const (
	hidesRun     = "run"     // a row of the story of a run that it does not name
	hidesSpawn   = "spawn"   // the start of a worker
	hidesLaunch  = "launch"  // that by a wave
	hidesAttempt = "attempt" // that a unit was tried
	hidesCap     = "cap"     // that an account is used up
	hidesVerdict = "verdict" // an answer, such as an operator's word
)

// hiddenOps are the ops of the rows that it may hide also where it names a run.
var hiddenOps = map[string]string{hidesSpawn: OpSpawn, hidesLaunch: OpLaunch, hidesAttempt: OpAttempt, hidesCap: OpCap, hidesVerdict: OpVerdict}

// newest is how late an entry that is no row may have been written, by what it
// may hide. The zero time is that of one whose time is not known: it counts as
// later than all.
type newest map[string]time.Time

func (n newest) hear(what string, at time.Time) {
	old, had := n[what]
	if !had || at.IsZero() || !old.IsZero() && at.After(old) {
		n[what] = at
	}
}

// since reports whether one may have been written at a time or later.
func (n newest) since(what string, t time.Time) bool {
	at, ok := n[what]
	return ok && (at.IsZero() || !at.Before(t))
}

// hides reports whether an entry of an op may be a row of another kind than its
// op says.
func hides(op string) bool { return op == "" || op == OpCheckpoint }

func (s *State) doubt(d Doubt) {
	d.Node = s.node
	d.Why = d.Why[:min(len(d.Why), maxDoubtWords)]
	if !d.At.IsZero() {
		d.At = d.At.UTC().Truncate(time.Second)
	}
	s.doubts.count++
	if d.Newer {
		s.doubts.newer++
	}
	if d.RunID != "" && len(s.doubts.runs) < maxDoubtRuns {
		s.doubts.runs[d.RunID] = true
	} else if hides(d.Op) || runOps[d.Op] {
		s.doubts.newest.hear(hidesRun, s.noEarlier(d.At))
	}
	for what, op := range hiddenOps {
		if hides(d.Op) || d.Op == op {
			s.doubts.newest.hear(what, s.noEarlier(d.At))
		}
	}
	s.doubts.last = append(s.doubts.last, d)
	if n := len(s.doubts.last); n > maxDoubts {
		s.doubts.last = slices.Delete(s.doubts.last, 0, n-maxDoubts)
	}
}

// noEarlier is the time of an entry, or that of a row below it where the clock
// ran backwards in between: it was not written before that.
func (s *State) noEarlier(at time.Time) time.Time {
	if c := time.Unix(s.clock, 0).UTC(); !at.IsZero() && c.After(at) {
		return c
	}
	return at
}

// The doubts as a checkpoint has them. Any is for versions that know no times,
// Tells is what the version that wrote it knows times of.
type doubtsDoc struct {
	Last   []Doubt  `json:"last"`
	Count  uint64   `json:"count"`
	Newer  uint64   `json:"newer,omitempty"`
	Runs   []string `json:"runs,omitempty"`
	Any    bool     `json:"any,omitempty"` // one may be about any run
	Newest newest   `json:"newest"`
	Tells  []string `json:"tells,omitempty"`
}

func (d doubts) doc() *doubtsDoc {
	if d.count == 0 {
		return nil
	}
	_, any := d.newest[hidesRun]
	tells := append(slices.Sorted(maps.Keys(hiddenOps)), hidesRun)
	return &doubtsDoc{Last: d.last, Count: d.count, Newer: d.newer, Runs: slices.Sorted(maps.Keys(d.runs)), Any: any, Newest: d.newest, Tells: tells}
}

// restoreDoubts takes over what is written. Of doubts without times, any may
// have been written at any time, and so may what their version did not tell of.
func (s *State) restoreDoubts(d *doubtsDoc) {
	tells := d.Tells
	switch {
	case d.Newest == nil:
		d.Newest, tells = newest{}, nil
		if d.Any {
			d.Newest[hidesRun] = time.Time{}
		}
	case tells == nil:
		tells = []string{hidesSpawn}
	}
	for what := range hiddenOps {
		if !slices.Contains(tells, what) {
			d.Newest[what] = time.Time{}
		}
	}
	s.doubts.last, s.doubts.count, s.doubts.newer, s.doubts.newest = d.Last, d.Count, d.Newer, d.Newest
	for _, id := range d.Runs {
		s.doubts.runs[id] = true
	}
}

// A Hidden says of a node's ledger that entries of it are no rows, and what they
// may hide.
type Hidden struct {
	Node    string
	Entries uint64  // how many they are
	Newer   bool    // some are of a later version
	Corrupt bool    // some could not be read
	Last    []Doubt // the newest few

	newest newest
}

// ahead is how far before its run was made, by the writer's clock, a row about it
// can have been written: whoever writes refuses a run from further in the future.
const ahead = 60 * time.Second

// OfRun reports whether they may hide a row of the story of a run that they do
// not name, made at a time; zero is a run of which that is not known. A row of it
// was not written before it was made.
func (h Hidden) OfRun(made time.Time) bool {
	return h.newest.since(hidesRun, made.Truncate(time.Second).Add(-ahead))
}

// Spawn reports whether they may hide that a worker was started at a time or
// later.
func (h Hidden) Spawn(since time.Time) bool { return h.newest.since(hidesSpawn, since) }

// Launch is Spawn of a worker that a wave started.
func (h Hidden) Launch(since time.Time) bool { return h.newest.since(hidesLaunch, since) }

// Attempt reports whether they may hide that a unit was tried at a time or later.
func (h Hidden) Attempt(since time.Time) bool { return h.newest.since(hidesAttempt, since) }

// Cap reports whether they may hide that an account was found used up at a time or
// later.
func (h Hidden) Cap(since time.Time) bool { return h.newest.since(hidesCap, since) }

// Verdict reports whether they may hide an answer that was recorded at a time or
// later.
func (h Hidden) Verdict(since time.Time) bool { return h.newest.since(hidesVerdict, since) }

// Hidden are the ledgers with entries that are no rows, by node.
func (v View) Hidden() (all []Hidden) {
	for _, d := range v.forked {
		all = append(all, Hidden{Node: d.Node, Entries: 1, Corrupt: true, Last: []Doubt{d}, newest: newest{hidesRun: {}, hidesSpawn: {}, hidesLaunch: {}, hidesAttempt: {}, hidesCap: {}, hidesVerdict: {}}})
	}
	for _, s := range v.nodes {
		if d := s.doubts; d.count > 0 {
			all = append(all, Hidden{s.node, d.count, d.newer > 0, d.count > d.newer, slices.Clone(d.last), d.newest})
		}
	}
	return all
}
