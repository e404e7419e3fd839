package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"

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
		next, err := ParseOrder(10, encode(o.admit(heldBy("me", "n0"))))
		if err != nil || len(next.Lanes) < len(o.Lanes) || !next.admits(heldBy("me", "n0")) {
			t.Fatalf("%v, %d lanes after %d", err, len(next.Lanes), len(o.Lanes))
		}
		table := Table{Lanes: map[string]Record{}, Order: o}
		for _, w := range Repair(table, table.Torn(), Stamp{Now: noon}) {
			if r, err := ParseRecord(w.Lane, w.Gen, w.Payload); err != nil || r.State != lane.Free {
				t.Fatalf("repair writes %+v %v", r, err)
			}
		}
	})
}

func TestRepairFreesTheLaneAtTheOrdersGeneration(t *testing.T) {
	free := heldBy("bob", "b0b", inState(lane.Free), func(r *Record) { r.Operator, r.Ship = "oncall", &Ship{} })
	table := tableWith(free, heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**")))
	table.Order.Lanes["docs"] = Grant{4, "dead"}
	table.Order.Lanes["part"] = Grant{1, "gone"}
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
		table.Lanes[want.lane] = r
	}
	if torn := table.Torn(); torn != nil {
		t.Errorf("still torn: %v", torn)
	}
	if v, _, err := Acquire(asking(table)); err != nil || v.Lease.Gen != 5 {
		t.Errorf("the repaired lane cannot be had: %+v %v", v, err)
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
