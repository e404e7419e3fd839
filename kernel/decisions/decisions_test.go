package decisions

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/verdict"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// rowsOf makes an alert of rows stamped so many minutes ago, numbered from 1.
func rowsOf(a Alert, minutes ...int) Alert {
	if a.Node == "" {
		a.Node = "n1"
	}
	for i, m := range minutes {
		at := now.Add(-time.Duration(m) * time.Minute)
		a.Seqs, a.Seconds = append(a.Seqs, uint64(i+1)), append(a.Seconds, at.Unix())
		if i == 0 {
			a.FirstAt = at
		}
		a.At, a.Seq = at, uint64(i+1)
	}
	a.Count = uint64(len(minutes))
	if a.Op == "ENFORCE" {
		a.Streak = a.Count
	}
	return a
}

// list is the list in short: kind, count and marks of each entry.
func list(v Verdict) string {
	var words []string
	for _, e := range v.Entries {
		w := fmt.Sprintf("%s x%d", e.Kind, e.Count)
		for mark, set := range map[string]bool{" resolved": e.Resolved, " acked": e.Acked, " skewed": e.Skewed} {
			if set {
				w += mark
			}
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

var (
	halt     = Alert{Op: "HALT", RunID: "R", Handle: "7", Lane: "src"}
	refuse   = Alert{Op: "REFUSE", Lane: "src"}
	proposal = Alert{Op: "RESUME_PROPOSED", RunID: "R"}
	deny     = Alert{Op: "ENFORCE", Owner: "w", Target: "kernel/a.go", Class: "SELF_MODIFY"}
)

func with(a Alert, change func(*Alert)) Alert {
	change(&a)
	return a
}

func TestDecide(t *testing.T) {
	day := 24 * 60
	held := func(l Lane) map[string]Lane { return map[string]Lane{"src": l} }
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  string
		all   string // with All
	}{
		{"without evidence there is nothing", Evidence{}, "", ""},
		{"alike rows are one entry that counts", Evidence{Alerts: []Alert{rowsOf(refuse, 9, 5, 1)}}, "ARBITER_REFUSE x3", "ARBITER_REFUSE x3"},
		{"in two ledgers too", Evidence{Alerts: []Alert{rowsOf(refuse, 9), rowsOf(with(refuse, func(a *Alert) { a.Node = "n2" }), 5, 1)}}, "ARBITER_REFUSE x3", "ARBITER_REFUSE x3"},
		{"rows past their retention are not shown", Evidence{Alerts: []Alert{rowsOf(refuse, 31*day)}}, "", ""},
		{"at the end of it they are", Evidence{Alerts: []Alert{rowsOf(refuse, 30*day)}}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"each by itself", Evidence{Alerts: []Alert{rowsOf(refuse, 31*day, 1)}}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"a retention of the policy's", Evidence{Policy: Policy{Retention: time.Hour}, Alerts: []Alert{rowsOf(refuse, 61)}}, "", ""},
		{"or none", Evidence{Policy: Policy{Retention: -1}, Alerts: []Alert{rowsOf(refuse, 999*day)}}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"a halt is never too old", Evidence{Alerts: []Alert{rowsOf(halt, 99*day)}}, "LIVENESS x1", "LIVENESS x1"},
		{"what is stamped in the future is shown as that", Evidence{Alerts: []Alert{rowsOf(refuse, -60)}}, "ARBITER_REFUSE x1 skewed", "ARBITER_REFUSE x1 skewed"},
		{"seconds ahead are no future", Evidence{Alerts: []Alert{rowsOf(refuse, -1)}}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},

		{"a refusal goes when its lane changes hands", Evidence{Alerts: []Alert{rowsOf(refuse, 9)}, Lanes: held(Lane{Since: now.Add(-5 * time.Minute)})}, "", ""},
		{"not when it did before", Evidence{Alerts: []Alert{rowsOf(refuse, 5)}, Lanes: held(Lane{Since: now.Add(-9 * time.Minute)})}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"nor when it did at that moment", Evidence{Alerts: []Alert{rowsOf(refuse, 5)}, Lanes: held(Lane{Since: now.Add(-5 * time.Minute)})}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"rows after the change stay", Evidence{Alerts: []Alert{rowsOf(refuse, 9, 1)}, Lanes: held(Lane{Since: now.Add(-5 * time.Minute)})}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"another lane's change is no matter", Evidence{Alerts: []Alert{rowsOf(refuse, 9)}, Lanes: map[string]Lane{"docs": {Since: now}}}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"a lane that stood in the way is matched by its generation", Evidence{
			Alerts: []Alert{rowsOf(with(refuse, func(a *Alert) { a.BlockingLanes, a.BlockingGens = []string{"docs"}, []uint64{4} }), 9)},
			Lanes:  map[string]Lane{"docs": {Gen: 4, Held: true, Since: now}}}, "ARBITER_REFUSE x1", "ARBITER_REFUSE x1"},
		{"freed, the refusal goes", Evidence{
			Alerts: []Alert{rowsOf(with(refuse, func(a *Alert) { a.BlockingLanes, a.BlockingGens = []string{"docs"}, []uint64{4} }), 9)},
			Lanes:  map[string]Lane{"docs": {Gen: 4, Since: now.Add(-time.Hour)}}}, "", ""},
		{"held anew, too", Evidence{
			Alerts: []Alert{rowsOf(with(refuse, func(a *Alert) { a.BlockingLanes, a.BlockingGens = []string{"docs"}, []uint64{4} }), 9)},
			Lanes:  map[string]Lane{"docs": {Gen: 5, Held: true, Since: now.Add(-time.Hour)}}}, "", ""},

		{"a halt that was answered is resolved", Evidence{Alerts: []Alert{with(rowsOf(halt, 9), func(a *Alert) { a.Answered = true })}}, "", "LIVENESS x1 resolved"},
		{"so is one whose run is done", Evidence{Alerts: []Alert{rowsOf(halt, 9)}, Done: map[string]bool{"R": true}}, "", "LIVENESS x1 resolved"},
		{"or holds its lane no more", Evidence{Alerts: []Alert{rowsOf(halt, 9)}, Lanes: held(Lane{Held: true, RunID: "Q"})}, "", "LIVENESS x1 resolved"},
		{"while it holds it, it is not", Evidence{Alerts: []Alert{rowsOf(halt, 9)}, Lanes: held(Lane{Held: true, RunID: "R"})}, "LIVENESS x1", "LIVENESS x1"},
		{"nor when nobody knows", Evidence{Alerts: []Alert{rowsOf(halt, 9)}}, "LIVENESS x1", "LIVENESS x1"},
		{"a nonce tells it best", Evidence{Alerts: []Alert{with(rowsOf(halt, 9), func(a *Alert) { a.Nonce = "x" })}, Lanes: held(Lane{Held: true, RunID: "R", Nonce: "y"})}, "", "LIVENESS x1 resolved"},
		{"a proposal that was taken up is resolved", Evidence{Alerts: []Alert{with(rowsOf(proposal, 9), func(a *Alert) { a.Answered = true })}}, "", "RESUME_PROPOSAL x1 resolved"},
		{"what one ledger still asks is open", Evidence{Alerts: []Alert{
			with(rowsOf(halt, 9), func(a *Alert) { a.Answered = true }), rowsOf(with(halt, func(a *Alert) { a.Node = "n2" }), 1)}}, "LIVENESS x1", "LIVENESS x2"},

		{"two denies are not three", Evidence{Alerts: []Alert{rowsOf(deny, 2, 1)}}, "", ""},
		{"three open the breaker", Evidence{Alerts: []Alert{rowsOf(deny, 3, 2, 1)}}, "ENFORCE_BREAKER x3", "ENFORCE_BREAKER x3"},
		{"in two ledgers together", Evidence{Alerts: []Alert{rowsOf(deny, 3, 2), rowsOf(with(deny, func(a *Alert) { a.Node = "n2" }), 1)}}, "ENFORCE_BREAKER x3", "ENFORCE_BREAKER x3"},
		{"a ledger in which one was let through adds none", Evidence{Alerts: []Alert{rowsOf(deny, 3, 2, 1), with(rowsOf(deny, 9, 8), func(a *Alert) { a.Node, a.Streak = "n2", 0 })}}, "ENFORCE_BREAKER x3", "ENFORCE_BREAKER x3"},
		{"of two targets not", Evidence{Alerts: []Alert{rowsOf(deny, 3, 2), rowsOf(with(deny, func(a *Alert) { a.Target = "other" }), 1)}}, "", ""},
		{"after the cooldown it is over", Evidence{Alerts: []Alert{rowsOf(deny, 363, 362, 361)}}, "", "ENFORCE_BREAKER x3 resolved"},
		{"not before", Evidence{Alerts: []Alert{rowsOf(deny, 363, 362, 360)}}, "ENFORCE_BREAKER x3", "ENFORCE_BREAKER x3"},
		{"nor while its holder holds a lease", Evidence{Alerts: []Alert{rowsOf(deny, 363, 362, 361)}, Lanes: held(Lane{Held: true, Owner: "w"})}, "ENFORCE_BREAKER x3", "ENFORCE_BREAKER x3"},
		{"nor where leases could not be read", Evidence{Alerts: []Alert{rowsOf(deny, 363, 362, 361)}, Unread: []string{"lane src"}}, "ENFORCE_BREAKER x3", "ENFORCE_BREAKER x3"},

		{"what clears by itself is left out", Evidence{Alerts: []Alert{rowsOf(with(refuse, func(a *Alert) { a.Class = "SAME_LANE_HELD" }), 9)}}, "", "ARBITER_REFUSE x1"},
		{"somebody's question is a human's", Evidence{Alerts: []Alert{rowsOf(Alert{Op: "DECISION", Kind: "promote", Reason: "may I?"}, 9)}}, "DECISION x1", "DECISION x1"},
		{"one of a kind we know keeps it", Evidence{Alerts: []Alert{rowsOf(Alert{Op: "DECISION", Kind: "WEDGE"}, 9)}}, "WEDGE x1", "WEDGE x1"},
		{"rows of another op are no decisions", Evidence{Alerts: []Alert{rowsOf(Alert{Op: "SPAWN"}, 9)}}, "", ""},

		{"a packet not to be rendered", Evidence{Envelopes: []Envelope{{Path: "p", DoNotRender: true, At: now}}}, "PREFLIGHT_REFUSE x1", "PREFLIGHT_REFUSE x1"},
		{"or blocked and not cleared", Evidence{Envelopes: []Envelope{{Path: "p", Blocked: true, At: now}}}, "PREFLIGHT_REFUSE x1", "PREFLIGHT_REFUSE x1"},
		{"cleared, it is none", Evidence{Envelopes: []Envelope{{Path: "p", Blocked: true, AllClear: true, Verdict: "LIVE", At: now}}}, "", ""},
		{"a verdict that lives is none", Evidence{Envelopes: []Envelope{{Path: "p", Verdict: "ACCEPT", At: now}}}, "", ""},
		{"another is a wedge, a judge's", Evidence{Envelopes: []Envelope{{Path: "p", Verdict: "BLOCKED", At: now}}}, "", "WEDGE x1"},
		{"a gate is a human's", Evidence{Envelopes: []Envelope{{Path: "p", Verdict: "BLOCKED", ReasonClass: "OPERATOR_GATED", At: now}}}, "WEDGE x1", "WEDGE x1"},
		{"of unknown age it is too old", Evidence{Envelopes: []Envelope{{Path: "p", DoNotRender: true}}}, "", ""},
		{"a soak waits through its last day", Evidence{Soaks: []Soak{{Unit: "U", End: now.Truncate(24 * time.Hour)}}}, "SOAK_GATE x1", "SOAK_GATE x1"},
		{"and not after", Evidence{Soaks: []Soak{{Unit: "U", End: now.Truncate(24 * time.Hour).Add(-time.Second)}}}, "", ""},
	} {
		c.ev.Now = now
		if got := list(Decide(c.ev)); got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
		c.ev.All = true
		if got := list(Decide(c.ev)); got != c.all {
			t.Errorf("%s, of all: %q, want %q", c.claim, got, c.all)
		}
	}
}

// Halts and proposals are a human's, told apart by run and handle, and acks
// hold until there is newer evidence.
func TestD20WhatNeedsAHumanReachesOne(t *testing.T) {
	diverged := rowsOf(Alert{Op: "DECISION", Kind: "RESUME_PROPOSAL", RunID: "Q", Class: "DIVERGED"}, 1)
	ev := Evidence{Now: now, Alerts: []Alert{
		rowsOf(halt, 9), rowsOf(with(halt, func(a *Alert) { a.RunID = "Q" }), 8), rowsOf(with(halt, func(a *Alert) { a.Handle = "8" }), 7),
		rowsOf(proposal, 3), diverged,
	}}
	if got, want := list(Decide(ev)), "LIVENESS x1, LIVENESS x1, LIVENESS x1, RESUME_PROPOSAL x1, RESUME_PROPOSAL x1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, e := range Decide(ev).Entries {
		if e.Resolver != Human || len(e.ID) != 12 {
			t.Errorf("%s is %s's", e.ID, e.Resolver)
		}
	}
}

func TestD20AnAckHoldsUntilThereIsNewerEvidence(t *testing.T) {
	ev := Evidence{Now: now, Alerts: []Alert{rowsOf(halt, 9, 8), rowsOf(with(halt, func(a *Alert) { a.Node = "n2" }), 7)}}
	v := Decide(ev)
	id := v.Entries[0].ID
	seen, err := v.Ack(id)
	if err != nil || len(seen) != 2 || seen["journal/n1"] != 2 || seen["journal/n2"] != 1 {
		t.Fatalf("%v, %v", seen, err)
	}
	ev.Acks = map[string]map[string]uint64{id: seen}
	v = Decide(ev)
	if list(v) != "" || v.Hidden != 1 || v.Open != 0 || v.ExitCode() != verdict.Yes {
		t.Errorf("what was acknowledged is shown: %s, hidden %d, open %d", list(v), v.Hidden, v.Open)
	}
	ev.All = true
	if got := list(Decide(ev)); got != "LIVENESS x3 acked" {
		t.Errorf("of all: %s", got)
	}
	ev.All = false
	ev.Alerts[0] = rowsOf(halt, 9, 8, 1)
	v = Decide(ev)
	if got := list(v); got != "LIVENESS x1" || *v.Entries[0].Age != 60 {
		t.Errorf("newer evidence shows %s", got)
	}
	if _, err := v.Ack("000000000000"); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
	ev.Alerts = append(ev.Alerts, rowsOf(with(halt, func(a *Alert) { a.Node = "n3" }), 1))
	ev.Alerts[0] = rowsOf(halt, 9, 8)
	ev.All = true
	if got := list(Decide(ev)); got != "LIVENESS x4" {
		t.Errorf("of all, with evidence that the ack did not see: %q", got)
	}
	ev.All = false
	if got := list(Decide(ev)); got != "LIVENESS x1" {
		t.Errorf("evidence in a ledger that the ack did not see shows %q", got)
	}
}

func TestD20BeatsThatAreLateAreListed(t *testing.T) {
	at := func(minutes int) *int64 { ms := now.Add(-time.Duration(minutes) * time.Minute).UnixMilli(); return &ms }
	ev := Evidence{Now: now, Alerts: []Alert{rowsOf(halt, 99)}, Beats: []Beat{
		{Name: "a", Verdict: "FRESH", LastMS: at(1)}, {Name: "b", Verdict: "LATE", LastMS: at(8)}, {Name: "c", Verdict: "MISSING", LastMS: at(200)}, {Name: "d", Verdict: "MISSING"},
	}}
	v := Decide(ev)
	var names []string
	for _, e := range v.Entries {
		names = append(names, string(e.Kind)+e.Handle)
	}
	if got := strings.Join(names, " "); got != "HEARTBEATc LIVENESS7 HEARTBEATb HEARTBEATd" {
		t.Errorf("%s", got)
	}
	b := v.Entries[slices.IndexFunc(v.Entries, func(e Entry) bool { return e.Handle == "b" })]
	ev.Acks = map[string]map[string]uint64{b.ID: b.Seen}
	if got := Decide(ev); len(got.Entries) != 3 {
		t.Errorf("a late beat that was acknowledged is shown: %s", list(got))
	}
	ev.Beats[1].Verdict = "MISSING"
	if got := Decide(ev); len(got.Entries) != 4 {
		t.Errorf("missing is no change from late: %s", list(got))
	}
	ev.Beats[1].Verdict, ev.Beats[1].LastMS = "LATE", at(6)
	if got := Decide(ev); len(got.Entries) != 4 {
		t.Errorf("a beat that came and went again is not shown: %s", list(got))
	}
	never := v.Entries[3]
	ev.Acks = map[string]map[string]uint64{never.ID: never.Seen}
	if got := Decide(ev); len(got.Entries) != 3 {
		t.Errorf("a beat that never was cannot be acknowledged: %s", list(got))
	}
}

func TestAnAlertsIDIsThatOfItsEntry(t *testing.T) {
	for _, a := range []Alert{halt, refuse, proposal, deny, {Op: "DECISION", Kind: "promote", Handle: "h"}} {
		v := Decide(Evidence{Now: now, Alerts: []Alert{rowsOf(a, 3, 2, 1)}})
		if len(v.Entries) != 1 || v.Entries[0].ID != IDOf(a) {
			t.Errorf("%s: %s, want %s", a.Op, IDOf(a), list(v))
		}
	}
}

func TestFresh(t *testing.T) {
	known := []Alert{rowsOf(with(halt, func(a *Alert) { a.Edge = "spinning at abc" }), 9)}
	for _, c := range []struct {
		claim string
		a     Alert
		want  bool
	}{
		{"a state that goes on is no news", with(halt, func(a *Alert) { a.Edge = "spinning at abc" }), false},
		{"in another ledger neither", with(halt, func(a *Alert) { a.Edge, a.Node = "spinning at abc", "n2" }), false},
		{"the state once more is", with(halt, func(a *Alert) { a.Edge = "spinning at def" }), true},
		{"another run's is", with(halt, func(a *Alert) { a.Edge, a.RunID = "spinning at abc", "Q" }), true},
		{"another sort of alert is", Alert{Op: "DECISION", Kind: "LIVENESS", RunID: "R", Handle: "7", Lane: "src", Edge: "spinning at abc"}, true},
	} {
		if got := Fresh(known, c.a); got != c.want {
			t.Errorf("%s: %v", c.claim, got)
		}
	}
}

func TestNothingIsSaidOnlyOfWhatWasRead(t *testing.T) {
	for _, c := range []struct {
		claim string
		v     Verdict
		want  int
	}{
		{"nobody decided", Verdict{}, verdict.NoVerdict},
		{"nothing, all read", Decide(Evidence{Now: now}), verdict.Yes},
		{"nothing, and a ledger was not read", Decide(Evidence{Now: now, Unread: []string{"node n2"}}), verdict.NoVerdict},
		{"something, and a ledger was not read", Decide(Evidence{Now: now, Unread: []string{"node n2"}, Alerts: []Alert{rowsOf(halt, 1)}}), verdict.Yes},
		{"nothing, and alerts had to go", Decide(Evidence{Now: now, Forgot: now.Add(-time.Hour)}), verdict.NoVerdict},
		{"nothing, and they are too old by now", Decide(Evidence{Now: now, Forgot: now.Add(-31 * 24 * time.Hour)}), verdict.Yes},
	} {
		if got := c.v.ExitCode(); got != c.want {
			t.Errorf("%s: %d, want %d", c.claim, got, c.want)
		}
	}
	if got := Decide(Evidence{Now: now, Unread: []string{"node n2: \x1b[2J"}}).String(); got != `not read: "node n2: \x1b[2J"` {
		t.Errorf("%q", got)
	}
	if got := Decide(Evidence{Now: now}).String(); got != "nothing to decide" {
		t.Errorf("%q", got)
	}
}

func TestShow(t *testing.T) {
	v := Decide(Evidence{Now: now, Alerts: []Alert{rowsOf(with(halt, func(a *Alert) { a.Reason = "spins\x1b[2J" }), 2, 1), rowsOf(with(refuse, func(a *Alert) { a.Class = "COLLISION" }), 1)}})
	want := v.Entries[0].ID + `  LIVENESS  src  R  "spins\x1b[2J"  handle 7  (2m0s ago)  x2` + "\n     next: git dos status R\ngit dos decisions ack ID takes an entry off the list\n1 more with --all"
	if got := v.String(); got != "1  "+want {
		t.Errorf("%s\nwant\n1  %s", got, want)
	}
	if e, err := v.Show(1); err != nil || e.Kind != Liveness {
		t.Errorf("%v, %v", e, err)
	}
	for _, n := range []int{0, -1, 2} {
		if _, err := v.Show(n); !errors.Is(err, ErrUnknown) {
			t.Errorf("%d: %v", n, err)
		}
	}
	if _, err := Decide(Evidence{Now: now}).Show(1); !errors.Is(err, ErrNothing) {
		t.Errorf("%v", err)
	}
	if _, err := Decide(Evidence{Now: now, Unread: []string{"n2"}}).Show(1); errors.Is(err, ErrNothing) {
		t.Error("what could not be read is nothing")
	}
	data, err := json.Marshal(Decide(Evidence{Now: now, Beats: []Beat{{Name: "b", Verdict: "MISSING"}}}))
	const doc = `{"decisions":[{"id":"ID","kind":"HEARTBEAT","resolver_kind":"HUMAN","lane":"","reason_token":"MISSING","reason_text":"beat b was never heard","run_id":"","run_ts":null,"age_seconds":null,"source_path":"beat/b","evidence":["beat/b"],"proposed_command":"git dos pulse","handle":"b","dup_count":1,"resolved":false,"seen":{"beat/b":0}}],"open":1,"hidden":0,"unread":[]}`
	id := string(data)[21:33]
	if err != nil || string(data) != strings.Replace(doc, "ID", id, 1) {
		t.Errorf("%s, %v", data, err)
	}
}

// An agent that does what stands under "next" does not do what anybody wrote.
func TestACommandOfARowIsOnlyProposed(t *testing.T) {
	own := Decide(Evidence{Now: now, Alerts: []Alert{rowsOf(halt, 1)}})
	said := Decide(Evidence{Now: now, Alerts: []Alert{rowsOf(with(halt, func(a *Alert) { a.Command = "git dos status R" }), 1)}})
	if text := own.String(); !strings.Contains(text, "     next: git dos status R") || own.Entries[0].Recorded {
		t.Errorf("%s", text)
	}
	if text := said.String(); !strings.Contains(text, "     proposed: git dos status R") || strings.Contains(text, "next") || !said.Entries[0].Recorded {
		t.Errorf("%s", text)
	}
}

func TestResolver(t *testing.T) {
	ev := Evidence{Categories: map[string]string{"OURS": "TRUE_DRAIN"}}
	for _, c := range []struct {
		kind  Kind
		token string
		want  Resolver
	}{
		{SoakGate, "X", Human}, {Liveness, "X", Human}, {Heartbeat, "LATE", Human}, {ResumeProposal, "X", Human}, {EnforceBreaker, "SELF_MODIFY", Human}, {Asked, "X", Human},
		{ArbiterRefuse, "", Human}, {ArbiterRefuse, "COLLISION", Backpressure}, {ArbiterRefuse, "UNKNOWN_TREE", Backpressure}, {ArbiterRefuse, "CLASS_BUDGET_EXHAUSTED", Backpressure},
		{ArbiterRefuse, "PARKED", Human}, {ArbiterRefuse, "UNKNOWN_LANE", Judge}, {ArbiterRefuse, "SELF_MODIFY", Judge},
		{Wedge, "COLLISION", Judge}, {Wedge, "", Human}, {Wedge, "SHIPPED", Oracle}, {Wedge, "STALE_CLAIM", Oracle}, {Wedge, "OPERATOR_GATED", Human}, {Wedge, "OURS", Oracle},
	} {
		if got := ev.resolver(c.kind, c.token); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.kind, c.token, got, c.want)
		}
	}
}

// The oldest rows of a long alert are known by their number and the first.
func TestALongAlertIsCountedWhole(t *testing.T) {
	long := rowsOf(refuse, 5, 4)
	long.Count, long.FirstAt = 500, now.Add(-time.Hour)
	v := Decide(Evidence{Now: now, Alerts: []Alert{long}})
	if e := v.Entries[0]; e.Count != 500 || *e.Age != 3600 {
		t.Errorf("x%d, %d", e.Count, *e.Age)
	}
	late := long
	late.Seqs, late.Seq = []uint64{499, 500}, 500
	acks := map[string]map[string]uint64{v.Entries[0].ID: {"journal/n1": 400}}
	if e := Decide(Evidence{Now: now, Alerts: []Alert{late}, Acks: acks}).Entries[0]; e.Count != 2 {
		t.Errorf("x%d: rows that were acknowledged count", e.Count)
	}
	v = Decide(Evidence{Now: now, Alerts: []Alert{long}, Lanes: map[string]Lane{"src": {Since: now.Add(-30 * time.Minute)}}})
	if e := v.Entries[0]; e.Count != 2 || *e.Age != 300 {
		t.Errorf("x%d, %d: rows before the lane changed hands count", e.Count, *e.Age)
	}
}

func TestTheListDoesNotDependOnTheOrderOfItsEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var alerts []Alert
		for range rapid.IntRange(0, 8).Draw(t, "alerts") {
			a := rapid.SampledFrom([]Alert{halt, refuse, proposal, deny}).Draw(t, "alert")
			a.Node = rapid.SampledFrom([]string{"n1", "n2", "n3"}).Draw(t, "node")
			a.RunID = rapid.SampledFrom([]string{"R", "Q"}).Draw(t, "run")
			a.Answered = rapid.Bool().Draw(t, "answered")
			alerts = append(alerts, rowsOf(a, rapid.SliceOfN(rapid.IntRange(0, 90), 1, 4).Draw(t, "minutes")...))
		}
		ev := Evidence{Now: now, All: rapid.Bool().Draw(t, "all"), Alerts: alerts}
		want, _ := json.Marshal(Decide(ev))
		ev.Alerts = rapid.Permutation(alerts).Draw(t, "order")
		if got, _ := json.Marshal(Decide(ev)); string(got) != string(want) {
			t.Fatalf("%s\n%s", got, want)
		}
	})
}
