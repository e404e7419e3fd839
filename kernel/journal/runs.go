package journal

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// runOps are the ops that a run's story is made of.
var runOps = map[string]bool{
	OpIntent: true, OpStepClaimed: true, OpStepVerified: true, OpSuspend: true, OpResumeProposed: true, OpExit: true,
}

// Bounds of what is kept of runs.
const (
	runBytes   = 2 << 20 // of all runs of a node
	maxRunRows = 4000    // of one
)

// runs are the runs a ledger tells of.
type runs struct {
	byID    map[string]*run
	bytes   int
	evicted time.Time // the newest row of a run that had to go
	bundles []*bundle // of a checkpoint; those that were not read may have other runs
}

// A run is the rows of one run, in the order of the chain, without those that a
// later one stands for. Of a run that a checkpoint told of, the rows are decoded
// when somebody asks: most are never asked for.
type run struct {
	rows     []runRow
	written  *runDoc // not decoded yet; rows is empty
	raw      string  // not even that: it is written here
	bytes    int
	overflow bool // it had more rows than are kept
	partial  bool // it may have had rows before, which had to go with others
	broken   bool // the rows that were written could not be read
	intent   bool // somebody said what it is to do
	newest   time.Time
}

type runRow struct {
	Row
	clock int64 // the ledger's clock when the row was folded
}

// replaces reports whether a later row of a run makes an earlier one moot: the
// last word on a step, the last suspension and the last of equal proposals
// count. Every intent counts, since a later one may only extend an earlier.
func (r Row) replaces(old Row) bool {
	if r.Op != old.Op {
		return false
	}
	switch r.Op {
	case OpStepClaimed, OpStepVerified:
		return r.StepID == old.StepID
	case OpSuspend, OpExit:
		return true
	case OpResumeProposed:
		return r.ResumeSha == old.ResumeSha && r.Predecessor == old.Predecessor && slices.Equal(r.Residual, old.Residual)
	}
	return false
}

func (rs *runs) add(r Row, clock int64) {
	if !runOps[r.Op] || r.RunID == "" {
		return
	}
	u := rs.byID[r.RunID]
	if u == nil {
		u = &run{bytes: len(r.RunID) + 100, partial: !rs.evicted.IsZero() || rs.absent(r.RunID)}
		rs.byID[r.RunID] = u
		rs.bytes += u.bytes
	}
	rs.bytes -= u.bytes
	u.load(r.RunID, r.From, r.Seq)
	u.add(runRow{r, clock})
	rs.bytes += u.bytes
	if rs.bytes > runBytes {
		rs.evict(r.RunID)
	}
}

func (u *run) add(r runRow) {
	u.intent = u.intent || r.Op == OpIntent
	if r.At.After(u.newest) {
		u.newest = r.At
	}
	if i := slices.IndexFunc(u.rows, func(old runRow) bool { return r.replaces(old.Row) }); i >= 0 {
		u.bytes -= u.rows[i].size()
		u.rows = slices.Delete(u.rows, i, i+1)
	}
	if len(u.rows) >= maxRunRows || u.bytes+r.size() > runBytes/4 {
		u.overflow = true
		return
	}
	u.rows = append(u.rows, r)
	u.bytes += r.size()
}

func (r runRow) size() int { return len(r.body) + 100 }

// load decodes what was written of a run in a ledger of seq rows.
func (u *run) load(id, node string, seq uint64) {
	w := u.wrote()
	if w == nil {
		return
	}
	rows, err := w.read(id, node, seq)
	u.rows, u.written, u.raw, u.broken = rows, nil, "", u.broken || err != nil
}

// told are the rows of a run; ok is false when they could not be read. The run
// is not changed.
func (u *run) told(id, node string, seq uint64) (rows []runRow, ok bool) {
	w := u.wrote()
	if w == nil {
		return u.rows, !u.broken
	}
	rows, err := w.read(id, node, seq)
	return rows, err == nil && !u.broken
}

// evict drops runs until an eighth is free, but never the one that was just
// written to: those without an intent first, which nobody can resume, and of
// them those that have been silent for longest.
func (rs *runs) evict(but string) {
	for _, id := range slices.SortedFunc(maps.Keys(rs.byID), rs.sooner) {
		u := rs.byID[id]
		if rs.bytes <= runBytes-runBytes/8 {
			return
		}
		if id == but {
			continue
		}
		if u.newest.After(rs.evicted) {
			rs.evicted = u.newest
		}
		rs.bytes -= u.bytes
		delete(rs.byID, id)
	}
}

// sooner orders runs by which of them goes first.
func (rs *runs) sooner(a, b string) int {
	u, o := rs.byID[a], rs.byID[b]
	switch {
	case u.intent && !o.intent:
		return 1
	case !u.intent && o.intent:
		return -1
	}
	return cmp.Or(u.newest.Compare(o.newest), cmp.Compare(a, b))
}
