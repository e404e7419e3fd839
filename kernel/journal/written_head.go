package journal

import (
	"encoding/json"
	"strconv"
	"time"
)

// readHead reads the head of a checkpoint that keeps its state in parts, as this
// version writes it. Not ok is any other form, which is left to the decoder.
func readHead(payload string) (doc headDoc, ok bool) {
	c := newCursor(payload)
	if !c.Word(`{"v":` + strconv.Itoa(SplitVersion) + `,"op":"` + OpCheckpoint + `","seq":`) {
		return doc, false
	}
	doc.V, doc.Op, doc.Seq = SplitVersion, OpCheckpoint, c.Uint()
	c.Key("at")
	doc.At = c.Time()
	c.Key("node")
	doc.Node = c.Text()
	c.Key("clock")
	doc.Clock = c.Int()
	c.Key("tables")
	doc.Tables = c.tableHeads()
	c.Key("runs")
	doc.Runs = c.bundleHeads()
	if c.Word(`,"runs_evicted":`) {
		doc.Evicted = c.Time()
	}
	if c.Word(`,"doubts":`) {
		c.Bad = json.Unmarshal([]byte(c.Value()), &doc.Doubts) != nil || c.Bad
	}
	c.Must('}')
	return doc, c.Ended()
}

func (c *cursor) tableHeads() map[string]tableHead {
	all := map[string]tableHead{}
	c.Sorted(func(name []byte) {
		var h tableHead
		c.In("parts evicted", func(key string) {
			if key == "evicted" {
				h.Evicted = c.Time()
				return
			}
			h.Parts = make([]time.Time, 0, 16)
			c.List(func(int) { h.Parts = append(h.Parts, c.Time()) })
		})
		all[string(name)] = h
	})
	return all
}

func (c *cursor) bundleHeads() []bundleHead {
	all := make([]bundleHead, 0, 32)
	c.List(func(int) {
		var h bundleHead
		c.In("first marks", func(key string) {
			to := &h.First
			if key == "marks" {
				to = &h.Marks
			}
			*to = c.Text()
		})
		all = append(all, h)
	})
	return all
}
