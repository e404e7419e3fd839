package admit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

func TestSeveralLanesAreHadTogetherOrNotAtAll(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			req := ask("api", "alice")
			req.Lanes = []string{"api", "web"}
			v, err := d.Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Acquired, "")
			if all := v.All(); len(all) != 2 || all[0].Nonce != all[1].Nonce || stateOf(t, refs, "web").Nonce != all[0].Nonce {
				t.Fatalf("granted %+v", v)
			}
			if ops := opsOf(t, refs, orderRef); ops != "GRANTED" {
				t.Errorf("the order has %s", ops)
			}
			req = ask("docs", "bob")
			req.Lanes = []string{"docs", "web"}
			v, err = d.Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
			if r := stateOf(t, refs, "docs"); v.Lane != "web" || r.Gen != 0 {
				t.Errorf("refused %s, and docs is %+v", v.Lane, r)
			}
		})
	}
}

func TestUnitsAndSeatsHaveOneHolder(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			req := ask("api", "alice")
			req.Unit, req.Seat = "SHOP/API1", "s1"
			v, err := d.Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Acquired, "")
			mine := lease.Identity{Nonce: v.Lease.Nonce}

			rival := ask("web", "bob")
			rival.Unit = "SHOP/API1"
			v, err = d.Acquire(t.Context(), rival)
			wantVerdict(t, v, err, lease.Refused, lease.UnitClaimed)
			if v.Holder == nil || v.Holder.Owner != "alice" {
				t.Errorf("the holder is %v", v.Holder)
			}
			rival.Unit, rival.Seat = "", "s1"
			v, err = d.Acquire(t.Context(), rival)
			wantVerdict(t, v, err, lease.Refused, lease.SeatTaken)

			v, err = d.Release(t.Context(), "api", mine)
			wantVerdict(t, v, err, lease.Released, "")
			if o := admissions(t, refs); len(o.Units)+len(o.Seats) != 0 {
				t.Errorf("the order still has %v %v", o.Units, o.Seats)
			}
			rival.Unit = "SHOP/API1"
			v, err = d.Acquire(t.Context(), rival)
			wantVerdict(t, v, err, lease.Acquired, "")
		})
	}
}

// Everything in the way ends in the same transaction that admits the forced
// lane, and each lane's chain says by whom.
func TestForceEndsEverythingInTheWayAtOnce(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			web := acquire(t, d, "web", "alice")
			acquireWord(t, d, "word", "api/x/**")
			before := admissions(t, refs).Seq

			req := ask("all", "carol")
			req.Force, req.Operator = true, "oncall"
			v, err := d.Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Acquired, "")
			if len(v.Scavenged) != 2 || v.UnsafeUntil == nil {
				t.Errorf("scavenged %+v until %v", v.Scavenged, v.UnsafeUntil)
			}
			if after := admissions(t, refs).Seq; after != before+1 {
				t.Errorf("the order went from %d to %d", before, after)
			}
			for _, chain := range []string{"web", "k.00"} {
				if r := stateOf(t, refs, chain); r.State != lane.Free || r.Operator != "oncall" {
					t.Errorf("%s is %+v", chain, r)
				}
			}
			v, err = d.Heartbeat(t.Context(), "web", lease.Identity{Nonce: web.Nonce})
			wantVerdict(t, v, err, lease.LostLease, lease.NoLease)

			req = ask("all", "dave")
			req.Force, req.Operator = true, "oncall"
			v, err = d.Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Acquired, "")
			if ops := opsOf(t, refs, "refs/dos/lane/all"); ops != "ACQUIRE SCAVENGE ACQUIRE" {
				t.Errorf("the chain of all is %s", ops)
			}
		})
	}
}

// A slot is used again by another lane. To the worker whose lease it was, that
// lease is over: not unknown, and not the other's.
func TestAReusedSlotIsNobodyElses(t *testing.T) {
	d := open(t, localRepo(t))
	first := ask("build", "alice")
	first.Tree = []string{"Makefile"}
	v, err := d.Acquire(t.Context(), first)
	wantVerdict(t, v, err, lease.Acquired, "")
	mine := lease.Identity{Nonce: v.Lease.Nonce}
	v, err = d.Scavenge(t.Context(), "build", "oncall")
	wantVerdict(t, v, err, lease.Scavenged, "")
	acquireWord(t, d, "notes", "NOTES")
	if r := stateOf(t, d.Repo.CommonDir, "k.00"); r.Lane != "notes" || r.Gen != 2 {
		t.Fatalf("the slot is %+v", r)
	}
	v, err = d.Heartbeat(t.Context(), "build", mine)
	wantVerdict(t, v, err, lease.LostLease, lease.NoLease)
	v, err = d.Release(t.Context(), "build", mine)
	wantVerdict(t, v, err, lease.AlreadyFree, "")
	if r := stateOf(t, d.Repo.CommonDir, "k.00"); r.State != lane.Held {
		t.Errorf("the slot is %+v", r)
	}
	_, err = d.Heartbeat(t.Context(), "notes-typo", lease.Identity{Nonce: stateOf(t, d.Repo.CommonDir, "k.00").Nonce})
	wantUnknown(t, err, "notes")
	_, err = d.Heartbeat(t.Context(), "nobody", lease.Identity{})
	wantUnknown(t, err, "")
}

// A lane that is declared while it is held for the occasion keeps its slot, and
// nobody has it a second time.
func TestALaneDeclaredWhileItIsHeldStaysHeld(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	acquireWord(t, d, "build", "Makefile")
	d.Rules.Policy.Lanes.Concurrent = append(d.Rules.Policy.Lanes.Concurrent, "build")
	d.Rules.Policy.Lanes.Trees["build"] = []string{"Makefile"}
	v, err := d.Acquire(t.Context(), ask("build", "carol"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	nonce := stateOf(t, dir, "k.00").Nonce
	v, err = d.Release(t.Context(), "build", lease.Identity{Nonce: nonce})
	wantVerdict(t, v, err, lease.Released, "")
	if got := acquire(t, d, "build", "carol"); got.Slot != "" || stateOf(t, dir, "build").Nonce != got.Nonce {
		t.Errorf("granted %+v", got)
	}
}

// What the order says of an admission holds its record down: a planted one with
// another tree, another lane or a generation out of nowhere is unreadable.
func TestPlantedRecordsAreHeldToTheOrder(t *testing.T) {
	for claim, plant := range map[string]func(*lease.Record) (gen uint64){
		"a narrower tree":             func(r *lease.Record) uint64 { r.Tree = []string{"web/w"}; return r.Gen },
		"another kind":                func(r *lease.Record) uint64 { r.LaneKind = lane.Keyword; return r.Gen },
		"a generation out of nowhere": func(r *lease.Record) uint64 { r.Gen += 2; return r.Gen },
	} {
		t.Run(claim, func(t *testing.T) {
			dir := localRepo(t)
			d := open(t, dir)
			r := acquire(t, d, "web", "alice")
			gen := plant(&r)
			payload, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			appendTo(t, dir, laneEntry(t, lease.OpHeartbeat, gen, "web", string(payload)))
			v, err := d.Heartbeat(t.Context(), "web", lease.Identity{Nonce: r.Nonce})
			wantStore(t, v, err, "web")
			req := ask("w", "bob")
			req.Tree = []string{"web/other"}
			v, err = d.Acquire(t.Context(), req)
			wantStore(t, v, err, "web")
			acquire(t, d, "api", "bob")
		})
	}
}

// A lease that ended does not come back under its old generation.
func TestAnEndedLeaseDoesNotComeBack(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	r := acquire(t, d, "web", "alice")
	if _, err := d.Release(t.Context(), "web", lease.Identity{Nonce: r.Nonce}); err != nil {
		t.Fatal(err)
	}
	acquire(t, d, "docs", "bob") // an order that knows web to be free
	payload, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, dir, laneEntry(t, lease.OpHeartbeat, r.Gen, "web", string(payload)))
	v, err := d.Heartbeat(t.Context(), "web", lease.Identity{Nonce: r.Nonce})
	wantStore(t, v, err, "held again")
}

// wantUnknown checks that a lane was called unknown, and which lane the caller
// is told to hold.
func wantUnknown(t *testing.T, err error, held string) {
	t.Helper()
	var unknown *UnknownLaneError
	if !errors.As(err, &unknown) || strings.Join(unknown.Held, " ") != held {
		t.Errorf("error %v, %+v; want an unknown lane beside %q", err, unknown, held)
	}
}
