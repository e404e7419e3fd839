package lease

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func keyword(name string, tree ...string) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Requests = []lane.Request{{Lane: name, Tree: tree}} }
}

func TestWhereALaneStands(t *testing.T) {
	bob := heldBy("bob", "b0b", inSlot("k.00", "verb", "bin/**"))
	free := heldBy("bob", "b0b", inSlot("k.00", "verb", "bin/**"), inState(lane.Free))
	mine := as(Identity{RunID: "run-me"})
	for _, tt := range []struct {
		claim string
		ev    AcquireEvidence
		chain string
		gen   uint64
	}{
		{"a declared lane on its own chain", asking(tableWith(), lanes("docs")), "docs", 1},
		{"an exclusive one too", asking(tableWith(), lanes("all")), "all", 1},
		{"one that is exclusive unless declared", asking(tableWith(), lanes("release")), "release", 1},
		{"a reserved one", asking(tableWith(), lanes("_queue")), "_queue", 1},
		{"any other in the first slot", asking(tableWith(), keyword("word", "etc/**")), "k.00", 1},
		{"in a free slot, whose generations go on", asking(tableWith(free), keyword("word", "etc/**")), "k.00", 4},
		{"in the next when it is held", asking(tableWith(bob), keyword("word", "etc/**")), "k.01", 1},
		{"in a free one before a new one", asking(tableWith(bob, heldBy("eve", "e5e", inSlot("k.03", "else", "x/**"), inState(lane.Free))), keyword("word", "etc/**")), "k.03", 4},
		{"not on its own chain of an older layout", asking(tableWith(heldBy("bob", "b0b", onLane("word", lane.Keyword, "etc/**"), inState(lane.Free))), keyword("word", "etc/**")), "k.00", 1},
		{"unless the caller holds it there", asking(tableWith(heldBy("me", "old", onLane("word", lane.Keyword, "etc/**"))), mine, keyword("word", "etc/**")), "word", 3},
		{"the caller's own where it is held", asking(tableWith(free, heldBy("me", "old", inSlot("k.07", "word", "etc/**"))), mine, keyword("word", "etc/**")), "k.07", 3},
		{"named without a tree as well", asking(tableWith(heldBy("me", "old", inSlot("k.07", "word", "etc/**"))), mine, lanes("word")), "k.07", 3},
	} {
		v, writes, err := Acquire(tt.ev)
		if err != nil || v.Outcome != Acquired {
			t.Errorf("%s: %+v %v", tt.claim, v, err)
			continue
		}
		if r := v.Lease; r.Chain() != tt.chain || r.Gen != tt.gen || writes[0].Chain != tt.chain || r.Lane != v.Lane || r.Lane == r.Slot {
			t.Errorf("%s: on %s at generation %d as lane %s", tt.claim, r.Chain(), r.Gen, r.Lane)
		}
	}
}

// A lane is held by its name, wherever it stands: in a slot, or on a chain of its
// own that an older layout made.
func TestALaneIsHeldOnAnyChain(t *testing.T) {
	for claim, r := range map[string]Record{
		"in a slot":               heldBy("bob", "b0b", inSlot("k.05", "word", "bin/**")),
		"on a chain of its own":   heldBy("bob", "b0b", onLane("word", lane.Keyword, "bin/**")),
		"parked in a slot":        heldBy("bob", "b0b", inSlot("k.05", "word", "bin/**"), inState(lane.Parked)),
		"by one that is half had": heldBy("bob", "b0b", inSlot("k.05", "word", "bin/**"), inGen(4)),
	} {
		table := tableWith(r)
		if claim == "by one that is half had" {
			table = unadmitted(table, "k.05")
		}
		v, writes, err := Acquire(asking(table, keyword("word", "etc/**")))
		if err != nil || v.ReasonClass != lane.SameLaneHeld || writes != nil || v.Holder.Owner != "bob" {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
	}
	// A lane that was declared since its slot was taken is still held there.
	r := heldBy("bob", "b0b", inSlot("k.05", "docs", "bin/**"))
	if v, _, err := Acquire(asking(tableWith(r))); err != nil || v.ReasonClass != lane.SameLaneHeld {
		t.Errorf("%+v %v", v, err)
	}
}

func TestSlotsEnd(t *testing.T) {
	table := tableWith()
	for n := range maxSlots {
		r := heldBy("bob", "b0b", inSlot(lane.SlotName(n), fmt.Sprintf("w%d", n), fmt.Sprintf("d%d/**", n)))
		table.Chains[r.Chain()], table.Order.Lanes[r.Chain()] = r, grantOf(r)
	}
	v, writes, err := Acquire(asking(table, keyword("word", "etc/**")))
	if err != nil || v.Outcome != Refused || v.ReasonClass != lane.ClassBudgetExhausted || !strings.Contains(v.Reason, "1000") || writes != nil {
		t.Errorf("%+v %v %v", v, ops(writes), err)
	}
	if v, _, err := Acquire(asking(table, keyword("w7", "d7/**"), as(Identity{Nonce: "b0b"}))); err != nil || !v.Reacquired {
		t.Errorf("one that is held is had again: %+v %v", v, err)
	}
}

func TestStand(t *testing.T) {
	held := heldBy("bob", "b0b", inSlot("k.05", "word", "bin/**"))
	reused := heldBy("eve", "e5e", inSlot("k.00", "verb", "etc/**"), inState(lane.Free))
	later := heldBy("eve", "e5e", inSlot("k.02", "verb", "etc/**"), inState(lane.Free), func(r *Record) { r.RenewedAt = noon.Add(1) })
	cut := behind(tableWith(heldBy("bob", "b0b", inSlot("k.05", "word", "bin/**"))), "k.05")
	unread := tableWith(held)
	delete(unread.Chains, "k.05")
	unread.Unread = map[string]error{"k.05": errUnread}
	for _, tt := range []struct {
		claim, name string
		table       Table
		chain       string
		state       lane.State
		unread      bool
	}{
		{"where it is held", "word", tableWith(reused, held), "k.05", lane.Held, false},
		{"where it was held last", "verb", tableWith(reused, later), "k.02", lane.Free, false},
		{"nowhere when its slot has another lane", "else", tableWith(reused), "", "", false},
		{"where an admission of it was cut off", "word", cut, "k.05", lane.Free, false},
		{"not where it cannot be read", "word", unread, "", "", true},
		{"which is nothing to another lane", "verb", unread, "", "", false},
	} {
		chain, cur, err := tt.table.Stand(tt.name)
		if chain != tt.chain || (cur != nil) != (tt.state != "") || cur != nil && cur.State != tt.state || (err != nil) != tt.unread {
			t.Errorf("%s: %q %+v %v", tt.claim, chain, cur, err)
		}
	}
	// The verbs on a lane do not take another lane's record for its own.
	ev := KeepEvidence{Lane: "word", Chain: "k.00", Current: ptr(heldBy("me", "n0", inSlot("k.00", "verb", "etc/**"))), Identity: Identity{Nonce: "n0"}, Stamp: Stamp{Now: noon}}
	ev.Order = tableWith(*ev.Current).Order
	if v, writes := Release(ev); v.Outcome != AlreadyFree || writes != nil {
		t.Errorf("%+v %v", v, ops(writes))
	}
	if v, _ := Heartbeat(ev); v.ReasonClass != NoLease {
		t.Errorf("%+v", v)
	}
	if ev.Lane = "k.00"; ev.Current.Chain() == ev.Lane {
		ev.Operator = "ops"
		if v, writes := Scavenge(ev); v.Outcome != Scavenged || writes[0].Chain != "k.00" {
			t.Errorf("a slot named by an operator: %+v %v", v, ops(writes))
		}
	}
}
