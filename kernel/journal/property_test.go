package journal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
)

var epoch = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// pick draws one of a few words, so that rows meet.
func pick(t *rapid.T, what string, words ...string) string {
	return rapid.SampledFrom(words).Draw(t, what)
}

var ops = []string{
	journal.OpRefuse, journal.OpOverride, journal.OpSpawn, journal.OpExit, journal.OpEnforce, journal.OpGap, journal.OpAttempt,
	journal.OpHalt, journal.OpSuspend, journal.OpIntent, journal.OpStepClaimed, journal.OpStepVerified, journal.OpResumeProposed,
	journal.OpGate, journal.OpDecision, journal.OpAck, journal.OpLaunch, journal.OpHarvest, journal.OpCap, journal.OpVerdict, "FUTURE",
}

// An entry of a chain: an op, a payload and a time.
type entry struct {
	op      string
	payload []byte
	at      time.Time
}

func drawRow(t *rapid.T, seq uint64) journal.Row {
	r := journal.Row{
		V: 1, Op: pick(t, "op", ops...), Seq: seq, At: epoch.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "at")) * time.Second),
		Lane: pick(t, "lane", "src", "docs"), Owner: pick(t, "owner", "a", "b"), RunID: pick(t, "run", "", "R1", "R2", "R3"),
		ReasonClass: pick(t, "class", "", "SELF_MODIFY", "COLLISION"), Reason: pick(t, "reason", "", "x"), Handle: pick(t, "handle", "", "h"),
		Unit: pick(t, "unit", "U1", "U2"), Account: "acct", Target: "kernel/a.go", Key: pick(t, "key", "", "k1"), WaveID: pick(t, "wave", "", "w1"),
		Outcome: pick(t, "outcome", "", "shipped", "ERROR", "odd"), StepID: pick(t, "step", "s1", "s2"), Sha: pick(t, "sha", "aaaaaaa", "bbbbbbb"),
		ResumeSha: pick(t, "resume", "aaaaaaa", "ccccccc"), Kind: pick(t, "kind", "RESUME_PROPOSAL", "other"), Verb: "liveness",
		Verdict: pick(t, "verdict", journal.Denied, journal.Denied, journal.Admitted), ID: pick(t, "id", "i1", "i2"), Edge: pick(t, "edge", "", "e"),
		Gen: uint64(rapid.IntRange(0, 3).Draw(t, "gen")), DeclaredSteps: []string{"s1", "s2"},
	}
	if r.Op == journal.OpAck {
		r.Seen = map[string]uint64{"journal/n1": uint64(rapid.IntRange(0, 20).Draw(t, "seen"))}
	}
	if r.Op == journal.OpRefuse {
		r.Blocking = []journal.Blocker{{Lane: "docs", Gen: uint64(rapid.IntRange(0, 3).Draw(t, "blocking"))}}
	}
	return r
}

// drawChain draws a ledger: rows, and now and then something that is none.
func drawChain(t *rapid.T, most int) []entry {
	n := rapid.IntRange(0, most).Draw(t, "rows")
	var chain []entry
	for i := range n {
		seq := uint64(i + 1)
		at := epoch.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "entry at")) * time.Second)
		switch rapid.IntRange(0, 29).Draw(t, "sort") {
		case 0:
			chain = append(chain, entry{journal.OpIntent, []byte(`{"v":1,"op":"INTENT","run_id":"R1","seq":"x"}`), at})
		case 1:
			chain = append(chain, entry{journal.OpHalt, []byte(`{"v":2,"op":"HALT","run_id":"R2"}`), at})
		case 2:
			chain = append(chain, entry{pick(t, "unnamed", journal.OpIntent, journal.OpHalt, journal.OpSpawn), []byte(`{"v":1,"seq":"x"}`), at})
		default:
			r := drawRow(t, seq)
			payload := r.Encode()
			if rapid.Bool().Draw(t, "spaced") { // as another writer might have it
				payload = append([]byte(`{"later": {"b" : [1, 2]}, `), payload[1:]...)
			}
			chain = append(chain, entry{r.Op, payload, at})
		}
	}
	return chain
}

func fold(node string, chain []entry) *journal.State {
	s := journal.New(node)
	for _, e := range chain {
		s.Fold(e.op, e.at, e.payload)
	}
	return s
}

// answers is everything a view can be asked, as JSON.
func answers(t interface{ Fatal(...any) }, v journal.View) string {
	now := epoch.Add(3 * time.Hour)
	stories := []journal.Story{}
	for _, id := range append(v.Runs(), "nobody") {
		stories = append(stories, v.Story(id))
	}
	a1, ok1 := attemptsAt(v, "U1")
	a2, ok2 := attemptsAt(v, "U2")
	row, found := v.Spawned("k1")
	var alerts []decisions.Alert
	for _, a := range v.Alerts() {
		alerts = append(alerts, decisions.Alert(a))
	}
	listed := decisions.Decide(decisions.Evidence{
		Now: now, All: true, Alerts: alerts, Acks: v.Acks(), Forgot: v.ForgotAlerts(),
		Lanes: map[string]decisions.Lane{"docs": {Gen: 2, Since: epoch}, "src": {Gen: 1, Held: true, Owner: "a", RunID: "R1"}},
	})
	var hidden []string
	for _, h := range v.Hidden() {
		for hour := range 6 {
			at := now.Add(-time.Duration(hour) * time.Hour)
			hidden = append(hidden, fmt.Sprint(h.Node, h.OfRun(at), h.Spawn(at)))
		}
	}
	data, err := json.Marshal([]any{
		hidden,
		v.Nodes(), v.Doubts(), v.Runs(), stories, v.Alerts(), v.Acks(), a1, ok1, a2, ok2, v.Spawns(), v.Pending(now, 4*time.Hour), row, found,
		v.Launches(), v.Waves(), v.Exits(), v.Caps(), v.Verdicts(), v.Gaps(), v.ForgotAlerts(), listed,
		v.Count("SPAWN", epoch.Add(-time.Hour), now), v.Count("EXIT/shipped", epoch.Add(-9*time.Hour), now),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func compacted(t interface{ Fatal(...any) }, s *journal.State) *journal.State {
	payload, err := s.Checkpoint(epoch)
	if err != nil {
		t.Fatal(err)
	}
	got := journal.New(s.Node())
	got.Fold(journal.OpCheckpoint, epoch, payload)
	if again, _ := got.Checkpoint(epoch); !bytes.Equal(again, payload) {
		t.Fatal(fmt.Sprintf("a state is not what was written of it:\n%s\n%s", payload, again))
	}
	return got
}

func TestAFoldOfAPrefixThenTheRestIsTheFoldOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chain := drawChain(t, 40)
		cut := rapid.IntRange(0, len(chain)).Draw(t, "cut")
		s := fold("n1", chain[:cut])
		for _, e := range chain[cut:] {
			s.Fold(e.op, e.at, e.payload)
		}
		if got, want := answers(t, journal.Merge(s)), answers(t, journal.Merge(fold("n1", chain))); got != want {
			t.Fatalf("%s\n%s", got, want)
		}
	})
}

func TestCompactionAtAnyPointChangesNoLaterAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chain := drawChain(t, 60)
		s := journal.New("n1")
		for _, e := range chain {
			if rapid.IntRange(0, 4).Draw(t, "compact") == 0 {
				s = compacted(t, s)
			}
			s.Fold(e.op, e.at, e.payload)
		}
		other := fold("n2", drawChain(t, 20))
		if got, want := answers(t, journal.Merge(s, other)), answers(t, journal.Merge(fold("n1", chain), other)); got != want {
			t.Fatalf("%s\n%s", got, want)
		}
	})
}

// With rows so large that there is no room for all of them, what had to go is
// the same with and without checkpoints between.
func TestCompactionChangesNothingOfWhatHadToGo(t *testing.T) {
	for seed := range uint64(3) {
		dice := rand.New(rand.NewPCG(seed, 0))
		whole, parts := journal.New("n1"), journal.New("n1")
		for i := range 150 {
			r := journal.Row{Seq: uint64(i + 1), At: epoch.Add(time.Duration(dice.IntN(5000)) * time.Second)}
			r.Op = []string{journal.OpRefuse, journal.OpRefuse, journal.OpIntent, journal.OpVerdict}[dice.IntN(4)]
			r.RunID, r.Subject = fmt.Sprintf("R%d", dice.IntN(90)), fmt.Sprint(i)
			r.Reason = strings.Repeat("x", 15000) + fmt.Sprint(dice.IntN(60))
			r.Detail, r.Goal, r.Command = r.Reason, r.Reason, r.Reason
			whole.Add(r)
			parts.Add(r)
			if i%40 == 20 {
				parts = compacted(t, parts)
			}
		}
		v := journal.Merge(whole)
		if whole.Seq() != 150 || len(v.Doubts()) > 0 || v.ForgotAlerts().IsZero() {
			t.Fatalf("%d rows, doubts %v, forgot up to %s", whole.Seq(), v.Doubts(), v.ForgotAlerts())
		}
		if answers(t, journal.Merge(parts)) != answers(t, v) {
			t.Fatalf("seed %d: answers differ", seed)
		}
	}
}

func TestMergingNodesDoesNotDependOnTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var states []*journal.State
		for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
			chain := drawChain(t, 15)
			states = append(states, fold(fmt.Sprintf("n%d", i), chain))
			if rapid.Bool().Draw(t, "mirror") { // an older state of the same node
				states = append(states, fold(fmt.Sprintf("n%d", i), chain[:rapid.IntRange(0, len(chain)).Draw(t, "seen")]))
			}
			if rapid.IntRange(0, 5).Draw(t, "fork") == 0 {
				states = append(states, fold(fmt.Sprintf("n%d", i), drawChain(t, 15)))
			}
		}
		want := answers(t, journal.Merge(states...))
		perm := rapid.Permutation(states).Draw(t, "order")
		if got := answers(t, journal.Merge(perm...)); got != want {
			t.Fatalf("%s\n%s", got, want)
		}
	})
}

func TestARowReadsBackAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRow(t, 7)
		r.RunID = "R1" // which some ops cannot do without
		got, err := journal.Decode(r.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got.Encode(), r.Encode(); !bytes.Equal(a, b) || !bytes.Equal(got.Body(), b) {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

// The judgement does not know this package: it takes its alerts by conversion.
func TestAlertsConvert(t *testing.T) {
	a, b := reflect.TypeFor[journal.Alert](), reflect.TypeFor[decisions.Alert]()
	if !a.ConvertibleTo(b) {
		t.Error("journal.Alert does not convert to decisions.Alert")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"v":1,"op":"HALT","seq":1,"at":"2026-11-29T12:00:00Z"}`))
	f.Add([]byte(`{"v":1,"op":"HALT","seq":1,"at":"2026-11-29T12:00:00Z","reason":"<\u2028>"}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		r, err := journal.Decode(payload)
		if err != nil {
			return
		}
		s := journal.New("n1")
		s.Add(r)
		v := answers(t, journal.Merge(s))
		if got := answers(t, journal.Merge(compacted(t, s))); got != v {
			t.Errorf("%s\n%s", got, v)
		}
	})
}

func FuzzRestore(f *testing.F) {
	s := journal.New("n1")
	s.Add(journal.Row{Op: journal.OpHalt, Seq: 1, At: epoch, RunID: "R"})
	s.Add(journal.Row{Op: journal.OpIntent, Seq: 2, At: epoch, RunID: "R", Goal: "g"})
	payload, _ := s.Checkpoint(epoch)
	f.Add(payload)
	f.Fuzz(func(t *testing.T, payload []byte) {
		got, err := journal.Restore("n1", payload)
		if err == nil {
			answers(t, journal.Merge(got))
			got.Add(journal.Row{Op: journal.OpAck, Seq: got.Seq() + 1, At: epoch, ID: "x", Seen: map[string]uint64{"a": 1}})
		}
	})
}
