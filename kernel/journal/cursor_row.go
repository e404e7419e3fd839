package journal

import (
	"encoding/json"
	"errors"
)

// wordOf and textOf are where a text of a row goes, by its key, nil for a key
// that is none of them.
func (r *Row) wordOf(key string) *string {
	switch key {
	case "op":
		return &r.Op
	case "lane":
		return &r.Lane
	case "owner":
		return &r.Owner
	case "run_id":
		return &r.RunID
	case "operator":
		return &r.Operator
	case "reason_class":
		return &r.ReasonClass
	case "nonce":
		return &r.Nonce
	case "node":
		return &r.Node
	case "unit":
		return &r.Unit
	case "seat":
		return &r.Seat
	case "account":
		return &r.Account
	case "plan":
		return &r.Plan
	case "phase":
		return &r.Phase
	case "key":
		return &r.Key
	case "wave_id":
		return &r.WaveID
	case "start":
		return &r.Start
	case "boot_id":
		return &r.BootID
	case "outcome":
		return &r.Outcome
	case "start_sha":
		return &r.StartSha
	case "step_id":
		return &r.StepID
	case "sha":
		return &r.Sha
	case "via":
		return &r.Via
	case "predecessor_run_id":
		return &r.Predecessor
	case "resume_sha":
		return &r.ResumeSha
	case "kind":
		return &r.Kind
	case "handle":
		return &r.Handle
	case "edge":
		return &r.Edge
	case "verb":
		return &r.Verb
	case "verdict":
		return &r.Verdict
	case "source":
		return &r.Source
	case "id":
		return &r.ID
	}
	return nil
}

func (r *Row) textOf(key string) *string {
	switch key {
	case "reason":
		return &r.Reason
	case "goal":
		return &r.Goal
	case "detail":
		return &r.Detail
	case "command":
		return &r.Command
	case "log":
		return &r.Log
	case "target":
		return &r.Target
	case "ref":
		return &r.Ref
	case "subject":
		return &r.Subject
	}
	return nil
}

// row reads a row that a checkpoint of so many rows carries, as readBack does
// but for its node, and returns it as it stands. What is not in the form it
// knows it leaves to that. The row has a body only if keep is set.
func (c *cursor) row(r *Row, rows uint64, keep bool) (raw string, err error) {
	from := c.At
	*r = Row{}
	c.Object(func(key string) { c.rowField(r, key) })
	if raw = c.JSON[from:min(c.At, len(c.JSON))]; !c.Bad && len(raw) <= MaxRow && r.checkFast() == nil && r.Seq <= rows {
		if keep {
			r.body = []byte(raw)
		}
		return raw, nil
	}
	c.At, c.Bad = from, false
	if raw = c.Value(); c.Bad {
		return "", errForm
	}
	*r, err = readBack([]byte(raw), "", rows)
	return raw, err
}

var errForm = errors.New("in another form")

// checkFast is check without what rowField looks at.
func (r *Row) checkFast() error {
	if r.Op == "" || r.Seq == 0 || r.Seq > maxSeq || r.Gen > maxSeq || r.At.Year() < minYear || r.At.Year() > maxYear {
		return errForm
	}
	if r.Until != nil && (r.Until.Year() < minYear || r.Until.Year() > maxYear) {
		return errForm
	}
	return r.checkNeeds()
}

// rowField reads the value of a key into a row.
func (c *cursor) rowField(r *Row, key string) {
	limit := maxWord
	to := r.wordOf(key)
	if to == nil {
		to, limit = r.textOf(key), maxText
	}
	if to != nil {
		*to = c.Text()
		c.Bad = c.Bad || len(*to) > limit
		return
	}
	switch key {
	case "v":
		r.V = int(c.Uint())
	case "seq":
		r.Seq = c.Uint()
	case "at":
		r.At = c.Time().UTC()
	case "gen":
		r.Gen = c.Uint()
	case "pid":
		r.PID = int64(c.Uint())
	case "status":
		n := int(c.Int())
		r.Status = &n
	case "until":
		t := c.Time()
		r.Until = &t
	case "holder":
		c.Bad = c.Bad || r.Holder != nil
		r.Holder = &Holder{}
		c.holder(r.Holder)
	case "blocking":
		c.blocking(r)
	case "declared_steps":
		r.DeclaredSteps = c.texts()
	case "residual":
		r.Residual = c.texts()
	case "env":
		r.Env = json.RawMessage(c.Value())
	case "verdicts":
		r.Verdicts = json.RawMessage(c.Value())
	default:
		c.Bad = true
	}
}

func (c *cursor) holder(h *Holder) {
	c.In("node owner worker", func(key string) {
		switch text := c.Text(); key {
		case "node":
			h.Node = text
		case "owner":
			h.Owner = text
		default:
			h.Worker = text
		}
	})
}

func (c *cursor) blocking(r *Row) {
	r.Blocking = []Blocker{}
	c.Bad = c.List(func(int) {
		var b Blocker
		c.In("lane gen", func(key string) {
			if key == "lane" {
				b.Lane = c.Text()
			} else {
				b.Gen = c.Uint()
			}
		})
		r.Blocking = append(r.Blocking, b)
	}) > maxItems || c.Bad
}

func (c *cursor) texts() []string {
	all := []string{}
	c.Bad = c.List(func(int) { all = append(all, c.Text()) }) > maxItems || c.Bad
	return all
}

// readRow is readBack of a row that is mostly in the form a cursor reads.
func readRow(raw, node string, rows uint64) (Row, error) {
	c := newCursor(raw)
	var r Row
	if _, err := c.row(&r, rows, true); err != nil || c.At != len(raw) {
		return readBack([]byte(raw), node, rows)
	}
	r.From = node
	return r, nil
}
