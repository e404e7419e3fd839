package lease

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// besides is what of Extra the store does not know. What lists the leases of a
// store may be handed over whole, and how those stand is in the table.
func (ev AcquireEvidence) besides() []lane.Lease {
	if len(ev.Extra) == 0 {
		return nil
	}
	type key struct{ lane, nonce string }
	stored := map[key]bool{}
	for _, r := range ev.Table.Chains {
		stored[key{r.Lane, r.Nonce}] = true
	}
	return slices.DeleteFunc(slices.Clone(ev.Extra), func(l lane.Lease) bool {
		return l.Nonce != "" && stored[key{lane.CanonicalOr(l.Lane), l.Nonce}]
	})
}
