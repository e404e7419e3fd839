package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
)

// rows folds rows of one node, numbered from 1.
func rows(t *testing.T, node string, all ...journal.Row) *journal.State {
	t.Helper()
	s := journal.New(node)
	for i, r := range all {
		r.Seq = uint64(i + 1)
		if r.At.IsZero() {
			r.At = epoch.Add(time.Duration(i) * time.Minute)
		}
		s.Add(r)
	}
	if d := journal.Merge(s).Doubts(); len(d) > 0 {
		t.Fatalf("%+v", d)
	}
	return s
}

// stands checks a claim before and after compaction.
func stands(t *testing.T, claim string, ask func(journal.View) string, want string, states ...*journal.State) {
	t.Helper()
	if got := ask(journal.Merge(states...)); got != want {
		t.Errorf("%s: %s, want %s", claim, got, want)
	}
	for i, s := range states {
		states[i] = compacted(t, s)
	}
	if got := ask(journal.Merge(states...)); got != want {
		t.Errorf("%s, after compaction: %s, want %s", claim, got, want)
	}
}

// What earlier versions wrote is read as it stands.
func TestRowsOfToday(t *testing.T) {
	const refuse = `{"v":1,"op":"REFUSE","seq":3,"at":"2026-11-29T12:00:00Z","lane":"src","owner":"me@n1","run_id":"RID-1","reason_class":"SAME_LANE_HELD","reason":"held by <them>","holder":{"node":"n2","owner":"them","worker":"w"}}`
	const override = `{"v":1,"op":"OVERRIDE","seq":4,"at":"2026-11-29T12:00:01Z","lane":"src","owner":"me@n1","operator":"kim","reason":"operator kim ended src g1 of them","scavenged":[{"lane":"src","gen":1,"nonce":"ab","holder":{"node":"n2","owner":"them"},"deadline":"2026-11-29T12:15:00Z"}]}`
	for _, line := range []string{refuse, override} {
		r, err := journal.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(r.Encode()); got != line {
			t.Errorf("%s\nis read as\n%s", line, got)
		}
		if !r.Known() || !r.At.Equal(epoch) && r.Op == journal.OpRefuse {
			t.Errorf("%+v", r)
		}
	}
	// Their checkpoint is the newest row, which is no state.
	if _, err := journal.Restore("n1", []byte(refuse)); !errors.Is(err, journal.ErrNoState) {
		t.Errorf("%v, want ErrNoState", err)
	}
	s := journal.New("n1")
	s.Fold(journal.OpCheckpoint, epoch, []byte(refuse))
	if d := journal.Merge(s).Doubts(); len(d) != 1 || d[0].Newer {
		t.Errorf("a ledger behind such a checkpoint reads as an empty one: %+v", d)
	}
}

func TestDecodeRefuses(t *testing.T) {
	const head = `{"v":1,"op":"HALT","seq":1,"at":"2026-11-29T12:00:00Z"`
	long := strings.Repeat("x", 600)
	for _, c := range []struct{ claim, payload, field string }{
		{"what is no JSON", `{"v":1`, "unexpected end"},
		{"what is no object", `[1]`, "no JSON object"},
		{"nothing", ``, "no JSON object"},
		{"two values", head + `}{}`, ""},
		{"a word for a number", `{"v":1,"op":"HALT","seq":"1","at":"2026-11-29T12:00:00Z"}`, "seq"},
		{"a number that is no integer", `{"v":1,"op":"HALT","seq":1.5,"at":"2026-11-29T12:00:00Z"}`, "seq"},
		{"a negative one", `{"v":1,"op":"HALT","seq":-1,"at":"2026-11-29T12:00:00Z"}`, "seq"},
		{"a number past all bounds", `{"v":1,"op":"HALT","seq":99999999999999999,"at":"2026-11-29T12:00:00Z"}`, "seq"},
		{"NaN", `{"v":1,"op":"HALT","seq":NaN,"at":"2026-11-29T12:00:00Z"}`, ""},
		{"no number", `{"v":1,"op":"HALT","at":"2026-11-29T12:00:00Z"}`, "seq"},
		{"no op", `{"v":1,"seq":1,"at":"2026-11-29T12:00:00Z"}`, "op"},
		{"no time", `{"v":1,"op":"HALT","seq":1}`, "at"},
		{"a time that is none", `{"v":1,"op":"HALT","seq":1,"at":"noon"}`, ""},
		{"a time in milliseconds", `{"v":1,"op":"HALT","seq":1,"at":1795953600000}`, ""},
		{"a year nobody lives in", `{"v":1,"op":"HALT","seq":1,"at":"9999-11-29T12:00:00Z"}`, "year 9999"},
		{"a negative version", `{"v":-1,"op":"HALT","seq":1,"at":"2026-11-29T12:00:00Z"}`, "v: -1"},
		{"a key twice", head + `,"lane":"a","lane":"b"}`, "twice"},
		{"a key in other letters", head + `,"Lane":"a"}`, `"lane"`},
		{"a key in letters that fold to ours", head + `,"rea` + "\u017f" + `on":"a"}`, `"reason"`},
		{"a bool for a word", head + `,"lane":true}`, "lane"},
		{"a word too long", head + `,"lane":"` + long + `"}`, "lane: 600"},
		{"a text too long", head + `,"reason":"` + strings.Repeat("x", 17<<10) + `"}`, "reason: "},
		{"a list too long", head + `,"residual":[` + strings.Repeat(`"x",`, 2000) + `"x"]}`, "residual: 2001"},
		{"a source too long", `{"v":1,"op":"ACK","seq":1,"at":"2026-11-29T12:00:00Z","id":"a","seen":{"` + long + `":1}}`, "seen"},
		{"a negative place", `{"v":1,"op":"ACK","seq":1,"at":"2026-11-29T12:00:00Z","id":"a","seen":{"a":-1}}`, "seen"},
		{"a row larger than any", head + `,"later":"` + strings.Repeat("x", 64<<10) + `"}`, "bytes"},
		{"an intent of nobody", `{"v":1,"op":"INTENT","seq":1,"at":"2026-11-29T12:00:00Z"}`, "run_id"},
		{"a step without a name", `{"v":1,"op":"STEP_CLAIMED","seq":1,"at":"2026-11-29T12:00:00Z","run_id":"R","step_id":" "}`, "step_id"},
		{"an attempt at nothing", `{"v":1,"op":"ATTEMPT","seq":1,"at":"2026-11-29T12:00:00Z"}`, "unit"},
		{"a deny of nothing", `{"v":1,"op":"ENFORCE","seq":1,"at":"2026-11-29T12:00:00Z","owner":"a"}`, "target"},
		{"a process that cannot be", head + `,"pid":-1}`, "pid"},
	} {
		_, err := journal.Decode([]byte(c.payload))
		if !errors.Is(err, journal.ErrRow) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v, want ErrRow that names %q", c.claim, err, c.field)
		}
	}
	if r, err := journal.Decode([]byte(head + `,"later":{"a":1},"ops":2}`)); err != nil || !strings.Contains(string(r.Body()), `"later":{"a":1}`) {
		t.Errorf("what a later minor version adds is not kept: %v", err)
	}
	if r, err := journal.Decode([]byte(`{"v":1,"op":"TELEPORT","seq":1,"at":"2026-11-29T12:00:00Z"}`)); err != nil || r.Known() {
		t.Errorf("an unknown op: %v, known %v", err, r.Known())
	}
}

// What a later version wrote is not guessed at, and not overlooked.
func TestANewerRowIsADoubt(t *testing.T) {
	s := journal.New("n1")
	s.Fold(journal.OpHalt, epoch, []byte(`{"v":2,"op":"HALT","run_id":"R1","seq":{"changed":true}}`))
	s.Fold(journal.OpHalt, epoch, []byte(`{"v":1,"op":"HALT","seq":2,"at":"2026-11-29T12:00:00Z","run_id":"R2"}`))
	ask := func(v journal.View) string {
		d := v.Doubts()
		r1, r2, none := v.Story("R1"), v.Story("R2"), v.Story("R3")
		return fmt.Sprintln(len(d), d[0].Newer, d[0].RunID, d[0].Node, r1.Newer, r1.Corrupt, r2.Newer, none.Newer, len(v.Alerts()), v.Nodes()["n1"])
	}
	stands(t, "it is typed and about its run alone", ask, "1 true R1 n1 true false false false 1 2\n", s)
	if _, err := journal.Decode([]byte(`{"v":2}`)); !errors.Is(err, journal.ErrNewer) {
		t.Errorf("%v", err)
	}
	if _, err := journal.Restore("n1", []byte(`{"v":3,"op":"CHECKPOINT"}`)); !errors.Is(err, journal.ErrNewer) {
		t.Errorf("%v", err)
	}
}

func TestWhatIsNoRowIsADoubt(t *testing.T) {
	good := string(journal.Row{Op: journal.OpHalt, Seq: 5, At: epoch, RunID: "R1"}.Encode())
	for _, c := range []struct {
		claim, op, payload, run string
		any                     bool // it may be about any run
	}{
		{"garbage", journal.OpIntent, "\x00\xff", "", true},
		{"garbage of another kind", journal.OpHalt, "\x00\xff", "", false},
		{"a row of another kind than its entry", journal.OpHalt, `{"v":1,"op":"INTENT","seq":"x"}`, "", true},
		{"a row that does not hold", journal.OpIntent, `{"v":1,"op":"INTENT","run_id":"R1"}`, "R1", false},
		{"a row in another's entry", journal.OpIntent, good, "R1", false},
		{"a row that was there before", journal.OpHalt, strings.Replace(good, `"seq":5`, `"seq":1`, 1), "R1", false},
		{"a checkpoint of somebody else", journal.OpCheckpoint, `{"v":1,"op":"CHECKPOINT","seq":1,"node":"n2"}`, "", true},
	} {
		s := journal.New("n1")
		if c.op != journal.OpCheckpoint { // which is looked at only where a fold begins
			s.Add(journal.Row{Op: journal.OpCap, Account: "a", Seq: 1, At: epoch})
		}
		s.Fold(c.op, epoch, []byte(c.payload))
		v := journal.Merge(s)
		if d := v.Doubts(); len(d) != 1 || d[0].RunID != c.run || d[0].Why == "" {
			t.Errorf("%s: %+v", c.claim, d)
		}
		if got := v.Story("R1").Corrupt; got != (c.run == "R1") {
			t.Errorf("%s: the run that it names is corrupt: %v", c.claim, got)
		}
		if s := v.Story("R2"); s.Corrupt || len(s.Hidden) != 1 || s.Hidden[0].OfRun(time.Time{}) != c.any {
			t.Errorf("%s: another run: %+v", c.claim, s)
		}
	}
}

// A checkpoint that is met on the way cannot make rows forgotten.
func TestAPlantedCheckpointForgetsNothing(t *testing.T) {
	empty, err := journal.New("n1").Checkpoint(epoch)
	if err != nil {
		t.Fatal(err)
	}
	s := rows(t, "n1", journal.Row{Op: journal.OpHalt, RunID: "R"})
	s.Fold(journal.OpCheckpoint, epoch, empty)
	if v := journal.Merge(s); len(v.Alerts()) != 1 || s.Seq() != 1 {
		t.Errorf("%d alerts at %d", len(v.Alerts()), s.Seq())
	}
}

func TestRestoreRefuses(t *testing.T) {
	s := rows(t, "n1", journal.Row{Op: journal.OpIntent, RunID: "R", Goal: "g"}, journal.Row{Op: journal.OpHalt, RunID: "R"})
	payload, err := s.Checkpoint(epoch)
	if err != nil {
		t.Fatal(err)
	}
	swap := func(old, new string) string {
		if !strings.Contains(string(payload), old) {
			t.Fatalf("%s is not in %s", old, payload)
		}
		return strings.Replace(string(payload), old, new, 1)
	}
	for _, c := range []struct{ claim, payload string }{
		{"of another node", swap(`"node":"n1"`, `"node":"n2"`)},
		{"cut off", string(payload[:len(payload)/2])},
		{"with a row past its end", swap(`"seq":2`, `"seq":1`)},
		{"with a row that is none", swap(`"op":"HALT"`, `"op":""`)},
		{"with times missing", swap(`"clocks":[`, `"clocks":[1,`)},
		{"twice the same key", swap(`"v":1`, `"runs":{},"v":1`)},
		{"of a place past all bounds", swap(`"seq":2`, `"seq":99999999999999999`)},
	} {
		if _, err := journal.Restore("n1", []byte(c.payload)); !errors.Is(err, journal.ErrRow) {
			t.Errorf("a checkpoint %s: %v", c.claim, err)
		}
	}
	for _, c := range []struct{ claim, payload, id string }{
		{"a row that is none", swap(`"run_id":"R","goal"`, `"goal"`), "R"},
		{"a run under another's name", swap(`"runs":{"R"`, `"runs":{"Q"`), "Q"},
	} {
		got, err := journal.Restore("n1", []byte(c.payload))
		if err != nil {
			t.Fatal(err)
		}
		if s := journal.Merge(got).Story(c.id); !s.Corrupt || s.Complete {
			t.Errorf("a checkpoint with %s tells a sound story", c.claim)
		}
		got.Add(journal.Row{Op: journal.OpIntent, Seq: 3, At: epoch, RunID: c.id, Goal: "again"})
		if s := journal.Merge(compacted(t, got)).Story(c.id); !s.Corrupt {
			t.Errorf("%s is forgotten by the next row", c.claim)
		}
	}
	if got, err := journal.Restore("n1", payload); err != nil || got.Seq() != 2 || got.Node() != "n1" {
		t.Errorf("%v", err)
	}
}

// What the older tool's compaction dropped stays: attempts, halts, refusals and
// denies, and the numbers go on.
func TestD18CompactionKeepsWhatIsStillAsked(t *testing.T) {
	deny := journal.Row{Op: journal.OpEnforce, Owner: "w", Target: "kernel/a.go", Verdict: journal.Denied, ReasonClass: "SELF_MODIFY"}
	s := rows(t, "n1",
		journal.Row{Op: journal.OpAttempt, Unit: "U", Outcome: "error"}, journal.Row{Op: journal.OpHalt, RunID: "R", Handle: "7"},
		journal.Row{Op: journal.OpRefuse, Lane: "src", ReasonClass: "UNKNOWN_LANE"}, deny, deny, deny,
	)
	ask := func(v journal.View) string {
		attempts, ok := attemptsAt(v, "U")
		kinds := []string{}
		for _, a := range v.Alerts() {
			kinds = append(kinds, fmt.Sprintf("%s x%d/%d", a.Op, a.Count, a.Streak))
		}
		return fmt.Sprint(len(attempts), ok, kinds, v.Nodes()["n1"])
	}
	stands(t, "everything stays", ask, "1 true [HALT x1/0 REFUSE x1/0 ENFORCE x3/3] 6", s)
}

func TestAlerts(t *testing.T) {
	deny := journal.Row{Op: journal.OpEnforce, Owner: "w", Target: "kernel/a.go", Verdict: journal.Denied, ReasonClass: "SELF_MODIFY"}
	admit, other := deny, deny
	admit.Verdict, other.ReasonClass = journal.Admitted, "ELSE"
	halt := func(run, handle string) journal.Row {
		return journal.Row{Op: journal.OpHalt, RunID: run, Handle: handle, Lane: "src"}
	}
	refuse := journal.Row{Op: journal.OpRefuse, Lane: "src", ReasonClass: "C", RunID: "R1"}
	refuse2 := refuse
	refuse2.RunID = "R2"
	proposed := journal.Row{Op: journal.OpResumeProposed, RunID: "R", ResumeSha: "a"}
	diverged := journal.Row{Op: journal.OpDecision, Kind: "RESUME_PROPOSAL", RunID: "R"}
	intent := journal.Row{Op: journal.OpIntent, RunID: "R", Goal: "g"}
	suspend := journal.Row{Op: journal.OpSuspend, RunID: "R", Reason: "halt"}
	ended := journal.Row{Op: journal.OpExit, RunID: "R"}
	ask := func(v journal.View) string {
		var words []string
		for _, a := range v.Alerts() {
			words = append(words, fmt.Sprintf("%s x%d @%d %v", a.Op, a.Count, a.Seq, a.Answered))
		}
		return strings.Join(words, ", ")
	}
	for _, c := range []struct {
		claim string
		rows  []journal.Row
		want  string
	}{
		{"one halt said three times is one alert", []journal.Row{halt("R", "7"), halt("R", "7"), halt("R", "7")}, "HALT x3 @3 false"},
		{"halts of two runs are two", []journal.Row{halt("R", "7"), halt("Q", "7")}, "HALT x1 @2 false, HALT x1 @1 false"},
		{"and of two handles", []journal.Row{halt("R", "7"), halt("R", "8")}, "HALT x1 @1 false, HALT x1 @2 false"},
		{"refusals of two runs are one", []journal.Row{refuse, refuse2}, "REFUSE x2 @2 false"},
		{"denies count until one is let through", []journal.Row{deny, deny, admit}, ""},
		{"and from there again", []journal.Row{deny, admit, deny}, "ENFORCE x2 @3 false"},
		{"a deny for another reason does not count", []journal.Row{other, other}, ""},
		{"a halt is answered by the end of its run", []journal.Row{halt("R", "7"), ended}, "HALT x1 @1 true"},
		{"not by an end before it", []journal.Row{ended, halt("R", "7")}, "HALT x1 @2 false"},
		{"nor by another run's", []journal.Row{halt("Q", "7"), ended}, "HALT x1 @1 false"},
		{"a proposal is answered by an intent", []journal.Row{intent, proposed, intent}, "RESUME_PROPOSED x1 @2 true"},
		{"not by the one before", []journal.Row{intent, proposed}, "RESUME_PROPOSED x1 @2 false"},
		{"a run that diverged too", []journal.Row{diverged, intent}, "DECISION x1 @1 true"},
		{"an intent answers no halt", []journal.Row{halt("R", "7"), intent}, "HALT x1 @1 false"},
		{"nor does a suspension", []journal.Row{intent, halt("R", "7"), suspend}, "HALT x1 @2 false"},
		{"but an intent after a suspension does", []journal.Row{intent, halt("R", "7"), suspend, intent}, "HALT x1 @2 true"},
		{"also after one that was there", []journal.Row{intent, suspend, halt("R", "7"), intent}, "HALT x1 @3 true"},
		{"not when the run had been taken up before", []journal.Row{suspend, intent, halt("R", "7"), intent}, "HALT x1 @3 false"},
	} {
		stands(t, c.claim, ask, c.want, rows(t, "n1", c.rows...))
	}
	stands(t, "denies begin anew once one was let through", func(v journal.View) string { return v.Alerts()[0].FirstAt.Format("15:04") }, "12:02",
		rows(t, "n1", deny, admit, deny, deny))
	early, late := intent, intent
	early.At, late.At, proposed.At = epoch, epoch.Add(time.Hour), epoch.Add(time.Minute)
	stands(t, "an intent in another ledger answers by its time", ask, "RESUME_PROPOSED x1 @1 true", rows(t, "n1", proposed), rows(t, "n2", late))
	stands(t, "an earlier one does not", ask, "RESUME_PROPOSED x1 @1 false", rows(t, "n1", proposed), rows(t, "n2", early))
	asked, parked := halt("R", "7"), suspend
	asked.At, parked.At = epoch.Add(time.Minute), epoch.Add(2*time.Minute)
	stands(t, "a halted run is taken up in another ledger too", ask, "HALT x1 @1 true", rows(t, "n1", asked, parked), rows(t, "n2", late))
	stands(t, "not before it was suspended", ask, "HALT x1 @1 false", rows(t, "n1", asked, parked), rows(t, "n2", early))
}

func TestStories(t *testing.T) {
	claim := func(run, step, sha string, at int) journal.Row {
		return journal.Row{Op: journal.OpStepClaimed, RunID: run, StepID: step, Sha: sha, At: epoch.Add(time.Duration(at) * time.Minute)}
	}
	intent := func(goal string, at int) journal.Row {
		return journal.Row{Op: journal.OpIntent, RunID: "R", Goal: goal, At: epoch.Add(time.Duration(at) * time.Minute)}
	}
	ask := func(v journal.View) string {
		var words []string
		story := v.Story("R")
		for _, r := range story.Rows {
			words = append(words, strings.Trim(r.From+":"+r.StepID+r.Goal+r.Sha+r.ResumeSha, ":"))
		}
		return fmt.Sprint(words, story.Complete)
	}
	stands(t, "every intent stands, and the last word on a step", ask, "[n1:g1 n1:g2 n1:g1 n1:s1b] true",
		rows(t, "n1", intent("g1", 0), claim("R", "s1", "a", 1), intent("g2", 2), claim("Q", "s1", "x", 3), intent("g1", 4), claim("R", "s1", "b", 5)))
	stands(t, "each step has its own", ask, "[n1:s2x n1:s1b] true",
		rows(t, "n1", claim("R", "s1", "a", 1), claim("R", "s2", "x", 2), claim("R", "s1", "b", 3)))
	stands(t, "two ledgers stand by their clocks", ask, "[n1:g1 n2:s1b n1:s2c] true",
		rows(t, "n1", intent("g1", 0), claim("R", "s2", "c", 9)), rows(t, "n2", claim("R", "s1", "b", 5)))
	stands(t, "one ledger by its chain, whatever its clock did", ask, "[n2:s1b n1:g1 n1:s2c] true",
		rows(t, "n1", intent("g1", 9), claim("R", "s2", "c", 0)), rows(t, "n2", claim("R", "s1", "b", 5)))
	stands(t, "a row that is gone still moved its ledger's clock", ask, "[n2:s1b n1:s2c] true",
		rows(t, "n1", claim("R", "s2", "a", 9), claim("R", "s2", "c", 0)), rows(t, "n2", claim("R", "s1", "b", 5)))
	propose := func(sha string) journal.Row {
		return journal.Row{Op: journal.OpResumeProposed, RunID: "R", ResumeSha: sha}
	}
	stands(t, "each proposal stands once", ask, "[n1:b n1:a] true", rows(t, "n1", propose("a"), propose("b"), propose("a")))
	stands(t, "nobody's story is empty and whole", ask, "[] true", rows(t, "n1", claim("Q", "s1", "a", 1)))
}

// A run that had to make room is not one that never was.
func TestRunsThatHadToGo(t *testing.T) {
	s := journal.New("n1")
	seq := uint64(0)
	add := func(r journal.Row) {
		seq++
		r.Seq, r.At = seq, epoch.Add(time.Duration(seq)*time.Second)
		s.Add(r)
	}
	long := strings.Repeat("x", 15<<10)
	add(journal.Row{Op: journal.OpIntent, RunID: "old", Goal: long})
	add(journal.Row{Op: journal.OpStepClaimed, RunID: "stray", StepID: "s", Detail: long})
	for i := range 300 {
		add(journal.Row{Op: journal.OpIntent, RunID: fmt.Sprintf("R%d", i), Goal: long})
	}
	v := journal.Merge(s)
	for _, c := range []struct {
		claim, id      string
		rows           int
		complete, kept bool
	}{
		{"the newest is there", "R299", 1, true, true},
		{"one without an intent goes before all", "stray", 0, false, false},
		{"then those silent for longest", "old", 0, false, false},
		{"one nobody heard of may have gone too", "nobody", 0, false, false},
	} {
		story := v.Story(c.id)
		if len(story.Rows) != c.rows || slices.Contains(v.Runs(), c.id) != c.kept {
			t.Errorf("%s: %d rows", c.claim, len(story.Rows))
		}
		if !c.kept && story.Complete {
			t.Errorf("%s: its story reads as whole", c.claim)
		}
	}
	add(journal.Row{Op: journal.OpStepClaimed, RunID: "old", StepID: "s"})
	if story := journal.Merge(compacted(t, s)).Story("old"); story.Complete || len(story.Rows) != 1 {
		t.Errorf("a run that comes back reads as whole: %v, %d rows", story.Complete, len(story.Rows))
	}
	for range 40 {
		add(journal.Row{Op: journal.OpIntent, RunID: "big", Goal: long})
	}
	if story := journal.Merge(compacted(t, s)).Story("big"); story.Complete {
		t.Error("a run of more rows than are kept reads as whole")
	}
}

func TestWhichRunsGoFirst(t *testing.T) {
	s := journal.New("n1")
	seq, long := uint64(0), strings.Repeat("x", 15<<10)
	add := func(op, run string, minute int) {
		seq++
		s.Add(journal.Row{Op: op, Seq: seq, At: epoch.Add(time.Duration(minute) * time.Minute), RunID: run, StepID: "s", Goal: long})
	}
	has := func(run string) bool { return slices.Contains(journal.Merge(s).Runs(), run) }
	add(journal.OpIntent, "oldest", 0)
	for i := range 40 {
		add(journal.OpStepClaimed, fmt.Sprintf("stray%02d", i), 10+i)
	}
	for i := 0; has("stray00"); i++ {
		add(journal.OpIntent, fmt.Sprintf("R%d", i), 100+i)
	}
	if !has("oldest") || !has("stray39") {
		t.Error("a run that can be resumed goes before one that nobody can")
	}
	for i := 0; has("stray39"); i++ {
		add(journal.OpIntent, fmt.Sprintf("S%d", i), 500+i)
	}
	for i := range 200 { // the oldest by its time, each of them
		run := fmt.Sprintf("T%d", i)
		if add(journal.OpIntent, run, -1-i); !has(run) {
			t.Fatal("a run goes as it is written to")
		}
	}
	big := journal.New("n1")
	for i := range 60 {
		big.Add(journal.Row{Op: journal.OpIntent, Seq: uint64(i + 1), At: epoch, RunID: "big", Goal: long})
	}
	if story := journal.Merge(big).Story("big"); story.Complete || len(story.Rows) == 0 {
		t.Errorf("a run of more rows than are kept reads as whole: %d rows", len(story.Rows))
	}
}

func TestWindowsAreBounded(t *testing.T) {
	s := journal.New("n1")
	seq := uint64(0)
	add := func(hour int, outcome string) {
		seq++
		s.Add(journal.Row{Op: journal.OpExit, Seq: seq, At: epoch.Add(time.Duration(hour) * time.Hour), RunID: "R", Outcome: outcome})
	}
	for i := range 100 {
		add(0, fmt.Sprint("o", i))
	}
	count := func(what string, hour int) uint64 {
		return journal.Merge(s).Count(what, epoch.Add(time.Duration(hour)*time.Hour), epoch.Add(time.Duration(hour+1)*time.Hour))
	}
	if all, one, late := count("EXIT", 0), count("EXIT/o1", 0), count("EXIT/o99", 0); all != 100 || one != 1 || late != 0 {
		t.Errorf("%d ends, %d of the second sort, %d of the last", all, one, late)
	}
	for i := range 31 * 24 {
		add(1+i, "")
	}
	if old, next := count("EXIT", 0), count("EXIT", 1); old != 0 || next != 1 {
		t.Errorf("%d in the window that is one too many, %d in the next", old, next)
	}
}

// attemptsAt are the attempts at a unit. ok is false when "none" may be wrong.
func attemptsAt(v journal.View, unit string) (at []journal.Attempt, ok bool) {
	all, forgot := v.Attempts()
	for _, a := range all {
		if a.Unit == unit {
			at = append(at, a)
		}
	}
	return at, len(at) > 0 || forgot.IsZero()
}

func TestAttempts(t *testing.T) {
	at := func(outcome string, minute int) journal.Row {
		return journal.Row{Op: journal.OpAttempt, Unit: "U", Outcome: outcome, At: epoch.Add(time.Duration(minute) * time.Minute)}
	}
	ask := func(v journal.View) string {
		all, ok := attemptsAt(v, "U")
		var words []string
		for _, a := range all {
			words = append(words, fmt.Sprintf("%s x%d %s", a.Outcome, a.Count, a.At.Format("15:04")))
		}
		return fmt.Sprint(words, ok)
	}
	stands(t, "the latest of each end, the newest last", ask, "[error x2 12:05 shipped x1 12:07] true", rows(t, "n1", at("error", 5), at("SHIPPED ", 7), at("error", 1)))
	stands(t, "what is no end is unknown", ask, "[unknown x2 12:02] true", rows(t, "n1", at("", 1), at("fine", 2)))
	stands(t, "every ledger counts", ask, "[error x1 12:01 error x1 12:03] true", rows(t, "n1", at("error", 3)), rows(t, "n2", at("error", 1)))
	stands(t, "another unit does not", ask, "[] true", rows(t, "n1", journal.Row{Op: journal.OpAttempt, Unit: "V"}))
}

func TestSpawns(t *testing.T) {
	spawn := func(key, run string, minute int) journal.Row {
		return journal.Row{Op: journal.OpSpawn, Lane: "src", Key: key, RunID: run, At: epoch.Add(time.Duration(minute) * time.Minute)}
	}
	exit := func(run string, minute int) journal.Row {
		return journal.Row{Op: journal.OpExit, RunID: run, At: epoch.Add(time.Duration(minute) * time.Minute)}
	}
	ask := func(v journal.View) string {
		var words []string
		for _, r := range v.Pending(epoch.Add(10*time.Minute), 2*time.Minute) {
			words = append(words, r.From+":"+r.RunID)
		}
		return fmt.Sprint(words)
	}
	n1 := func(all ...journal.Row) *journal.State { return rows(t, "n1", all...) }
	stands(t, "a spawn is pending within its window", ask, "[n1:R]", n1(spawn("", "R", 9)))
	stands(t, "not when the window is over", ask, "[]", n1(spawn("", "R", 8)))
	stands(t, "in the future it is", ask, "[n1:R]", n1(spawn("", "R", 99)))
	stands(t, "not once its worker ended", ask, "[]", n1(spawn("", "R", 9), exit("R", 10)))
	stands(t, "an end that another node saw counts", ask, "[]", n1(spawn("", "R", 9)), rows(t, "n2", exit("R", 10)))
	stands(t, "an earlier one does not", ask, "[n1:R]", n1(exit("R", 5), spawn("", "R", 9)))
	stands(t, "a request sent twice is one spawn", ask, "[n1:R]", n1(spawn("k", "R", 9), spawn("k", "Q", 10)))
	stands(t, "on two nodes too, the first counts", ask, "[n2:Q]", n1(spawn("k", "R", 10)), rows(t, "n2", spawn("k", "Q", 9)))
	stands(t, "without a key or a run each is its own", ask, "[n1: n2: n1:]", n1(spawn("", "", 9), spawn("", "", 9)), rows(t, "n2", spawn("", "", 9)))
	newest := func(v journal.View) string { r, _ := v.SpawnOn("src"); return r.From + ":" + r.RunID }
	stands(t, "the newest on a lane counts whatever became of it", newest, "n1:Q", n1(spawn("k", "R", 1), spawn("l", "Q", 2), exit("Q", 3)))
	stands(t, "of a request sent twice it is the first", newest, "n1:R", n1(spawn("k", "R", 1), spawn("k", "Q", 2)))
	stands(t, "on another node too", newest, "n2:Q", n1(spawn("k", "R", 1)), rows(t, "n2", spawn("l", "Q", 2)))
	stands(t, "none on another lane", func(v journal.View) string { _, ok := v.SpawnOn("docs"); return fmt.Sprint(ok) }, "false", n1(spawn("k", "R", 1)))
	v := journal.Merge(n1(spawn("k", "R", 1), spawn("k", "Q", 2)))
	if r, ok := v.Spawned("k"); !ok || r.RunID != "R" {
		t.Errorf("a request is answered with %q", r.RunID)
	}
	if _, ok := v.Spawned("other"); ok {
		t.Error("a request that nobody made is answered")
	}
}

func TestLaunchesAndCounts(t *testing.T) {
	launch, harvest := journal.Row{Op: journal.OpLaunch, WaveID: "w", RunID: "R"}, journal.Row{Op: journal.OpHarvest, WaveID: "w", RunID: "R", Outcome: "VERIFIED"}
	other := launch
	other.RunID = "Q"
	ask := func(v journal.View) string {
		n := 0
		for _, what := range []string{"LAUNCH", "HARVEST", "HARVEST/VERIFIED", "HARVEST/OTHER"} {
			n = n*10 + int(v.Count(what, epoch, epoch.Add(time.Hour)))
		}
		return fmt.Sprintf("%d open, counts %04d, before %d", len(v.Launches()), n, v.Count("LAUNCH", epoch.Add(-time.Hour), epoch))
	}
	stands(t, "a launch is open until it is harvested", ask, "1 open, counts 2110, before 0", rows(t, "n1", launch, other, harvest))
	stands(t, "by another node too", ask, "1 open, counts 2110, before 0", rows(t, "n1", launch, other), rows(t, "n2", launchless(harvest)))
	stands(t, "and open when it is launched again", ask, "1 open, counts 2110, before 0", rows(t, "n1", launch, harvest, launch))
	early := harvest
	early.At = epoch.Add(-time.Hour)
	stands(t, "the chain tells which came last, not the clock", ask, "0 open, counts 1000, before 0", rows(t, "n1", launch, early))
	back := launch
	back.At = epoch.Add(time.Second)
	stands(t, "both ways", ask, "1 open, counts 2110, before 0", rows(t, "n1", launch, harvest, back))
	newest := func(v journal.View) string {
		var all []string
		for _, r := range v.Waves() {
			all = append(all, r.RunID+" "+r.Op)
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	stands(t, "of each worker there is the newest row", newest, "Q LAUNCH, R HARVEST", rows(t, "n1", launch, other, harvest))
	stands(t, "whoever wrote it", newest, "Q LAUNCH, R HARVEST", rows(t, "n1", launch, other), rows(t, "n2", launchless(harvest)))
	cap1, cap2 := epoch.Add(time.Hour), epoch.Add(2*time.Hour)
	stands(t, "the newest word on an account counts", func(v journal.View) string {
		caps := v.Caps()
		return fmt.Sprintf("%d until %s", len(caps), caps[0].Until.Format("15:04"))
	}, "1 until 14:00", rows(t, "n1", journal.Row{Op: journal.OpCap, Account: "a", Until: &cap1}), rows(t, "n2", journal.Row{Op: journal.OpCap, Account: "a", Until: &cap2, At: epoch.Add(time.Minute)}))
}

// launchless stamps a harvest after the launches of another ledger.
func launchless(r journal.Row) journal.Row {
	r.At = epoch.Add(5 * time.Minute)
	return r
}

func TestAcks(t *testing.T) {
	ack := func(seq uint64) journal.Row {
		return journal.Row{Op: journal.OpAck, ID: "i", Seen: map[string]uint64{"journal/n1": seq, "beat/x": 9}}
	}
	stands(t, "an ack reaches as far as any saw", func(v journal.View) string { return fmt.Sprint(v.Acks()) },
		"map[i:map[beat/x:9 journal/n1:7]]", rows(t, "n1", ack(7), ack(3)), rows(t, "n2", ack(5)))
}

func TestMerge(t *testing.T) {
	halt := journal.Row{Op: journal.OpHalt, RunID: "R"}
	old, all := rows(t, "n1", halt), rows(t, "n1", halt, halt)
	for _, v := range []journal.View{journal.Merge(old, all), journal.Merge(all, old), journal.Merge(all, all)} {
		if a := v.Alerts(); len(a) != 1 || a[0].Count != 2 || len(v.Doubts()) > 0 {
			t.Errorf("a ledger and its mirror: %+v", a)
		}
	}
	fork := rows(t, "n1", halt, journal.Row{Op: journal.OpHalt, RunID: "Q"})
	if answers(t, journal.Merge(all, fork)) != answers(t, journal.Merge(fork, all)) {
		t.Error("which of the two counts hangs on the order")
	}
	if v := journal.Merge(all, fork); len(v.Doubts()) != 1 || !v.Story("R").Corrupt {
		t.Errorf("two ledgers of one node that differ: %+v", v.Doubts())
	}
	if v := journal.Merge(); len(v.Alerts())+len(v.Doubts())+len(v.Runs())+len(v.Nodes()) > 0 {
		t.Error("no ledgers say something")
	}
}
