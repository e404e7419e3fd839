package lease

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// watching is a table on which chains have been seen unchanged for so long.
func watching(t Table, d time.Duration, chains ...string) Table {
	t.Watch.Seen = map[string]time.Duration{}
	for _, chain := range chains {
		t.Watch.Seen[chain] = d
	}
	return t
}

const whole = 15*time.Minute + 90*time.Second // the ttl of the tests and its margin

func TestLapse(t *testing.T) {
	bob := heldBy("bob", "b0b")
	ended := tableWith(bob)
	ended.Watch.Gone = map[string]bool{"docs": true}
	unread := watching(tableWith(bob), whole, "docs")
	unread.Unread = map[string]error{"docs": ErrRecord}
	later := func(d, skew time.Duration) Lapsing { return Lapsing{Now: noon.Add(d), Skew: skew} }
	for _, tt := range []struct {
		claim string
		table Table
		by    Lapsing
		over  bool
		in    time.Duration
	}{
		{"a lease just seen is not over", tableWith(bob), later(0, 0), false, whole},
		{"past its own deadline it is not", tableWith(bob), later(24*time.Hour, 0), false, whole},
		{"watched for its ttl it is not", watching(tableWith(bob), 15*time.Minute, "docs"), later(0, 0), false, 90 * time.Second},
		{"nor a moment before the margin is over", watching(tableWith(bob), whole-1, "docs"), later(0, 0), false, 1},
		{"watched for its ttl and the margin it is, whatever its stamp", watching(tableWith(bob), whole, "docs"), later(-time.Hour, 0), true, 0},
		{"another chain that was watched is no proof", watching(tableWith(bob), whole, "code"), later(0, 0), false, whole},
		{"a waiting one lapses too", watching(tableWith(heldBy("bob", "b0b", inState(lane.Waiting))), whole, "docs"), later(0, 0), true, 0},
		{"a parked one does not", watching(tableWith(heldBy("bob", "b0b", inState(lane.Parked))), 9*whole, "docs"), later(24*time.Hour, time.Minute), false, 0},
		{"nor one in a state of the future", watching(tableWith(heldBy("bob", "b0b", inState("draining"))), 9*whole, "docs"), later(0, 0), false, 0},
		{"nor one that cannot be read", unread, later(0, 0), false, 0},
		{"nor what is free", watching(tableWith(heldBy("bob", "b0b", inState(lane.Free))), whole, "docs"), later(0, 0), false, 0},
		{"one whose process has ended is over at once", ended, later(0, 0), true, 0},
		{"older than ttl and skew is over", tableWith(bob), later(75*time.Minute+time.Second, time.Hour), true, 0},
		{"as old as ttl and skew is not", tableWith(bob), later(75*time.Minute, time.Hour), false, whole},
		{"without a known skew no stamp proves anything", tableWith(bob), later(9000*time.Hour, 0), false, whole},
	} {
		if l := tt.table.Lapse("docs", tt.by); l.Over != tt.over || l.In != tt.in || l.Over != (l.Why != "") {
			t.Errorf("%s: %+v", tt.claim, l)
		}
	}
	for ahead, skewed := range map[time.Duration]bool{30 * time.Second: false, 31 * time.Second: true, time.Hour: true, -time.Hour: false} {
		if l := tableWith(bob).Lapse("docs", later(-ahead, time.Hour)); l.Skewed != skewed {
			t.Errorf("a stamp %s ahead: skewed %v", ahead, l.Skewed)
		}
	}
}

func TestInstantsOfOneBootCompare(t *testing.T) {
	at := func(boot string, ns int64) Instant { return Instant{boot, ns} }
	for _, tt := range []struct {
		claim         string
		later, before Instant
		want          time.Duration
		ok            bool
	}{
		{"of one boot", at("a", 7), at("a", 4), 3, true},
		{"of another", at("b", 7), at("a", 4), 0, false},
		{"of none", at("", 7), at("", 4), 0, false},
		{"in the wrong order", at("a", 4), at("a", 7), 0, false},
	} {
		if d, ok := tt.later.Since(tt.before); d != tt.want || ok != tt.ok {
			t.Errorf("%s: %s %v", tt.claim, d, ok)
		}
	}
}

// What has lapsed and would stand against an admission ends in its transaction;
// what stands in nobody's way stays.
func TestTakeover(t *testing.T) {
	docs := heldBy("bob", "b0b")
	code := heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**"))
	words := heldBy("zoe", "z0e", onLane("words", lane.Keyword, "docs/*.md"))
	budget := func(ev *AcquireEvidence) { ev.Budgets = map[string]int{lane.Cluster: 1} }
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		want   Outcome
		writes string
		from   string // lanes that end
	}{
		{"its own lane", asking(watching(tableWith(docs), whole, "docs")), Acquired, "SCAVENGE ACQUIRE GRANTED", "docs"},
		{"not before it lapses", asking(watching(tableWith(docs), whole-1, "docs")), Refused, "", ""},
		{"what its tree overlaps", asking(watching(tableWith(words), whole, "words")), Acquired, "SCAVENGE ACQUIRE GRANTED", "words"},
		{"not what is clear of it", asking(watching(tableWith(docs, code), whole, "docs", "code")), Acquired, "SCAVENGE ACQUIRE GRANTED", "docs"},
		{"not while another that overlaps lives", asking(watching(tableWith(docs, words), whole, "docs")), Refused, "", ""},
		{"everything, for an exclusive lane", asking(watching(tableWith(docs, code), whole, "docs", "code"), lanes("all")), Acquired, "SCAVENGE SCAVENGE ACQUIRE GRANTED", "code docs"},
		{"the place in a class", asking(watching(tableWith(code), whole, "code"), budget), Acquired, "SCAVENGE ACQUIRE GRANTED", "code"},
		{"one place of two, and not both", asking(watching(tableWith(code, heldBy("zoe", "z0e", onLane("part", lane.Cluster, "lib/**"))), whole, "code", "part"), func(ev *AcquireEvidence) { ev.Budgets = map[string]int{lane.Cluster: 2} }), Acquired, "SCAVENGE ACQUIRE GRANTED", "code"},
		{"no place where there is room", asking(watching(tableWith(code), whole, "code"), func(ev *AcquireEvidence) { ev.Budgets = map[string]int{lane.Cluster: 2} }), Acquired, "ACQUIRE GRANTED", ""},
		{"an unwatched one of the class keeps its place", asking(tableWith(code), budget), Refused, "", ""},
		{"the unit", asking(watching(tableWith(heldBy("eve", "e5e", onLane("code", lane.Cluster, "src/**"), withUnit("p/1"))), whole, "code"), booking("p/1", "")), Acquired, "SCAVENGE ACQUIRE GRANTED", "code"},
		{"one's own is renewed", asking(watching(tableWith(heldBy("me", "old")), whole, "docs"), as(Identity{Nonce: "old"})), Acquired, "HEARTBEAT", ""},
		{"each of several lanes", asking(watching(tableWith(docs, code), whole, "docs", "code"), lanes("docs", "code")), Acquired, "SCAVENGE SCAVENGE ACQUIRE ACQUIRE GRANTED", "code docs"},
		{"all of several lanes or none", asking(watching(tableWith(docs, code), whole, "docs"), lanes("docs", "code")), Refused, "", ""},
	} {
		v, writes, err := Acquire(tt.ev)
		var from []string
		for _, taken := range v.Scavenged {
			from = append(from, taken.Lane)
		}
		if err != nil || v.Outcome != tt.want || ops(writes) != tt.writes || strings.Join(from, " ") != tt.from || v.UnsafeUntil != nil {
			t.Errorf("takes over %s: %+v %v %v", tt.claim, v, ops(writes), err)
		}
	}
}

// A takeover is a new generation, over the end of the old one, and what the old
// lease had booked is over too.
func TestTakeoverIsANewGeneration(t *testing.T) {
	bob := heldBy("bob", "b0b", withUnit("p/1"))
	table := watching(holdingUnit(tableWith(bob), bob, "p/1"), whole, "docs")
	v, writes, err := Acquire(asking(table, booking("p/1", "")))
	if err != nil || v.Outcome != Acquired || v.Lease.Gen != bob.Gen+1 || !strings.Contains(v.Reason, "bob on n1 had lapsed") {
		t.Fatalf("%+v %v", v, err)
	}
	_, order := parsed(t, writes)
	if g := order.Lanes["docs"]; g.Gen != v.Lease.Gen || g.Nonce != "fresh" || order.Units["p/1"].Nonce != "fresh" {
		t.Errorf("%+v %+v", g, order.Units)
	}
	if r, err := ParseRecord("docs", bob.Gen, writes[0].Payload); err != nil || r.State != lane.Free || r.Gen != bob.Gen || !strings.HasPrefix(r.Reason, "lapsed: ") || r.Operator != "" {
		t.Errorf("%+v", r)
	}
	// Cut off after the order, the old holder has nothing to renew.
	cut := Table{Chains: maps.Clone(table.Chains), Order: order}
	keep := KeepEvidence{Lane: "docs", Chain: "docs", Current: ptr(bob), Order: order, Identity: Identity{Nonce: "b0b"}, Stamp: Stamp{Now: noon}}
	if v, writes := Heartbeat(keep); v.Outcome != LostLease || writes != nil {
		t.Errorf("%+v", v)
	}
	if torn := cut.Torn(); !equal(torn, []string{"docs"}) {
		t.Errorf("torn %v", torn)
	}
}

func TestHolderStopsBeforeAnybodyCanTakeOver(t *testing.T) {
	asked := asking(Table{})
	v, _, err := Acquire(asked)
	if err != nil || v.WorkUntil == nil || !v.WorkUntil.Equal(asked.Stamp.Now.Add(15*time.Minute-90*time.Second)) {
		t.Fatalf("%+v %v", v.WorkUntil, err)
	}
	r := *v.Lease
	ev := KeepEvidence{Lane: "docs", Chain: "docs", Current: &r, Order: tableWith(r).Order, Identity: Identity{Nonce: r.Nonce}, Stamp: Stamp{Now: noon.Add(time.Minute)}}
	if v, _ := Heartbeat(ev); v.WorkUntil == nil || !v.WorkUntil.Equal(noon.Add(16*time.Minute-90*time.Second)) {
		t.Errorf("%+v", v)
	}
	ev.Lapsing.Margin = func(time.Duration) time.Duration { return 5 * time.Minute }
	if v, _ := Heartbeat(ev); !v.WorkUntil.Equal(noon.Add(11 * time.Minute)) {
		t.Errorf("%+v", v)
	}
}

func TestScavengeWithoutAnOperatorNeedsProof(t *testing.T) {
	bob := heldBy("bob", "b0b", withUnit("p/1"))
	table := holdingUnit(tableWith(bob), bob, "p/1")
	ev := KeepEvidence{Lane: "docs", Chain: "docs", Current: &bob, Order: table.Order, Stamp: Stamp{Now: noon.Add(time.Hour)}}
	ev.Lapse = table.Lapse("docs", Lapsing{Now: ev.Stamp.Now})
	if v, writes := Scavenge(ev); v.ReasonClass != NotLapsed || v.LapsesIn != 990 || writes != nil {
		t.Errorf("%+v %v", v, ops(writes))
	}
	ev.Lapse = Lapse{Over: true, Why: "its process has ended"}
	v, writes := Scavenge(ev)
	records, order := parsed(t, writes)
	if v.Outcome != Scavenged || ops(writes) != "SCAVENGE ENDED" || records["docs"].Reason != "lapsed: its process has ended" || len(order.Units) != 0 || v.UnsafeUntil != nil {
		t.Errorf("%+v %v", v, ops(writes))
	}
	ev.Order.Lanes["docs"] = Grant{Gen: 2, Nonce: "n"}
	ev.Lapse.Over = false
	if v, writes := Scavenge(ev); v.Outcome == Scavenged || writes != nil {
		t.Errorf("a torn lane without an operator: %+v %v", v, ops(writes))
	}
}

// Whoever renews a lease whose process has ended works under it in its place: the
// lease lives by its ttl from then on, and not over at once.
func TestARenewedLeaseNamesNoProcessThatHasEnded(t *testing.T) {
	proc := &Proc{PID: 7, Start: "1", Boot: "b", PIDNS: "p"}
	next := &Proc{PID: 8, Start: "2", Boot: "b", PIDNS: "p"}
	mine := heldBy("me", "old", func(r *Record) { r.Proc = proc })
	waits := heldBy("me", "old", onLane("all", "all", "**/*"), inState(lane.Waiting), func(r *Record) { r.Proc = proc })
	table := func(r Record, gone bool) Table {
		t := tableWith(r)
		t.Watch.Gone = map[string]bool{r.Chain(): gone}
		return t
	}
	keep := func(r Record, gone bool) KeepEvidence {
		return KeepEvidence{Lane: r.Lane, Chain: r.Lane, Current: &r, Order: tableWith(r).Order, Identity: Identity{Nonce: "old"}, Gone: gone, Stamp: Stamp{Now: noon}}
	}
	for claim, verb := range map[string]func(gone bool) []Write{
		"heartbeat": func(gone bool) []Write { _, w := Heartbeat(keep(mine, gone)); return w },
		"unpark": func(gone bool) []Write {
			r := mine
			r.State = lane.Parked
			_, w := Unpark(keep(r, gone))
			return w
		},
		"acquire": func(gone bool) []Write {
			_, w, _ := Acquire(asking(table(mine, gone), as(Identity{Nonce: "old"})))
			return w
		},
		"await": func(gone bool) []Write {
			basis := asking(table(waits, gone))
			_, w, _ := Await(AwaitEvidence{Lane: "all", Identity: Identity{Nonce: "old"}, Table: basis.Table, Stamp: basis.Stamp})
			return w
		},
		"push": func(gone bool) []Write {
			hold := Hold{Lane: "docs", Chain: "docs", Identity: Identity{Nonce: "old"}, Current: &mine, Gone: gone}
			_, w := DecidePush(PushEvidence{Ship: Ship{Ref: "refs/heads/main", New: "c"}, Holds: []Hold{hold}, Order: tableWith(mine).Order, Algebra: lane.Glob, Paths: []string{"docs/a"}, Stamp: Stamp{Now: noon}})
			return w
		},
	} {
		for gone, want := range map[bool]*Proc{true: nil, false: proc} {
			w := verb(gone)
			if len(w) != 1 {
				t.Fatalf("%s: %v", claim, ops(w))
			}
			r, err := ParseRecord(w[0].Chain, w[0].Gen, w[0].Payload)
			if err != nil || (r.Proc == nil) != (want == nil) {
				t.Errorf("%s, gone %v: names %+v %v", claim, gone, r.Proc, err)
			}
		}
	}
	_, w, err := Acquire(asking(table(mine, true), as(Identity{Nonce: "old"}), func(ev *AcquireEvidence) { ev.Proc = next }))
	if r, perr := ParseRecord("docs", w[0].Gen, w[0].Payload); err != nil || perr != nil || r.Proc == nil || r.Proc.PID != 8 {
		t.Errorf("a process that is named anew: %+v %v %v", r.Proc, err, perr)
	}
}

func TestDisplay(t *testing.T) {
	for _, tt := range []struct {
		claim string
		state lane.State
		after time.Duration // of its renewal
		want  string
	}{
		{"a lease in time is held", lane.Held, 15*time.Minute - 1, "held"},
		{"past its deadline it is suspended", lane.Held, 15 * time.Minute, Suspended},
		{"so is one that waits", lane.Waiting, 15 * time.Minute, Suspended},
		{"one stamped a little ahead is held", lane.Held, -30 * time.Second, "held"},
		{"one stamped further ahead is skewed", lane.Held, -31 * time.Second, Skewed},
		{"a parked one is parked, however old", lane.Parked, 99 * time.Hour, "parked"},
		{"a free one is free", lane.Free, 99 * time.Hour, "free"},
	} {
		if got := heldBy("bob", "b0b", inState(tt.state)).Display(noon.Add(tt.after)); got != tt.want {
			t.Errorf("%s: %s", tt.claim, got)
		}
	}
}
