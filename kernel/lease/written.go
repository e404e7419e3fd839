package lease

import (
	"encoding/json"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/written"
)

// The keys of a record, of an order and of what they hold, in the order in which
// they are written.
const (
	recordKeys = "v lane slot lane_kind tree scope state gen nonce holder run_id unit seat proc ttl_s acquired_at renewed_at policy reason operator ship delegate under under_gen taking pushing rung rides"
	holderKeys = "node owner worker"
	orderKeys  = "v seq lanes units seats classes policy newest admitted found"
	grantKeys  = "gen nonce lane kind tree unit seat rides"
)

// readRecord reads a record in the form in which it is written. Not ok is any
// other, which is left to the decoder. Neither says whether it can be believed.
func readRecord(payload []byte) (r Record, ok bool) {
	c := &written.Cursor{JSON: string(payload)}
	c.In(recordKeys, func(key string) {
		if to := r.wordOf(key); to != nil {
			*to = c.Text()
			return
		}
		switch key {
		case "v":
			r.V = readVersion(c)
		case "tree":
			r.Tree = c.Strings()
		case "state":
			r.State = lane.State(c.Text())
		case "gen":
			r.Gen = c.Uint()
		case "holder":
			r.Holder = readHolder(c)
		case "ttl_s":
			r.TTL = c.Int()
		case "acquired_at":
			r.AcquiredAt = c.Time()
		case "renewed_at":
			r.RenewedAt = c.Time()
		case "delegate":
			r.Delegate = c.Yes()
		case "under_gen":
			r.UnderGen = c.Uint()
		case "taking":
			r.Taking = c.Yes()
		case "pushing":
			r.Pushing = c.Strings()
		case "proc":
			readAny(c, &r.Proc)
		case "ship":
			readAny(c, &r.Ship)
		case "rides":
			readAny(c, &r.Rides)
		}
	})
	return r, c.Ended()
}

// wordOf is where a word of a record goes, by its key, nil for a key of something
// else.
func (r *Record) wordOf(key string) *string {
	switch key {
	case "lane":
		return &r.Lane
	case "slot":
		return &r.Slot
	case "lane_kind":
		return &r.LaneKind
	case "scope":
		return &r.Scope
	case "nonce":
		return &r.Nonce
	case "run_id":
		return &r.RunID
	case "unit":
		return &r.Unit
	case "seat":
		return &r.Seat
	case "policy":
		return &r.Policy
	case "reason":
		return &r.Reason
	case "operator":
		return &r.Operator
	case "under":
		return &r.Under
	case "rung":
		return &r.Rung
	}
	return nil
}

func readVersion(c *written.Cursor) int {
	n := c.Int()
	c.Bad = c.Bad || n != int64(int(n))
	return int(n)
}

func readHolder(c *written.Cursor) (h Holder) {
	c.In(holderKeys, func(key string) {
		switch key {
		case "node":
			h.Node = c.Text()
		case "owner":
			h.Owner = c.Text()
		case "worker":
			h.Worker = c.Text()
		}
	})
	return h
}

// readAny has the decoder read a value that few records have.
func readAny(c *written.Cursor, into any) {
	text := c.Value()
	c.Bad = c.Bad || json.Unmarshal([]byte(text), into) != nil
}

// readOrder is readRecord for the order.
func readOrder(payload []byte) (o Order, ok bool) {
	c := &written.Cursor{JSON: string(payload)}
	c.In(orderKeys, func(key string) {
		switch key {
		case "v":
			o.V = readVersion(c)
		case "seq":
			o.Seq = c.Uint()
		case "lanes":
			o.Lanes = map[string]Grant{}
			c.Sorted(func(chain []byte) { o.Lanes[string(chain)] = readGrant(c) })
		case "units":
			readAny(c, &o.Units)
		case "seats":
			readAny(c, &o.Seats)
		case "classes":
			readAny(c, &o.Classes)
		case "policy":
			o.Policy = c.Text()
		case "newest":
			o.Newest = map[string]uint64{}
			c.Sorted(func(chain []byte) { o.Newest[string(chain)] = c.Uint() })
		case "admitted":
			o.Admitted = c.Text()
		case "found":
			o.Found = c.Uint()
		}
	})
	return o, c.Ended()
}

func readGrant(c *written.Cursor) (g Grant) {
	c.In(grantKeys, func(key string) {
		switch key {
		case "gen":
			g.Gen = c.Uint()
		case "nonce":
			g.Nonce = c.Text()
		case "lane":
			g.Lane = c.Text()
		case "kind":
			g.Kind = c.Text()
		case "tree":
			g.Tree = c.Strings()
		case "unit":
			g.Unit = c.Text()
		case "seat":
			g.Seat = c.Text()
		case "rides":
			g.Rides = c.Text()
		}
	})
	return g
}
