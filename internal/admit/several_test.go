package admit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
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
	v, err = d.Heartbeat(t.Context(), "build", lease.Identity{RunID: "run-bob"}) // who has notes
	wantVerdict(t, v, err, lease.LostLease, lease.NoLease)
	_, err = d.Heartbeat(t.Context(), "nobody", lease.Identity{})
	var unknown *UnknownLaneError
	if !errors.As(err, &unknown) || !slices.Contains(unknown.Known, "notes") {
		t.Errorf("error %v, %+v", err, unknown)
	}

	var ops []string
	if err := d.Log(t.Context(), "build", false, func(tip refstore.Tip) bool {
		ops = append(ops, tip.Entry.Op)
		return true
	}); err != nil || strings.Join(ops, " ") != "SCAVENGE ACQUIRE" {
		t.Errorf("the log of build is %v, %v", ops, err)
	}
	if err := d.Log(t.Context(), "nobody", false, func(refstore.Tip) bool { return true }); !errors.As(err, &unknown) {
		t.Errorf("the log of nobody: %v", err)
	}
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

// Where the order knows of no admission, the chain alone must lead from the
// first generation to the one that it shows.
func TestGenerationsAreReachedStepByStep(t *testing.T) {
	for claim, gens := range map[string]struct {
		chain []uint64
		good  bool
	}{
		"one after the other":   {[]uint64{1, 1, 2, 3}, true},
		"not from the first":    {[]uint64{2}, false},
		"one is left out":       {[]uint64{1, 3}, false},
		"back from a later one": {[]uint64{2, 1}, false},
	} {
		t.Run(claim, func(t *testing.T) {
			dir := localRepo(t)
			d := open(t, dir)
			for _, gen := range gens.chain {
				payload := fmt.Sprintf(`{"v":1,"lane":"docs","gen":%d,"state":"free","tree":[]}`, gen)
				appendTo(t, dir, laneEntry(t, lease.OpVoid, gen, "docs", payload))
			}
			v, err := d.Acquire(t.Context(), ask("docs", "bob"))
			if gens.good {
				wantVerdict(t, v, err, lease.Acquired, "")
				return
			}
			wantStore(t, v, err, "does not follow")
		})
	}
}

// Of a lane that the order does not know only so many entries are looked at; one
// with more of them is not free, and is told of by that limit, not as broken.
func TestALaneTooFarAheadOfTheOrderIsToldOfByTheLimit(t *testing.T) {
	for _, entries := range []int{maxSteps, maxSteps + 1} {
		dir := localRepo(t)
		var in strings.Builder
		for gen := 1; gen <= entries; gen++ {
			text := fmt.Sprintf("dos lane: VOID docs g%d\n\n{\"v\":1,\"lane\":\"docs\",\"gen\":%[1]d,\"state\":\"free\",\"tree\":[]}\n\nDos-Format: 1\nDos-Op: VOID\nDos-Gen: %[1]d\nDos-Attempt: %016[1]x\n", gen)
			fmt.Fprintf(&in, "commit refs/dos/lane/docs\ncommitter w <w@example.com> %d +0000\ndata %d\n%s\n", gen, len(text), text)
		}
		fast := exec.Command("git", "-C", dir, "fast-import", "--quiet")
		fast.Stdin = strings.NewReader(in.String())
		if out, err := fast.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		v, err := open(t, dir).Acquire(t.Context(), ask("docs", "bob"))
		if entries == maxSteps {
			wantVerdict(t, v, err, lease.Acquired, "")
			continue
		}
		wantStore(t, v, err, "refs/dos/lane/docs: its newest 4096 entries, the most that are looked at, do not go back to generation 0")
		if errors.Is(err, lease.ErrRecord) {
			t.Errorf("it is told of as broken: %v", err)
		}
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

// A ref below a chain's name keeps that chain from being made. It is in the way
// of that lane, and the next slot serves.
func TestARefBelowAChainIsInTheWayOfThatChainAlone(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			acquire(t, d, "docs", "carol") // an order that knows the lanes
			for _, junk := range []string{"refs/dos/lane/k.00/x", "refs/dos/lane/api/x"} {
				gitIn(t, refs, "update-ref", junk, "refs/dos/order/grants")
			}
			v, err := d.Acquire(t.Context(), ask("api", "alice"))
			wantStore(t, v, err, "lane api")
			acquireWord(t, d, "word", "Makefile")
			if r := stateOf(t, refs, "k.01"); r.Lane != "word" {
				t.Errorf("slot k.01 is %+v", r)
			}
			acquire(t, d, "web", "bob")
		})
	}
}

// A lane that a worktree took before its name became an alias is still that
// lane to it.
func TestALaneWhoseNameBecomesAnAliasCanBeLetGo(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	req := ask("bar", "alice")
	req.Tree = []string{"Makefile"}
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if err := d.Remember(*v.Lease); err != nil {
		t.Fatal(err)
	}
	d.Rules.Policy.Lanes.Aliases["bar"] = "web"
	held, err := d.Recall("bar")
	if err != nil || held == nil {
		t.Fatalf("recalled %+v, %v", held, err)
	}
	v, err = d.Release(t.Context(), "bar", lease.Identity{Nonce: held.Nonce})
	wantVerdict(t, v, err, lease.Released, "")
	if err := d.Forget("bar", held.Nonce); err != nil {
		t.Fatal(err)
	}
	if name, err := d.CanonicalLane("bar"); err != nil || name != "web" {
		t.Errorf("then the alias stands for %q, %v", name, err)
	}
}

// To everybody else too, a word that has become an alias names the lane that is
// held under it.
func TestAnAliasDoesNotHideTheLaneThatIsHeld(t *testing.T) {
	d := open(t, localRepo(t))
	acquireWord(t, d, "bar", "Makefile")
	web := acquire(t, d, "web", "carol")
	d.Rules.Policy.Lanes.Aliases["bar"] = "web"
	nonce := stateOf(t, d.Repo.CommonDir, "k.00").Nonce
	v, err := d.Heartbeat(t.Context(), "bar", lease.Identity{Nonce: nonce})
	wantVerdict(t, v, err, lease.Renewed, "")
	if r, _, err := d.Lease(t.Context(), "bar", false); err != nil || r == nil || r.Nonce != nonce {
		t.Errorf("shown %+v, %v", r, err)
	}
	v, err = d.Scavenge(t.Context(), "bar", "oncall")
	wantVerdict(t, v, err, lease.Scavenged, "")
	if v.Lane != "bar" || stateOf(t, d.Repo.CommonDir, "web").State != lane.Held {
		t.Errorf("scavenged %s", v.Lane)
	}
	v, err = d.Release(t.Context(), "bar", lease.Identity{Nonce: web.Nonce}) // now it is the alias
	wantVerdict(t, v, err, lease.Released, "")
}

// Without a lane the first of the lanes for auto-pick is had, and where a named
// one may not be had, any of them if any will do.
func TestALaneIsPickedForWhoNamesNone(t *testing.T) {
	d := open(t, localRepo(t))
	req := ask("", "alice")
	req.Lanes = nil
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if v.Lane != "api" || !v.Kernel.AutoPicked {
		t.Errorf("picked %+v", v)
	}
	if _, err := d.Release(t.Context(), "api", lease.Identity{Nonce: v.Lease.Nonce}); err != nil {
		t.Fatal(err)
	}
	acquire(t, d, "web", "bob")
	req = ask("web", "alice")
	v, err = d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	req.Any = true
	v, err = d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if v.Lane != "api" {
		t.Errorf("had %+v", v)
	}
}
