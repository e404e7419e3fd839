package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestForce(t *testing.T) {
	bob := heldBy("bob", "b0b")
	word := heldBy("eve", "e5e", inSlot("k.00", "word", "docs/x/**"))
	code := heldBy("ann", "a2n", onLane("code", lane.Cluster, "src/**"))
	all := heldBy("ann", "a2n", onLane("all", "all", "**/*"))
	mine := as(Identity{RunID: "run-me"})
	for _, tt := range []struct {
		claim string
		ev    AcquireEvidence
		want  string // the chains of what was ended
		ops   string
	}{
		{"nothing stands in the way", asking(tableWith(code), forcing), "", "ACQUIRE GRANTED"},
		{"the holder of the lane", asking(tableWith(bob), forcing), "docs", "SCAVENGE ACQUIRE GRANTED"},
		{"all that overlap, and no others", asking(tableWith(bob, word, code), forcing), "docs k.00", "SCAVENGE SCAVENGE ACQUIRE GRANTED"},
		{"an exclusive one", asking(tableWith(all), forcing), "all", "SCAVENGE ACQUIRE GRANTED"},
		{"everything, for an exclusive lane", asking(tableWith(bob, word, code), lanes("all"), forcing), "code docs k.00", "SCAVENGE SCAVENGE SCAVENGE ACQUIRE GRANTED"},
		{"a reserved lane only for itself", asking(tableWith(all, heldBy("bob", "b0b", onLane("_queue", lane.Cluster))), lanes("_queue"), forcing), "_queue", "SCAVENGE ACQUIRE GRANTED"},
		{"a waiting one", asking(tableWith(heldBy("bob", "b0b", inState(lane.Waiting))), forcing), "docs", "SCAVENGE ACQUIRE GRANTED"},
		{"a parked one", asking(tableWith(heldBy("bob", "b0b", inState(lane.Parked))), forcing), "docs", "SCAVENGE ACQUIRE GRANTED"},
		{"a half-landed one", asking(unadmitted(tableWith(bob), "docs"), forcing), "docs", "SCAVENGE ACQUIRE GRANTED"},
		{"the caller's own, in the way", asking(tableWith(heldBy("me", "old", onLane("code", lane.Cluster, "src/**"))), mine, lanes("part"), forcing), "code", "SCAVENGE ACQUIRE GRANTED"},
		{"but not on a lane it asks for", asking(tableWith(heldBy("me", "old"), word), mine, forcing), "", "HEARTBEAT"},
		{"for several lanes", asking(tableWith(bob, code), lanes("part", "docs"), forcing), "code docs", "SCAVENGE SCAVENGE ACQUIRE ACQUIRE GRANTED"},
		{"who has the unit", asking(tableWith(heldBy("ann", "a2n", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"))), booking("p/1", ""), forcing), "code", "SCAVENGE ACQUIRE GRANTED"},
		{"who has the seat", asking(tableWith(heldBy("ann", "a2n", onLane("code", lane.Cluster, "src/**"), func(r *Record) { r.Seat = "desk" })), booking("", "desk"), forcing), "code", "SCAVENGE ACQUIRE GRANTED"},
		{"one that has both once", asking(tableWith(heldBy("bob", "b0b", withUnit("p/1"))), booking("p/1", ""), forcing), "docs", "SCAVENGE ACQUIRE GRANTED"},
		{"past a budget and what decides admission", asking(tableWith(code), forcing, func(ev *AcquireEvidence) {
			ev.SelfModify, ev.Budgets = []string{"docs/rules"}, map[string]int{lane.Cluster: 0}
		}), "", "ACQUIRE GRANTED"},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			if err != nil || v.Outcome != Acquired || ops(writes) != tt.ops {
				t.Fatalf("%+v %v %v", v, ops(writes), err)
			}
			var ended []string
			for _, w := range writes {
				if w.Op == OpScavenge {
					ended = append(ended, w.Chain)
					if r := mustRecord(w.Chain, &node{gen: w.Gen, data: w.Payload}); r.Operator != "oncall" || r.State != lane.Free {
						t.Errorf("%+v", r)
					}
				}
			}
			slices.Sort(ended)
			if strings.Join(ended, " ") != tt.want || len(v.Scavenged) != len(ended) || (v.UnsafeUntil != nil) != (len(ended) > 0) {
				t.Errorf("ended %v, told of %+v, unsafe until %v", ended, v.Scavenged, v.UnsafeUntil)
			}
		})
	}
}

// The order takes the lease away in the very entry that admits the other: cut
// off, what it has not reached is torn, and not a lease that two may have.
func TestForceIsInTheOrder(t *testing.T) {
	word := heldBy("eve", "e5e", inSlot("k.00", "word", "docs/x/**"))
	table := tableWith(word)
	v, writes, err := Acquire(asking(table, forcing))
	if err != nil {
		t.Fatal(err)
	}
	_, order := parsed(t, writes)
	if order.admits(word) || !order.overruled(word) || order.Lanes["k.00"].Kind != "" || order.Lanes["k.00"].Lane != "word" {
		t.Errorf("%+v", order.Lanes)
	}
	cut := Table{Chains: map[string]Record{"k.00": word, "docs": *v.Lease}, Order: order}
	if torn, lost := cut.Torn(), cut.Lost(); !equal(torn, []string{"k.00"}) || len(lost) > 0 {
		t.Errorf("torn %v, lost %v", torn, lost)
	}
	if v, _ := Heartbeat(KeepEvidence{Lane: "word", Chain: "k.00", Current: &word, Order: order, Identity: Identity{Nonce: "e5e"}, Stamp: Stamp{Now: noon}}); v.Outcome != LostLease {
		t.Errorf("who was ended renews: %+v", v)
	}
	if writes := Repair(cut, cut.Torn(), Stamp{Now: noon}); ops(writes) != "SCAVENGE" || writes[0].Chain != "k.00" {
		t.Errorf("%v", ops(writes))
	}
	// Whoever did it looks again at what is in the way of the lane it has.
	if _, writes, err := Acquire(asking(cut, forcing)); err != nil || ops(writes) != "SCAVENGE HEARTBEAT GRANTED" {
		t.Errorf("%v %v", ops(writes), err)
	}
	if writes := GiveBack(cut, Sent{[]Record{*v.Lease}, 10}, false, Stamp{Now: noon, Nonce: "fresh"}); ops(writes) != "VOID SCAVENGE" {
		t.Errorf("%v", ops(writes))
	}
	// On one chain, it is the lease that was there that the cut-off one has ended.
	same, _, _ := Acquire(asking(tableWith(heldBy("bob", "b0b")), forcing))
	_, writes, _ = Acquire(asking(tableWith(heldBy("bob", "b0b")), forcing))
	_, order = parsed(t, writes)
	over := Table{Chains: map[string]Record{"docs": heldBy("bob", "b0b")}, Order: order}
	if writes := Repair(over, over.Torn(), Stamp{Now: noon}); ops(writes) != "SCAVENGE" || writes[0].Gen != same.Lease.Gen {
		t.Errorf("%v", ops(writes))
	}
}

func TestForceSaysUntilWhenItIsUnsafe(t *testing.T) {
	long := heldBy("bob", "b0b", func(r *Record) { r.TTL = 3600 })
	over := heldBy("eve", "e5e", inSlot("k.00", "word", "docs/x/**"), func(r *Record) { r.TTL = 1 })
	v, _, err := Acquire(asking(tableWith(long, over), forcing))
	if err != nil || !v.UnsafeUntil.Equal(noon.Add(time.Hour)) || len(v.Scavenged) != 2 || v.Scavenged[0].Nonce != "b0b" || v.Scavenged[0].Holder.Owner != "bob" || !strings.Contains(v.Reason, "oncall") {
		t.Errorf("%+v %v", v, err)
	}
	soon := heldBy("eve", "e5e", inSlot("k.00", "word", "docs/x/**"), func(r *Record) { r.TTL = 1800 })
	if v, _, err = Acquire(asking(tableWith(long, soon), forcing)); err != nil || !v.UnsafeUntil.Equal(noon.Add(time.Hour)) {
		t.Errorf("of two deadlines it is the later: %v %v", v.UnsafeUntil, err)
	}
	if v, _, _ = Acquire(asking(tableWith(over), forcing)); v.UnsafeUntil != nil {
		t.Errorf("past its deadline: %v", v.UnsafeUntil)
	}
	nowhere := holdingUnit(tableWith(), long, "p/1")
	if v, _, err = Acquire(asking(nowhere, booking("p/1", ""), forcing)); err != nil || v.UnsafeUntil == nil || !v.UnsafeUntil.Equal(noon.Add(time.Hour)) {
		t.Errorf("who had the unit is not known: %+v %v", v, err)
	}
}

func TestForceIsRefused(t *testing.T) {
	if v, writes, err := Acquire(asking(tableWith(), lanes("code", "part"), forcing)); err != nil || v.ReasonClass != lane.Collision || writes != nil {
		t.Errorf("by the request itself: %+v %v", v, err)
	}
	both := func(ev *AcquireEvidence) {
		ev.Requests = []lane.Request{{Lane: "word", Tree: []string{"docs/x/**"}}, {Lane: "docs"}}
	}
	if v, writes, err := Acquire(asking(tableWith(heldBy("me", "old")), as(Identity{Nonce: "old"}), both, forcing)); err != nil || v.ReasonClass != lane.Collision || writes != nil {
		t.Errorf("by a lease of the caller's that it asks for too: %+v %v", v, err)
	}
	if v, writes, err := Acquire(asking(tableWith(heldBy("bob", "b0b")), wanting("src/**"), forcing)); err != nil || v.Outcome != Refused || writes != nil {
		t.Errorf("outside its lane: %+v %v", v, err)
	}
	table := tableWith(heldBy("eve", "e5e", inSlot("k.00", "word", "docs/x/**")))
	delete(table.Chains, "k.00")
	table.Unread = map[string]error{"k.00": errUnread}
	var unread *UnreadError
	if v, writes, err := Acquire(asking(table, forcing)); !errors.As(err, &unread) || unread.Chain != "k.00" || v.Outcome != "" || writes != nil {
		t.Errorf("what cannot be read is not ended: %+v %v", v, err)
	}
}
