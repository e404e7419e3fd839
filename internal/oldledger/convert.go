package oldledger

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/oldjournal"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// OpImported is the op of rows that keep old rows which are history.
const OpImported = "IMPORTED"

// A Row is one to be appended to a ledger.
type Row struct {
	Op   string
	JSON []byte // without a place in the ledger
	Old  int    // how many rows of the old journal it stands for
}

// fields are what a row has beside those of [journal.Row].
type fields struct {
	Imported []string          `json:"imported"` // the keys of the old rows
	Old      []json.RawMessage `json:"old"`      // and they themselves; null for one that is too large
}

// Imported are the keys of the old rows that a ledger's row brought over.
func Imported(payload []byte) []string {
	var f struct {
		Imported []string `json:"imported"`
	}
	if json.Unmarshal(payload, &f) != nil {
		return nil
	}
	return f.Imported
}

// Bounds of what is put into one row, well below that of a row.
const (
	maxBatch = 32 << 10
	maxOld   = 16 << 10 // of an old row that is kept
	maxKeys  = 500
	maxOps   = 12
)

// Convert makes rows of all old rows but those whose keys are given, in their
// order. Stamps from the future become now.
func (b *Book) Convert(have map[string]bool, now time.Time) []Row {
	c := converter{now: now.UTC().Truncate(time.Second), changed: b.changes()}
	for i, r := range b.rows {
		c.stamp(r.Entry)
		if have[r.key] {
			continue
		}
		if own, ok := c.own(i, r); ok {
			c.flush()
			c.rows = append(c.rows, own)
			continue
		}
		c.keep(r)
	}
	c.flush()
	return c.rows
}

// changes is where the lease of each lane changed last.
func (b *Book) changes() map[string]int {
	at := map[string]int{}
	for i, r := range b.rows {
		switch word(r.Entry["op"]) {
		case "ACQUIRE", "RECONCILE", "RELEASE", "SCAVENGE":
			at[word(r.Entry["lane"])] = i
		}
	}
	return at
}

// A converter makes rows, one after the other.
type converter struct {
	now     time.Time
	at      time.Time // of the row at hand, else of the one before
	changed map[string]int

	rows  []Row
	batch fields
	size  int
	since time.Time // of the last row of the batch
	ops   []string  // of its rows
}

// stamp takes the time of a row, if it has one.
func (c *converter) stamp(e oldjournal.Entry) {
	if c.at.IsZero() {
		c.at = c.now
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z"} {
		if t, err := time.Parse(layout, word(e["ts"])); err == nil && t.Year() >= 1970 {
			c.at = c.bounded(t)
			return
		}
	}
}

func (c *converter) bounded(t time.Time) time.Time {
	if t.After(c.now) {
		return c.now
	}
	return t.UTC().Truncate(time.Second)
}

// keep puts a row to the history at hand.
func (c *converter) keep(r row) {
	body := json.RawMessage(r.body)
	if len(body) > maxOld {
		body = json.RawMessage("null")
	}
	if c.size+len(body) > maxBatch || len(c.batch.Old) >= maxKeys {
		c.flush()
	}
	c.batch.Imported, c.batch.Old = append(c.batch.Imported, r.key), append(c.batch.Old, body)
	c.size, c.since = c.size+len(body), c.at
	if op := word(r.Entry["op"]); !slices.Contains(c.ops, op) && len(c.ops) < maxOps {
		c.ops = append(c.ops, op)
	}
}

// flush ends the history at hand.
func (c *converter) flush() {
	if len(c.batch.Old) == 0 {
		return
	}
	words := verdict.Clip(fmt.Sprintf("%s of the older tool: %s", verdict.Count(len(c.batch.Old), "row"), strings.Join(c.ops, ", ")))
	c.add(journal.Row{Op: OpImported, At: c.since, Source: Family, Reason: words}, c.batch)
	c.batch, c.size, c.ops = fields{}, 0, nil
}

func (c *converter) add(r journal.Row, f fields) {
	c.rows = append(c.rows, Row{Op: r.Op, JSON: join(r, f), Old: len(f.Imported)})
}

// join is a row with the fields beside it.
func join(r journal.Row, f fields) []byte {
	more, err := json.Marshal(f)
	if err != nil {
		return nil // of JSON that was read
	}
	head := r.Encode()
	return append(append(head[:len(head)-1], ','), more[1:]...)
}

// own makes a row of the same meaning, of an old one that a later question may
// need. ok is false for all others, and for those that say too little.
func (c *converter) own(i int, old row) (out Row, ok bool) {
	r, ok := c.meaning(i, old.Entry)
	if !ok {
		return out, false
	}
	f := fields{[]string{old.key}, []json.RawMessage{old.body}}
	if len(old.body) > maxOld {
		f.Old[0] = json.RawMessage("null")
	}
	r.Source = Family
	r.Seq = 1 // any, to see whether it can be read
	if _, err := journal.Decode(join(r, f)); err != nil {
		return out, false
	}
	r.Seq = 0
	return Row{Op: r.Op, JSON: join(r, f), Old: 1}, true
}

func (c *converter) meaning(i int, e oldjournal.Entry) (r journal.Row, ok bool) {
	r = journal.Row{
		Op: word(e["op"]), At: c.at, Lane: word(e["lane"]), RunID: word(e["run_id"]), Owner: word(e["holder"]),
		ReasonClass: word(e["reason_class"]), Reason: word(e["reason"]),
	}
	switch r.Op {
	case journal.OpRefuse:
		return r, c.changed[r.Lane] <= i // what stood in the way may still
	case journal.OpHalt:
		r.Handle, r.Command, r.Node = word(e["handle"]), word(e["command"]), word(e["host_id"])
		return r, r.Handle != "" || r.RunID != ""
	case journal.OpAttempt:
		r.Unit, r.Outcome = word(e["unit_id"]), word(e["outcome"])
		var ms int64
		if json.Unmarshal(e["attempted_at_ms"], &ms) == nil && ms > 0 && ms < math.MaxInt64/int64(time.Millisecond) {
			r.At = c.bounded(time.UnixMilli(ms))
		}
		return r, r.Unit != ""
	case journal.OpSpawn:
		return r, r.Lane != ""
	case journal.OpEnforce:
		return enforced(r, e)
	}
	return r, false
}

// enforced reads what was denied, or let through, to whom.
func enforced(r journal.Row, e oldjournal.Entry) (journal.Row, bool) {
	for _, name := range []string{"target", "path", "file"} {
		if r.Target == "" {
			r.Target = word(e[name])
		}
	}
	switch strings.ToUpper(word(e["intervention"])) + strings.ToUpper(word(e["decision"])) {
	case "BLOCK", "DENY":
		r.Verdict = journal.Denied
	case "ADMIT", "OVERRIDE", "OVERRIDE-ADMIT":
		r.Verdict = journal.Admitted
	}
	return r, r.Verdict != "" && r.Owner != "" && r.Target != ""
}
