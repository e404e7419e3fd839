package journal

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/git-dos/git-dos/kernel/written"
)

// A cursor reads checkpoints in the form in which they are written.
type cursor struct{ written.Cursor }

func newCursor(text string) *cursor { return &cursor{written.Cursor{JSON: text}} }

// restoreWritten is Restore of a checkpoint as this version writes it. One pass
// looks at everything Restore refuses, and decodes neither runs nor tables:
// that waits until somebody asks. Not ok is any other form, or a state that is
// refused.
func restoreWritten(node, payload string) (s *State, ok bool) {
	c := newCursor(payload)
	s = New(node)
	if !c.Word(`{"v":` + strconv.Itoa(Version) + `,"op":"` + OpCheckpoint + `","seq":`) {
		return nil, false
	}
	s.seq = c.Uint()
	c.Bad = c.Bad || s.seq > maxSeq
	if !c.Word(`,"at":`) {
		return nil, false
	}
	c.Time()
	if !c.Word(`,"node":`) || c.Text() != node || !c.Word(`,"clock":`) {
		return nil, false
	}
	s.clock = c.Int()
	if !c.Word(`,"tables":`) {
		return nil, false
	}
	c.tables(s)
	if !c.Word(`,"runs":`) {
		return nil, false
	}
	c.runs(&s.runs)
	if c.Word(`,"runs_evicted":`) {
		s.runs.evicted = c.Time()
	}
	if !c.Word(`,"windows":`) {
		return nil, false
	}
	c.windows(s.windows)
	if c.Word(`,"doubts":`) {
		var d doubtsDoc
		c.Bad = json.Unmarshal([]byte(c.Value()), &d) != nil || c.Bad
		s.restoreDoubts(&d)
	}
	c.Must('}')
	return s, c.Ended()
}

// A writtenTable is a table in a checkpoint whose rows were looked at.
type writtenTable struct {
	once sync.Once
	raw  string
	node string
	rows uint64 // of the ledger up to the checkpoint
}

// tables takes the tables of a checkpoint over as they are written.
func (c *cursor) tables(s *State) {
	var scratch Slot
	c.Sorted(func(name []byte) {
		t := &table{}
		from := c.At
		c.In("slots evicted", func(key string) {
			if key == "evicted" {
				t.evicted = c.Time()
				return
			}
			c.Sorted(func(key []byte) { t.bytes += len(key) + c.slot(&scratch, s.seq, false) })
		})
		if !c.Bad {
			t.written = &writtenTable{raw: c.JSON[from:c.At], node: s.node, rows: s.seq}
			s.tables[string(name)] = t
		}
	})
}

// slot reads a slot and returns its size. Unless it is to be kept, into is only
// room to look at it in.
func (c *cursor) slot(into *Slot, rows uint64, keep bool) (size int) {
	size = 200
	into.Stamps, into.Seen = into.Stamps[:0], into.Seen[:0]
	told := false
	c.In("first last count streak stamps seen", func(key string) {
		switch key {
		case "first", "last":
			to := &into.First
			if key == "last" {
				to, told = &into.Last, true
			}
			raw, err := c.row(to, rows, keep)
			c.Bad = c.Bad || err != nil
			size += len(raw)
		case "count":
			into.Count = c.Uint()
		case "streak":
			into.Streak = c.Uint()
		case "stamps":
			size += 24 * c.stamps(into)
		case "seen":
			size += 300 * c.seen(into)
		}
	})
	c.Bad = c.Bad || !told
	return size
}

func (c *cursor) stamps(into *Slot) int {
	n := c.List(func(int) {
		c.Must('[')
		seq := c.Int()
		c.Must(',')
		into.Stamps = append(into.Stamps, Stamp{uint64(seq), c.Int()})
		c.Must(']')
	})
	c.Bad = c.Bad || n > maxStamps
	return n
}

func (c *cursor) seen(into *Slot) int {
	c.Sorted(func(key []byte) {
		into.Seen = append(into.Seen, Witness{string(key), c.Uint()})
	})
	c.Bad = c.Bad || len(into.Seen) > maxSeen
	return len(into.Seen)
}

// open decodes a table that a checkpoint told of. Readers may do so side by
// side. Of one that cannot be decoded after all, every slot counts as dropped.
func (t *table) open() {
	if t.written == nil {
		return
	}
	t.written.once.Do(func() {
		w := t.written
		t.slots = map[string]*Slot{}
		c := newCursor(w.raw)
		c.In("slots evicted", func(key string) {
			if key == "evicted" {
				c.Time()
				return
			}
			c.Sorted(func(key []byte) {
				s := &Slot{}
				t.slots[string(key)] = s
				c.slot(s, w.rows, true)
				s.Last.From = w.node
				if s.First.Op != "" {
					s.First.From = w.node
				}
			})
		})
		if c.Bad {
			t.evicted = time.Date(maxYear, 12, 31, 0, 0, 0, 0, time.UTC)
		}
		w.raw = ""
	})
}

// runs takes the runs of a checkpoint over as they are written. Rows that
// cannot be read are the matter of whoever asks for their run.
func (c *cursor) runs(rs *runs) {
	all := make([]run, 0, 64)
	ids := make([]string, 0, 64)
	c.Sorted(func(id []byte) {
		from := c.At
		u := run{bytes: len(id) + 100}
		rows, clocks := 0, 0
		keys := 0
		c.In(runKeys, func(key string) {
			switch key {
			case "rows":
				keys++
				rows = c.List(func(int) { u.bytes += len(c.Value()) + 100 })
			case "clocks":
				keys++
				clocks = c.List(func(int) { c.Int() })
			case "overflow":
				u.overflow = c.Yes()
			case "partial":
				u.partial = c.Yes()
			case "broken":
				u.broken = c.Yes()
			case "intent":
				u.intent = c.Yes()
			case "newest":
				keys++
				u.newest = c.Time()
			}
		})
		if c.Bad = c.Bad || keys != 3 || rows != clocks || rows > maxRunRows; !c.Bad {
			u.raw = c.JSON[from:c.At]
			all, ids = append(all, u), append(ids, string(id))
		}
	})
	if c.Bad {
		return
	}
	rs.byID = make(map[string]*run, len(all))
	for i := range all {
		rs.byID[ids[i]] = &all[i]
		rs.bytes += all[i].bytes
	}
}

const runKeys = "rows clocks overflow partial broken intent newest"

// wrote is what is written of a run that is not decoded yet, nil of another.
func (u *run) wrote() *runDoc {
	if u.raw == "" {
		return u.written
	}
	d := &runDoc{Rows: []json.RawMessage{}, Clocks: []int64{}, Overflow: u.overflow, Partial: u.partial, Broken: u.broken, Intent: u.intent, Newest: u.newest}
	c := newCursor(u.raw)
	c.In(runKeys, func(key string) {
		switch key {
		case "rows":
			c.List(func(int) { d.Rows = append(d.Rows, json.RawMessage(c.Value())) })
		case "clocks":
			c.List(func(int) { d.Clocks = append(d.Clocks, c.Int()) })
		default:
			c.Value()
		}
	})
	return d
}

// windows reads the windows of a checkpoint.
func (c *cursor) windows(w windows) {
	c.Sorted(func(key []byte) {
		hour, err := strconv.ParseInt(string(key), 10, 64)
		if c.Bad = err != nil || strconv.FormatInt(hour, 10) != string(key); c.Bad {
			return
		}
		counts := map[string]uint64{}
		c.Sorted(func(key []byte) { counts[string(key)] = c.Uint() })
		if len(counts) > 0 {
			w[hour] = counts
		}
	})
}
