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
	Chains map[string]Record // the newest record of each
	Unread map[string]error  // chains whose newest record cannot be read
	Order  Order             // the zero Order before the first admission
	Watch  Watch             // the zero Watch has seen nothing
}

// chains lists the chains that can be read, in name order.
func (t Table) chains() []string { return slices.Sorted(maps.Keys(t.Chains)) }

// Torn lists, in name order, the chains that lack what the order says of them:
// an admission, or the end that an admission made by force. The reads straddled a
// transaction, one was cut off half-way, or the chain was deleted or moved back.
// Nothing can be decided on a torn table. A chain that cannot be read is not torn.
func (t Table) Torn() []string {
	var torn []string
	for _, chain := range slices.Sorted(maps.Keys(t.Order.Lanes)) {
		r := t.Chains[chain]
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
	return slices.DeleteFunc(t.Torn(), func(chain string) bool { return t.Order.explains(chain, t.Chains[chain].Gen) })
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
		if r := t.Chains[chain]; r.Lane == name && r.State != lane.Free {
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
			if r, ok := t.Chains[chain]; ok {
				return chain, &r, nil
			}
			return chain, nil, nil
		}
	}
	for _, chain := range t.chains() {
		if r := t.Chains[chain]; r.Lane == name && (cur == nil || r.RenewedAt.After(cur.RenewedAt)) {
			cur = &r
		}
	}
	if cur == nil {
		return "", nil, nil
	}
	return cur.Chain(), cur, nil
}

// Live returns the leases that bind others, but for those on chains to skip, in
// order of their chains. A lane ahead of the order is held like any other, and one
// that cannot be read is among them with what it holds at most. Claims inside a lease
// are not: others meet the lease itself.
func (t Table) Live(skip map[string]bool) []lane.Lease {
	var live []lane.Lease
	for _, chain := range t.chains() {
		if r := t.Chains[chain]; !skip[chain] && r.State != lane.Free && r.Rides == nil {
			live = append(live, r.asLive())
		}
	}
	return append(live, t.unreadLive()...)
}
