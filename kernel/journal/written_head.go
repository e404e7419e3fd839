package journal

import (
	"encoding/json"
	"strconv"
	"time"
)

// readHead reads the head of a checkpoint that keeps its state in parts, as this
// version writes it. Not ok is any other form, which is left to the decoder.
func readHead(payload string) (doc headDoc, ok bool) {
	c := &cursor{s: payload}
	if !c.word(`{"v":` + strconv.Itoa(SplitVersion) + `,"op":"` + OpCheckpoint + `","seq":`) {
		return doc, false
	}
	doc.V, doc.Op, doc.Seq = SplitVersion, OpCheckpoint, c.uint()
	c.key("at")
	doc.At = c.time()
	c.key("node")
	doc.Node = c.text()
	c.key("clock")
	doc.Clock = c.int()
	c.key("tables")
	doc.Tables = c.tableHeads()
	c.key("runs")
	doc.Runs = c.bundleHeads()
	if c.word(`,"runs_evicted":`) {
		doc.Evicted = c.time()
	}
	if c.word(`,"doubts":`) {
		c.bad = json.Unmarshal([]byte(c.value()), &doc.Doubts) != nil || c.bad
	}
	c.must('}')
	return doc, !c.bad && c.i == len(c.s)
}

// key reads the name of the next field of an object.
func (c *cursor) key(name string) {
	ok := c.word(`,"` + name + `":`)
	c.bad = c.bad || !ok
}

func (c *cursor) tableHeads() map[string]tableHead {
	all := map[string]tableHead{}
	c.sorted(func(name []byte) {
		var h tableHead
		c.in("parts evicted", func(key string) {
			if key == "evicted" {
				h.Evicted = c.time()
				return
			}
			h.Parts = make([]time.Time, 0, 16)
			c.list(func(int) { h.Parts = append(h.Parts, c.time()) })
		})
		all[string(name)] = h
	})
	return all
}

func (c *cursor) bundleHeads() []bundleHead {
	all := make([]bundleHead, 0, 32)
	c.list(func(int) {
		var h bundleHead
		c.in("first marks", func(key string) {
			to := &h.First
			if key == "marks" {
				to = &h.Marks
			}
			*to = c.text()
		})
		all = append(all, h)
	})
	return all
}
