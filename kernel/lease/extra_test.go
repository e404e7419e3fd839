package lease

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// What lists the leases of the store may be handed over whole: it is then no
// second lease that force cannot end.
func TestAListOfTheStoreIsNoOtherLease(t *testing.T) {
	bob := heldBy("bob", "b0b")
	given := lane.Lease{Lane: "DOCS", Kind: lane.Cluster, Tree: bob.Tree, Holder: "bob", State: lane.Held, Nonce: "b0b"}
	with := func(change func(*lane.Lease)) func(*AcquireEvidence) {
		l := given
		change(&l)
		return func(ev *AcquireEvidence) { ev.Extra = []lane.Lease{l} }
	}
	freed := bob
	freed.State = lane.Free
	for _, tt := range []struct {
		claim string
		ev    AcquireEvidence
		want  Outcome
	}{
		{"force ends it", asking(tableWith(bob), with(func(*lane.Lease) {}), forcing), Acquired},
		{"without force it stands", asking(tableWith(bob), with(func(*lane.Lease) {})), Refused},
		{"one that the store saw end is over", asking(tableWith(freed), with(func(*lane.Lease) {})), Acquired},
		{"another nonce is another lease", asking(tableWith(bob), with(func(l *lane.Lease) { l.Nonce = "e5e" }), forcing), Refused},
		{"so is another lane of the same nonce", asking(tableWith(bob), with(func(l *lane.Lease) { l.Lane = "part" }), forcing), Refused},
		{"and one that says no nonce", asking(tableWith(bob), with(func(l *lane.Lease) { l.Nonce = "" }), forcing), Refused},
		{"and one that the store does not know", asking(tableWith(), with(func(*lane.Lease) {}), forcing), Refused},
	} {
		if v, _, err := Acquire(tt.ev); err != nil || v.Outcome != tt.want {
			t.Errorf("%s: %+v, %v", tt.claim, v, err)
		}
	}
}
