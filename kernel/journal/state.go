package journal

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A State is one node's ledger, folded. It is built by [New] and changed by
// Fold and Add, in the order of the chain.
type State struct {
	node    string
	seq     uint64 // of the newest row
	clock   int64  // the latest second any row bore so far
	tables  map[string]*table
	runs    runs
	windows windows
	doubts  doubts
	split   *split // of a checkpoint not all parts of which were read; else nil
}

// New is the state of a node's ledger before its first row.
func New(node string) *State {
	return &State{node: node, tables: map[string]*table{}, runs: runs{byID: map[string]*run{}}, windows: windows{}, doubts: doubts{runs: map[string]bool{}, newest: newest{}}}
}

// Node is whose ledger it is.
func (s *State) Node() string { return s.node }

// Seq is the number of the newest row, also when that could not be read.
func (s *State) Seq() uint64 { return s.seq }

// Fold folds the next entry of the chain: its op, its time and its payload.
// A CHECKPOINT that a fold begins with is taken up as the state; a later one
// says nothing that was not folded already. An entry that is no row is a doubt.
func (s *State) Fold(op string, at time.Time, payload []byte) {
	if op == OpCheckpoint {
		s.foldCheckpoint(at, payload)
		return
	}
	r, err := Decode(payload)
	says := op
	if r.Op != "" && r.Op != op {
		says = ""
	}
	if err == nil && says == "" {
		err = fmt.Errorf("%w: op %.40q in an entry of op %.40q", ErrRow, r.Op, op)
	}
	if err != nil {
		s.seq = min(s.seq+1, maxSeq)
		s.doubt(Doubt{Seq: s.seq, Op: says, At: at, RunID: r.RunID, Newer: errors.Is(err, ErrNewer), Why: err.Error()})
		return
	}
	s.add(r, at)
}

// Add folds the next row of the chain. One that does not come after all the
// others is a doubt and no row: the numbers of a ledger only grow.
func (s *State) Add(r Row) { s.add(r, r.At) }

// add is Add of a row whose entry is of a time.
func (s *State) add(r Row, at time.Time) {
	if r.Seq <= s.seq {
		s.doubt(Doubt{Seq: s.seq, Op: r.Op, At: at, RunID: r.RunID, Why: fmt.Sprintf("row %d after row %d", r.Seq, s.seq)})
		return
	}
	if r.body == nil {
		read, err := Decode(r.Encode()) // as every later reader will
		if err != nil {
			s.seq = r.Seq
			s.doubt(Doubt{Seq: r.Seq, Op: r.Op, At: at, RunID: r.RunID, Why: err.Error()})
			return
		}
		r = read
	}
	r.From = s.node
	s.seq, s.clock = r.Seq, max(s.clock, r.At.Unix())
	s.windows.count(r)
	s.runs.add(r, s.clock)
	for _, p := range placesOf(r) {
		s.place(p, r)
	}
	if s.split != nil {
		s.split.add(runRow{r, s.clock})
	}
}

// A table holds the slots of one kind of question. Of one that a checkpoint told
// of, they are there once it is open.
type table struct {
	slots   map[string]*Slot
	bytes   int
	evicted time.Time // of the newest slot that had to go, zero when none had
	written *writtenTable
}

// A Slot is what is left of the rows that answer one question together.
type Slot struct {
	First  Row       // the oldest of them, if the question needs it
	Last   Row       // the newest
	Count  uint64    // of all of them
	Streak uint64    // ENFORCE: denies since the last that was let through
	Stamps []Stamp   // of the newest few, oldest first, if the question needs them
	Seen   []Witness // ACK: the newest evidence seen, by source
}

// A Stamp is when and where one row stood.
type Stamp struct {
	Seq uint64
	At  int64 // seconds
}

// A Witness is how far a source of evidence, say a ledger, had been seen.
type Witness struct {
	Source string
	Seq    uint64
}

const (
	maxStamps  = 32
	tableBytes = 256 << 10 // of one table
)

// size is what a slot takes of its table.
func (s *Slot) size() int {
	return 200 + len(s.First.body) + len(s.Last.body) + 24*len(s.Stamps) + 300*len(s.Seen)
}

// put changes the slot of a key and makes room by dropping those whose newest
// row is the oldest.
func (t *table) put(key string, change func(*Slot)) {
	s := t.slots[key]
	if s == nil {
		s = &Slot{}
		t.slots[key] = s
	} else {
		t.bytes -= s.size() + len(key)
	}
	change(s)
	t.bytes += s.size() + len(key)
	if t.bytes > tableBytes {
		t.evict()
	}
}

// evict drops slots until an eighth of the table is free.
func (t *table) evict() {
	for _, key := range slices.SortedFunc(maps.Keys(t.slots), func(a, b string) int { return t.slots[a].age(t.slots[b], a, b) }) {
		if t.bytes <= tableBytes-tableBytes/8 {
			return
		}
		if at := t.slots[key].Last.At; at.After(t.evicted) {
			t.evicted = at
		}
		t.drop(key)
	}
}

// age orders slots by their newest rows, the oldest first.
func (s *Slot) age(o *Slot, key, other string) int {
	return cmp.Or(s.Last.At.Compare(o.Last.At), cmp.Compare(s.Last.Seq, o.Last.Seq), cmp.Compare(key, other))
}

func (t *table) drop(key string) {
	if s := t.slots[key]; s != nil {
		t.bytes -= s.size() + len(key)
		delete(t.slots, key)
	}
}

func (s *State) table(name string) *table {
	t := s.tables[name]
	if t == nil {
		t = &table{slots: map[string]*Slot{}}
		s.tables[name] = t
	}
	t.open()
	return t
}
