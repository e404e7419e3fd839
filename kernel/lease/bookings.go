package lease

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// What a lease may book beside its lane: no other may have it meanwhile.
const (
	bookUnit = "unit"
	bookSeat = "seat"
)

// books is the unit or the seat that a record names.
func (r Record) books(what string) string {
	if what == bookUnit {
		return r.Unit
	}
	return r.Seat
}

func (o Order) bookings(what string) map[string]Booking {
	if what == bookUnit {
		return o.Units
	}
	return o.Seats
}

// foldKey is the form in which units and seats are compared, and under which the
// order has them: neither case nor Unicode form tells two apart. Records keep the
// spelling they were given.
func foldKey(key string) string {
	if folded, ok := lane.FoldName(key); ok {
		return folded
	}
	return key
}

func sameKey(a, b string) bool { return a == b || foldKey(a) == foldKey(b) }

// foldKeys renames the entries of an order that has them as they were spelled. Two
// that are one now both stay, the second under its own spelling.
func foldKeys(table map[string]Booking) map[string]Booking {
	if table == nil {
		return nil
	}
	folded := make(map[string]Booking, len(table))
	var rest []string
	for key, b := range table {
		if foldKey(key) == key {
			folded[key] = b
		} else {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	for _, key := range rest {
		as := foldKey(key)
		if _, there := folded[as]; there {
			as = key
		}
		folded[as] = table[key]
	}
	return folded
}

// A tenure is what is known of a booking.
type tenure struct {
	over   bool
	by     []Record  // the leases it stands by, none when only the order knows
	unread string    // the chain that may have it and cannot be read
	until  time.Time // where only the order knows
}

// tenure judges one entry of the order. The record that names it decides; else
// any lease of its nonce that lives, since the leases of one admission share it.
// A nonce that stands nowhere may be at work until its time, and skew, are over.
func (t Table) tenure(what, key string, b Booking, now time.Time, skew time.Duration) tenure {
	var by []Record
	known := false
	for _, chain := range t.chains() {
		r := t.Chains[chain]
		switch {
		case r.Nonce != b.Nonce:
		case sameKey(r.books(what), key) && r.State == lane.Free:
			return tenure{over: true}
		case sameKey(r.books(what), key):
			return tenure{by: []Record{r}}
		case r.State != lane.Free:
			by = append(by, r)
		default:
			known = true
		}
	}
	if len(by) > 0 {
		return tenure{by: by}
	}
	for chain, g := range t.Order.Lanes {
		known = known || g.Nonce == b.Nonce && t.Chains[chain].Gen > g.Gen // ended, and followed by another
	}
	for _, chain := range t.unreadChains() {
		if g := t.Order.Lanes[chain]; g.Nonce == b.Nonce && (g.Kind != "" || t.mute()) {
			return tenure{unread: chain}
		}
	}
	until, err := time.Parse(time.RFC3339, b.Until)
	switch {
	case known:
		return tenure{over: true}
	case err == nil && skew > 0 && !now.Before(until.Add(skew)):
		return tenure{over: true}
	}
	return tenure{until: until}
}

// bookedBy finds what stands against a unit or a seat being booked: a lease
// that names it, whether the order has it or not, or an entry of the order. The
// caller's own, by nonce, does not.
func (t Table) bookedBy(what, key string, lease func(Record) bool, own func(nonce string) bool, now time.Time, skew time.Duration) (tenure, bool) {
	var by []Record
	for _, chain := range t.chains() {
		if r := t.Chains[chain]; r.State != lane.Free && sameKey(r.books(what), key) && !lease(r) {
			by = append(by, r)
		}
	}
	if len(by) > 0 {
		return tenure{by: by}, true
	}
	for _, chain := range t.unreadChains() {
		if g := t.Order.Lanes[chain]; sameKey(g.books(what), key) && !own(g.Nonce) {
			return tenure{unread: chain}, true
		}
	}
	table := t.Order.bookings(what)
	for _, entry := range slices.Sorted(maps.Keys(table)) {
		if b := table[entry]; sameKey(entry, key) && !own(b.Nonce) {
			if found := t.tenure(what, entry, b, now, skew); !found.over {
				return found, true
			}
		}
	}
	return tenure{}, false
}

// A Booking is a unit or a seat taken by an admission, for a time of its own.
type Booking struct {
	Nonce string `json:"nonce"`
	Until string `json:"until"` // RFC 3339
}

func (b Booking) check(what, key string) error {
	until, err := time.Parse(time.RFC3339, b.Until)
	switch {
	case err != nil || !inRange(until):
		return fmt.Errorf("%s %q is booked until %q", what, key, b.Until)
	case key == "" || b.Nonce == "":
		return fmt.Errorf("%s %q is booked by %q", what, key, b.Nonce)
	}
	if err := CheckWord(what, key); err != nil {
		return err
	}
	return CheckWord("nonce", b.Nonce)
}

// without is the order after the bookings that are over are taken out, and whether
// there were any.
func (o Order) without(over func(what, key string, b Booking) bool) (Order, bool) {
	n := o.next()
	maps.DeleteFunc(n.Units, func(key string, b Booking) bool { return over(bookUnit, key, b) })
	maps.DeleteFunc(n.Seats, func(key string, b Booking) bool { return over(bookSeat, key, b) })
	return n, len(n.Units) < len(o.Units) || len(n.Seats) < len(o.Seats)
}

// end is the entry that ends what a lease has booked beside its lane, none when the
// order has no booking of its.
func (o Order) end(leases ...Record) []Write {
	n, any := o.without(func(what, key string, b Booking) bool {
		for _, r := range leases {
			if r.Nonce == b.Nonce && sameKey(r.books(what), key) {
				return true
			}
		}
		return false
	})
	if !any {
		return nil
	}
	return []Write{n.write(OpEnded)}
}

// endAlone ends what an admission booked that is on no other chain. Where it is
// on others, the record that names the booking tells when it is over.
func (o Order) endAlone(chain string) []Write {
	nonce := o.Lanes[chain].Nonce
	for other, g := range o.Lanes {
		if other != chain && g.Nonce == nonce {
			return nil
		}
	}
	n, any := o.without(func(_, _ string, b Booking) bool { return b.Nonce == nonce })
	if !any {
		return nil
	}
	return []Write{n.write(OpEnded)}
}
