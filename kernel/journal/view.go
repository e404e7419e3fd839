package journal

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// A View is what the ledgers of several nodes say together. It does not depend
// on the order in which they were handed in.
type View struct {
	nodes  []*State // by name
	forked []Doubt
}

// Merge puts states together. Of one node handed in twice, say from its own
// ledger and from a mirror of it, the one that knows more rows counts; if two
// know as many and differ, that is a doubt.
func Merge(states ...*State) View {
	var v View
	best := map[string]*State{}
	for _, s := range states {
		switch old := best[s.node]; {
		case old == nil || s.seq > old.seq:
			best[s.node] = s
		case s.seq == old.seq && s != old:
			if c := old.compare(s); c != 0 {
				v.forked = append(v.forked, Doubt{Node: s.node, Seq: s.seq, Why: "two ledgers of this node differ and are of one length"})
				if c < 0 {
					best[s.node] = s
				}
			}
		}
	}
	for _, node := range slices.Sorted(maps.Keys(best)) {
		v.nodes = append(v.nodes, best[node])
	}
	v.forked = slices.DeleteFunc(v.forked, func(d Doubt) bool { return best[d.Node].seq > d.Seq })
	slices.SortFunc(v.forked, func(a, b Doubt) int { return cmp.Compare(a.Node, b.Node) })
	v.forked = slices.Compact(v.forked)
	return v
}

// compare orders states, 0 for those that are known to be equal. Of one that lacks
// parts that is not known.
func (s *State) compare(o *State) int {
	a, errA := s.Checkpoint(time.Time{})
	b, errB := o.Checkpoint(time.Time{})
	if errA != nil && errB != nil {
		return -1
	}
	return bytes.Compare(a, b)
}

// Nodes are the ledgers it is made of, and how many rows of each it knows.
func (v View) Nodes() map[string]uint64 {
	nodes := make(map[string]uint64, len(v.nodes))
	for _, s := range v.nodes {
		nodes[s.node] = s.seq
	}
	return nodes
}

// Doubts are the entries that could not be read as rows, the newest few of each
// node. With any, "there is none" cannot be said of what rows would tell.
func (v View) Doubts() []Doubt {
	var all []Doubt
	all = append(all, v.forked...)
	for _, s := range v.nodes {
		all = append(all, s.doubts.last...)
	}
	return all
}

// A Story is what the ledgers say of one run.
type Story struct {
	RunID string
	Rows  []Row // rows that a later one of the same ledger stands for are left out

	// Complete reports that no row of the run is missing. If it is false the
	// rows before the checkpoints must be read before anything is decided.
	Complete bool
	Newer    bool // a row that names it is of a later version
	Corrupt  bool // a row that names it could not be read

	// Hidden are the ledgers with entries that are no rows: whether they may
	// hide what names no run is [Hidden.OfRun].
	Hidden []Hidden
}

// Story tells of a run, of one that no ledger names too. Rows of one ledger
// stand in the order of its chain. Between two ledgers the order is that of
// their clocks and, those being equal, of the nodes' names: the same whoever
// asks.
func (v View) Story(id string) Story {
	story := Story{RunID: id, Complete: true, Corrupt: len(v.forked) > 0, Hidden: v.Hidden()}
	var rows []runRow
	for _, s := range v.nodes {
		u := s.runs.byID[id]
		switch {
		case u == nil:
			story.Complete = story.Complete && s.runs.evicted.IsZero() && !s.runs.absent(id)
		default:
			told, ok := u.told(id, s.node, s.seq)
			story.Complete = story.Complete && !u.overflow && !u.partial && ok
			story.Corrupt = story.Corrupt || !ok
			rows = append(rows, told...)
		}
		if d := s.doubts; d.runs[id] {
			story.Newer = story.Newer || d.newer > 0
			story.Corrupt = story.Corrupt || d.count > d.newer
		}
	}
	slices.SortFunc(rows, func(a, b runRow) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.From, b.From), cmp.Compare(a.Seq, b.Seq))
	})
	for _, r := range rows {
		story.Rows = append(story.Rows, r.Row)
	}
	return story
}

// Runs are the ids of the runs that some ledger tells of, as far as it was read.
func (v View) Runs() []string {
	ids := map[string]bool{}
	for _, s := range v.nodes {
		for id := range s.runs.byID {
			ids[id] = true
		}
	}
	return sortedKeys(ids)
}

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// Count is how many rows of an op, or of an op with an outcome (OP/OUTCOME),
// were stamped in the whole hours from one time to before another.
func (v View) Count(what string, from, to time.Time) (n uint64) {
	for _, s := range v.nodes {
		for hour, counts := range s.windows {
			if hour >= from.Truncate(Window).Unix() && hour < to.Truncate(Window).Unix() {
				n += counts[what]
			}
		}
	}
	return n
}

// slots are those of a table in all nodes, by key and then by node.
func (v View) slots(table string, visit func(key string, s *Slot)) {
	type found struct {
		key  string
		node int
		slot *Slot
	}
	var all []found
	for i, s := range v.nodes {
		if t := s.tables[table]; t != nil {
			t.open()
			all = slices.Grow(all, len(t.slots))
			for key, slot := range t.slots {
				all = append(all, found{key, i, slot})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(a.node, b.node)
	})
	for _, f := range all {
		visit(f.key, f.slot)
	}
}

// forgot is the time of the newest row that a table of any node had to drop.
func (v View) forgot(table string) (at time.Time) {
	for _, s := range v.nodes {
		if t := s.tables[table]; t != nil && t.evicted.After(at) {
			at = t.evicted
		}
	}
	return at
}

// latest is the newest row of each key among the nodes: of the latest time, and
// of one time that of the last node by name.
func (v View) latest(table string) []Row {
	var rows []Row
	last := ""
	v.slots(table, func(key string, s *Slot) {
		switch {
		case key != last || len(rows) == 0:
			rows = append(rows, s.Last)
		case !s.Last.At.Before(rows[len(rows)-1].At):
			rows[len(rows)-1] = s.Last
		}
		last = key
	})
	return rows
}
