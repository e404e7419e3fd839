package lease

import (
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Vouch holds a record to the order: a lease of the generation and nonce that
// the order admitted has the lane, kind and tree of that admission, and one that
// was free when the order was written has not come back. An order of an older
// layout vouches for everything.
func (o Order) Vouch(r Record) error {
	g := o.Lanes[r.Chain()]
	if o.Newest == nil || r.State == lane.Free || g.Gen != r.Gen || g.Nonce != r.Nonce {
		return nil
	}
	switch {
	case g.Kind == "":
		return fmt.Errorf("lane %s: %w: generation %d ended and is held again", r.Chain(), ErrRecord, r.Gen)
	case g.lane(r.Chain()) != r.Lane || g.Kind != r.LaneKind || len(g.Tree) > 0 && !slices.Equal(g.Tree, r.Tree):
		return fmt.Errorf("lane %s: %w: it is not as generation %d was admitted", r.Chain(), ErrRecord, r.Gen)
	}
	return nil
}

// Live returns the leases that bind others, as evidence for a decision that
// names any lane.
func (t Table) Live() []lane.Lease { return append(t.live(nil), t.unreadNames()...) }

// Owns reports whether r is a lease of this identity.
func (id Identity) Owns(r Record) bool { return id.owns(r) }

// LastAdmitted returns what the order last admitted to a chain that was not
// free then; the lane is "" where a slot does not say whose it is. known is false
// where the order does not say, and true with no kind where nobody was admitted.
func (t Table) LastAdmitted(chain string) (name, kind string, tree []string, known bool) {
	g := t.Order.Lanes[chain]
	if name = g.lane(chain); lane.IsSlot(name) {
		name = ""
	}
	return name, g.Kind, g.Tree, !t.mute()
}

// All returns the leases of an acquired verdict, one or several.
func (v Verdict) All() []Record {
	switch {
	case len(v.Leases) > 0:
		return v.Leases
	case v.Lease != nil:
		return []Record{*v.Lease}
	}
	return nil
}
