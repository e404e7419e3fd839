package lease

import (
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Write is an entry to append: to a chain, with Chain empty to the order, or,
// with Delegation set, to the chain of the delegation of lane Chain. Entries for
// one chain go on top of each other, in order.
type Write struct {
	Chain      string
	Delegation bool
	Op         string
	Gen        uint64
	Payload    []byte
}

func laneWrite(op string, r Record) Write {
	return Write{Chain: r.Chain(), Op: op, Gen: r.Gen, Payload: encode(r)}
}

func (o Order) write(op string) Write {
	return Write{Op: op, Gen: o.Seq, Payload: encode(o)}
}

// Repair frees the chains that the newest admissions were cut off from: what they
// were to have there has ended, and so has what they ended by force. What landed
// of them stays its acquirer's. The caller has seen the same torn table for at
// least [TornFor], and none of the chains is lost.
func Repair(t Table, torn []string, at Stamp) []Write {
	var writes []Write
	cut := map[string]bool{}
	after := t
	after.Chains = map[string]Record{}
	maps.Copy(after.Chains, t.Chains)
	for _, chain := range torn {
		g := t.Order.Lanes[chain]
		w, r := t.repair(chain, "an admission was cut off before it reached this lane", at)
		writes = append(writes, w)
		cut[g.Nonce], after.Chains[chain] = true, r
	}
	o, any := t.Order.without(func(what, key string, c Booking) bool {
		return cut[c.Nonce] && after.tenure(what, key, c, at.Now, 0).over
	})
	if any {
		writes = append(writes, o.write(OpEnded))
	}
	return writes
}

// repair frees one torn chain.
func (t Table) repair(chain, reason string, at Stamp) (Write, Record) {
	r, g := t.Chains[chain], t.Order.Lanes[chain]
	op, free := OpScavenge, freed(r, "another admission ended it", at)
	if t.Order.ahead(chain, r.Gen) {
		op, free = cutOp(r, g), voided(r, chain, g, reason, at)
	}
	return laneWrite(op, free), free
}

// endCut ends all that the admissions of these nonces left, landed or not.
func endCut(t Table, cut map[string]bool, reason string, at Stamp) []Write {
	var writes []Write
	unread := false
	for _, chain := range t.reach(cut) {
		r, g := t.Chains[chain], t.Order.Lanes[chain]
		switch {
		case t.Unread[chain] != nil:
			unread = true // what it has booked stays
		case cut[g.Nonce] && (t.Order.ahead(chain, r.Gen) || t.Order.overruled(r)):
			w, _ := t.repair(chain, reason, at)
			writes = append(writes, w)
		case r.State != lane.Free && cut[r.Nonce]:
			writes = append(writes, laneWrite(OpVoid, freed(r, reason, at)))
		}
	}
	if o, any := t.Order.without(func(_, _ string, c Booking) bool { return cut[c.Nonce] }); any && !unread {
		writes = append(writes, o.write(OpEnded))
	}
	return writes
}

// cutOp is the op that ends an admission on a chain that it has not reached. A
// lease that still stands there is one that the admission ended by force.
func cutOp(r Record, g Grant) string {
	if r.State == lane.Free || r.State == "" || r.Nonce == g.Nonce {
		return OpVoid
	}
	return OpScavenge
}

// reach lists, in name order, the chains that admissions of these nonces are on,
// by the order or by what landed.
func (t Table) reach(nonces map[string]bool) []string {
	found := map[string]bool{}
	for chain, g := range t.Order.Lanes {
		if nonces[g.Nonce] {
			found[chain] = true
		}
	}
	for chain, r := range t.Chains {
		if nonces[r.Nonce] && r.State != lane.Free {
			found[chain] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// voided is the record of a torn chain after the admission that it lacks is
// ended; was is the zero Record on a chain that has none.
func voided(was Record, chain string, g Grant, reason string, at Stamp) Record {
	r := freed(was, reason, at)
	r.V, r.Lane, r.Slot, r.Gen, r.Nonce = Version, g.lane(chain), "", g.Gen, g.Nonce
	r.Operator, r.Unit, r.Seat, r.Proc, r.Rides = "", "", "", nil, nil
	if r.Lane != chain {
		r.Slot = chain
	}
	if was.Lane != r.Lane { // what was there was of another lane
		r.LaneKind, r.Tree = g.Kind, slices.Clone(g.Tree)
	}
	if r.Tree == nil {
		r.Tree = []string{}
	}
	return r
}
