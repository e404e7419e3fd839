package journal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/journal"
)

// agree reports a checkpoint that the two ways of reading take for two things.
// The quick one may leave it to the other, and must not where quick is set.
func agree(t interface{ Fatal(...any) }, payload string, quick bool, more ...entry) {
	s, ok := journal.RestoreWritten("n1", payload)
	if !ok {
		if quick {
			t.Fatal("not read in the form it is written in:", payload)
		}
		return
	}
	want, err := journal.RestoreAny("n1", []byte(payload))
	if err != nil {
		t.Fatal(err, payload)
	}
	for _, e := range more {
		s.Fold(e.op, e.at, e.payload)
		want.Fold(e.op, e.at, e.payload)
	}
	if diff := journal.Differ(s, want); diff != "" {
		t.Fatal(diff, payload)
	}
}

// odd are texts that JSON writes in its own way.
var odd = []string{"", "plain", `quo"ted`, `back\slash`, "two\nlines\t", "\x01\u2028", "grün", "\xff", " ", "<&>", strings.Repeat("x", 600)}

func drawState(t *rapid.T) *journal.State {
	s := journal.New("n1")
	for i, e := range drawChain(t, 40) {
		if rapid.IntRange(0, 2).Draw(t, "odd") > 0 {
			s.Fold(e.op, e.at, e.payload)
			continue
		}
		r := drawRow(t, uint64(i+1))
		r.Reason, r.Target, r.RunID, r.Lane = pick(t, "reason", odd...), pick(t, "target", odd...), pick(t, "run", odd...), pick(t, "lane", odd...)
		r.At = r.At.Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "half")) * time.Second / 2)
		r.Env, r.Residual = json.RawMessage(`{"a":[1.5e-3,null,true,"\u00e9"]}`), odd[:rapid.IntRange(0, 3).Draw(t, "residual")]
		r.Holder, r.Seen = &journal.Holder{Node: "n", Owner: pick(t, "holder", odd...)}, map[string]uint64{pick(t, "source", odd...): 7}
		status, until := rapid.IntRange(-1, 1).Draw(t, "status"), r.At.Add(time.Hour)
		r.Status, r.Until, r.PID = &status, &until, 4
		s.Add(r)
	}
	return s
}

func TestACheckpointIsReadQuicklyAsTheDecoderReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload, err := drawState(t).Checkpoint(epoch)
		if err != nil {
			t.Fatal(err)
		}
		more := drawChain(t, 60) // of which those count that come after
		agree(t, string(payload), !strings.Contains(string(payload), `\u`), more...)
	})
}

// Whatever is changed in a checkpoint, the quick way refuses what the decoder
// refuses.
func TestNothingIsReadQuicklyThatTheDecoderRefuses(t *testing.T) {
	pieces := []string{
		`"`, `\`, `,`, `:`, `{`, `}`, `[`, `]`, ` `, `0`, `00`, `-`, `1.`, `.5`, `1e`, `1e5`, `null`, `true`, `"x"`, `{}`, `[]`, `"\u00e9"`, `\u12`, "\x01", "\xff",
		`"seq":1,`, `"op":"",`, `"op":"HALT",`, `"Op":"x",`, `"v":2,`, `"count":1,`, `"rows":[],`, `"at":"2026-13-01T00:00:00Z",`, `"at":"9999-01-01T00:00:00Z",`,
		`"until":"0001-01-01T00:00:00Z",`, `"residual":null,`, `"holder":{"node":"a","node":"b"},`, `"gen":99999999999999999,`, `"pid":-1,`, `"id":" ",`, `"kind":"",`,
		`"lane":"` + strings.Repeat("x", 513) + `",`, `"node":1,`, `"seen":{"a":1,"a":2},`, `"clocks":[1],`, `"stamps":[[1,2,3]],`, `"newest":"x",`, `"later":1,`,
	}
	rapid.Check(t, func(t *rapid.T) {
		payload, err := drawState(t).Checkpoint(epoch)
		if err != nil {
			t.Fatal(err)
		}
		text := string(payload)
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			if near := strings.IndexAny(text[at:], `{,`); near >= 0 && rapid.Bool().Draw(t, "between") {
				at += near + 1
			}
			end := min(len(text), at+rapid.IntRange(0, 3).Draw(t, "cut"))
			text = text[:at] + pick(t, "piece", append(pieces, "")...) + text[end:]
		}
		agree(t, text, false)
	})
}

// What two readers could take for two things is left to the decoder, and what it
// refuses is refused.
func TestWhatIsNotReadQuickly(t *testing.T) {
	s := rows(t, "n1",
		journal.Row{Op: journal.OpIntent, RunID: "R", Goal: "g"}, journal.Row{Op: journal.OpIntent, RunID: "S", Goal: "g"},
		journal.Row{Op: journal.OpHalt, RunID: "R"}, journal.Row{Op: journal.OpCap, Account: "a"}, journal.Row{Op: journal.OpCap, Account: "b"},
		journal.Row{Op: journal.OpAck, ID: "i", Seen: map[string]uint64{"p": 1, "q": 2}}, journal.Row{Op: journal.OpSpawn, Lane: "l", RunID: "R"})
	data, err := s.Checkpoint(epoch)
	if err != nil {
		t.Fatal(err)
	}
	payload := string(data)
	agree(t, payload, true)
	for _, c := range []struct{ claim, old, new string }{
		{"two runs of one name", `"S":{"rows"`, `"R":{"rows"`},
		{"two slots of one key", `"b":{"last"`, `"a":{"last"`},
		{"two tables of one name", `"cap":{`, `"ack":{`},
		{"two sources of one name", `"count":1,"seen":{"p":1,"q":2}`, `"count":1,"seen":{"p":1,"p":2}`},
		{"two counts in one window", `"windows":{"1795953600":{`, `"windows":{"1795953600":{"A":1,"A":2,`},
		{"a window that is no hour", `"windows":{"`, `"windows":{"0`},
		{"more clocks than rows", `"clocks":[`, `"clocks":[1,`},
		{"a run without rows", `"rows":[`, `"other":[`},
		{"a row past the end", `"seq":7,"at"`, `"seq":6,"at"`},
		{"a slot without a row", `"last":`, `"first":`},
		{"a row of nobody", `"account":"a"`, `"account":" "`},
		{"a word too long", `"account":"a"`, `"account":"` + strings.Repeat("a", 513) + `"`},
		{"a year nobody lives in", `"account":"a"`, `"account":"a","until":"9999-01-01T00:00:00Z"`},
		{"a day that is none", `"account":"a"`, `"account":"a","until":"2026-02-30T00:00:00Z"`},
		{"a lease past all bounds", `"account":"a"`, `"account":"a","gen":99999999999999999`},
		{"more stamps than are kept", `"stamps":[`, `"stamps":[` + strings.Repeat(`[1,1],`, 32)},
		{"something behind it", `"windows":{`, `"windows":{},"more":{`},
		{"another version", `{"v":1,"op"`, `{"v":0,"op"`},
		{"a list too long", `"account":"a"`, `"account":"a","residual":[` + strings.Repeat(`"x",`, 2000) + `"x"]`},
		{"a point without digits", `"account":"a"`, `"account":"a","env":1.`},
		{"a number that begins with nought", `"count":1`, `"count":01`},
		{"a number past all bounds", `"count":1`, `"count":99999999999999999999`},
		{"half a character", `"goal":"g"`, `"goal":"\u12g"`},
		{"a time nobody lives in", `"account":"a"`, `"account":"a","at":"9999-01-01T00:00:00Z"`},
		{"a run of which nothing is said", `"S":{"rows"`, `"RR":{"newest":"2026-11-29T12:00:00Z"},"S":{"rows"`},
		{"more sources than are kept", `"count":1,"seen":{`, `"count":1,"seen":{` + many(`"a%03d":1,`, 500)},
		{"a run of more rows than are kept", `"S":{"rows"`, `"RR":{"rows":[` + many(`%d,`, 4000) + `0],"clocks":[` + many(`%d,`, 4000) + `0],"newest":"2026-11-29T12:00:00Z"},"S":{"rows"`},
		{"what is no text", `"account":"a"`, "\"account\":\"\xff\""},
		{"a control", `"account":"a"`, "\"account\":\"a\",\"env\":\"\x01\""},
	} {
		if !strings.Contains(payload, c.old) {
			t.Fatalf("%s: %s is not in %s", c.claim, c.old, payload)
		}
		changed := strings.Replace(payload, c.old, c.new, 1)
		if _, ok := journal.RestoreWritten("n1", changed); ok {
			t.Errorf("%s is read quickly", c.claim)
		}
	}
	for old, new := range map[string]string{
		`"account":"b"`: `"account":"b","holder":{"node":"x","owner":"o"},"holder":{"owner":"p"}`,
		`"id":"i"`:      `"id":"i","blocking":[{"lane":"l","gen":1}],"blocking":[{"gen":2}]`, `"windows":{`: `"windows":{"1":{},`,
		`"lane":"l"`: `"lane":"\u00e9"`, `"op":"CAP"`: `"op":"HALT","op":"CAP","status":1,"status":-2,"later":[1]`,
	} {
		agree(t, strings.Replace(payload, old, new, 1), true)
	}
	for _, text := range []string{payload + " ", payload + "x", payload[:len(payload)-1], strings.Replace(payload, `"node":"n1"`, `"node":"n2"`, 1)} {
		if _, ok := journal.RestoreWritten("n1", text); ok {
			t.Errorf("%s is read quickly", text)
		}
	}
}

func many(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func FuzzRestoreWritten(f *testing.F) {
	s := journal.New("n1")
	for _, r := range day(40) {
		s.Add(r)
	}
	payload, _ := s.Checkpoint(epoch)
	f.Add(string(payload))
	f.Fuzz(func(t *testing.T, payload string) { agree(t, payload, false) })
}

// Readers of one view may ask side by side what is decoded when asked for.
func TestAViewMayBeAskedSideBySide(t *testing.T) {
	s := journal.New("n1")
	for _, r := range day(300) {
		s.Add(r)
	}
	v := journal.Merge(compacted(t, s))
	payload, _ := s.Checkpoint(epoch)
	got, err := journal.Restore("n1", payload)
	if err != nil {
		t.Fatal(err)
	}
	want := answers(t, v)
	v = journal.Merge(got)
	told := make(chan string)
	for range 4 {
		go func() {
			told <- fmt.Sprint(len(v.Spawns()), len(v.Alerts()), len(v.Story("RID-000007").Rows)) + answers(panics{}, v)
		}()
	}
	first := <-told
	for range 3 {
		if other := <-told; other != first {
			t.Errorf("%s\n%s", first, other)
		}
	}
	if !strings.HasSuffix(first, want) {
		t.Errorf("%s\n%s", first, want)
	}
}

type panics struct{}

func (panics) Fatal(v ...any) { panic(fmt.Sprint(v...)) }
