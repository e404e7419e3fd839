package journal

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// An Alert is what one node's ledger says again and again, told once. Its
// fields are plain so that a judgement that does not know this package can take
// it over by conversion.
type Alert struct {
	Op      string // the op of its rows
	Node    string // in whose ledger they stand
	Kind    string // DECISION: what it is about
	Lane    string
	Class   string // the reason's token
	Reason  string // of the first row, as all fields from here on
	RunID   string
	Handle  string
	Owner   string
	Target  string
	Command string // of the newest row
	Edge    string // and the change of state that raised it
	Gen     uint64 // and the lease it is about
	Nonce   string
	FirstAt time.Time
	At      time.Time // of the newest row
	Seq     uint64    // its place
	Count   uint64    // rows
	Streak  uint64    // ENFORCE: denies since an operator let one through
	Seqs    []uint64  // places of the newest few rows, oldest first
	Seconds []int64   // and their times

	BlockingLanes []string // of the newest row: what stood in the way
	BlockingGens  []uint64

	// Answered reports that the run it is about did what was asked since: a run
	// that could be resumed declared its intent again, one that was to halt
	// ended, or was suspended and then taken up again.
	Answered bool
}

// Alerts are all that ask for attention, by op, key and node.
func (v View) Alerts() []Alert {
	var all []Alert
	for _, op := range alertOps {
		v.slots(tableAlert+op, func(_ string, s *Slot) {
			a := alertOf(s)
			a.Answered = v.answered(a)
			all = append(all, a)
		})
	}
	v.slots(tableEnforce, func(_ string, s *Slot) {
		if s.Streak > 0 {
			all = append(all, alertOf(s))
		}
	})
	return all
}

func alertOf(s *Slot) Alert {
	f, l := s.First, s.Last
	a := Alert{
		Op: l.Op, Node: l.From, Kind: l.Kind, Lane: f.Lane, Class: f.ReasonClass, Reason: f.Reason, RunID: f.RunID, Handle: f.Handle,
		Owner: f.Owner, Target: f.Target, Command: l.Command, Edge: l.Edge, Gen: l.Gen, Nonce: l.Nonce,
		FirstAt: f.At, At: l.At, Seq: l.Seq, Count: s.Count, Streak: s.Streak,
	}
	if n := len(s.Stamps); n > 0 {
		a.Seqs, a.Seconds = make([]uint64, 0, n), make([]int64, 0, n)
	}
	for _, st := range s.Stamps {
		a.Seqs, a.Seconds = append(a.Seqs, st.Seq), append(a.Seconds, st.At)
	}
	for _, b := range l.Blocking {
		a.BlockingLanes, a.BlockingGens = append(a.BlockingLanes, b.Lane), append(a.BlockingGens, b.Gen)
	}
	return a
}

// resumeProposal is the kind under which a run that diverged is recorded.
const resumeProposal = "RESUME_PROPOSAL"

// wants is the op of the row with which a run does what a row of an op and a kind
// asked of it, "" where no row tells.
func wants(op, kind string) string {
	switch {
	case op == OpHalt:
		return OpExit
	case op == OpResumeProposed || op == OpDecision && kind == resumeProposal:
		return OpIntent
	}
	return ""
}

// answered reports whether the run did what was asked after it was.
func (v View) answered(a Alert) bool {
	want := wants(a.Op, a.Kind)
	if want == "" || a.RunID == "" {
		return false
	}
	var rows []Row
	for _, s := range v.nodes {
		if u := s.runs.byID[a.RunID]; u != nil {
			told, _ := u.told(a.RunID, s.node, s.seq)
			for _, r := range told {
				if r.Op == want || r.Op == OpSuspend || r.Op == OpIntent {
					rows = append(rows, r.Row)
				}
			}
		}
	}
	asked := Row{From: a.Node, Seq: a.Seq, At: a.At}
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Op == want && r.after(asked) }) ||
		a.Op == OpHalt && takenUp(rows, asked)
}

// takenUp reports whether a run that was asked to halt was suspended, before that or
// since, and the first intent after its suspension came after the halt too. An intent
// alone does not tell: a worker that was to stop may declare one.
func takenUp(rows []Row, halt Row) bool {
	for _, s := range rows {
		if s.Op != OpSuspend {
			continue
		}
		again := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Op != OpIntent || !r.after(s) })
		if len(again) > 0 && !slices.ContainsFunc(again, func(r Row) bool { return !r.after(halt) }) {
			return true
		}
	}
	return false
}

// after compares places where both rows stand in one ledger, and times where they do
// not: of one instant, neither is after the other.
func (r Row) after(o Row) bool {
	return r.From == o.From && r.Seq > o.Seq || r.From != o.From && r.At.After(o.At)
}

// ForgotAlerts is the time of the newest alert that had to be dropped for want
// of room, zero when none was: from there back the alerts are not all there
// were.
func (v View) ForgotAlerts() (at time.Time) {
	for _, op := range alertOps {
		if t := v.forgot(tableAlert + op); t.After(at) {
			at = t
		}
	}
	if t := v.forgot(tableEnforce); t.After(at) {
		at = t
	}
	return at
}

// Acks are the decisions that were acknowledged, by id: the newest evidence
// seen, by source.
func (v View) Acks() map[string]map[string]uint64 {
	acks := map[string]map[string]uint64{}
	v.slots(tableAck, func(id string, s *Slot) {
		if acks[id] == nil {
			acks[id] = map[string]uint64{}
		}
		for _, w := range s.Seen {
			acks[id][w.Source] = max(acks[id][w.Source], w.Seq)
		}
	})
	return acks
}

// An Attempt is the newest attempt at a unit with one outcome, in one ledger.
type Attempt struct {
	Unit    string
	Outcome string // shipped, drained, blocked, error or unknown
	At      time.Time
	RunID   string
	Node    string
	Count   uint64 // of all with that outcome
}

// Spawns are the rows of workers that were started and are not known to have
// ended, once for each request. Where a request was recorded twice it is the
// first that counts.
func (v View) Spawns() []Row {
	ended := map[string]time.Time{}
	v.slots(tableExit, func(_ string, s *Slot) {
		if s.Last.RunID != "" && s.Last.At.After(ended[s.Last.RunID]) {
			ended[s.Last.RunID] = s.Last.At
		}
	})
	var rows []Row
	last := ""
	v.slots(tableSpawn, func(key string, s *Slot) {
		r := s.Last
		if r.Key != "" {
			r = s.First
		}
		end, over := ended[r.RunID]
		switch {
		case over && !end.Before(r.At):
			return
		case r.Key == "" && r.RunID == "" || key != last:
			rows = append(rows, r)
		case r.At.Before(rows[len(rows)-1].At):
			rows[len(rows)-1] = r
		}
		last = key
	})
	return rows
}

// Pending are the spawns whose window is not over: nobody may start another
// worker in their place, nor take them for dead. A spawn stamped in the future
// is pending until its window is over.
func (v View) Pending(now time.Time, window time.Duration) []Row {
	return slices.DeleteFunc(v.Spawns(), func(r Row) bool { return now.Sub(r.At) >= window })
}

// Spawned finds the spawn of a request by its key, however old it is, so that a
// request sent twice is answered with the first one's result.
func (v View) Spawned(requestKey string) (Row, bool) {
	var first Row
	want := join("key", requestKey)
	v.slots(tableSpawn, func(key string, s *Slot) {
		if key == want && (first.Op == "" || s.First.At.Before(first.At)) {
			first = s.First
		}
	})
	return first, first.Op != ""
}

// SpawnOn is the newest spawn on a lane, whatever became of it: a request for the
// next one is told from it by its node and place.
func (v View) SpawnOn(lane string) (Row, bool) {
	var newest Row
	v.slots(tableSpawn, func(_ string, s *Slot) {
		r := s.Last
		if r.Key != "" {
			r = s.First
		}
		if r.Lane == lane && (newest.Op == "" || r.after(newest)) {
			newest = r
		}
	})
	return newest, newest.Op != ""
}

// Launches are the rows of a wave's workers that were not harvested.
func (v View) Launches() []Row {
	harvested := map[string]time.Time{}
	v.slots(tableHarvest, func(key string, s *Slot) {
		if s.Last.At.After(harvested[key]) {
			harvested[key] = s.Last.At
		}
	})
	return slices.DeleteFunc(v.latest(tableLaunch), func(r Row) bool {
		at, ok := harvested[workerKey(r)]
		return ok && !at.Before(r.At)
	})
}

// Waves are the newest rows about the workers of waves, one for each: its LAUNCH, or
// the HARVEST that came after it.
func (v View) Waves() []Row {
	rows := map[string]Row{}
	for _, table := range []string{tableLaunch, tableHarvest} {
		for _, r := range v.latest(table) {
			key := workerKey(r)
			if had, ok := rows[key]; !ok || !r.At.Before(had.At) {
				rows[key] = r
			}
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b Row) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(workerKey(a), workerKey(b)))
	})
}

// Exits are the newest ends of workers, one for each.
func (v View) Exits() []Row { return v.latest(tableExit) }

// ForgotExits is the time of the newest end of a worker that had to be dropped for
// want of room, zero when none was: from there back Exits are not all there were.
func (v View) ForgotExits() time.Time { return v.forgot(tableExit) }

// MaxCap bounds for how long a row says that an account is used up, from when it
// was written. Who caps an account for longer says so again.
const MaxCap = 31 * 24 * time.Hour

// Uncapped is the outcome of a CAP row that takes an earlier one back.
const Uncapped = "UNCAPPED"

// Caps are the newest rows about accounts that are used up, one for each.
func (v View) Caps() []Row { return v.latest(tableCap) }

// ForgotCaps is up to when there may be more of them, since some had to be dropped
// for want of room; zero where none were.
func (v View) ForgotCaps() time.Time { return v.forgot(tableCap) }

// Verdicts are the newest recorded answers, one for each verb, run and subject.
func (v View) Verdicts() []Row { return v.latest(tableVerdict) }

// Answers are the newest recorded answers of each node, one for each verb, run and
// subject. Of those up to forgot, which is zero where none had to be dropped for
// want of room, there may be more.
func (v View) Answers() (rows []Row, forgot time.Time) {
	v.slots(tableVerdict, func(_ string, s *Slot) { rows = append(rows, s.Last) })
	return rows, v.forgot(tableVerdict)
}

// Gaps are what was asked for and is not done here, one row for each run and
// class.
func (v View) Gaps() []Row { return v.latest(tableGap) }
