package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// MaxCheckpoint bounds a checkpoint that is read.
const MaxCheckpoint = 16 << 20

// ErrNoState means that a checkpoint carries no state: an earlier version wrote
// its newest row instead. The rows before it must be read.
var ErrNoState = errors.New("checkpoint without a state")

var checkpointKeys = sync.OnceValue(keysOf[checkpoint])

// The state as it is written. Rows stand in it as they stood in the ledger.
type checkpoint struct {
	V       int                         `json:"v"`
	Op      string                      `json:"op"`
	Seq     uint64                      `json:"seq"`
	At      time.Time                   `json:"at"`
	Node    string                      `json:"node"`
	Clock   int64                       `json:"clock"`
	Tables  map[string]tableDoc         `json:"tables"`
	Runs    map[string]runDoc           `json:"runs"`
	Evicted time.Time                   `json:"runs_evicted,omitzero"`
	Windows map[int64]map[string]uint64 `json:"windows"`
	Doubts  *doubtsDoc                  `json:"doubts,omitempty"`
}

type tableDoc struct {
	Slots   map[string]slotDoc `json:"slots"`
	Evicted time.Time          `json:"evicted,omitzero"`
}

type slotDoc struct {
	First  json.RawMessage   `json:"first,omitempty"`
	Last   json.RawMessage   `json:"last"`
	Count  uint64            `json:"count"`
	Streak uint64            `json:"streak,omitempty"`
	Stamps [][2]int64        `json:"stamps,omitempty"`
	Seen   map[string]uint64 `json:"seen,omitempty"`
}

type runDoc struct {
	Rows     []json.RawMessage `json:"rows"`
	Clocks   []int64           `json:"clocks"`
	Overflow bool              `json:"overflow,omitempty"`
	Partial  bool              `json:"partial,omitempty"`
	Broken   bool              `json:"broken,omitempty"`
	Intent   bool              `json:"intent,omitempty"`
	Newest   time.Time         `json:"newest"`
}

// Checkpoint is the state as the payload of a CHECKPOINT entry, as one line.
// Restore returns a state that answers everything as this one does, now and
// after any further rows. A state that lacks parts cannot be written.
func (s *State) Checkpoint(at time.Time) ([]byte, error) {
	if s.split != nil {
		return nil, fmt.Errorf("state of node %s: parts of it were not read", s.node)
	}
	doc := checkpoint{
		V: Version, Op: OpCheckpoint, Seq: s.seq, At: at.UTC().Truncate(time.Second), Node: s.node, Clock: s.clock,
		Tables: map[string]tableDoc{}, Runs: map[string]runDoc{}, Evicted: s.runs.evicted, Windows: s.windows,
	}
	for name, t := range s.tables {
		doc.Tables[name] = t.doc()
	}
	for id, u := range s.runs.byID {
		doc.Runs[id] = u.doc()
	}
	doc.Doubts = s.doubts.doc()
	data := encode(doc)
	if len(data) > MaxCheckpoint {
		return nil, fmt.Errorf("state of node %s takes %d bytes, at most %d", s.node, len(data), MaxCheckpoint)
	}
	return data, nil
}

func (t *table) doc() tableDoc {
	t.open()
	doc := tableDoc{Slots: make(map[string]slotDoc, len(t.slots)), Evicted: t.evicted}
	for key, s := range t.slots {
		d := slotDoc{First: s.First.body, Last: s.Last.body, Count: s.Count, Streak: s.Streak}
		for _, st := range s.Stamps {
			d.Stamps = append(d.Stamps, [2]int64{int64(st.Seq), st.At})
		}
		if len(s.Seen) > 0 {
			d.Seen = make(map[string]uint64, len(s.Seen))
		}
		for _, w := range s.Seen {
			d.Seen[w.Source] = w.Seq
		}
		doc.Slots[key] = d
	}
	return doc
}

func (u *run) doc() runDoc {
	if w := u.wrote(); w != nil {
		return *w
	}
	doc := runDoc{Rows: []json.RawMessage{}, Clocks: []int64{}, Overflow: u.overflow, Partial: u.partial, Broken: u.broken}
	doc.Intent, doc.Newest = u.intent, u.newest
	for _, r := range u.rows {
		doc.Rows, doc.Clocks = append(doc.Rows, r.body), append(doc.Clocks, r.clock)
	}
	return doc
}

// Restore reads a checkpoint of a node's ledger. The state lacks what the
// checkpoint keeps in parts: what was not filled in, it has forgotten. A
// checkpoint of a later version is ErrNewer, one without a state ErrNoState, one
// that is broken or of another node ErrRow: none of them is an empty ledger.
func Restore(node string, payload []byte) (*State, error) {
	if len(payload) > MaxCheckpoint {
		return nil, fmt.Errorf("%w: checkpoint of %d bytes, at most %d", ErrRow, len(payload), MaxCheckpoint)
	}
	text := string(payload)
	if doc, ok := readHead(text); ok {
		return restoreSplit(node, doc)
	}
	if s, ok := restoreWritten(node, text); ok {
		return s, nil
	}
	return restoreAny(node, payload)
}

// restoreAny is Restore of a checkpoint in whatever form.
func restoreAny(node string, payload []byte) (*State, error) {
	about, err := look(payload, checkpointKeys())
	switch {
	case about.V > SplitVersion:
		return nil, newer(about.V)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRow, err)
	case about.Op != OpCheckpoint:
		return nil, fmt.Errorf("%w: it holds a row of op %.40q", ErrNoState, about.Op)
	}
	if about.V == SplitVersion {
		var doc headDoc
		if err := json.Unmarshal(payload, &doc); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRow, err)
		}
		return restoreSplit(node, doc)
	}
	var doc checkpoint
	if err := json.Unmarshal(payload, &doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRow, err)
	}
	if err := checkHead(node, doc.Node, doc.Seq); err != nil {
		return nil, err
	}
	s := New(node)
	s.seq, s.clock = doc.Seq, doc.Clock
	if err := errors.Join(s.restoreTables(doc.Tables), s.restoreRuns(doc.Runs)); err != nil {
		return nil, fmt.Errorf("%w: checkpoint of node %s: %w", ErrRow, node, err)
	}
	s.runs.evicted = doc.Evicted
	s.restoreRest(doc)
	return s, nil
}

func checkHead(node, said string, seq uint64) error {
	if said != node {
		return fmt.Errorf("%w: checkpoint of node %.40q in the ledger of %.40q", ErrRow, said, node)
	}
	if seq > maxSeq {
		return fmt.Errorf("%w: seq: %d", ErrRow, seq)
	}
	return nil
}

func (s *State) restoreRest(doc checkpoint) {
	for hour, counts := range doc.Windows {
		if len(counts) > 0 {
			s.windows[hour] = counts
		}
	}
	if doc.Doubts != nil {
		s.restoreDoubts(doc.Doubts)
	}
}

// readBack reads a row that a checkpoint of so many rows carries.
func readBack(body json.RawMessage, node string, rows uint64) (Row, error) {
	if len(body) > MaxRow {
		return Row{}, fmt.Errorf("row of %d bytes, at most %d", len(body), MaxRow)
	}
	r, err := reread(body)
	if err == nil && r.Seq > rows {
		err = fmt.Errorf("row %d in a state of %d rows", r.Seq, rows)
	}
	r.From = node
	return r, err
}

func (s *State) restoreTables(docs map[string]tableDoc) error {
	for name, doc := range docs {
		t := s.table(name)
		t.evicted = doc.Evicted
		for key, d := range doc.Slots {
			slot, err := s.slot(d)
			if err != nil {
				return fmt.Errorf("%.60s: %w", name, err)
			}
			t.slots[key] = &slot
			t.bytes += slot.size() + len(key)
		}
	}
	return nil
}

func (s *State) slot(d slotDoc) (Slot, error) {
	if len(d.Stamps) > maxStamps || len(d.Seen) > maxSeen {
		return Slot{}, errors.New("malformed slot")
	}
	last, err := readBack(d.Last, s.node, s.seq)
	slot := Slot{Last: last, Count: d.Count, Streak: d.Streak}
	if err == nil && len(d.First) > 0 {
		slot.First, err = readBack(d.First, s.node, s.seq)
	}
	for _, st := range d.Stamps {
		slot.Stamps = append(slot.Stamps, Stamp{uint64(st[0]), st[1]})
	}
	for _, source := range slices.Sorted(maps.Keys(d.Seen)) {
		slot.Seen = append(slot.Seen, Witness{source, d.Seen[source]})
	}
	return slot, err
}

// restoreRuns takes the runs over as they are written. Rows that cannot be read
// are the matter of whoever asks for their run.
func (s *State) restoreRuns(docs map[string]runDoc) error {
	for id, doc := range docs {
		if len(doc.Rows) != len(doc.Clocks) || len(doc.Rows) > maxRunRows {
			return fmt.Errorf("run %.40q: malformed", id)
		}
		u := &run{written: &doc, bytes: len(id) + 100, overflow: doc.Overflow, partial: doc.Partial, broken: doc.Broken, intent: doc.Intent, newest: doc.Newest}
		for _, body := range doc.Rows {
			u.bytes += len(body) + 100
		}
		s.runs.byID[id] = u
		s.runs.bytes += u.bytes
	}
	return nil
}

// read decodes the rows of a run in a ledger of seq rows.
func (d *runDoc) read(id, node string, seq uint64) ([]runRow, error) {
	rows := make([]runRow, 0, len(d.Rows))
	for i, body := range d.Rows {
		r, err := readRow(string(body), node, seq)
		if err != nil {
			return nil, err
		}
		if r.RunID != id || !runOps[r.Op] {
			return nil, errors.New("a row of another run")
		}
		rows = append(rows, runRow{r, d.Clocks[i]})
	}
	return rows, nil
}

// foldCheckpoint takes a checkpoint up if nothing was folded before it. After
// rows it changes nothing: they are what it stands for, and a checkpoint that
// somebody else wrote cannot make them forgotten.
func (s *State) foldCheckpoint(at time.Time, payload []byte) {
	if s.seq > 0 || s.doubts.count > 0 {
		return
	}
	got, err := Restore(s.node, payload)
	if err != nil {
		s.doubt(Doubt{Seq: s.seq, Op: OpCheckpoint, At: at, Newer: errors.Is(err, ErrNewer), Why: err.Error()})
		return
	}
	*s = *got
}
