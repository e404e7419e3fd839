package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// heldBy is a lease of lane "docs" unless changed.
func heldBy(owner, nonce string, change ...func(*Record)) Record {
	r := Record{
		V: Version, Lane: "docs", LaneKind: lane.Cluster, Tree: []string{"docs/**"}, Scope: Fleet, State: lane.Held, Gen: 3,
		Nonce: nonce, Holder: Holder{Node: "n1", Owner: owner}, RunID: "run-" + owner, TTL: 900,
		AcquiredAt: noon, RenewedAt: noon,
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func inState(s lane.State) func(*Record) { return func(r *Record) { r.State = s } }

func onLane(name, kind string, tree ...string) func(*Record) {
	return func(r *Record) { r.Lane, r.LaneKind, r.Tree = name, kind, tree }
}

func sameGrant(a, b Grant) bool {
	return a.Gen == b.Gen && a.Nonce == b.Nonce && a.Lane == b.Lane && a.Kind == b.Kind && slices.Equal(a.Tree, b.Tree)
}

// tableWith holds the records, all of them admitted.
func tableWith(records ...Record) Table {
	t := Table{Chains: map[string]Record{}, Order: Order{V: Version, Seq: 9, Lanes: map[string]Grant{}, Newest: map[string]uint64{}}}
	for _, r := range records {
		g := grantOf(r)
		if r.State == lane.Free {
			g.Kind, g.Tree = "", nil
		}
		t.Chains[r.Chain()], t.Order.Lanes[r.Chain()] = r, g
	}
	return t
}

// unadmitted takes a lane's admission back to an earlier one.
func unadmitted(t Table, name string) Table {
	t.Order.Lanes[name] = Grant{Gen: t.Chains[name].Gen - 1, Nonce: "earlier"}
	return t
}

func asking(t Table, change ...func(*AcquireEvidence)) AcquireEvidence {
	ev := AcquireEvidence{
		Requests: []lane.Request{{Lane: "docs"}}, RunID: "run-me", TTL: 15 * time.Minute, Scope: Fleet, Table: t,
		Stamp: Stamp{Now: noon.Add(time.Minute), Nonce: "fresh", Holder: Holder{Node: "n2", Owner: "me"}, Policy: "cafe"},
		Lanes: simTaxonomy, Algebra: lane.Glob,
	}
	for _, f := range change {
		f(&ev)
	}
	return ev
}

func as(id Identity) func(*AcquireEvidence) { return func(ev *AcquireEvidence) { ev.Identity = id } }

func wanting(tree ...string) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) { ev.Requests[0].Tree = tree }
}

func ops(writes []Write) string {
	var words []string
	for _, w := range writes {
		words = append(words, w.Op)
	}
	return strings.Join(words, " ")
}

func TestAcquire(t *testing.T) {
	bob := heldBy("bob", "b0b")
	half := unadmitted(tableWith(heldBy("me", "old")), "docs")
	mine := as(Identity{RunID: "run-me"})
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		want   Outcome
		class  string
		writes string
	}{
		{"a lane nobody ever had is granted", asking(Table{}), Acquired, "", "ACQUIRE GRANTED"},
		{"a free lane is granted", asking(tableWith(heldBy("bob", "b0b", inState(lane.Free)))), Acquired, "", "ACQUIRE GRANTED"},
		{"a held lane is refused", asking(tableWith(bob)), Refused, lane.SameLaneHeld, ""},
		{"a lapsed lane that nobody took away is refused", asking(tableWith(bob), func(ev *AcquireEvidence) { ev.Stamp.Now = noon.Add(time.Hour) }), Refused, lane.SameLaneHeld, ""},
		{"a waiting lane is refused", asking(tableWith(heldBy("bob", "b0b", inState(lane.Waiting)))), Refused, lane.SameLaneHeld, ""},
		{"a parked lane is refused", asking(tableWith(heldBy("bob", "b0b", inState(lane.Parked)))), Refused, lane.SameLaneHeld, ""},
		{"a lane in a state of the future is refused", asking(tableWith(heldBy("bob", "b0b", inState("draining")))), Refused, lane.SameLaneHeld, ""},
		{"a lane ahead of the order is held", asking(unadmitted(tableWith(bob), "docs")), Refused, lane.SameLaneHeld, ""},
		{"an overlapping tree under another name is refused", asking(tableWith(heldBy("bob", "b0b", onLane("words", lane.Keyword, "docs/*.md")))), Refused, lane.Collision, ""},
		{"a disjoint lane is in nobody's way", asking(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**")))), Acquired, "", "ACQUIRE GRANTED"},
		{"an exclusive lease stands against every lane", asking(tableWith(heldBy("bob", "b0b", onLane("all", "all", "etc/**")))), Refused, lane.ExclusiveLive, ""},
		{"a kind of the future stands against every lane", asking(tableWith(heldBy("bob", "b0b", onLane("code", "colony", "src/**")))), Refused, lane.ExclusiveLive, ""},
		{"an exclusive lane is refused beside any other", asking(tableWith(bob), func(ev *AcquireEvidence) { ev.Requests[0].Lane = "all" }), Refused, lane.ExclusiveNotAlone, ""},
		{"an undeclared lane without a tree is refused", asking(Table{}, func(ev *AcquireEvidence) { ev.Requests[0].Lane = "nosuch" }), Refused, lane.UnknownLane, ""},
		{"a tree outside the lane is refused", asking(Table{}, wanting("src/**")), Refused, lane.TreeOutsideLane, ""},
		{"a tree that decides admission is refused", asking(Table{}, func(ev *AcquireEvidence) { ev.SelfModify = []string{"docs/rules"} }), Refused, lane.SelfModify, ""},

		{"a stated run id gets its own lease back", asking(tableWith(heldBy("me", "old")), mine), Acquired, "", "HEARTBEAT"},
		{"a stated nonce gets its own lease back", asking(tableWith(heldBy("me", "old")), as(Identity{Nonce: "old"})), Acquired, "", "HEARTBEAT"},
		{"the name of the owner proves nothing", asking(tableWith(heldBy("me", "old"))), Refused, lane.SameLaneHeld, ""},
		{"an empty identity does not match an empty run id", asking(tableWith(heldBy("me", "old", func(r *Record) { r.RunID = "" }))), Refused, lane.SameLaneHeld, ""},
		{"an own lease that waited is ready when nothing overlaps it", asking(tableWith(heldBy("me", "old", inState(lane.Waiting))), mine), Acquired, "", "READY"},
		{"and still waits while something does", asking(tableWith(heldBy("me", "old", inState(lane.Waiting)), heldBy("bob", "b0b", onLane("words", lane.Keyword, "docs/*.md"))), mine), Waits, "", ""},
		{"an own lease that is parked is no grant", asking(tableWith(heldBy("me", "old", inState(lane.Parked))), mine), Refused, lane.SameLaneHeld, ""},
		{"the nonce of a lease that ended gets nothing back", asking(tableWith(heldBy("me", "old", inState(lane.Free))), as(Identity{Nonce: "old"})), Acquired, "", "ACQUIRE GRANTED"},

		{"a half-landed admission of one's own is completed", asking(half, mine), Acquired, "", "HEARTBEAT GRANTED"},
		{"one that this very call landed too", asking(unadmitted(tableWith(heldBy("me", "fresh")), "docs")), Acquired, "", "HEARTBEAT GRANTED"},
		{"one of another kind is admitted anew", asking(half, mine, func(ev *AcquireEvidence) { ev.Requests[0].Kind = lane.Keyword }), Acquired, "", "ACQUIRE GRANTED"},
		{"one that another admission overtook is voided", asking(unadmitted(tableWith(heldBy("me", "old"), heldBy("bob", "b0b", onLane("words", lane.Keyword, "docs/*.md"))), "docs"), mine), Refused, lane.Collision, "VOID"},
		{"a half-landed lease of another stays", asking(unadmitted(tableWith(bob), "docs"), mine), Refused, lane.SameLaneHeld, ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			if err != nil {
				t.Fatal(err)
			}
			class := v.ReasonClass
			if v.Outcome != tt.want || class != tt.class || ops(writes) != tt.writes {
				t.Errorf("got %s %q writing %q, want %s %q writing %q (%s)", v.Outcome, class, ops(writes), tt.want, tt.class, tt.writes, v.Reason)
			}
		})
	}
}

func TestGrantIsTwoWritesOfOneAdmission(t *testing.T) {
	table := tableWith(heldBy("bob", "b0b", inState(lane.Free)), heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**")))
	table.Order.Lanes["docs"] = Grant{Gen: 3, Nonce: "b0b"}
	table.Order.Units = map[string]Booking{"p/1": {Nonce: "e5e", Until: "2026-01-02T12:15:00Z"}}
	v, writes, err := Acquire(asking(table))
	if err != nil || len(writes) != 2 {
		t.Fatalf("%v %v", writes, err)
	}
	r, err := ParseRecord("docs", writes[0].Gen, writes[0].Payload)
	if err != nil {
		t.Fatal(err)
	}
	if r.Gen != 4 || r.Nonce != "fresh" || r.RunID != "run-me" || r.State != lane.Held || r.Policy != "cafe" || r.Holder.Owner != "me" || r.TTL != 900 {
		t.Errorf("the lane gets %+v", r)
	}
	if !r.RenewedAt.Equal(noon.Add(time.Minute)) || v.Deadline == nil || !v.Deadline.Equal(noon.Add(16*time.Minute)) {
		t.Errorf("renewed %s, deadline %v", r.RenewedAt, v.Deadline)
	}
	o, err := ParseOrder(writes[1].Gen, writes[1].Payload)
	if err != nil {
		t.Fatal(err)
	}
	if o.Seq != 10 || !sameGrant(o.Lanes["docs"], Grant{Gen: 4, Nonce: "fresh", Kind: lane.Cluster, Tree: []string{"docs/**"}}) || !sameGrant(o.Lanes["code"], Grant{Gen: 3, Nonce: "e5e", Kind: lane.Cluster, Tree: []string{"src/**"}}) || o.Units["p/1"].Nonce != "e5e" || o.Policy != "cafe" {
		t.Errorf("the order gets %+v", o)
	}
	if writes[1].Chain != "" || v.Lease == nil || !o.admits(*v.Lease) {
		t.Error("the verdict's lease is not the one the order admits")
	}
}

func TestGenerationPassesLaneAndOrder(t *testing.T) {
	free := heldBy("bob", "b0b", inState(lane.Free), func(r *Record) { r.Gen = 8 })
	behind := tableWith(free)
	behind.Order.Lanes["docs"] = Grant{Gen: 5, Nonce: "x"}
	_, writes, err := Acquire(asking(behind))
	if err != nil || writes[0].Gen != 9 {
		t.Errorf("after generation 8 on the lane comes %d (%v)", writes[0].Gen, err)
	}
	ahead := tableWith(free)
	ahead.Order.Lanes["docs"] = Grant{Gen: 9, Nonce: "fresh"} // of this call, its lane did not land
	_, writes, err = Acquire(asking(ahead))
	if err != nil || writes[0].Gen != 10 {
		t.Errorf("after generation 9 in the order comes %d (%v)", writes[0].Gen, err)
	}
}

// What landed half was decided on another request. A different one is another
// admission: readers that missed it would not notice a new tree under the old
// generation.
func TestHalfLandedLeaseIsNotCompletedForAnotherTree(t *testing.T) {
	half := unadmitted(tableWith(heldBy("me", "old", onLane("words", lane.Keyword, "docs/**")), heldBy("bob", "b0b", onLane("more", lane.Keyword, "docs/b/**"))), "words")
	v, writes, err := Acquire(asking(half, as(Identity{Nonce: "old"}), wanting("docs/a/**"), func(ev *AcquireEvidence) { ev.Requests[0].Lane = "words" }))
	if err != nil || v.Outcome != Acquired || v.Reacquired || ops(writes) != "ACQUIRE GRANTED" {
		t.Fatalf("%+v %v", v, err)
	}
	r, err := ParseRecord("words", writes[0].Gen, writes[0].Payload)
	if err != nil || !slices.Equal(r.Tree, []string{"docs/a/**"}) || !slices.Equal(v.Lease.Tree, r.Tree) || r.Nonce != "fresh" || r.Gen != 4 {
		t.Errorf("recorded %+v (%v), reported %v", r, err, v.Lease.Tree)
	}
}

func TestReacquiredMeansFromBefore(t *testing.T) {
	v, _, _ := Acquire(asking(tableWith(heldBy("me", "old")), as(Identity{RunID: "run-me"})))
	if !v.Reacquired || v.Lease.Nonce != "old" || v.Lease.Gen != 3 || !v.Deadline.Equal(noon.Add(16*time.Minute)) {
		t.Errorf("an earlier lease: %+v", v)
	}
	v, _, _ = Acquire(asking(tableWith(heldBy("me", "fresh"))))
	if v.Outcome != Acquired || v.Reacquired {
		t.Errorf("a lease of this very call: %+v", v)
	}
}

func TestTornTableGivesNoVerdict(t *testing.T) {
	table := tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**")))
	table.Order.Lanes["part"] = Grant{Gen: 1, Nonce: "x"}
	table.Order.Lanes["code"] = Grant{Gen: 4, Nonce: "y"}
	for claim, ev := range map[string]AcquireEvidence{
		"also for another lane": asking(table),
		"also for one's own":    asking(table, as(Identity{Nonce: "b0b"})),
	} {
		v, writes, err := Acquire(ev)
		var torn *TornError
		if !errors.As(err, &torn) || !slices.Equal(torn.Chains, []string{"code", "part"}) || v.ExitCode() != 2 || writes != nil {
			t.Errorf("%s: %v %v %v", claim, v.Outcome, writes, err)
		}
	}
	table.Order.Lanes["code"], table.Order.Lanes["part"] = Grant{Gen: 3, Nonce: "b0b"}, Grant{Gen: 1, Nonce: "fresh"}
	if v, _, err := Acquire(asking(table)); err != nil || v.Outcome != Acquired {
		t.Errorf("the caller's own half does not count: %v %v", v.Outcome, err)
	}
}

func TestMalformedRequestsAreNoVerdict(t *testing.T) {
	long := strings.Repeat("x", maxWord+1)
	for claim, change := range map[string]func(*AcquireEvidence){
		"a lane that climbs":       func(ev *AcquireEvidence) { ev.Requests[0].Lane = "../x" },
		"an absolute tree":         wanting("/etc/**"),
		"a tree that climbs":       wanting("docs/../../x"),
		"an unknown kind":          func(ev *AcquireEvidence) { ev.Requests[0].Kind = "colony" },
		"an owner beyond bounds":   func(ev *AcquireEvidence) { ev.Stamp.Holder.Owner = long },
		"an owner with a newline":  func(ev *AcquireEvidence) { ev.Stamp.Holder.Owner = "a\nb" },
		"a run id that is no text": func(ev *AcquireEvidence) { ev.RunID = "\xff" },
		"a worker with an escape":  func(ev *AcquireEvidence) { ev.Stamp.Holder.Worker = "\x1b[2J" },
	} {
		v, writes, err := Acquire(asking(Table{}, change))
		if err == nil || v.ExitCode() != 2 || writes != nil {
			t.Errorf("%s: %v %v %v", claim, v.Outcome, writes, err)
		}
	}
}

func TestRefusalNamesWhoStandsInTheWay(t *testing.T) {
	v, _, err := Acquire(asking(tableWith(heldBy("bob", "b0b"))))
	if err != nil || v.Holder == nil || v.Holder.Owner != "bob" || !v.Deadline.Equal(noon.Add(15*time.Minute)) || v.Lease != nil {
		t.Errorf("%+v %v", v, err)
	}
	if !strings.Contains(v.Reason, "bob on n1 holds lane docs") || !strings.Contains(v.Next, "wait") {
		t.Errorf("reason %q, next %q", v.Reason, v.Next)
	}
	v, _, _ = Acquire(asking(tableWith(heldBy("bob", "b0b")), func(ev *AcquireEvidence) { ev.Stamp.Now = noon.Add(15 * time.Minute) }))
	if !strings.Contains(v.Reason, "it lapsed at 2026-01-02T12:15:00Z") || !strings.Contains(v.Next, "scavenge --lane docs --force --operator") {
		t.Errorf("lapsed: reason %q, next %q", v.Reason, v.Next)
	}
	data, err := json.Marshal(v)
	if err != nil || !strings.Contains(string(data), `"kernel":{"outcome":"refuse"`) {
		t.Errorf("%s %v", data, err)
	}
}

func TestRecordTooLargeIsRefusedBeforeItIsWritten(t *testing.T) {
	tree := make([]string, 1024) // each entry, and their number, is within what a tree may have
	for i := range tree {
		tree[i] = fmt.Sprintf("docs/%s%04d", strings.Repeat("x", 1014), i)
	}
	_, writes, err := Acquire(asking(Table{}, wanting(tree...)))
	if err == nil || !strings.Contains(err.Error(), "name a shorter tree") || writes != nil {
		t.Errorf("%d writes, error %v", len(writes), err)
	}
}
