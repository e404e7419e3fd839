package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestOrdersThatCannotBeReadAreErrors(t *testing.T) {
	for claim, payload := range map[string]string{
		"nothing":                   ``,
		"null":                      `null`,
		"no table":                  `{"v":1,"seq":4}`,
		"a null table":              `{"v":1,"seq":4,"lanes":null}`,
		"a version of the future":   `{"v":2,"seq":4,"lanes":{}}`,
		"another number":            `{"v":1,"seq":5,"lanes":{}}`,
		"a lane that is none":       `{"v":1,"seq":4,"lanes":{"../x":{"gen":1,"nonce":"n"}}}`,
		"a lane in another case":    `{"v":1,"seq":4,"lanes":{"API":{"gen":1,"nonce":"n"}}}`,
		"an admission of no gen":    `{"v":1,"seq":4,"lanes":{"api":{"nonce":"n"}}}`,
		"one of too high a gen":     `{"v":1,"seq":4,"lanes":{"api":{"gen":18446744073709551615,"nonce":"n"}}}`,
		"an admission of nobody":    `{"v":1,"seq":4,"lanes":{"api":{"gen":1}}}`,
		"a list instead of a table": `{"v":1,"seq":4,"lanes":[]}`,
		"a newest one of nowhere":   `{"v":1,"seq":4,"lanes":{},"newest":{"api":0}}`,
		"one over a later lease":    `{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n"}},"newest":{"api":2}}`,
		"a slot of no lane":         `{"v":1,"seq":4,"lanes":{"k.00":{"gen":1,"nonce":"n"}}}`,
		"a slot that is none":       `{"v":1,"seq":4,"lanes":{"k.0":{"gen":1,"nonce":"n","lane":"word"}}}`,
		"a lane under another name": `{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n","lane":"word"}}}`,
		"a tree of no kind":         `{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n","tree":["api"]}}}`,
		"a tree that climbs":        `{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n","kind":"cluster","tree":["../x"]}}}`,
		"a kind with an escape":     `{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n","kind":"\u001b[2J"}}}`,
		"a nonce with a newline":    `{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n\n"}}}`,
		"bytes that are no text":    "{\"v\":1,\"seq\":4,\"lanes\":{\"api\":{\"gen\":1,\"nonce\":\"\xff\"}}}",
		"a unit until nobody knows": `{"v":1,"seq":4,"lanes":{},"units":{"p/1":{"nonce":"n","until":"soon"}}}`,
		"a unit without a time":     `{"v":1,"seq":4,"lanes":{},"units":{"p/1":{"nonce":"n"}}}`,
		"a unit of nobody":          `{"v":1,"seq":4,"lanes":{},"units":{"p/1":{"until":"2026-01-02T12:00:00Z"}}}`,
		"a seat beyond calendars":   `{"v":1,"seq":4,"lanes":{},"seats":{"s":{"nonce":"n","until":"9999-01-02T12:00:00Z"}}}`,
		"a seat with an escape":     `{"v":1,"seq":4,"lanes":{},"seats":{"\u001b[2J":{"nonce":"n","until":"2026-01-02T12:00:00Z"}}}`,
		"a policy with a newline":   `{"v":1,"seq":4,"lanes":{},"policy":"\n"}`,
	} {
		if o, err := ParseOrder(4, []byte(payload)); !errors.Is(err, ErrRecord) || o.Lanes != nil {
			t.Errorf("%s: %+v %v", claim, o, err)
		}
	}
	if o, err := ParseOrder(4, []byte(`{"v":1,"seq":4,"lanes":{"api":{"gen":1,"nonce":"n"}},"colour":"red"}`)); err != nil || o.Lanes["api"].Gen != 1 {
		t.Errorf("%+v %v", o, err)
	}
	for _, seq := range []uint64{0, maxGen + 1} {
		if _, err := ParseOrder(seq, encode(Order{V: Version, Seq: seq, Lanes: map[string]Grant{}})); err == nil {
			t.Errorf("entry %d is an order", seq)
		}
	}
}

func FuzzParseOrder(f *testing.F) {
	f.Add(encode(tableWith(heldBy("me", "n0")).Order))
	f.Add([]byte(`{"v":1,"seq":9,"lanes":{"Docs":{"gen":9007199254740993,"nonce":"\u0000"}}}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		o, err := ParseOrder(9, payload)
		if err != nil {
			if !errors.Is(err, ErrRecord) || o.Lanes != nil {
				t.Fatalf("%v with %+v", err, o)
			}
			return
		}
		for name, g := range o.Lanes {
			if c, err := lane.Canonical(name); err != nil || c != name || g.Gen == 0 || g.Nonce == "" {
				t.Fatalf("admission of %q: %+v", name, g)
			}
		}
		grown := o.next()
		grown.Lanes["docs"] = grantOf(heldBy("me", "n0"))
		grown.Newest = map[string]uint64{"docs": 2}
		next, err := ParseOrder(10, encode(grown))
		if err != nil || len(next.Lanes) < len(o.Lanes) || !next.admits(heldBy("me", "n0")) {
			t.Fatalf("%v, %d lanes after %d", err, len(next.Lanes), len(o.Lanes))
		}
		table := Table{Chains: map[string]Record{}, Order: o}
		for _, w := range Repair(table, table.Torn(), Stamp{Now: noon}) {
			if w.Chain == "" {
				continue
			}
			if r, err := ParseRecord(w.Chain, w.Gen, w.Payload); err != nil || r.State != lane.Free {
				t.Fatalf("repair writes %+v %v", r, err)
			}
		}
	})
}

func TestRepairFreesTheLaneAtTheOrdersGeneration(t *testing.T) {
	free := heldBy("bob", "b0b", inState(lane.Free), func(r *Record) { r.Operator, r.Ship = "oncall", &Ship{} })
	table := tableWith(free, heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**")))
	table.Order.Lanes["docs"] = Grant{Gen: 4, Nonce: "dead"}
	table.Order.Lanes["part"] = Grant{Gen: 1, Nonce: "gone"}
	if torn := table.Torn(); !slices.Equal(torn, []string{"docs", "part"}) {
		t.Fatalf("torn: %v", torn)
	}
	writes := Repair(table, table.Torn(), Stamp{Now: noon})
	if ops(writes) != "VOID VOID" {
		t.Fatal(ops(writes))
	}
	for i, want := range []struct {
		lane  string
		gen   uint64
		nonce string
	}{{"docs", 4, "dead"}, {"part", 1, "gone"}} {
		r, err := ParseRecord(want.lane, writes[i].Gen, writes[i].Payload)
		if err != nil || r.State != lane.Free || r.Gen != want.gen || r.Nonce != want.nonce || r.Reason == "" || r.Operator != "" || r.Ship != nil {
			t.Errorf("%+v %v", r, err)
		}
		table.Chains[want.lane] = r
	}
	if torn := table.Torn(); torn != nil {
		t.Errorf("still torn: %v", torn)
	}
	if v, _, err := Acquire(asking(table)); err != nil || v.Lease.Gen != 5 {
		t.Errorf("the repaired lane cannot be had: %+v %v", v, err)
	}
}

// A lane behind the order is a cut-off admission only when it is the newest one
// and its lane stands where that found it.
func TestLanesBehindTheOrderThatAreLost(t *testing.T) {
	at := func(gen uint64) []Record {
		if gen == 0 {
			return nil
		}
		return []Record{heldBy("bob", "b0b", func(r *Record) { r.Gen = gen })}
	}
	for _, tt := range []struct {
		claim  string
		lane   uint64 // generation of lane docs, 0 when it is not there
		order  uint64
		newest map[string]uint64
		lost   bool
	}{
		{"cut off on a lane never leased", 0, 1, map[string]uint64{"docs": 0}, false},
		{"cut off on a free lane", 2, 3, map[string]uint64{"docs": 2}, false},
		{"cut off twice by one acquirer", 2, 4, map[string]uint64{"docs": 2}, false},
		{"cut off twice, and the lane made by a VOID", 1, 2, map[string]uint64{"docs": 0}, false},
		{"deleted after another admission", 0, 1, map[string]uint64{"code": 0}, true},
		{"deleted although the newest found it there", 0, 3, map[string]uint64{"docs": 2}, true},
		{"moved back further than the newest found it", 1, 3, map[string]uint64{"docs": 2}, true},
		{"moved back after another admission", 2, 3, map[string]uint64{"code": 2}, true},
		{"an order that does not say what is newest", 2, 3, nil, true},
		{"nor of a lane that is not there", 0, 1, nil, true},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			table := tableWith(at(tt.lane)...)
			table.Order.Lanes["docs"] = Grant{Gen: tt.order, Nonce: "dead"}
			table.Order.Newest = tt.newest
			if torn := table.Torn(); !slices.Equal(torn, []string{"docs"}) {
				t.Fatalf("torn: %v", torn)
			}
			if lost := table.Lost(); slices.Equal(lost, []string{"docs"}) != tt.lost {
				t.Errorf("lost: %v", lost)
			}
			ev := KeepEvidence{Lane: "docs", Order: table.Order}
			if r, ok := table.Chains["docs"]; ok {
				ev.Current = &r
			}
			if !ev.Torn() || ev.Lost() != tt.lost {
				t.Errorf("for one lane: torn %v, lost %v", ev.Torn(), ev.Lost())
			}
		})
	}
	whole := tableWith(heldBy("bob", "b0b"))
	if ev := keeping(ptr(heldBy("bob", "b0b")), Identity{}); whole.Lost() != nil || ev.Torn() || ev.Lost() {
		t.Error("a whole lane is lost")
	}
}

func TestAnAdmissionSaysWhereItFoundItsLane(t *testing.T) {
	free := heldBy("bob", "b0b", inState(lane.Free))
	for claim, tt := range map[string]struct {
		table Table
		found uint64
	}{
		"a free lane":         {tableWith(free), 3},
		"a lane never leased": {tableWith(), 0},
		"one's own half":      {unadmitted(tableWith(heldBy("me", "fresh")), "docs"), 3},
	} {
		_, writes, err := Acquire(asking(tt.table))
		if err != nil || len(writes) != 2 {
			t.Fatalf("%s: %v %v", claim, writes, err)
		}
		o, err := ParseOrder(10, writes[1].Payload)
		if err != nil || len(o.Newest) != 1 || o.Newest["docs"] != tt.found {
			t.Errorf("%s: %+v %v", claim, o, err)
		}
	}
}

func TestLaneAheadOfTheOrderIsNotTorn(t *testing.T) {
	if torn := unadmitted(tableWith(heldBy("bob", "b0b")), "docs").Torn(); torn != nil {
		t.Errorf("torn: %v", torn)
	}
}

func TestRecordsKeepTheirCharacters(t *testing.T) {
	r := heldBy("R&D <x>", "n0", func(r *Record) { r.Tree = []string{"docs/<&>/ü"} })
	if text := string(encode(r)); strings.Contains(text, `\u`) || strings.Contains(text, "\n") {
		t.Errorf("%s", text)
	}
}

// The order holds a lease of its own generation and nonce down to what it admitted.
func TestTheOrderVouchesForRecords(t *testing.T) {
	docs := heldBy("bob", "b0b")
	word := heldBy("bob", "b0b", inSlot("k.00", "word", "etc/**"))
	for _, tt := range []struct {
		claim  string
		order  Order
		record Record
		bad    bool
	}{
		{"as it was admitted", tableWith(docs).Order, docs, false},
		{"renewed since", tableWith(docs).Order, heldBy("bob", "b0b", func(r *Record) { r.RenewedAt = noon.Add(time.Hour) }), false},
		{"in a slot", tableWith(word).Order, word, false},
		{"free, whatever it says", tableWith(docs).Order, heldBy("bob", "b0b", onLane("docs", lane.Keyword, "x"), inState(lane.Free)), false},
		{"of a later generation", tableWith(docs).Order, heldBy("bob", "b0b", onLane("docs", lane.Keyword, "x"), inGen(4)), false},
		{"of another nonce", tableWith(docs).Order, heldBy("eve", "e5e", onLane("docs", lane.Keyword, "x")), false},
		{"where the order has no room for trees", sized(tableWith(docs).Order, "docs"), heldBy("bob", "b0b", onLane("docs", lane.Cluster, "x")), false},
		{"under an order of an older layout", older(tableWith(docs).Order), heldBy("bob", "b0b", onLane("docs", lane.Keyword, "x")), false},
		{"with another tree", tableWith(docs).Order, heldBy("bob", "b0b", onLane("docs", lane.Cluster, "docs/x")), true},
		{"with none", tableWith(docs).Order, heldBy("bob", "b0b", onLane("docs", lane.Cluster)), true},
		{"of another kind", tableWith(docs).Order, heldBy("bob", "b0b", onLane("docs", lane.Keyword, "docs/**")), true},
		{"of another kind, where there is no room for trees", sized(tableWith(docs).Order, "docs"), heldBy("bob", "b0b", onLane("docs", lane.Keyword, "docs/**")), true},
		{"of another lane in its slot", tableWith(word).Order, heldBy("bob", "b0b", inSlot("k.00", "verb", "etc/**")), true},
		{"held again after its end", tableWith(heldBy("bob", "b0b", inState(lane.Free))).Order, docs, true},
	} {
		if err := tt.order.Vouch(tt.record); (err != nil) != tt.bad || err != nil && !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %v", tt.claim, err)
		}
	}
	if err := tableWith(heldBy("bob", "b0b", inState(lane.Free))).Order.Vouch(docs); !strings.Contains(err.Error(), "ended and is held again") {
		t.Error(err)
	}
}

// sized is an order that has left out the tree of a chain.
func sized(o Order, chain string) Order {
	g := o.Lanes[chain]
	g.Tree = nil
	o.Lanes[chain] = g
	return o
}

func older(o Order) Order {
	o.Newest = nil
	return o
}

// An order of the older layout says of its one newest admission what newest does.
func TestAnOlderOrderExplainsItsNewestAdmission(t *testing.T) {
	for _, tt := range []struct {
		claim string
		json  string
		have  uint64 // 0 for no record
		lost  bool
	}{
		{"cut off from a lane that was not there", `"admitted":"docs","found":0`, 0, false},
		{"from one that was", `"admitted":"docs","found":2`, 2, false},
		{"and it is there no more", `"admitted":"docs","found":2`, 1, true},
		{"another lane was admitted last", `"admitted":"code","found":0`, 2, true},
		{"nobody knows which was", `"admitted":"","found":0`, 2, true},
	} {
		o, err := ParseOrder(9, []byte(`{"v":1,"seq":9,"lanes":{"docs":{"gen":3,"nonce":"n"},"code":{"gen":1,"nonce":"m"}},"units":{},"seats":{},"classes":{},"policy":"",`+tt.json+`}`))
		if err != nil {
			t.Fatal(err)
		}
		table := tableWith(heldBy("eve", "m", onLane("code", lane.Cluster, "src/**"), inGen(1)))
		if tt.have > 0 {
			table.Chains["docs"] = heldBy("bob", "b0b", inState(lane.Free), inGen(tt.have))
		}
		table.Order = o
		if torn, lost := table.Torn(), table.Lost(); !slices.Equal(torn, []string{"docs"}) || slices.Equal(lost, []string{"docs"}) != tt.lost {
			t.Errorf("%s: torn %v, lost %v", tt.claim, torn, lost)
		}
	}
	for _, bad := range []string{`"admitted":"part"`, `"admitted":"docs","found":4`} {
		if o, err := ParseOrder(9, []byte(`{"v":1,"seq":9,"lanes":{"docs":{"gen":3,"nonce":"n"}},`+bad+`}`)); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %+v %v", bad, o, err)
		}
	}
}
