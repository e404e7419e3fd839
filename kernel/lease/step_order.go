package lease

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// An OrderEntry is one entry of the order's chain, as a push brings it.
type OrderEntry struct {
	Op    string
	Order Order
}

// StepOrder judges one entry of the order on top of another, the zero Order where
// its chain begins. It is nil when a client could have written it. No chain leaves
// the order and no generation falls; an ENDED only takes bookings out. What the
// lanes have to show for it is for [Received.Judge].
func StepOrder(was Order, e OrderEntry) *Breach {
	is := e.Order
	if e.Op == opOfCheckpoint {
		if !reflect.DeepEqual(was, is) {
			return breach(ChangedRecord, fixByVerb, "CHECKPOINT changes the order of admissions")
		}
		return nil
	}
	switch {
	case e.Op != OpGranted && e.Op != OpEnded:
		return breach(IllegalStep, fixByVerb, "%.40q is no op on the order of admissions", e.Op)
	case is.Seq != was.Seq+1:
		return breach(BadGeneration, fixAgain, "the order goes from number %d to %d", was.Seq, is.Seq)
	case e.Op == OpEnded && !sameButBookings(was, is):
		return breach(ChangedRecord, fixByVerb, "ENDED changes more of the order than its bookings")
	}
	admitted := map[string]bool{} // nonces
	for _, chain := range slices.Sorted(maps.Keys(is.Lanes)) {
		if is.Lanes[chain].Gen > was.Lanes[chain].Gen {
			admitted[is.Lanes[chain].Nonce] = true
		}
	}
	for _, chain := range slices.Sorted(maps.Keys(was.Lanes)) {
		if b := stepGrant(was.Lanes[chain], is.Lanes[chain]); b != nil {
			return b.on(chain)
		}
	}
	for _, tables := range [][2]map[string]Booking{{was.Units, is.Units}, {was.Seats, is.Seats}} {
		for _, key := range slices.Sorted(maps.Keys(tables[1])) {
			if b := tables[1][key]; tables[0][key] != b && !admitted[b.Nonce] {
				return breach(ChangedRecord, fixByVerb, "%.100q is booked for a lease that is not admitted with it", key)
			}
		}
	}
	return nil
}

// stepGrant judges what the order says of one chain, before and after.
func stepGrant(was, is Grant) *Breach {
	switch {
	case is.Gen < was.Gen:
		return breach(BadGeneration, fixAgain, "the order goes from generation %d of the lane to %d", was.Gen, is.Gen)
	case is.Gen > was.Gen:
		return nil
	case is.Lane != was.Lane:
		return breach(ChangedRecord, fixByVerb, "the order has lane %s in the place of %s within generation %d", is.Lane, was.Lane, is.Gen)
	case is.Nonce != was.Nonce && is.Kind != "":
		return breach(HolderSwap, fixByVerb, "the order has another lease in the place of that of generation %d", is.Gen)
	}
	return nil
}

// sameButBookings reports whether two orders say the same of every lane.
func sameButBookings(was, is Order) bool {
	was.Seq, was.V, was.Units, was.Seats = is.Seq, is.V, is.Units, is.Seats
	return plain(was) == plain(is)
}

// plain is an order in a form in which no table and an empty one are the same.
func plain(o Order) string {
	o = o.next()
	if len(o.Newest) == 0 {
		o.Newest = nil
	}
	b, _ := json.Marshal(o) // it was read from JSON
	return string(b)
}
