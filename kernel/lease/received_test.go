package lease

import (
	"slices"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

var lawTime = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// leased is lane api as worker a of node n1 has it, with changes.
func leased(gen uint64, nonce string, change ...func(*Record)) Record {
	r := Record{V: Version, Lane: "api", LaneKind: lane.Cluster, Tree: []string{"api/**"}, Scope: Fleet, State: lane.Held, Gen: gen, Nonce: nonce,
		Holder: Holder{Node: "n1", Owner: "a"}, RunID: "run-" + nonce, TTL: 900, AcquiredAt: lawTime, RenewedAt: lawTime}
	for _, f := range change {
		f(&r)
	}
	return r
}

func stateOf(s lane.State) func(*Record) { return func(r *Record) { r.State = s } }

func saying(reason string) func(*Record) { return func(r *Record) { r.Reason = reason } }

func shipping(ref, old, new string) func(*Record) {
	return func(r *Record) { r.Ship = &Ship{Ref: ref, Old: old, New: new} }
}

func asDelegate(r *Record) { r.Delegate, r.Holder, r.RunID = true, Holder{Node: "n1"}, "" }

func alone(r *Record) { r.LaneKind = "global" }

// orderAt is an order with one grant a record, of which the free ones are over.
func orderAt(seq uint64, records ...Record) Order {
	o := Order{V: Version, Seq: seq, Lanes: map[string]Grant{}, Newest: map[string]uint64{}}
	for _, r := range records {
		o.Lanes[r.Chain()] = grantOf(r)
		if r.State == lane.Free {
			o.Lanes[r.Chain()] = Grant{Gen: r.Gen, Nonce: r.Nonce}
		}
	}
	return o
}

// atServer is a table of records that the order has.
func atServer(seq uint64, records ...Record) Table {
	t := Table{Chains: map[string]Record{}, Order: orderAt(seq, records...)}
	for _, r := range records {
		t.Chains[r.Chain()] = r
	}
	return t
}

func putting(entries ...LaneEntry) map[string][]LaneEntry {
	lanes := map[string][]LaneEntry{}
	for _, e := range entries {
		lanes[e.Record.Chain()] = append(lanes[e.Record.Chain()], e)
	}
	return lanes
}

func granting(seq uint64, records ...Record) []OrderEntry {
	return []OrderEntry{{OpGranted, orderAt(seq, records...)}}
}

func TestStepsOfALaneOnAServer(t *testing.T) {
	held, free := leased(3, "n3"), leased(3, "n3", stateOf(lane.Free), saying("released"))
	next := leased(4, "n4")
	parked := leased(3, "n3", stateOf(lane.Parked))
	waiting := leased(3, "n3", stateOf(lane.Waiting), alone)
	byNode := leased(3, "n3", asDelegate)
	given := leased(3, "n3", stateOf(lane.Parked), saying("parked"))
	later := func(r *Record) { r.RenewedAt = lawTime.Add(time.Minute) }
	forced := func(r *Record) { r.Operator, r.Reason = "kim", "scavenged by operator kim" }
	tests := []struct {
		claim  string
		before Record // the zero Record is a chain that is not there
		put    []LaneEntry
		order  []OrderEntry
		want   string // token, "" for legal
	}{
		{"a lane that never was is acquired", Record{}, []LaneEntry{{OpAcquire, leased(1, "n1")}}, granting(10, leased(1, "n1")), ""},
		{"a free lane is acquired", free, []LaneEntry{{OpAcquire, next}}, granting(10, next), ""},
		{"a node takes a free lane", free, []LaneEntry{{OpDelegate, leased(4, "n4", asDelegate)}}, granting(10, leased(4, "n4", asDelegate)), ""},
		{"a held lane is renewed", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", later)}}, nil, ""},
		{"what waits is renewed", waiting, []LaneEntry{{OpHeartbeat, leased(3, "n3", stateOf(lane.Waiting), alone, later)}}, nil, ""},
		{"what waits becomes ready", waiting, []LaneEntry{{OpReady, leased(3, "n3", alone, later)}}, nil, ""},
		{"a held lane ships", held, []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o", "here"))}}, nil, ""},
		{"a held lane is parked", held, []LaneEntry{{OpPark, parked}}, nil, ""},
		{"a parked lane is unparked", parked, []LaneEntry{{OpUnpark, held}}, nil, ""},
		{"a node gives a lane to the worker who parks it", byNode, []LaneEntry{{OpPark, given}}, nil, ""},
		{"a lease is released", held, []LaneEntry{{OpRelease, free}}, nil, ""},
		{"a node returns a lane", byNode, []LaneEntry{{OpReturn, leased(3, "n3", asDelegate, stateOf(lane.Free), func(r *Record) { r.Delegate = false })}}, nil, ""},
		{"an operator scavenges a lane", held, []LaneEntry{{OpScavenge, leased(3, "n3", stateOf(lane.Free), forced)}}, nil, ""},
		{"a lapsed lease is taken over in one push", held,
			[]LaneEntry{{OpScavenge, leased(3, "n3", stateOf(lane.Free), saying("lapsed"))}, {OpAcquire, next}}, granting(10, next), ""},
		{"an admission that nobody was told of is voided", next, []LaneEntry{{OpVoid, leased(4, "n4", stateOf(lane.Free), saying("gave it back"))}}, nil, ""},
		{"a checkpoint leaves all as it is", held, []LaneEntry{{opOfCheckpoint, held}}, nil, ""},

		{"an op of another kind", held, []LaneEntry{{"BEAT", held}}, nil, IllegalStep},
		{"an op of a lease within a node", held, []LaneEntry{{OpTaking, leased(3, "n3", func(r *Record) { r.Taking = true })}}, nil, IllegalStep},
		{"a push announced on a server", held, []LaneEntry{{OpPushing, leased(3, "n3", func(r *Record) { r.Pushing = []string{"p"} })}}, nil, IllegalStep},
		{"a lease under a node's", free, []LaneEntry{{OpAcquire, leased(4, "n4", func(r *Record) { r.Under = "x" })}}, granting(10, next), ChangedRecord},
		{"an acquirer takes a held lane", held, []LaneEntry{{OpAcquire, leased(4, "n4", func(r *Record) { r.Holder.Owner = "b" })}}, granting(10, next), IllegalStep},
		{"the holder takes its held lane anew", held, []LaneEntry{{OpAcquire, leased(4, "n4")}}, granting(10, next), IllegalStep},
		{"an acquirer takes a parked lane", parked, []LaneEntry{{OpAcquire, next}}, granting(10, next), IllegalStep},
		{"an acquirer is admitted to nothing", free, []LaneEntry{{OpAcquire, leased(4, "n4", stateOf(lane.Parked))}}, nil, IllegalStep},
		{"a worker is admitted as a node", free, []LaneEntry{{OpAcquire, leased(4, "n4", asDelegate)}}, granting(10, leased(4, "n4", asDelegate)), IllegalStep},
		{"a node is admitted as a worker", free, []LaneEntry{{OpDelegate, next}}, granting(10, next), IllegalStep},
		{"an ordinary lane waits", free, []LaneEntry{{OpAcquire, leased(4, "n4", stateOf(lane.Waiting))}}, granting(10, next), IllegalStep},
		{"a generation is left out", free, []LaneEntry{{OpAcquire, leased(5, "n4")}}, granting(10, leased(5, "n4")), BadGeneration},
		{"a generation comes again", free, []LaneEntry{{OpAcquire, leased(3, "n4")}}, granting(10, leased(3, "n4")), BadGeneration},
		{"a first generation is not the first", Record{}, []LaneEntry{{OpAcquire, leased(2, "n1")}}, granting(10, leased(2, "n1")), BadGeneration},
		{"a renewal of a free lane", free, []LaneEntry{{OpHeartbeat, held}}, nil, IllegalStep},
		{"a renewal readies", waiting, []LaneEntry{{OpHeartbeat, leased(3, "n3", alone)}}, nil, IllegalStep},
		{"a renewal by a stale token", held, []LaneEntry{{OpHeartbeat, leased(3, "n2")}}, nil, StaleToken},
		{"a ship by a stale token", held, []LaneEntry{{OpShip, leased(3, "n2", shipping("main", "o", "here"))}}, nil, StaleToken},
		{"a release by a stale token", held, []LaneEntry{{OpRelease, leased(3, "n2", stateOf(lane.Free))}}, nil, StaleToken},
		{"a renewal of another generation", held, []LaneEntry{{OpHeartbeat, leased(4, "n3")}}, nil, BadGeneration},
		{"the holder is swapped", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", func(r *Record) { r.Holder.Owner = "b" })}}, nil, HolderSwap},
		{"the run is swapped", held, []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o", "here"), func(r *Record) { r.RunID = "other" })}}, nil, HolderSwap},
		{"a parked lane changes hands", held, []LaneEntry{{OpPark, leased(3, "n3", stateOf(lane.Parked), func(r *Record) { r.Holder.Owner = "b" })}}, nil, HolderSwap},
		{"a renewal widens the tree", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", func(r *Record) { r.Tree = []string{"**/*"} })}}, nil, ChangedRecord},
		{"a renewal lengthens the ttl", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", func(r *Record) { r.TTL = 9999999 })}}, nil, ChangedRecord},
		{"a renewal takes a unit", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", func(r *Record) { r.Unit = "p/1" })}}, nil, ChangedRecord},
		{"a ship names another process", held, []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o", "here"), func(r *Record) { r.Proc = &Proc{PID: 1} })}}, nil, ChangedRecord},
		{"a release renames the lane's kind", held, []LaneEntry{{OpRelease, leased(3, "n3", stateOf(lane.Free), alone)}}, nil, ChangedRecord},
		{"a scavenge says no reason", held, []LaneEntry{{OpScavenge, leased(3, "n3", stateOf(lane.Free))}}, nil, ChangedRecord},
		{"a checkpoint renews", held, []LaneEntry{{opOfCheckpoint, leased(3, "n3", later)}}, nil, ChangedRecord},
		{"a checkpoint frees", held, []LaneEntry{{opOfCheckpoint, free}}, nil, IllegalStep},
		{"a ship of what the branch does not hold", held, []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o", "elsewhere"))}}, nil, ForgedShip},
		{"a ship without what was shipped", held, []LaneEntry{{OpShip, held}}, nil, ForgedShip},
		{"a renewal that ships", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", shipping("main", "o", "here"))}}, nil, ForgedShip},
		{"a ship from a free lane", free, []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o", "here"))}}, nil, IllegalStep},
		{"a ship from a parked lane", parked, []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o", "here"))}}, nil, IllegalStep},
		{"the second of two entries", held, []LaneEntry{{OpHeartbeat, leased(3, "n3", later)}, {OpUnpark, held}}, nil, IllegalStep},
		{"an admission without the order", free, []LaneEntry{{OpAcquire, next}}, nil, LaneWithoutOrder},
		{"an admission that the order has as another's", free, []LaneEntry{{OpAcquire, next}}, granting(10, leased(4, "nx")), LaneWithoutOrder},
		{"the end of an admission that never was", free, []LaneEntry{{OpVoid, leased(4, "n4", stateOf(lane.Free), saying("cut off"))}}, nil, BadGeneration},
	}
	for _, test := range tests {
		var table Table
		if test.before.V == 0 {
			table = atServer(9)
		} else {
			table = atServer(9, test.before)
		}
		p := Received{Before: table, Lanes: putting(test.put...), Order: test.order, Reached: map[Reach]bool{{"main", "here"}: true}}
		if got := tokens(p.Judge()); test.want == "" && len(got) > 0 || test.want != "" && !slices.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q: %v", test.claim, got, test.want, p.Judge())
		}
	}
}

func tokens(all []Breach) (tokens []string) {
	for _, b := range all {
		tokens = append(tokens, b.Token)
	}
	return tokens
}

// What a crash left is settled as clients settle it, and as nothing else.
func TestStepsAfterACrashOnAServer(t *testing.T) {
	free := leased(3, "n3", stateOf(lane.Free))
	ahead := leased(4, "n4") // on its lane, and not in the order
	mine := func(r *Record) { r.RunID = "run-n4" }
	torn := atServer(9, free)
	torn.Order.Lanes["api"] = grantOf(ahead)
	void := LaneEntry{OpVoid, leased(4, "n4", stateOf(lane.Free), saying("cut off"))}
	half := atServer(9, free)
	half.Chains["api"] = ahead
	late := atServer(9, free)
	late.Order.Lanes["api"] = grantOf(leased(5, "n5"))
	renewed := leased(4, "n4", func(r *Record) { r.TTL, r.Policy = 600, "c0ffee" })
	anew := leased(5, "n5", mine)
	other := leased(5, "n5", func(r *Record) { r.Holder = Holder{Node: "n2", Owner: "b"} })
	tests := []struct {
		claim  string
		before Table
		put    []LaneEntry
		order  []OrderEntry
		want   string
	}{
		{"an order ahead of its lane is settled by anyone", torn, []LaneEntry{void}, nil, ""},
		{"and not as another generation", torn, []LaneEntry{{OpVoid, leased(5, "n4", stateOf(lane.Free), saying("cut off"))}}, nil, BadGeneration},
		{"and not under another nonce", torn, []LaneEntry{{OpVoid, leased(4, "nx", stateOf(lane.Free), saying("cut off"))}}, nil, BadGeneration},
		{"a settlement comes late, and the order has moved on", late, []LaneEntry{{OpScavenge, leased(4, "nx", stateOf(lane.Free), saying("cut off"))}}, nil, ""},
		{"its acquirer decides again past both", torn, []LaneEntry{{OpAcquire, anew}}, granting(10, anew), ""},
		{"a lane ahead of its order is completed by its owner", half, []LaneEntry{{OpHeartbeat, renewed}}, granting(10, renewed), ""},
		{"and decided anew by its owner", half, []LaneEntry{{OpAcquire, anew}}, granting(10, anew), ""},
		{"and not by another", half, []LaneEntry{{OpAcquire, other}}, granting(10, other), IllegalStep},
		{"a chain that is not there is kept from coming", Table{}, []LaneEntry{{OpVoid, leased(1, "", stateOf(lane.Free), saying("overtaken"))}}, nil, ""},
	}
	for _, test := range tests {
		p := Received{Before: test.before, Lanes: putting(test.put...), Order: test.order}
		if got := tokens(p.Judge()); test.want == "" && len(got) > 0 || test.want != "" && !slices.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q: %v", test.claim, got, test.want, p.Judge())
		}
	}
}

func TestOrderOnAServer(t *testing.T) {
	api, web := leased(3, "n3"), leased(1, "w1", func(r *Record) { r.Lane, r.Tree = "web", []string{"web/**"} })
	apiFree := leased(3, "n3", stateOf(lane.Free), saying("lapsed"))
	booked := leased(3, "n3", func(r *Record) { r.Unit = "p/1" })
	withUnit := func(o Order, nonce string) Order {
		o.Units = map[string]Booking{"p/1": {Nonce: nonce, Until: "2026-01-02T12:15:00Z"}}
		return o
	}
	change := func(o Order, f func(*Order)) Order { f(&o); return o }
	before := atServer(9, api)
	keyword := leased(3, "n3", inSlot("k.00", "job", "job/**"))
	slot := atServer(9, keyword)
	unread := atServer(9, api)
	unread.Chains, unread.Unread = map[string]Record{}, map[string]error{"api": ErrRecord}
	unit := atServer(9, booked)
	unit.Order = withUnit(unit.Order, "n3")
	tests := []struct {
		claim  string
		before Table
		put    []LaneEntry
		op     string
		order  Order
		want   string
	}{
		{"two lanes in one admission", before, []LaneEntry{{OpAcquire, web}}, OpGranted, orderAt(10, api, web), ""},
		{"an admission beside a lease that it ends", before, []LaneEntry{{OpAcquire, web}, {OpScavenge, apiFree}}, OpGranted,
			change(orderAt(10, api, web), func(o *Order) { o.Lanes["api"] = Grant{Gen: 3, Nonce: "w1"} }), ""},
		{"the order moves alone", before, nil, OpEnded, orderAt(10, api), ""},
		{"trees that are too long for the order", before, []LaneEntry{{OpAcquire, web}}, OpGranted,
			change(orderAt(10, api, web), func(o *Order) {
				g := o.Lanes["api"]
				g.Tree = nil
				o.Lanes["api"] = g
			}), ""},
		{"an order without its lane", before, nil, OpGranted, orderAt(10, api, web), OrderWithoutLane},
		{"an end that the lane does not show", before, nil, OpGranted, change(orderAt(10, api), func(o *Order) { o.Lanes["api"] = Grant{Gen: 3, Nonce: "w1"} }), OrderWithoutLane},
		{"a lease that is struck out while it lives", before, nil, OpGranted, change(orderAt(10, api), func(o *Order) { o.Lanes["api"] = Grant{Gen: 3, Nonce: "n3"} }), OrderWithoutLane},
		{"another tree than the lane has", before, nil, OpGranted, change(orderAt(10, api), func(o *Order) {
			g := o.Lanes["api"]
			g.Tree = []string{"x/**"}
			o.Lanes["api"] = g
		}), OrderWithoutLane},
		{"a generation falls", before, nil, OpGranted, change(orderAt(10, api), func(o *Order) { o.Lanes["api"] = Grant{Gen: 2, Nonce: "n3"} }), BadGeneration},
		{"a lane leaves the order", before, nil, OpGranted, orderAt(10), BadGeneration},
		{"a holder is swapped within a generation", before, nil, OpGranted, change(orderAt(10, api), func(o *Order) {
			o.Lanes["api"] = Grant{Gen: 3, Nonce: "nx", Kind: lane.Cluster, Tree: []string{"api/**"}}
		}), HolderSwap},
		{"a slot has another lane within a generation", slot, nil, OpGranted, change(orderAt(10, keyword), func(o *Order) {
			g := o.Lanes["k.00"]
			g.Lane = "other"
			o.Lanes["k.00"] = g
		}), ChangedRecord},
		{"what the order newly says of a lane that cannot be read", unread, nil, OpGranted, change(orderAt(10, api), func(o *Order) { o.Lanes["api"] = Grant{Gen: 3, Nonce: "n3"} }), CannotJudge},
		{"a step on a lane that cannot be read", unread, []LaneEntry{{OpVoid, apiFree}}, OpEnded, orderAt(10, api), CannotJudge},
		{"a number is left out", before, nil, OpEnded, orderAt(11, api), BadGeneration},
		{"a number comes again", before, nil, OpEnded, orderAt(9, api), BadGeneration},
		{"an end that admits", before, []LaneEntry{{OpAcquire, web}}, OpEnded, orderAt(10, api, web), ChangedRecord},
		{"an op of a lane", before, nil, OpAcquire, orderAt(10, api), IllegalStep},
		{"a checkpoint that changes the order", before, nil, opOfCheckpoint, orderAt(10, api), ChangedRecord},
		{"a checkpoint", before, nil, opOfCheckpoint, orderAt(9, api), ""},
		{"a booking ends with its lease", unit, []LaneEntry{{OpRelease, leased(3, "n3", stateOf(lane.Free), func(r *Record) { r.Unit = "p/1" })}}, OpEnded, orderAt(10, booked), ""},
		{"a booking of a live lease is struck out", unit, nil, OpEnded, orderAt(10, booked), LiveBooking},
		{"a booking goes to a lease that is not admitted", unit, nil, OpGranted, withUnit(orderAt(10, booked), "nx"), ChangedRecord},
	}
	for _, test := range tests {
		p := Received{Before: test.before, Lanes: putting(test.put...), Order: []OrderEntry{{test.op, test.order}}}
		if got := tokens(p.Judge()); test.want == "" && len(got) > 0 || test.want != "" && !slices.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q: %v", test.claim, got, test.want, p.Judge())
		}
	}
}
