package lease

import (
	"cmp"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Table is everything an authority holds about leases, as read at once or
// nearly so.
type Table struct {
	Lanes  map[string]Record // by chain
	Unread map[string]error  // chains whose newest record cannot be read
	Order  Order             // the zero Order before the first admission
}

// chains lists the chains that can be read, in name order.
func (t Table) chains() []string { return slices.Sorted(maps.Keys(t.Lanes)) }

// Torn lists, in name order, the chains that lack what the order says of them:
// an admission, or the end that an admission made by force. The reads straddled a
// transaction, one was cut off half-way, or the chain was deleted or moved back.
// Nothing can be decided on a torn table. A chain that cannot be read is not torn.
func (t Table) Torn() []string {
	var torn []string
	for _, chain := range slices.Sorted(maps.Keys(t.Order.Lanes)) {
		r := t.Lanes[chain]
		if t.Unread[chain] == nil && (t.Order.ahead(chain, r.Gen) || t.Order.overruled(r)) {
			torn = append(torn, chain)
		}
	}
	return torn
}

// Lost lists the torn chains that no cut-off admission explains. When they stay
// so for [TornFor], their state was lost: their holders may be at work, and
// only an operator can tell.
func (t Table) Lost() []string {
	return slices.DeleteFunc(t.Torn(), func(chain string) bool { return t.Order.explains(chain, t.Lanes[chain].Gen) })
}

// Holding returns the lease that is not free under a lane's name, whichever
// chain it stands on. Of several, the one that was admitted comes first.
func (t Table) Holding(name string) (Record, bool) {
	return t.holding(name, func(Record) bool { return false })
}

// holding is Holding for a caller, whose own lease comes first.
func (t Table) holding(name string, mine func(Record) bool) (Record, bool) {
	var found []Record
	for _, chain := range t.chains() {
		if r := t.Lanes[chain]; r.Lane == name && r.State != lane.Free {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return Record{}, false
	}
	rank := func(r Record) int {
		n := 0
		if !mine(r) {
			n += 2
		}
		if !t.Order.admits(r) {
			n++
		}
		return n
	}
	return slices.MinFunc(found, func(a, b Record) int { return cmp.Compare(rank(a), rank(b)) }), true
}

// Stand finds where a lane stands, for the verbs on an existing lease: the chain
// that holds its name, else one that an admission of it was cut off from, else
// the one that last held it, which is free; "" and nil when there is none. The
// record of a chain that an admission was cut off from may be of another lane.
// It is an *[UnreadError] when the lane's own chain cannot be read, or one that
// the order admitted it on.
func (t Table) Stand(name string) (chain string, cur *Record, err error) {
	if r, ok := t.Holding(name); ok {
		return r.Chain(), &r, nil
	}
	if err := t.unreadNamed(name); err != nil {
		return "", nil, err
	}
	for _, chain := range t.Torn() {
		if t.Order.Lanes[chain].lane(chain) == name {
			if r, ok := t.Lanes[chain]; ok {
				return chain, &r, nil
			}
			return chain, nil, nil
		}
	}
	for _, chain := range t.chains() {
		if r := t.Lanes[chain]; r.Lane == name && (cur == nil || r.RenewedAt.After(cur.RenewedAt)) {
			cur = &r
		}
	}
	if cur == nil {
		return "", nil, nil
	}
	return cur.Chain(), cur, nil
}

// live returns the leases that bind others, but for those on chains to skip, in
// order of their chains. A lane ahead of the order is held like any other.
func (t Table) live(skip map[string]bool) []lane.Lease {
	var live []lane.Lease
	for _, chain := range t.chains() {
		if r := t.Lanes[chain]; !skip[chain] && r.State != lane.Free {
			live = append(live, r.asLive())
		}
	}
	return append(live, t.unreadLive()...)
}

// A Write is an entry to append: to a chain, or, with Chain empty, to the order.
// Entries for one chain go on top of each other, in order.
type Write struct {
	Chain   string
	Op      string
	Gen     uint64
	Payload []byte
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
	after.Lanes = map[string]Record{}
	maps.Copy(after.Lanes, t.Lanes)
	for _, chain := range torn {
		g := t.Order.Lanes[chain]
		w, r := t.repair(chain, "an admission was cut off before it reached this lane", at)
		writes = append(writes, w)
		cut[g.Nonce], after.Lanes[chain] = true, r
	}
	o, any := t.Order.without(func(what, key string, c Claim) bool {
		return cut[c.Nonce] && after.tenure(what, key, c, at.Now, 0).over
	})
	if any {
		writes = append(writes, o.write(OpEnded))
	}
	return writes
}

// repair frees one torn chain.
func (t Table) repair(chain, reason string, at Stamp) (Write, Record) {
	r, g := t.Lanes[chain], t.Order.Lanes[chain]
	op, free := OpScavenge, freed(r, "an operator ended it by force", at)
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
		r, g := t.Lanes[chain], t.Order.Lanes[chain]
		switch {
		case t.Unread[chain] != nil:
			unread = true // what it claims stays
		case cut[g.Nonce] && (t.Order.ahead(chain, r.Gen) || t.Order.overruled(r)):
			w, _ := t.repair(chain, reason, at)
			writes = append(writes, w)
		case r.State != lane.Free && cut[r.Nonce]:
			writes = append(writes, laneWrite(OpVoid, freed(r, reason, at)))
		}
	}
	if o, any := t.Order.without(func(_, _ string, c Claim) bool { return cut[c.Nonce] }); any && !unread {
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
	for chain, r := range t.Lanes {
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
	r.Operator, r.Unit, r.Seat, r.Proc = "", "", "", nil
	if r.Lane != chain {
		r.Slot = chain
	}
	if r.Tree == nil {
		r.Tree = []string{}
	}
	return r
}
