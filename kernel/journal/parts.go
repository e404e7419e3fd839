package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// maxLater bounds the rows that are kept until the parts below them are read.
const maxLater = 1 << 20

// A split is what a state lacks that a checkpoint keeps in parts, and the rows
// that were folded on top of it. They are folded again onto each part that is
// read, so that a part read late says what it would have said at first.
type split struct {
	seq     uint64 // of the checkpoint
	tables  map[string]*splitTable
	bundles []*bundle
	windows *windows // nil while not read
	evicted time.Time
	size    int // of the parts that were read

	later []runRow
	bytes int  // of them
	over  bool // there were too many to keep: no part can be read any more
}

type splitTable struct {
	parts   []*tablePart
	evicted time.Time
}

type tablePart struct {
	name   string
	newest time.Time
	slots  map[string]*Slot // nil while not read
	bytes  int
}

type bundle struct {
	name, first, marks string
	runs               map[string]*run // nil while not read
}

// restoreSplit is the state of a checkpoint that keeps it in parts, by its head.
func restoreSplit(node string, doc headDoc) (*State, error) {
	if err := checkHead(node, doc.Node, doc.Seq); err != nil {
		return nil, err
	}
	s := New(node)
	s.seq, s.clock, s.runs.evicted = doc.Seq, doc.Clock, doc.Evicted
	if doc.Doubts != nil {
		s.restoreDoubts(doc.Doubts)
	}
	p := &split{seq: doc.Seq, tables: map[string]*splitTable{}, evicted: doc.Evicted}
	if err := p.take(doc); err != nil {
		return nil, fmt.Errorf("%w: checkpoint of node %s: %w", ErrRow, node, err)
	}
	s.split = p
	s.runs.bundles = p.bundles
	for name := range p.tables {
		s.unfold(name)
	}
	return s, nil
}

// take takes note of the parts there are.
func (p *split) take(doc headDoc) error {
	n := len(doc.Runs)
	for i, name := range slices.Sorted(maps.Keys(doc.Tables)) {
		t := &splitTable{evicted: doc.Tables[name].Evicted}
		for j, newest := range doc.Tables[name].Parts {
			t.parts = append(t.parts, &tablePart{name: tablePartName(i, j), newest: newest})
		}
		p.tables[name] = t
		n += len(t.parts)
	}
	if n > maxParts {
		return fmt.Errorf("%d parts, at most %d", n, maxParts)
	}
	for i, b := range doc.Runs {
		if i > 0 && b.First <= doc.Runs[i-1].First || b.Marks == "" || len(b.Marks)%2 != 0 {
			return fmt.Errorf("malformed bundle of runs %d", i)
		}
		p.bundles = append(p.bundles, &bundle{name: bundleName(i), first: b.First, marks: b.Marks})
	}
	return nil
}

// add keeps a row that is folded on top.
func (p *split) add(r runRow) {
	if p.bytes += r.size(); p.bytes > maxLater || p.over {
		p.later, p.over = nil, true
		return
	}
	p.later = append(p.later, r)
}

// Later is how many bytes of rows wait for parts that were not read. A state
// bears only so many: past them no part can be taken up any more.
func (s *State) Later() int {
	if s.split == nil {
		return 0
	}
	return s.split.bytes
}

// Fill takes up parts that the state lacks. It answers then as if they had been
// there from the start. With an error, that one of them is not what the checkpoint
// says it is, the state is as it was.
func (s *State) Fill(parts ...Part) error {
	if s.split == nil || s.split.over {
		return fmt.Errorf("the state of node %s takes up no parts", s.node)
	}
	had := s.split.size
	if err := s.split.expand(parts); err != nil {
		s.split.size = had
		return fmt.Errorf("%w: checkpoint of node %s: %w", ErrRow, s.node, err)
	}
	undo := []func(){func() { s.split.size = had }}
	changed := map[string]bool{}
	for _, part := range parts {
		what, back, err := s.split.read(s.node, part)
		if err != nil {
			for _, f := range undo {
				f()
			}
			return fmt.Errorf("%w: part %.60s of a checkpoint of node %s: %w", ErrRow, part.Name, s.node, err)
		}
		undo, changed[what] = append(undo, back), true
	}
	for what := range changed {
		s.unfold(what)
	}
	if len(s.Lacks(Everything)) == 0 {
		s.split, s.runs.bundles = nil, nil
	}
	return nil
}

// expand counts parts that are read. It fails past the bounds of one and of all.
func (p *split) expand(parts []Part) error {
	for _, part := range parts {
		if p.size += len(part.Data); len(part.Data) > maxPart || p.size > MaxCheckpoint {
			return fmt.Errorf("part %.60s has %d bytes, and up to it are %d, at most %d and %d", part.Name, len(part.Data), p.size, maxPart, MaxCheckpoint)
		}
	}
	return nil
}

// The two things that are no tables, as unfold has them.
const (
	unfoldRuns    = "\x00runs"
	unfoldWindows = "\x00windows"
)

// read takes a part's content over and says what it is of.
func (p *split) read(node string, part Part) (what string, undo func(), err error) {
	from := &State{node: node, seq: p.seq}
	if part.Name == windowsPart && p.windows == nil {
		w, err := readWindows(string(part.Data))
		p.windows = w
		return unfoldWindows, func() { p.windows = nil }, err
	}
	for _, b := range p.bundles {
		if b.name == part.Name && b.runs == nil {
			b.runs, err = from.readBundle(string(part.Data), b)
			return unfoldRuns, func() { b.runs = nil }, err
		}
	}
	for name, t := range p.tables {
		for _, tp := range t.parts {
			if tp.name == part.Name && tp.slots == nil {
				err := from.readSlots(string(part.Data), tp, t)
				return name, func() { tp.slots = nil }, err
			}
		}
	}
	return "", nil, errors.New("it is not wanted")
}

// unfold makes a table, the runs or the windows of what was read of the parts and
// of the rows on top.
func (s *State) unfold(what string) {
	p := s.split
	switch what {
	case unfoldRuns:
		s.runs = runs{byID: map[string]*run{}, evicted: p.evicted, bundles: p.bundles}
		for _, b := range p.bundles {
			for id, u := range b.runs {
				fresh := *u
				s.runs.byID[id] = &fresh
				s.runs.bytes += u.bytes
			}
		}
		for _, r := range p.later {
			s.runs.add(r.Row, r.clock)
		}
	case unfoldWindows:
		s.windows = *p.windows
		for _, r := range p.later {
			s.windows.count(r.Row)
		}
	default:
		s.tables[what] = p.tables[what].table()
		for _, r := range p.later {
			for _, at := range placesOf(r.Row) {
				if at.table == what {
					s.place(at, r.Row)
				}
			}
		}
	}
}

// table is what was read of a table. What was not counts as dropped.
func (t *splitTable) table() *table {
	fresh := &table{slots: map[string]*Slot{}, evicted: t.evicted}
	for _, tp := range t.parts {
		if tp.slots == nil && tp.newest.After(fresh.evicted) {
			fresh.evicted = tp.newest
		}
		for key, slot := range tp.slots {
			c := *slot
			c.Stamps, c.Seen = slices.Clone(slot.Stamps), slices.Clone(slot.Seen)
			fresh.slots[key] = &c
		}
		fresh.bytes += tp.bytes
	}
	return fresh
}

// readSlots reads a part of a table, whose newest row is from when its head says.
func (s *State) readSlots(data string, tp *tablePart, t *splitTable) error {
	slots, bytes, err := s.slotsOf(data)
	if err != nil {
		return err
	}
	newest := time.Time{}
	for key, slot := range slots {
		if at := slot.newest(); at.After(newest) {
			newest = at
		}
		for _, other := range t.parts {
			if other.slots[key] != nil {
				return errors.New("a key that is in two parts")
			}
		}
	}
	if len(slots) == 0 || !newest.Equal(tp.newest) {
		return errors.New("another newest row than it should have")
	}
	tp.slots, tp.bytes = slots, bytes
	return nil
}

func (s *State) slotsOf(data string) (slots map[string]*Slot, bytes int, err error) {
	slots = map[string]*Slot{}
	c := newCursor(data)
	c.Sorted(func(key []byte) {
		slot := &Slot{}
		bytes += len(key) + c.slot(slot, s.seq, true)
		slots[string(key)] = slot
	})
	if !c.Ended() {
		var docs map[string]slotDoc
		if err := json.Unmarshal([]byte(data), &docs); err != nil {
			return nil, 0, err
		}
		slots, bytes = map[string]*Slot{}, 0
		for key, d := range docs {
			slot, err := s.slot(d)
			if err != nil {
				return nil, 0, err
			}
			slots[key] = &slot
			bytes += slot.size() + len(key)
		}
	}
	for _, slot := range slots {
		slot.Last.From = s.node
		if slot.First.Op != "" {
			slot.First.From = s.node
		}
	}
	return slots, bytes, nil
}

// readBundle reads a bundle, which has exactly the runs that its head tells of,
// each with rows.
func (s *State) readBundle(data string, b *bundle) (map[string]*run, error) {
	c := newCursor(data)
	c.runs(&s.runs)
	if !c.Ended() {
		var docs map[string]runDoc
		if err := json.Unmarshal([]byte(data), &docs); err != nil {
			return nil, err
		}
		s.runs = runs{byID: map[string]*run{}}
		if err := s.restoreRuns(docs); err != nil {
			return nil, err
		}
	}
	ids := slices.Sorted(maps.Keys(s.runs.byID))
	if len(ids) == 0 || ids[0] != b.first || marks(ids) != b.marks {
		return nil, errors.New("other runs than those it should have")
	}
	for id, u := range s.runs.byID {
		if u.bytes <= len(id)+100 && !u.broken {
			return nil, errors.New("a run without rows")
		}
	}
	return s.runs.byID, nil
}

func readWindows(data string) (*windows, error) {
	w := windows{}
	c := newCursor(data)
	if c.windows(w); !c.Ended() {
		w = windows{}
		if err := json.Unmarshal([]byte(data), &w); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(w, func(_ int64, counts map[string]uint64) bool { return len(counts) == 0 })
	return &w, nil
}

// absent reports whether a run may be in a bundle that was not read.
func (rs *runs) absent(id string) bool { return bundleOf(rs.bundles, id) != nil }

// bundleOf is the bundle not read that may have a run, nil when none has.
func bundleOf(all []*bundle, id string) *bundle {
	i, found := slices.BinarySearchFunc(all, id, func(b *bundle, id string) int { return strings.Compare(b.first, id) })
	if !found {
		i--
	}
	if i < 0 || all[i].runs != nil {
		return nil
	}
	m, b := mark(id), all[i]
	for at := 0; at < len(b.marks); at += 2 {
		if b.marks[at:at+2] == m {
			return b
		}
	}
	return nil
}
