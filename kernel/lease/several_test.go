package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// lanes asks for several lanes.
func lanes(names ...string) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) {
		ev.Requests = nil
		for _, name := range names {
			ev.Requests = append(ev.Requests, lane.Request{Lane: name})
		}
	}
}

func booking(unit, seat string) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Unit, ev.Seat = unit, seat }
}

// parsed reads the writes of a decision back: the records by chain, the newest of
// each, and the order.
func parsed(t *testing.T, writes []Write) (map[string]Record, Order) {
	t.Helper()
	records := map[string]Record{}
	var order Order
	for _, w := range writes {
		if w.Chain != "" {
			records[w.Chain] = mustRecord(w.Chain, &node{gen: w.Gen, data: w.Payload})
			continue
		}
		o, err := ParseOrder(w.Gen, w.Payload)
		if err != nil {
			t.Fatal(err)
		}
		order = o
	}
	return records, order
}

func TestAcquireOfSeveralLanes(t *testing.T) {
	mine := as(Identity{RunID: "run-me"})
	own := heldBy("me", "old")
	half := unadmitted(tableWith(own), "docs")
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		want   Outcome
		class  string
		writes string
	}{
		{"all that are free are had in one admission", asking(tableWith(), lanes("docs", "code")), Acquired, "", "ACQUIRE ACQUIRE GRANTED"},
		{"none is had when one is held", asking(tableWith(heldBy("bob", "b0b")), lanes("code", "docs")), Refused, lane.SameLaneHeld, ""},
		{"they stand against each other", asking(tableWith(), lanes("code", "part")), Refused, lane.Collision, ""},
		{"an exclusive one goes with no other", asking(tableWith(), lanes("docs", "all")), Refused, lane.ExclusiveNotAlone, ""},
		{"whichever comes first", asking(tableWith(), lanes("all", "docs")), Refused, lane.ExclusiveLive, ""},
		{"one that the caller has is renewed beside a new one", asking(tableWith(own), mine, lanes("docs", "code")), Acquired, "", "HEARTBEAT ACQUIRE GRANTED"},
		{"when it has all, all are renewed and nothing is admitted", asking(tableWith(own), mine, lanes("docs")), Acquired, "", "HEARTBEAT"},
		{"a half-landed one is completed", asking(half, mine, lanes("code", "docs")), Acquired, "", "ACQUIRE HEARTBEAT GRANTED"},
		{"and voided when another of them is refused", asking(unadmitted(tableWith(own, heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))), "docs"), mine, lanes("docs", "code")), Refused, lane.SameLaneHeld, "VOID"},
		{"a class budget counts those before it", asking(tableWith(), lanes("docs", "code"), func(ev *AcquireEvidence) { ev.Budgets = map[string]int{lane.Cluster: 1} }), Refused, lane.ClassBudgetExhausted, ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome != tt.want || v.ReasonClass != tt.class || ops(writes) != tt.writes {
				t.Errorf("got %s %q writing %q, want %s %q writing %q (%s)", v.Outcome, v.ReasonClass, ops(writes), tt.want, tt.class, tt.writes, v.Reason)
			}
		})
	}
}

func TestSeveralLanesAreOneAdmission(t *testing.T) {
	v, writes, err := Acquire(asking(tableWith(), lanes("docs", "code"), booking("p/1", "desk"), func(ev *AcquireEvidence) {
		ev.Proc = &Proc{PID: 7, Start: "1", Boot: "b", PIDNS: "n"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	records, order := parsed(t, writes)
	docs, code := records["docs"], records["code"]
	if docs.Nonce != "fresh" || code.Nonce != "fresh" || !order.admits(docs) || !order.admits(code) || len(order.Newest) != 2 {
		t.Errorf("%+v %+v %+v", docs, code, order)
	}
	if docs.Unit != "p/1" || docs.Seat != "desk" || docs.Proc == nil || code.Unit != "" || code.Seat != "" || code.Proc != nil {
		t.Errorf("what is booked stands on the first lane alone: %+v %+v", docs, code)
	}
	if v.Lane != "docs" || v.Lease.Lane != "docs" || len(v.Leases) != 2 || v.Leases[1].Lane != "code" || order.Classes[lane.Cluster] != 2 {
		t.Errorf("%+v", v)
	}
	for _, want := range []string{"lane      docs", "lane      code", "tree      src/**", "unit      p/1"} {
		if !strings.Contains(v.String(), want) {
			t.Errorf("%q is not in %q", want, v.String())
		}
	}
	own := heldBy("me", "old", onLane("code", lane.Cluster, "src/**"))
	v, writes, err = Acquire(asking(tableWith(own), as(Identity{Nonce: "old"}), lanes("docs", "code")))
	if err != nil || v.Reacquired || !slices.ContainsFunc(writes, func(w Write) bool { return w.Op == OpGranted }) {
		t.Errorf("a new lane before one that is renewed: %+v %v %v", v, ops(writes), err)
	}
	if v, _, _ := Acquire(asking(tableWith())); len(v.Leases) != 0 || len(v.All()) != 1 {
		t.Errorf("one lane makes a list: %+v", v)
	}
}

// Of an admission whose order landed, and one of its lanes, the rest is admitted
// anew; the verdict is not that of a lease from before.
func TestHalfLandedSeveralLanesAreFinished(t *testing.T) {
	docs := heldBy("me", "fresh")
	code := heldBy("me", "fresh", onLane("code", lane.Cluster, "src/**"))
	table := behind(tableWith(docs, code), "code")
	v, writes, err := Acquire(asking(table, lanes("docs", "code")))
	if err != nil || v.Outcome != Acquired || v.Reacquired || ops(writes) != "HEARTBEAT ACQUIRE GRANTED" || writes[1].Gen != 4 {
		t.Fatalf("%+v %v %v", v, ops(writes), err)
	}
	if s := table.Send(v, nil); len(s.Leases) != 2 {
		t.Errorf("what this call has made is not given back: %+v", s)
	}
	// Refused now, nothing of it stays.
	v, writes, err = Acquire(asking(table, lanes("docs", "code"), func(ev *AcquireEvidence) { ev.SelfModify = []string{"src/rules"} }))
	if err != nil || v.Outcome != Refused || ops(writes) != "VOID VOID" {
		t.Errorf("%+v %v %v", v, ops(writes), err)
	}
}

// What an earlier try of the call has landed, or may still land, on a chain that
// the admission does not use is ended in the same transaction.
func TestEarlierTriesAreEnded(t *testing.T) {
	word := func(ev *AcquireEvidence) { ev.Requests = []lane.Request{{Lane: "word", Tree: []string{"etc/**"}}} }
	landed := heldBy("me", "fresh", inSlot("k.01", "word", "etc/**"))
	other := heldBy("bob", "b0b", inSlot("k.00", "verb", "bin/**"), inState(lane.Free))
	for claim, tt := range map[string]struct {
		table Table
		sent  *Sent
		want  string
	}{
		"the order without its slot":   {behind(tableWith(other, heldBy("me", "fresh", inSlot("k.01", "word", "etc/**"), inGen(1))), "k.01"), nil, "VOID ACQUIRE GRANTED"},
		"a slot it may still land on":  {tableWith(other), &Sent{[]Record{landed}, 9}, "VOID ACQUIRE GRANTED"},
		"but not one that moved since": {tableWith(other, heldBy("eve", "e5e", inSlot("k.01", "else", "x/**"), inState(lane.Free), inGen(5))), &Sent{[]Record{landed}, 9}, "ACQUIRE GRANTED"},
		"nor one that is held":         {tableWith(other, heldBy("eve", "e5e", inSlot("k.01", "else", "x/**"))), &Sent{[]Record{landed}, 9}, "ACQUIRE GRANTED"},
	} {
		v, writes, err := Acquire(asking(tt.table, word, func(ev *AcquireEvidence) { ev.Sent = tt.sent }))
		if err != nil || v.Outcome != Acquired || ops(writes) != tt.want || v.Lease.Slot != "k.00" {
			t.Fatalf("%s: %+v %v %v", claim, v, ops(writes), err)
		}
		records, order := parsed(t, writes)
		if r, ok := records["k.01"]; ok && r.State != lane.Free {
			t.Errorf("%s: %+v", claim, r)
		}
		if _, behind := tt.table.Order.Lanes["k.01"]; behind && tt.table.Torn() != nil && !order.explains("k.01", 0) {
			t.Errorf("%s: cut off, the slot would look lost: %+v", claim, order.Newest)
		}
	}
	// What stands half on a chain of its name is used.
	v, writes, err := Acquire(asking(unadmitted(tableWith(other, landed), "k.01"), word))
	if err != nil || ops(writes) != "HEARTBEAT GRANTED" || v.Lease.Slot != "k.01" {
		t.Errorf("%+v %v %v", v, ops(writes), err)
	}
}

// Within one generation nothing that others decide on changes.
func TestHalfLandedLeaseIsNotCompletedForAnotherUnit(t *testing.T) {
	had := heldBy("me", "old", withUnit("p/1"))
	half := unadmitted(holdingUnit(tableWith(had), had, "p/1"), "docs")
	for claim, tt := range map[string]struct {
		unit, seat, want string
	}{
		"the same unit":    {"p/1", "", "HEARTBEAT GRANTED"},
		"another unit":     {"p/2", "", "ACQUIRE GRANTED"},
		"no unit":          {"", "", "ACQUIRE GRANTED"},
		"a seat beside it": {"p/1", "desk", "ACQUIRE GRANTED"},
	} {
		v, writes, err := Acquire(asking(half, as(Identity{Nonce: "old"}), booking(tt.unit, tt.seat)))
		if err != nil || v.Outcome != Acquired || ops(writes) != tt.want || v.Lease.Unit != tt.unit || v.Lease.Seat != tt.seat {
			t.Errorf("%s: %+v %v %v", claim, v, ops(writes), err)
		}
		if _, order := parsed(t, writes); order.Units["p/1"].Nonce != "" && tt.unit != "p/1" {
			t.Errorf("%s: the order keeps the unit of what was replaced: %+v", claim, order.Units)
		}
	}
}

func TestRequestsThatContradictThemselves(t *testing.T) {
	for claim, change := range map[string]func(*AcquireEvidence){
		"a lane twice":                lanes("docs", "DOCS"),
		"a nameless one among others": lanes("docs", ""),
		"any of several":              func(ev *AcquireEvidence) { lanes("docs", "code")(ev); ev.Any = true },
		"any exclusive one":           func(ev *AcquireEvidence) { ev.Any, ev.Requests[0].Kind = true, lane.Global },
		"a tree without a lane":       func(ev *AcquireEvidence) { ev.Requests = []lane.Request{{Tree: []string{"x/**"}}} },
		"a keyword without a lane":    func(ev *AcquireEvidence) { ev.Requests = []lane.Request{{Kind: lane.Keyword}} },
		"force without a lane":        func(ev *AcquireEvidence) { ev.Requests, ev.Force, ev.Operator = nil, true, "op" },
		"force on any lane":           func(ev *AcquireEvidence) { ev.Any, ev.Force, ev.Operator = true, true, "op" },
		"force in nobody's name":      func(ev *AcquireEvidence) { ev.Force = true },
		"no nonce":                    func(ev *AcquireEvidence) { ev.Stamp.Nonce = "" },
		"a process that is none":      func(ev *AcquireEvidence) { ev.Proc = &Proc{PID: -1} },
		"a unit with an escape":       booking("\x1b[2J", ""),
		"a seat beyond bounds":        booking("", strings.Repeat("x", maxWord+1)),
		"an operator with a newline":  func(ev *AcquireEvidence) { ev.Force, ev.Operator = true, "a\nb" },
	} {
		if v, writes, err := Acquire(asking(tableWith(), change)); err == nil || v.Outcome != "" || writes != nil {
			t.Errorf("%s: %+v %v", claim, v, ops(writes))
		}
	}
}

func TestAGenerationHasAnEnd(t *testing.T) {
	last := tableWith(heldBy("bob", "b0b", inState(lane.Free), inGen(maxGen)))
	if v, writes, err := Acquire(asking(last)); err == nil || v.Outcome != "" || writes != nil {
		t.Errorf("%+v %v", v, ops(writes))
	}
	full := tableWith()
	full.Order.Seq = maxGen
	if v, writes, err := Acquire(asking(full)); err == nil || v.Outcome != "" || writes != nil {
		t.Errorf("%+v %v", v, ops(writes))
	}
}

func TestReacquireLooksAtUnitAndSeat(t *testing.T) {
	has := heldBy("me", "old", func(r *Record) { r.Unit, r.Seat = "p/1", "desk" })
	bare := heldBy("me", "old")
	mine := as(Identity{Nonce: "old"})
	for _, tt := range []struct {
		claim string
		ev    AcquireEvidence
		want  string
	}{
		{"the same unit and seat", asking(tableWith(has), mine, booking("p/1", "desk")), ""},
		{"none asked for", asking(tableWith(has), mine), ""},
		{"another unit", asking(tableWith(has), mine, booking("p/2", "")), LeaseDiffers},
		{"another seat", asking(tableWith(has), mine, booking("p/1", "chair")), LeaseDiffers},
		{"a unit where it has none", asking(tableWith(bare), mine, booking("p/1", "")), LeaseDiffers},
		{"another tree is not looked at", asking(tableWith(bare), mine, wanting("docs/a/**")), ""},
		{"any order of several lanes", asking(tableWith(has, heldBy("me", "old", onLane("code", lane.Cluster, "src/**"))), mine, lanes("code", "docs"), booking("p/1", "desk")), ""},
	} {
		v, writes, err := Acquire(tt.ev)
		if err != nil || v.ReasonClass != tt.want || (tt.want == "") != (v.Outcome == Acquired && v.Reacquired) {
			t.Errorf("%s: %+v %v %v", tt.claim, v, ops(writes), err)
		}
		if tt.want != "" && (len(writes) > 0 || !strings.Contains(v.Next, "release --lane docs")) {
			t.Errorf("%s: writes %v, next %q", tt.claim, ops(writes), v.Next)
		}
	}
}

func TestExtraLeasesBind(t *testing.T) {
	extra := func(l lane.Lease) func(*AcquireEvidence) {
		return func(ev *AcquireEvidence) { ev.Extra = []lane.Lease{l} }
	}
	other := lane.Lease{Lane: "elsewhere", Kind: lane.Keyword, Tree: []string{"docs/x/**"}, Holder: "eve", State: lane.Held}
	v, writes, err := Acquire(asking(tableWith(), extra(other)))
	if err != nil || v.ReasonClass != lane.Collision || writes != nil {
		t.Errorf("%+v %v", v, err)
	}
	v, writes, err = Acquire(asking(tableWith(), extra(other), forcing))
	if err != nil || v.ReasonClass != lane.Collision || writes != nil {
		t.Errorf("force ends what it cannot: %+v %v", v, err)
	}
	other.Unreadable = "torn page"
	var unread *UnreadError
	if v, _, err = Acquire(asking(tableWith(), extra(other))); !errors.As(err, &unread) || v.Outcome != "" {
		t.Errorf("%+v %v", v, err)
	}
	other.Tree = []string{"bin/**"}
	if v, _, err = Acquire(asking(tableWith(), extra(other))); err != nil || v.Outcome != Acquired {
		t.Errorf("%+v %v", v, err)
	}
}

func forcing(ev *AcquireEvidence) { ev.Force, ev.Operator = true, "oncall" }

func TestTheOrderStaysReadable(t *testing.T) {
	table := tableWith()
	for i := range 40 {
		tree := make([]string, 1000)
		for j := range tree {
			tree[j] = strings.Repeat("x", 15) + "/" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "/" + strings.Repeat("y", j%7+1) + string(rune('a'+j%26))
		}
		slices.Sort(tree)
		r := heldBy("bob", "b0b", inSlot(lane.SlotName(i), "word"+string(rune('a'+i%26))+string(rune('a'+i/26)), slices.Compact(tree)...))
		table.Chains[r.Chain()], table.Order.Lanes[r.Chain()] = r, grantOf(r)
	}
	d := asking(table).draft(nil)
	o := d.order(nil)
	if len(encode(o)) > maxRecord {
		t.Errorf("%d bytes", len(encode(o)))
	}
	big := o
	for chain, g := range big.Lanes {
		g.Tree = []string{strings.Repeat("z", maxRecord/40)}
		big.Lanes[chain] = g
	}
	for chain, g := range big.slim().Lanes {
		if g.Tree != nil || g.Kind == "" {
			t.Fatalf("%s: %d entries of kind %q", chain, len(g.Tree), g.Kind)
		}
	}
}
