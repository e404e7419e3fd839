package lease

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func remembering(nonces ...string) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Remembered = nonces }
}

func at(d time.Duration) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Stamp.Now = noon.Add(d) }
}

// A lease that the asker's worktree took stands in the way like any other, and
// the refusal says whose it is and how to go on. To remember a nonce proves
// nothing.
func TestRefusalsByWhatThisWorktreeHolds(t *testing.T) {
	docs := heldBy("me", "old")
	code := heldBy("me", "old", onLane("code", lane.Cluster, "src/**"))
	booked := heldBy("me", "old", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"), func(r *Record) { r.Seat = "desk" })
	word := heldBy("me", "old", inSlot("k.00", "my word", "etc/**", "it's/x"))
	all := heldBy("me", "old", onLane("all", "all", "**/*"))
	const (
		until   = " until 2026-01-02T12:15:00Z"
		beat    = "git dos lease heartbeat --lane "
		again   = "; to be given it by acquire: git dos lease acquire --lane "
		release = "git dos lease release --lane "
	)
	for _, tt := range []struct {
		claim        string
		ev           AcquireEvidence
		class        string
		here         bool
		reason, next string // how the one ends, and all of the other
	}{
		{"the lane itself", asking(tableWith(docs), remembering("old")), lane.SameLaneHeld, true,
			"this worktree holds lane docs" + until, beat + "docs" + again + "docs --run-id run-me"},
		{"whoever is its owner", asking(tableWith(heldBy("bob", "old")), remembering("x", "old")), lane.SameLaneHeld, true,
			"this worktree holds lane docs" + until, beat + "docs" + again + "docs --run-id run-bob"},
		{"lapsed or not", asking(tableWith(docs), remembering("old"), at(time.Hour)), lane.SameLaneHeld, true,
			"this worktree holds lane docs, which lapsed at 2026-01-02T12:15:00Z and which nobody took", beat + "docs" + again + "docs --run-id run-me"},
		{"of no run", asking(tableWith(heldBy("me", "old", func(r *Record) { r.RunID = "" })), remembering("old")), lane.SameLaneHeld, true,
			"this worktree holds lane docs" + until, beat + "docs" + again + "docs --nonce old"},
		{"of a run with an odd name", asking(tableWith(heldBy("me", "old", func(r *Record) { r.RunID = "$(x) 1" })), remembering("old")), lane.SameLaneHeld, true,
			"this worktree holds lane docs" + until, beat + "docs" + again + "docs --run-id '$(x) 1'"},
		{"one that is not declared, with its tree", asking(tableWith(word), remembering("old"), keyword("my word", "etc/**")), lane.SameLaneHeld, true,
			"this worktree holds lane my word" + until, beat + "'my word'" + again + `'my word' --tree 'etc/**' --tree 'it'\''s/x' --run-id run-me`},
		{"an exclusive one itself", asking(tableWith(all), remembering("old"), lanes("all")), lane.ExclusiveLive, true,
			"this worktree holds lane all" + until, beat + "all" + again + "all --run-id run-me"},
		{"an exclusive one, for another lane", asking(tableWith(all), remembering("old")), lane.ExclusiveLive, true,
			"; this worktree holds lane all" + until, release + "all"},
		{"any, for an exclusive lane", asking(tableWith(docs), remembering("old"), lanes("all")), lane.ExclusiveNotAlone, true,
			"; this worktree holds lane docs" + until, release + "docs"},
		{"one that overlaps", asking(tableWith(code), remembering("old"), lanes("part")), lane.Collision, true,
			"; this worktree holds lane code" + until, release + "code"},
		{"one that overlaps, and lapsed", asking(tableWith(code), remembering("old"), lanes("part"), at(time.Hour)), lane.Collision, true,
			"; this worktree holds lane code, which lapsed at 2026-01-02T12:15:00Z and which nobody took", release + "code"},
		{"one that has the unit", asking(tableWith(booked), remembering("old"), booking("p/1", "")), UnitClaimed, true,
			"me on n1 has unit p/1 with lane code; this worktree holds lane code" + until, release + "code"},
		{"one that has the seat", asking(tableWith(booked), remembering("old"), booking("", "desk")), SeatTaken, true,
			"me on n1 has seat desk with lane code; this worktree holds lane code" + until, release + "code"},
		{"one that has another unit than is asked for", asking(tableWith(docs), remembering("old"), as(Identity{Nonce: "old"}), booking("p/1", "")), LeaseDiffers, true,
			"your lease has none, and unit p/1 is asked for", release + "docs, then acquire it again"},
		{"one that waits", asking(tableWith(heldBy("me", "old", inState(lane.Waiting))), remembering("old")), lane.SameLaneHeld, true,
			"this worktree waits for lane docs" + until, "git dos lease await --lane docs"},
		{"one that is parked", asking(tableWith(heldBy("me", "old", inState(lane.Parked))), remembering("old")), lane.SameLaneHeld, true,
			"this worktree holds lane docs, which is parked and does not lapse", "git dos lease unpark --lane docs; or have an operator free it: git dos lease scavenge --lane docs --force --operator NAME"},
		{"another's, where this worktree's was lost", asking(tableWith(heldBy("bob", "b0b")), remembering("old")), lane.SameLaneHeld, false,
			"bob on n1 holds lane docs", "wait for its release, or choose another lane: git dos lease live"},
		{"another's, where nothing is remembered", asking(tableWith(heldBy("bob", "b0b"))), lane.SameLaneHeld, false,
			"bob on n1 holds lane docs", "wait for its release, or choose another lane: git dos lease live"},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			if err != nil || v.Outcome != Refused || v.ReasonClass != tt.class || len(writes) > 0 || v.HeldHere != tt.here || v.Holder == nil || (v.Deadline == nil) != strings.Contains(tt.reason, "is parked") {
				t.Fatalf("%+v writing %q, %v", v, ops(writes), err)
			}
			if !strings.HasSuffix(v.Reason, tt.reason) || strings.HasPrefix(tt.reason, "this") && v.Reason != tt.reason {
				t.Errorf("reason %q, want %q", v.Reason, tt.reason)
			}
			if v.Next != tt.next {
				t.Errorf("next %q, want %q", v.Next, tt.next)
			}
		})
	}
}

// The command that a refusal names is answered with the lease.
func TestTheWayBackLeadsBack(t *testing.T) {
	for _, own := range []Record{heldBy("me", "old"), heldBy("me", "old", inSlot("k.00", "word", "etc/**")), heldBy("me", "old", onLane("all", "all", "**/*"))} {
		req := lane.Request{Lane: own.Lane}
		if own.Slot != "" {
			req.Tree = own.Tree
		}
		v, writes, err := Acquire(asking(tableWith(own), as(Identity{RunID: own.RunID}), remembering("old"), func(ev *AcquireEvidence) { ev.Requests = []lane.Request{req} }))
		if err != nil || !v.Reacquired || v.Lease.Nonce != "old" || v.Lane != own.Lane || ops(writes) != "HEARTBEAT" {
			t.Errorf("lane %s: %+v %v", own.Lane, v, err)
		}
	}
}

// Of a lane that the asker's node has on the remote for its workers, a refusal says
// what the asker's own lease under that is, and not what the node has.
func TestTheWayBackIsThatOfTheLeaseUnderADelegation(t *testing.T) {
	theirs := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))
	nodes := heldBy("", "deleg", func(r *Record) { r.Delegate, r.RunID = true, "" })
	own := heldBy("me", "old", func(r *Record) { r.Under, r.TTL = "deleg", 840 })
	granted := func(ev *AcquireEvidence) { ev.Granted = map[string]Record{"deleg": own} }
	const again = "git dos lease acquire --lane docs --run-id run-me"
	for claim, tt := range map[string]struct {
		ask  func(*AcquireEvidence)
		next string
	}{
		"any lane": {anyLane, "to be given that one again: " + again},
		"the lane": {lanes("docs"), "git dos lease heartbeat --lane docs; to be given it by acquire: " + again},
	} {
		v, _, err := Acquire(asking(tableWith(nodes, theirs), tt.ask, remembering("old", "deleg"), granted))
		if err != nil || v.Outcome != Refused || !v.HeldHere || v.Next != tt.next || v.Holder == nil || v.Holder.Owner != "me" ||
			!strings.Contains(v.Reason, "this worktree holds lane docs until 2026-01-02T12:14:00Z") {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
	}
}

// Where no lane is left to pick, the asker is told which its worktree holds.
func TestPickRemindsOfWhatThisWorktreeHolds(t *testing.T) {
	docs := heldBy("me", "old", withUnit("p/1"))
	code := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))
	for claim, tt := range map[string]struct {
		ev   AcquireEvidence
		here bool
		next string
	}{
		"no name":                 {asking(tableWith(docs, code), anyLane, remembering("old")), true, "to be given that one again: git dos lease acquire --lane docs --run-id run-me"},
		"another name":            {asking(tableWith(docs, code), lanes("code"), elseAny, remembering("old")), true, "to be given that one again: git dos lease acquire --lane docs --run-id run-me"},
		"its name":                {asking(tableWith(docs, code), elseAny, remembering("old")), true, "git dos lease heartbeat --lane docs; to be given it by acquire: git dos lease acquire --lane docs --run-id run-me"},
		"it is another's by now":  {asking(tableWith(docs, code), anyLane, remembering("older")), false, ""},
		"it was not admitted yet": {asking(unadmitted(tableWith(docs, code), "docs"), anyLane, remembering("old")), false, ""},
	} {
		v, _, err := Acquire(tt.ev)
		if err != nil || v.Outcome != Refused || v.HeldHere != tt.here || v.Next != tt.next || strings.Contains(v.Reason, "this worktree holds lane docs until 2026-01-02T12:15:00Z") != tt.here {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
	}
}

// Who is refused by a lease that lapsed is told so, and what an operator may run.
func TestRefusalsByALeaseThatLapsed(t *testing.T) {
	bob := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"), func(r *Record) { r.Seat = "desk" })
	for claim, change := range map[string]func(*AcquireEvidence){
		"its lane": lanes("code"), "its tree": lanes("part"), "its unit": booking("p/1", ""), "its seat": booking("", "desk"), "any, for an exclusive lane": lanes("all"),
	} {
		const lapsed = "; it lapsed at 2026-01-02T12:15:00Z, and can be taken in 990s unless it is renewed"
		v, _, err := Acquire(asking(tableWith(bob), change, at(time.Hour)))
		next := "git dos lease acquire --lane " + v.Lane + " --wait 995s; if that worker is known to be gone: git dos lease scavenge --lane code --force --operator NAME"
		if err != nil || v.Outcome != Refused || !strings.HasSuffix(v.Reason, lapsed) || v.Next != next || v.LapsesIn != 990 || v.HeldHere {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
		if v, _, _ := Acquire(asking(tableWith(bob), change)); strings.Contains(v.Reason, "lapsed") || !strings.Contains(v.Next, "wait for its release") {
			t.Errorf("%s, before that: %+v", claim, v)
		}
	}
}

// Who lost a lane that is not declared is told how to ask for it: its tree is
// named nowhere else.
func TestALostLaneIsAskedForWithItsTree(t *testing.T) {
	const want = "git dos lease acquire --lane word --tree 'etc/**' --tree bin/x"
	gone := heldBy("me", "old", inSlot("k.00", "word", "etc/**", "bin/x"), inState(lane.Free))
	onSlot := func(ev *KeepEvidence) { ev.Lane, ev.Chain = "word", "k.00" }
	for claim, decide := range map[string]func(KeepEvidence) (Verdict, []Write){"heartbeat": Heartbeat} {
		if v, _ := decide(keeping(&gone, Identity{Nonce: "old"}, onSlot)); v.ReasonClass != NoLease || v.Next != want {
			t.Errorf("%s: %+v", claim, v)
		}
	}
	half := heldBy("me", "old", inSlot("k.00", "word", "etc/**", "bin/x"))
	if v, _ := Heartbeat(keeping(&half, Identity{Nonce: "old"}, onSlot, func(ev *KeepEvidence) { ev.Order = Order{} })); v.ReasonClass != NotAdmitted || v.Next != want+" --run-id run-me" {
		t.Errorf("cut off half-way: %+v", v)
	}
	declared := heldBy("me", "old", inState(lane.Free))
	if v, _ := Heartbeat(keeping(&declared, Identity{Nonce: "old"})); v.Next != "git dos lease acquire --lane docs" {
		t.Errorf("a declared lane has its tree: %+v", v)
	}
	if v, _ := Heartbeat(keeping(nil, Identity{Nonce: "old"})); v.Next != "git dos lease acquire --lane docs" {
		t.Errorf("never leased: %+v", v)
	}
}

// The record of an admission that was cut off from a slot does not keep the tree
// of the lane that was there before.
func TestAVoidedSlotIsOfItsOwnLane(t *testing.T) {
	word := heldBy("bob", "dead", inSlot("k.00", "word", "etc/**"), inGen(4))
	before := heldBy("eve", "e5e", inSlot("k.00", "verb", "bin/**"), inState(lane.Free))
	table := tableWith(word)
	table.Chains["k.00"], table.Order.Newest["k.00"] = before, 3
	records, _ := parsed(t, Repair(table, table.Torn(), Stamp{Now: noon}))
	if r := records["k.00"]; r.Lane != "word" || !equal(r.Tree, []string{"etc/**"}) || r.LaneKind != lane.Keyword || r.Slot != "k.00" {
		t.Errorf("%+v", r)
	}
}
