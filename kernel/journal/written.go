package journal

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// restoreWritten is Restore of a checkpoint as this version writes it. One pass
// looks at everything Restore refuses, and decodes neither runs nor tables:
// that waits until somebody asks. Not ok is any other form, or a state that is
// refused.
func restoreWritten(node, payload string) (s *State, ok bool) {
	c := &cursor{s: payload}
	s = New(node)
	if !c.word(`{"v":` + strconv.Itoa(Version) + `,"op":"` + OpCheckpoint + `","seq":`) {
		return nil, false
	}
	s.seq = c.uint()
	c.bad = c.bad || s.seq > maxSeq
	if !c.word(`,"at":`) {
		return nil, false
	}
	c.time()
	if !c.word(`,"node":`) || c.text() != node || !c.word(`,"clock":`) {
		return nil, false
	}
	s.clock = c.int()
	if !c.word(`,"tables":`) {
		return nil, false
	}
	c.tables(s)
	if !c.word(`,"runs":`) {
		return nil, false
	}
	c.runs(&s.runs)
	if c.word(`,"runs_evicted":`) {
		s.runs.evicted = c.time()
	}
	if !c.word(`,"windows":`) {
		return nil, false
	}
	c.windows(s.windows)
	if c.word(`,"doubts":`) {
		var d doubtsDoc
		c.bad = json.Unmarshal([]byte(c.value()), &d) != nil || c.bad
		s.restoreDoubts(&d)
	}
	c.must('}')
	return s, !c.bad && c.i == len(c.s)
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
	c.sorted(func(name []byte) {
		t := &table{}
		from := c.i
		c.in("slots evicted", func(key string) {
			if key == "evicted" {
				t.evicted = c.time()
				return
			}
			c.sorted(func(key []byte) { t.bytes += len(key) + c.slot(&scratch, s.seq, false) })
		})
		if !c.bad {
			t.written = &writtenTable{raw: c.s[from:c.i], node: s.node, rows: s.seq}
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
	c.in("first last count streak stamps seen", func(key string) {
		switch key {
		case "first", "last":
			to := &into.First
			if key == "last" {
				to, told = &into.Last, true
			}
			raw, err := c.row(to, rows, keep)
			c.bad = c.bad || err != nil
			size += len(raw)
		case "count":
			into.Count = c.uint()
		case "streak":
			into.Streak = c.uint()
		case "stamps":
			size += 24 * c.stamps(into)
		case "seen":
			size += 300 * c.seen(into)
		}
	})
	c.bad = c.bad || !told
	return size
}

func (c *cursor) stamps(into *Slot) int {
	n := c.list(func(int) {
		c.must('[')
		seq := c.int()
		c.must(',')
		into.Stamps = append(into.Stamps, Stamp{uint64(seq), c.int()})
		c.must(']')
	})
	c.bad = c.bad || n > maxStamps
	return n
}

func (c *cursor) seen(into *Slot) int {
	c.sorted(func(key []byte) {
		into.Seen = append(into.Seen, Witness{string(key), c.uint()})
	})
	c.bad = c.bad || len(into.Seen) > maxSeen
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
		c := &cursor{s: w.raw}
		c.in("slots evicted", func(key string) {
			if key == "evicted" {
				c.time()
				return
			}
			c.sorted(func(key []byte) {
				s := &Slot{}
				t.slots[string(key)] = s
				c.slot(s, w.rows, true)
				s.Last.From = w.node
				if s.First.Op != "" {
					s.First.From = w.node
				}
			})
		})
		if c.bad {
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
	c.sorted(func(id []byte) {
		from := c.i
		u := run{bytes: len(id) + 100}
		rows, clocks := 0, 0
		keys := 0
		c.in(runKeys, func(key string) {
			switch key {
			case "rows":
				keys++
				rows = c.list(func(int) { u.bytes += len(c.value()) + 100 })
			case "clocks":
				keys++
				clocks = c.list(func(int) { c.int() })
			case "overflow":
				u.overflow = c.yes()
			case "partial":
				u.partial = c.yes()
			case "broken":
				u.broken = c.yes()
			case "intent":
				u.intent = c.yes()
			case "newest":
				keys++
				u.newest = c.time()
			}
		})
		if c.bad = c.bad || keys != 3 || rows != clocks || rows > maxRunRows; !c.bad {
			u.raw = c.s[from:c.i]
			all, ids = append(all, u), append(ids, string(id))
		}
	})
	if c.bad {
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
	c := &cursor{s: u.raw}
	c.in(runKeys, func(key string) {
		switch key {
		case "rows":
			c.list(func(int) { d.Rows = append(d.Rows, json.RawMessage(c.value())) })
		case "clocks":
			c.list(func(int) { d.Clocks = append(d.Clocks, c.int()) })
		default:
			c.value()
		}
	})
	return d
}

// windows reads the windows of a checkpoint.
func (c *cursor) windows(w windows) {
	c.sorted(func(key []byte) {
		hour, err := strconv.ParseInt(string(key), 10, 64)
		if c.bad = err != nil || strconv.FormatInt(hour, 10) != string(key); c.bad {
			return
		}
		counts := map[string]uint64{}
		c.sorted(func(key []byte) { counts[string(key)] = c.uint() })
		if len(counts) > 0 {
			w[hour] = counts
		}
	})
}
