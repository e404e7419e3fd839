package lease

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Grant is what the order chain says of a lane: the generation it was last
// admitted with, and that admission's nonce.
type Grant struct {
	Gen   uint64 `json:"gen"`
	Nonce string `json:"nonce"`
}

// A Claim is a unit or a seat taken by an admission, for a time of its own.
type Claim struct {
	Nonce string `json:"nonce"`
	Until string `json:"until"` // RFC 3339
}

// An Order is the record on order/grants: the tables that all admissions of an
// authority share. One entry is one admission, so its chain is their order.
type Order struct {
	V       int              `json:"v"`
	Seq     uint64           `json:"seq"`
	Lanes   map[string]Grant `json:"lanes"`
	Units   map[string]Claim `json:"units"`
	Seats   map[string]Claim `json:"seats"`
	Classes map[string]int   `json:"classes"`
	Policy  string           `json:"policy"` // trunk commit of the newest admission

	// The newest admission: its lane, "" when that is not known, and the
	// generation at which it found the lane, 0 when there was none.
	Admitted string `json:"admitted"`
	Found    uint64 `json:"found"`
}

// ParseOrder reads the record on the order chain.
func ParseOrder(seq uint64, payload []byte) (Order, error) {
	var o Order
	if err := decode(payload, &o); err != nil {
		return Order{}, fmt.Errorf("order of admissions: %w", err)
	}
	switch {
	case o.V != Version:
		return Order{}, fmt.Errorf("order of admissions: %w: version %d, this git-dos knows %d", ErrRecord, o.V, Version)
	case o.Seq != seq || seq == 0 || seq > maxGen:
		return Order{}, fmt.Errorf("order of admissions: %w: number %d in entry %d", ErrRecord, o.Seq, seq)
	case o.Lanes == nil:
		return Order{}, fmt.Errorf("order of admissions: %w: no table of lanes", ErrRecord)
	}
	for name, g := range o.Lanes {
		if folded, err := lane.Canonical(name); err != nil || folded != name || g.Gen == 0 || g.Gen > maxGen || g.Nonce == "" {
			return Order{}, fmt.Errorf("order of admissions: %w: admission of lane %q as generation %d", ErrRecord, name, g.Gen)
		}
	}
	if g, ok := o.Lanes[o.Admitted]; o.Admitted != "" && (!ok || o.Found > g.Gen) {
		return Order{}, fmt.Errorf("order of admissions: %w: newest admission of lane %q over generation %d", ErrRecord, o.Admitted, o.Found)
	}
	return o, nil
}

// admits reports whether the order knows this very admission.
func (o Order) admits(r Record) bool {
	g, ok := o.Lanes[r.Lane]
	return ok && g.Gen == r.Gen && g.Nonce == r.Nonce
}

// ahead reports whether the order has admitted a later generation of the lane
// than the one it is at.
func (o Order) ahead(name string, gen uint64) bool { return o.Lanes[name].Gen > gen }

// explains reports whether the newest admission, cut off before it reached its
// lane, leaves the lane at gen. Every admission before it is on its lane: none
// is decided on a torn table. A lane that was not there may have been made since
// by the VOID of an acquirer that gave up.
func (o Order) explains(name string, gen uint64) bool {
	return o.Admitted != "" && o.Admitted == name && gen >= o.Found
}

// admit returns the order after one more admission, of a lane that was found at
// the given generation.
func (o Order) admit(r Record, found uint64) Order {
	next := Order{V: Version, Seq: o.Seq + 1, Lanes: map[string]Grant{}, Units: map[string]Claim{}, Seats: map[string]Claim{}, Classes: map[string]int{}, Policy: r.Policy}
	maps.Copy(next.Lanes, o.Lanes)
	maps.Copy(next.Units, o.Units)
	maps.Copy(next.Seats, o.Seats)
	maps.Copy(next.Classes, o.Classes)
	next.Lanes[r.Lane] = Grant{Gen: r.Gen, Nonce: r.Nonce}
	next.Admitted, next.Found = r.Lane, found
	return next
}

// A Table is everything an authority holds about leases, as read at once or
// nearly so.
type Table struct {
	Lanes map[string]Record // by canonical name
	Order Order             // the zero Order before the first admission
}

// Torn lists, in name order, the lanes whose admission is in the order but not
// on the lane: the reads straddled a transaction, one was cut off half-way, or
// the lane was deleted or moved back. Nothing can be decided on a torn table.
func (t Table) Torn() []string {
	var torn []string
	for _, name := range slices.Sorted(maps.Keys(t.Order.Lanes)) {
		if t.Order.ahead(name, t.Lanes[name].Gen) {
			torn = append(torn, name)
		}
	}
	return torn
}

// Lost lists the torn lanes that no cut-off admission explains. When they stay
// so for [TornFor], their state was lost: their holders may be at work, and
// only an operator can tell.
func (t Table) Lost() []string {
	return slices.DeleteFunc(t.Torn(), func(name string) bool { return t.Order.explains(name, t.Lanes[name].Gen) })
}

// live returns the leases that bind others, but for the one named, in name
// order. A lane ahead of the order is held like any other.
func (t Table) live(except string) []lane.Lease {
	var live []lane.Lease
	for _, name := range slices.Sorted(maps.Keys(t.Lanes)) {
		if r := t.Lanes[name]; name != except && r.State != lane.Free {
			live = append(live, r.asLive())
		}
	}
	return live
}

// A Write is an entry to append: to the chain of a lane, or, with Lane empty,
// to the order.
type Write struct {
	Lane    string
	Op      string
	Gen     uint64
	Payload []byte
}

func laneWrite(op string, r Record) Write {
	return Write{Lane: r.Lane, Op: op, Gen: r.Gen, Payload: encode(r)}
}

func orderWrite(o Order) Write {
	return Write{Op: OpGranted, Gen: o.Seq, Payload: encode(o)}
}

// Repair frees lanes whose admission was cut off between the order and the
// lane. The caller has seen the same torn table for at least [TornFor], and none
// of the lanes is lost.
func Repair(t Table, torn []string, at Stamp) []Write {
	var writes []Write
	for _, name := range torn {
		r := voided(t.Lanes[name], name, t.Order.Lanes[name], "an admission was cut off before it reached this lane", at)
		writes = append(writes, laneWrite(OpVoid, r))
	}
	return writes
}

// voided is the record of a torn lane after the admission that it lacks is
// ended; was is the zero Record on a lane that has none.
func voided(was Record, name string, admitted Grant, reason string, at Stamp) Record {
	r := freed(was, reason, at)
	r.V, r.Lane, r.Gen, r.Nonce, r.Operator = Version, name, admitted.Gen, admitted.Nonce, ""
	if r.Tree == nil {
		r.Tree = []string{}
	}
	return r
}
