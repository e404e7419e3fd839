package lease

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func inGen(gen uint64) func(*Record) { return func(r *Record) { r.Gen = gen } }

func TestGiveBack(t *testing.T) {
	sent := heldBy("me", "n0")
	free := heldBy("bob", "b0b", inState(lane.Free), inGen(2))
	orderOnly := tableWith(free)
	orderOnly.Order.Lanes["docs"] = Grant{Gen: 3, Nonce: "n0", Kind: lane.Cluster}
	overtaken := tableWith(free)
	overtaken.Order.Seq = 10
	booked := tableWith(sent)
	booked.Order.Units = map[string]Booking{"p/1": {Nonce: "n0", Until: "2026-01-02T12:15:00Z"}}
	for _, tt := range []struct {
		claim   string
		table   Table
		pending bool
		writes  string
		gen     uint64
	}{
		{"a lane that landed alone is voided", Table{Chains: map[string]Record{"docs": sent}}, false, "VOID", 3},
		{"an admission that landed whole is voided", tableWith(sent), false, "VOID", 3},
		{"and its bookings are ended", booked, false, "VOID ENDED", 3},
		{"an order that landed alone is repaired", orderOnly, false, "VOID", 3},
		{"nothing landed, nothing is written", tableWith(free), false, "", 0},
		{"what may arrive later finds the order moved", tableWith(free), true, "ENDED", 0},
		{"or made", Table{}, true, "ENDED", 0},
		{"once, though bookings are ended too", booked, true, "VOID ENDED", 3},
		{"what the order has overtaken cannot arrive", overtaken, true, "", 0},
		{"a lane that another took is left to it", tableWith(heldBy("bob", "b0b")), false, "", 0},
		{"a lease that ended meanwhile is not ended again", tableWith(heldBy("me", "n0", inState(lane.Free))), false, "", 0},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			writes := GiveBack(tt.table, Sent{[]Record{sent}, 10}, tt.pending, Stamp{Now: noon, Nonce: "n0"})
			if ops(writes) != tt.writes {
				t.Fatalf("writes %q, want %q", ops(writes), tt.writes)
			}
			if err := readBack(writes); err != nil {
				t.Fatal(err)
			}
			if tt.gen > 0 {
				freesItsLane(t, writes[0], tt.gen, "n0")
			}
		})
	}
}

// What the caller had half before the call is given back under its own nonce, and
// another lease of that nonce, which may be at work, is not.
func TestGiveBackOfACompletedLease(t *testing.T) {
	had := heldBy("me", "0lder")
	beside := heldBy("me", "0lder", onLane("code", lane.Cluster, "src/**"))
	writes := GiveBack(tableWith(had, beside), Sent{[]Record{had}, 9}, true, Stamp{Now: noon, Nonce: "n0"})
	if ops(writes) != "VOID" || writes[0].Chain != "docs" {
		t.Errorf("%+v", writes)
	}
}

// Every lane of an admission is given back, wherever its parts got to.
func TestGiveBackOfSeveralLanes(t *testing.T) {
	docs := heldBy("me", "n0")
	code := heldBy("me", "n0", onLane("code", lane.Cluster, "src/**"))
	word := heldBy("me", "n0", inSlot("k.00", "word", "etc/**"))
	all := Sent{[]Record{docs, code, word}, 9}
	for claim, tt := range map[string]struct {
		table  Table
		chains []string
	}{
		"all landed":             {tableWith(docs, code, word), []string{"code", "docs", "k.00"}},
		"two lanes and no order": {Table{Chains: map[string]Record{"docs": docs, "k.00": word}}, []string{"docs", "k.00"}},
		"the order and one lane": {behind(tableWith(docs, code, word), "docs", "k.00"), []string{"code", "docs", "k.00"}},
	} {
		writes := GiveBack(tt.table, all, false, Stamp{Now: noon, Nonce: "n0"})
		if err := readBack(writes); err != nil {
			t.Fatalf("%s: %v", claim, err)
		}
		var chains []string
		for _, w := range writes {
			chains = append(chains, w.Chain)
			if r := mustRecord(w.Chain, &node{gen: w.Gen, data: w.Payload}); r.State != lane.Free || w.Op != OpVoid {
				t.Errorf("%s: %s %+v", claim, w.Op, r)
			}
		}
		if !equal(chains, tt.chains) {
			t.Errorf("%s: voids %v, want %v", claim, chains, tt.chains)
		}
	}
}

func TestSendKeepsWhatEarlierTriesMayHaveLanded(t *testing.T) {
	table := tableWith()
	word := heldBy("me", "fresh", inSlot("k.01", "word", "etc/**"))
	before := &Sent{[]Record{word}, 5}
	v, _, err := Acquire(asking(table))
	if err != nil {
		t.Fatal(err)
	}
	s := table.Send(v, before)
	if s.Seq != 10 || len(s.Leases) != 2 || s.Leases[0].Chain() != "k.01" || s.Leases[1].Chain() != "docs" || len(before.Leases) != 1 {
		t.Errorf("%+v", s)
	}
	if s = table.Send(v, s); len(s.Leases) != 2 {
		t.Errorf("twice on one chain: %+v", s)
	}
	v, _, _ = Acquire(asking(tableWith(heldBy("me", "old")), as(Identity{Nonce: "old"})))
	if s := table.Send(v, nil); s != nil {
		t.Errorf("a lease that was only had again would be given back: %+v", s)
	}
}
