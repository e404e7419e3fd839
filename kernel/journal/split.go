package journal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SplitVersion is the version of a checkpoint that keeps the state in parts
// beside it. A reader that does not know them refuses it as a later version.
const SplitVersion = 2

// A Part is a piece of a state that stands beside a checkpoint. Its name is of
// lower-case letters, digits and dashes.
type Part struct {
	Name string
	Data []byte
}

// Bounds of the parts of a state. All together have no more bytes than a
// checkpoint that keeps it whole: MaxCheckpoint.
const (
	maxParts = 4096
	maxPart  = 4 << 20 // bytes of one, many times what a table or the runs may have
)

// cuts are the sizes that parts are cut to.
type cuts struct {
	over int // a state of more bytes is split
	from int // a part of fewer is not closed
	to   int // one of more is
}

var usualCuts = cuts{16 << 10, 16 << 10, 64 << 10}

// The head of a state that is split: all that every reader needs, and what the
// parts are about.
type headDoc struct {
	V       int                  `json:"v"`
	Op      string               `json:"op"`
	Seq     uint64               `json:"seq"`
	At      time.Time            `json:"at"`
	Node    string               `json:"node"`
	Clock   int64                `json:"clock"`
	Tables  map[string]tableHead `json:"tables"`
	Runs    []bundleHead         `json:"runs"`
	Evicted time.Time            `json:"runs_evicted,omitzero"`
	Doubts  *doubtsDoc           `json:"doubts,omitempty"`
}

// A tableHead has for each part of a table the time of the newest row in it.
type tableHead struct {
	Parts   []time.Time `json:"parts"`
	Evicted time.Time   `json:"evicted,omitzero"`
}

// A bundleHead tells which runs may be in a bundle: none before the first, and
// of them none whose mark is not among the marks.
type bundleHead struct {
	First string `json:"first"`
	Marks string `json:"marks"`
}

// The names of parts. Tables are numbered by their names, what is cut by its
// order.
const windowsPart = "windows"

func tablePartName(table, n int) string { return "table-" + padded(table, 3) + "-" + padded(n, 3) }
func bundleName(n int) string           { return "runs-" + padded(n, 4) }

// padded is a number with noughts before it up to a width of at most 4.
func padded(n, width int) string {
	s := strconv.Itoa(n)
	return "0000"[:max(width-len(s), 0)] + s
}

// Split is Checkpoint for who can keep parts beside the payload: Restore and
// Fill with all of them return the same state. A small state has none. Parts of
// what has not changed since are as they were.
func (s *State) Split(at time.Time) (head []byte, parts []Part, err error) {
	return s.splitTo(at, usualCuts)
}

func (s *State) splitTo(at time.Time, size cuts) (head []byte, parts []Part, err error) {
	whole, err := s.Checkpoint(at)
	if err != nil || len(whole) <= size.over {
		return whole, nil, err
	}
	doc := headDoc{
		V: SplitVersion, Op: OpCheckpoint, Seq: s.seq, At: at.UTC().Truncate(time.Second), Node: s.node, Clock: s.clock,
		Tables: map[string]tableHead{}, Runs: []bundleHead{}, Evicted: s.runs.evicted, Doubts: s.doubts.doc(),
	}
	for i, name := range slices.Sorted(maps.Keys(s.tables)) {
		t := s.tables[name]
		h := tableHead{Parts: []time.Time{}, Evicted: t.evicted}
		for n, c := range t.cut(size) {
			h.Parts = append(h.Parts, c.newest)
			parts = append(parts, Part{tablePartName(i, n), encode(c.slots)})
		}
		doc.Tables[name] = h
	}
	for n, ids := range s.runs.cut(size) {
		bundle := map[string]runDoc{}
		for _, id := range ids {
			bundle[id] = s.runs.byID[id].doc()
		}
		doc.Runs = append(doc.Runs, bundleHead{ids[0], marks(ids)})
		parts = append(parts, Part{bundleName(n), encode(bundle)})
	}
	parts = append(parts, Part{windowsPart, encode(s.windows)})
	if head = encode(doc); len(head) > MaxCheckpoint || len(parts) > maxParts {
		return nil, nil, fmt.Errorf("state of node %s takes %d bytes and %d parts, at most %d and %d", s.node, len(head), len(parts), MaxCheckpoint, maxParts)
	}
	if err := new(split).expand(parts); err != nil {
		return nil, nil, fmt.Errorf("state of node %s: %w", s.node, err)
	}
	return head, parts, nil
}

// A tableCut is the slots of one part of a table.
type tableCut struct {
	slots  map[string]slotDoc
	newest time.Time
}

// cut parts a table by the hours of its slots, the oldest first: what is old
// stays together whatever comes.
func (t *table) cut(to cuts) (all []tableCut) {
	doc := t.doc()
	keys := slices.SortedFunc(maps.Keys(t.slots), func(a, b string) int {
		if c := t.slots[a].newest().Compare(t.slots[b].newest()); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	var c tableCut
	size := 0
	for i, key := range keys {
		if c.slots == nil {
			c.slots = map[string]slotDoc{}
		}
		c.slots[key], c.newest = doc.Slots[key], t.slots[key].newest()
		size += t.slots[key].size() + len(key)
		last := i == len(keys)-1
		if last || size >= to.to || size >= to.from && c.newest.Truncate(time.Hour).Before(t.slots[keys[i+1]].newest().Truncate(time.Hour)) {
			all, c, size = append(all, c), tableCut{}, 0
		}
	}
	return all
}

// newest is the time of a slot's newest row by the clocks.
func (s *Slot) newest() time.Time {
	if s.First.At.After(s.Last.At) {
		return s.First.At
	}
	return s.Last.At
}

// cut bundles runs by their ids. Where a bundle ends depends on the runs in it
// and not on those before: one that goes or grows changes its own bundle and
// few others.
func (rs *runs) cut(to cuts) (all [][]string) {
	var ids []string
	size := 0
	for _, id := range slices.Sorted(maps.Keys(rs.byID)) {
		ids = append(ids, id)
		size += rs.byID[id].bytes
		if size >= to.to || size >= to.from && hash(id)%8 == 0 {
			all, ids, size = append(all, ids), nil, 0
		}
	}
	if len(ids) > 0 {
		all = append(all, ids)
	}
	return all
}

// hash is FNV-1a.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

const markDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// mark is two letters that an id always has and few others have too.
func mark(id string) string {
	h := hash(id)
	h ^= h >> 12
	return string([]byte{markDigits[h>>6&63], markDigits[h&63]})
}

func marks(ids []string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(mark(id))
	}
	return b.String()
}
