package lease

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

func equal(a, b []string) bool { return slices.Equal(a, b) }

// inSlot makes a record one of a lane that is not declared.
func inSlot(chain, name string, tree ...string) func(*Record) {
	return func(r *Record) { r.Lane, r.Slot, r.LaneKind, r.Tree = name, chain, lane.Keyword, tree }
}

// behind takes chains back to before the newest admission, which is in the order.
func behind(t Table, chains ...string) Table {
	for _, chain := range chains {
		if t.Order.Newest[chain] = t.Chains[chain].Gen - 1; t.Order.Newest[chain] == 0 {
			delete(t.Chains, chain)
			continue
		}
		r := t.Chains[chain]
		r.State, r.Nonce, r.Gen = lane.Free, "earlier", r.Gen-1
		t.Chains[chain] = r
	}
	return t
}
