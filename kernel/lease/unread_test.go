package lease

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// blind makes chains unreadable.
func blind(t Table, chains ...string) Table {
	t.Unread = map[string]error{}
	for _, chain := range chains {
		t.Unread[chain] = errUnread
		delete(t.Chains, chain)
	}
	return t
}

func TestUnreadableChains(t *testing.T) {
	code := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))
	docs := heldBy("bob", "b0b")
	word := heldBy("bob", "b0b", inSlot("k.00", "word", "docs/x/**"))
	free := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), inState(lane.Free))
	all := heldBy("bob", "b0b", onLane("all", "all", "**/*"))
	stray := blind(tableWith(free), "part")
	freedSlot := blind(tableWith(heldBy("bob", "b0b", inSlot("k.00", "word", "docs/x/**"), inState(lane.Free))), "k.00")
	older := tableWith(code)
	older.Order.Newest = nil
	missing := blind(tableWith(free, docs), "docs")
	missing.Order = Order{}
	planted := blind(Table{Chains: map[string]Record{}}, "code")
	long := blind(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))), "code")
	long.Order.Lanes["code"] = Grant{Gen: 3, Nonce: "b0b", Kind: lane.Cluster}
	mine := as(Identity{Nonce: "b0b"})
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		unread string // the chain that leaves no verdict
		want   Outcome
	}{
		{"a lane that is asked for itself", asking(blind(tableWith(docs), "docs")), "docs", ""},
		{"by whoever holds it too", asking(blind(tableWith(docs), "docs"), mine), "docs", ""},
		{"under force too", asking(blind(tableWith(docs), "docs"), forcing), "docs", ""},
		{"one whose tree overlaps", asking(blind(tableWith(word), "k.00")), "k.00", ""},
		{"one whose name is asked for", asking(blind(tableWith(word), "k.00"), keyword("word", "etc/**")), "k.00", ""},
		{"one that runs alone", asking(blind(tableWith(all), "all")), "all", ""},
		{"any that somebody is on, for one that runs alone", asking(blind(tableWith(code), "code"), lanes("all")), "code", ""},
		{"none that is elsewhere", asking(blind(tableWith(code), "code")), "", Acquired},
		{"none that nobody was admitted to", asking(stray, lanes("code")), "", Acquired},
		{"not even for one that runs alone", asking(stray, lanes("all")), "", Acquired},
		{"but by its name", asking(stray, lanes("part")), "part", ""},
		{"nor the last lane of a slot that is free", asking(freedSlot, keyword("word", "docs/x/**")), "", Acquired},
		{"none that was free, as the order knew", asking(blind(tableWith(free), "code"), lanes("part")), "", Acquired},
		{"everything, under an order of an older layout", asking(blind(older, "code")), "code", ""},
		{"and without one where lanes were leased", asking(missing, lanes("code")), "docs", ""},
		{"or where none is known to have been", asking(planted), "code", ""},
		{"everything, where the order has no tree", asking(long), "code", ""},
		{"no reserved lane", asking(blind(older, "code"), lanes("_queue")), "", Acquired},
		{"one that would be refused anyhow is refused", asking(blind(tableWith(docs, word), "k.00")), "", Refused},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			var unread *UnreadError
			switch {
			case errors.As(err, &unread):
				if unread.Chain != tt.unread || v.Outcome != "" || writes != nil || !errors.Is(err, errUnread) {
					t.Errorf("%+v %v", v, err)
				}
			case err != nil || tt.unread != "" || v.Outcome != tt.want:
				t.Errorf("%+v %v, want %q undecided", v, err, tt.unread)
			}
		})
	}
}

// A lane that nobody was admitted to, and that cannot be read, is offered to nobody.
func TestAnUnreadableLaneIsNotFree(t *testing.T) {
	table := blind(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))), "docs")
	v, _, err := Acquire(asking(table, lanes("part")))
	if err != nil || v.Outcome != Refused || v.Kernel == nil || slices.Contains(v.Kernel.FreeClusters, "docs") {
		t.Errorf("refused for lane code, it is told of %v %v", v.Kernel, err)
	}
	if v, _, _ = Acquire(asking(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))), lanes("part"))); !slices.Contains(v.Kernel.FreeClusters, "docs") {
		t.Errorf("a lane that was never leased is free: %v", v.Kernel)
	}
	var names []string
	for _, l := range table.Live(nil) {
		if l.NameOnly && l.Unreadable != "" {
			names = append(names, l.Lane)
		}
	}
	if !equal(names, []string{"docs"}) {
		t.Errorf("in the way of its name: %v", names)
	}
}

func TestUnreadableChainsAreTold(t *testing.T) {
	table := blind(tableWith(
		heldBy("bob", "b0b", inSlot("k.00", "word", "etc/**")),
		heldBy("bob", "b1b", inSlot("k.01", "verb", "bin/**"), inState(lane.Free)),
		heldBy("bob", "b2b", onLane("all", "all", "**/*")),
	), "all", "docs", "k.00", "k.01", "k.02")
	var rows []string
	for _, u := range table.Unreadable() {
		rows = append(rows, fmt.Sprintf("%s %s %s %v %v %v", u.Chain, u.Lane, u.Kind, u.Tree, u.Exclusive, u.NameOnly))
		if u.Unreadable != errUnread.Error() || u.State == lane.Free {
			t.Errorf("%+v", u)
		}
	}
	want := []string{"all all all [**/*] true false", "docs docs  [] false true", "k.00 word keyword [etc/**] false false", "k.01 verb  [] false true", "k.02   [] false true"}
	if !equal(rows, want) {
		t.Errorf("%q", rows)
	}
	table.Order.Newest = nil // an older layout, which does not say
	for _, u := range table.Unreadable() {
		if u.NameOnly || u.Kind != "" || u.Tree != nil {
			t.Errorf("of an older layout: %+v", u)
		}
	}
	if err := (&UnreadError{"k.00", errUnread}); !strings.HasPrefix(err.Error(), "slot k.00 ") {
		t.Error(err)
	}
}

// What the order knows of an unreadable chain outlives the admissions of others.
func TestTheOrderRemembersWhatCannotBeRead(t *testing.T) {
	word := heldBy("bob", "b0b", inSlot("k.00", "word", "docs/x/**"), withUnit("p/1"))
	table := blind(tableWith(word), "k.00")
	table.Order.Newest["k.00"] = 2
	_, writes, err := Acquire(asking(table, lanes("code")))
	if err != nil {
		t.Fatal(err)
	}
	_, order := parsed(t, writes)
	if !sameGrant(order.Lanes["k.00"], grantOf(word)) || order.Newest["k.00"] != 2 || order.Classes[lane.Keyword] != 1 {
		t.Errorf("%+v", order)
	}
	// An order of an older layout did not know it: it may hold everything.
	older := blind(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))), "code")
	older.Order.Newest, older.Order.Lanes["code"] = nil, Grant{Gen: 3, Nonce: "b0b"}
	_, writes, err = Acquire(asking(older, lanes("_queue")))
	if err != nil {
		t.Fatal(err)
	}
	_, after := parsed(t, writes)
	next := blind(tableWith(), "code")
	next.Order = after
	var unread *UnreadError
	if v, _, err := Acquire(asking(next)); !errors.As(err, &unread) {
		t.Errorf("%+v %v", v, err)
	}
}

// Where an order does not know what a chain holds, that an admission which nothing
// stands against is put in it does not make it know: neither is the chain free
// then, nor is its record, once it can be read, held to what was supposed.
func TestAnOrderThatDoesNotKnowStaysSo(t *testing.T) {
	code := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))
	old := blind(tableWith(code), "code")
	old.Order.Newest, old.Order.Lanes["code"] = nil, Grant{Gen: 3, Nonce: "b0b"}
	gone := blind(Table{Chains: map[string]Record{}}, "code")
	for claim, table := range map[string]Table{"of an older layout": old, "there was none": gone} {
		v, writes, err := Acquire(asking(table, lanes("_queue")))
		if err != nil || v.Outcome != Acquired {
			t.Fatalf("%s: %+v %v", claim, v, err)
		}
		_, order := parsed(t, writes)
		still := blind(Table{Chains: map[string]Record{"_queue": *v.Lease}, Order: order}, "code")
		var unread *UnreadError
		if v, _, err := Acquire(asking(still, keyword("word", "src/x"))); !errors.As(err, &unread) || unread.Chain != "code" {
			t.Errorf("%s: what it may hold is granted: %+v %v", claim, v, err)
		}
		if torn := still.Torn(); torn != nil {
			t.Errorf("%s: torn %v", claim, torn)
		}
		cut := blind(Table{Chains: map[string]Record{}, Order: order}, "code")
		if torn, lost := cut.Torn(), cut.Lost(); !equal(torn, []string{"_queue"}) || len(lost) > 0 {
			t.Errorf("%s: cut off from its lane: torn %v, lost %v", claim, torn, lost)
		}
		if err := order.Vouch(code); err != nil {
			t.Errorf("%s: it can be read again, and is not believed: %v", claim, err)
		}
		again := Table{Chains: map[string]Record{"_queue": *v.Lease, "code": code}, Order: order}
		later := func(ev *AcquireEvidence) { ev.Stamp.Nonce = "later" }
		v, writes, err = Acquire(asking(again, later))
		if err != nil || v.Outcome != Acquired {
			t.Fatalf("%s: %+v %v", claim, v, err)
		}
		if _, order := parsed(t, writes); order.Newest == nil || order.Admitted != "" || claim == "of an older layout" && !sameGrant(order.Lanes["code"], grantOf(code)) {
			t.Errorf("%s: when all can be read it knows: %+v", claim, order)
		}
	}
}

// A slot that cannot be read is no slot to use, and an unreadable chain is not
// torn, but keeps nobody else from being seen to be.
func TestUnreadableChainsAreLeftAlone(t *testing.T) {
	table := blind(tableWith(heldBy("bob", "b0b", inSlot("k.00", "word", "etc/**"), inState(lane.Free))), "k.00")
	v, _, err := Acquire(asking(table, keyword("verb", "bin/**")))
	if err != nil || v.Lease.Slot != "k.01" {
		t.Errorf("%+v %v", v, err)
	}
	if torn := table.Torn(); torn != nil {
		t.Errorf("torn: %v", torn)
	}
	table.Order.Lanes["docs"] = Grant{Gen: 1, Nonce: "x"}
	if torn := table.Torn(); !equal(torn, []string{"docs"}) {
		t.Errorf("torn: %v", torn)
	}
}

// What this very call may have put on a chain that cannot be read can neither be
// used nor left behind.
func TestOnesOwnLandingThatCannotBeRead(t *testing.T) {
	sent := heldBy("me", "fresh", inSlot("k.00", "word", "etc/**"))
	var unread *UnreadError
	sending := func(ev *AcquireEvidence) { ev.Sent = &Sent{[]Record{sent}, 3} }
	if v, _, err := Acquire(asking(blind(tableWith(), "k.00"), sending)); !errors.As(err, &unread) || v.Outcome != "" {
		t.Errorf("sent there: %+v %v", v, err)
	}
	if v, _, err := Acquire(asking(blind(tableWith(sent), "k.00"))); !errors.As(err, &unread) || v.Outcome != "" {
		t.Errorf("admitted there: %+v %v", v, err)
	}
	if err := (Sent{[]Record{sent}, 3}).Unread(blind(tableWith(), "k.00")); !errors.As(err, &unread) || unread.Chain != "k.00" {
		t.Errorf("%v", err)
	}
	if err := (Sent{[]Record{sent}, 3}).Unread(tableWith(sent)); err != nil {
		t.Error(err)
	}
}
