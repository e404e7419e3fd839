package oldjournal

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const acquireSrc = `{"op":"ACQUIRE","seq":1,"loop_ts":"L1","lane":"src","lease":{"loop_ts":"L1","lane":"src","holder":"w1","pid":7}}`

// folded parses a journal and folds it.
func folded(t *testing.T, lines ...string) *Fold {
	t.Helper()
	entries, _, err := Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return Replay(entries)
}

func show(f *Fold) string {
	var words []string
	for i, l := range f.Live() {
		words = append(words, fmt.Sprintf("%s/%s:%s g%d", text(l["loop_ts"]), text(l["lane"]), text(l["holder"]), f.Generations()[i].Generation))
	}
	return fmt.Sprintf("%s | g%d next %d doubts %d", strings.Join(words, ", "), f.LastGeneration(), f.NextSeq(), len(f.Doubts()))
}

func TestReplay(t *testing.T) {
	const docs = `{"op":"ACQUIRE","seq":2,"loop_ts":"L1","lane":"docs","holder":"w2","other":1}`
	for _, c := range []struct {
		claim string
		lines []string
		want  string
	}{
		{"nothing", nil, " | g0 next 1 doubts 0"},
		{"a lease is the object its holder wrote", []string{acquireSrc}, "L1/src:w1 g1 | g1 next 2 doubts 0"},
		{"or the fields of its row", []string{docs}, "L1/docs:w2 g1 | g1 next 3 doubts 0"},
		{"who acquires again stays in place, with a new generation", []string{acquireSrc, docs, acquireSrc}, "L1/src:w1 g3, L1/docs:w2 g2 | g3 next 3 doubts 0"},
		{"who released before goes to the end", []string{acquireSrc, docs, `{"op":"RELEASE","loop_ts":"L1","lane":"src"}`, acquireSrc}, "L1/docs:w2 g2, L1/src:w1 g3 | g3 next 3 doubts 0"},
		{"another loop's lease of the lane stays", []string{acquireSrc, `{"op":"SCAVENGE","loop_ts":"L2","lane":"src"}`}, "L1/src:w1 g1 | g1 next 2 doubts 0"},
		{"an adopted lease has a new holder", []string{acquireSrc, `{"op":"ADOPT","loop_ts":"L1","lane":"src","holder":"w9","pid":null}`}, "L1/src:w9 g1 | g1 next 2 doubts 0"},
		{"a lease bears the name of its row", []string{`{"op":"ACQUIRE","loop_ts":"L1","lane":"src","lease":{"holder":"w1"}}`}, "L1/src:w1 g1 | g1 next 1 doubts 0"},
		{"one that bears another is a doubt", []string{`{"op":"ACQUIRE","loop_ts":"L1","lane":"src","lease":{"lane":"docs","holder":"w1"}}`}, "L1/src:w1 g1 | g1 next 1 doubts 1"},
		{"ops are spelled in capitals", []string{acquireSrc, `{"op":"release","loop_ts":"L1","lane":"src","seq":9}`}, "L1/src:w1 g1 | g1 next 10 doubts 0"},
		{"a line that is cut off at the end is dropped", []string{acquireSrc, `{"op":"REL`}, "L1/src:w1 g1 | g1 next 2 doubts 0"},
		{"before the end it is a doubt", []string{acquireSrc, `{"op":"REL`, docs}, "L1/src:w1 g1, L1/docs:w2 g2 | g2 next 3 doubts 1"},
		{"a checkpoint stands for all before it", []string{acquireSrc, `{"op":"CHECKPOINT","leases":[{"loop_ts":"L3","lane":"go","holder":"w3"}],"generations":[{"loop_ts":"L3","lane":"go","generation":5}],"seq_watermark":40}`}, "L3/go:w3 g5 | g5 next 41 doubts 0"},
		{"a number past all bounds is none", []string{`{"op":"X","seq":9223372036854775807}`, `{"op":"X","seq":1e99}`, `{"op":"X","seq":true}`}, " | g0 next 1 doubts 0"},
	} {
		if got := show(folded(t, c.lines...)); got != c.want {
			t.Errorf("%s: %s, want %s", c.claim, got, c.want)
		}
	}
}

// Compaction never lets a generation be given out twice, also when nobody holds
// a lease.
func TestD14ACompactedJournalCountsOn(t *testing.T) {
	f := folded(t, acquireSrc, acquireSrc, `{"op":"RELEASE","loop_ts":"L1","lane":"src"}`)
	again := Replay([]Entry{f.Compact()})
	entries, _, _ := Parse([]byte(acquireSrc))
	again.Add(entries[0])
	if got := show(again); got != "L1/src:w1 g3 | g3 next 2 doubts 0" {
		t.Errorf("%s", got)
	}
}

// A row that cannot be read frees no lane.
func TestD15RowsThatCannotBeReadAreDoubts(t *testing.T) {
	for _, c := range []struct{ claim, line string }{
		{"leases that are no list", `{"op":"CHECKPOINT","leases":"none"}`},
		{"no leases", `{"op":"CHECKPOINT"}`},
		{"null for leases", `{"op":"CHECKPOINT","leases":null}`},
		{"a lease that is no object", `{"op":"CHECKPOINT","leases":[7]}`},
		{"a lease that is null", `{"op":"CHECKPOINT","leases":[null]}`},
		{"an acquire whose lease is no object", `{"op":"ACQUIRE","loop_ts":"L2","lane":"docs","lease":7}`},
		{"an acquire of nothing", `{"op":"ACQUIRE","lease":{"holder":"x"}}`},
		{"what is no JSON", `nonsense`},
	} {
		f := folded(t, acquireSrc, c.line, `{"op":"REFUSE"}`)
		if len(f.Live()) != 1 || len(f.Doubts()) != 1 {
			t.Errorf("%s: %s, %v", c.claim, show(f), f.Doubts())
		}
	}
	f := folded(t, strings.Repeat("nonsense\n", 3*maxDoubts)+acquireSrc)
	if len(f.Doubts()) != maxDoubts {
		t.Errorf("%d doubts are told apart", len(f.Doubts()))
	}
	if again := Replay([]Entry{f.Compact()}); len(again.Doubts()) != maxDoubts {
		t.Errorf("%d doubts are left of them after compaction", len(again.Doubts()))
	}
}

func TestParseHasBounds(t *testing.T) {
	if _, _, err := Parse(make([]byte, MaxText+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	entries, corrupt, err := Parse([]byte(`{"op":"X","a":"` + strings.Repeat("x", maxLine) + `"}` + "\n" + acquireSrc))
	if err != nil || corrupt != 1 || len(entries) != 2 {
		t.Errorf("%d rows, %d corrupt, %v", len(entries), corrupt, err)
	}
}

func TestLeasesAreBounded(t *testing.T) {
	f := &Fold{}
	for i := range maxLeases + 1 {
		f.Add(Entry{"op": encode("ACQUIRE"), "loop_ts": encode("L1"), "lane": encode(fmt.Sprint(i))})
	}
	if len(f.Live()) != maxLeases || len(f.Doubts()) != 1 {
		t.Errorf("%d leases, doubts %v", len(f.Live()), f.Doubts())
	}
}

func at(minutes float64) time.Time {
	return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC).Add(-time.Duration(minutes * float64(time.Minute)))
}

func lease(fields string) Lease {
	var l Lease
	if err := json.Unmarshal([]byte("{"+fields+"}"), &l); err != nil {
		panic(err)
	}
	return l
}

func stampOf(field string, minutes float64) string {
	return fmt.Sprintf("%q:%q", field, at(minutes).Format(time.RFC3339))
}

// A stamp that is none or lies in the future gives way to the one before it.
func TestD19StampsThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		claim, fields string
		dead          bool
		health        string
	}{
		{"a beat that is no time is no beat", `"heartbeat_at":"noon",` + stampOf("acquired_at", 99), true, HealthDead},
		{"nor is one that is no text", `"heartbeat_at":7,` + stampOf("acquired_at", 99), true, HealthDead},
		{"one in the future neither", stampOf("heartbeat_at", -2) + "," + stampOf("acquired_at", 99), true, HealthDead},
		{"seconds ahead are none", stampOf("heartbeat_at", -0.25) + "," + stampOf("acquired_at", 99), false, HealthLive},
		{"of a lease without stamps nothing is known", `"pid":7`, false, HealthUnknown},
		{"nor of one from the future", stampOf("acquired_at", -9), false, HealthUnknown},
	} {
		l, gone := lease(c.fields), false
		if got := l.Dead(at(0), "h", &gone); got != c.dead {
			t.Errorf("%s: dead %v", c.claim, got)
		}
		if got := l.Health(at(0), "QUIET", 50*time.Minute, 8*time.Minute); got != c.health {
			t.Errorf("%s: %s", c.claim, got)
		}
	}
}

func TestTTLIsAPositiveNumber(t *testing.T) {
	for _, c := range []struct {
		minutes string
		want    time.Duration
	}{
		{`5`, 5 * time.Minute}, {`2.5`, 150 * time.Second}, {`0`, defaultTTL}, {`-1`, defaultTTL}, {`"5"`, defaultTTL}, {`true`, defaultTTL},
		{`null`, defaultTTL}, {`1e300`, defaultTTL}, {`[5]`, defaultTTL},
	} {
		if got := lease(`"ttl_minutes":` + c.minutes).ttl(); got != c.want {
			t.Errorf("%s: %s, want %s", c.minutes, got, c.want)
		}
	}
}

// Who ends somebody else's lease makes no progress for its holder.
func TestD15ToBeScavengedIsNoEvent(t *testing.T) {
	entries, _, err := Parse([]byte(strings.ReplaceAll(`{"op":"ACQUIRE","loop_ts":"L1","lane":"src","ts":"2026-11-29T11:00:00Z"}
{"op":"SCAVENGE","loop_ts":"L1","lane":"src","ts":"2026-11-29T11:50:00Z"}
{"op":"RECONCILE","loop_ts":"L1","lane":"src","ts":"2026-11-29T11:51:00Z"}
{"op":"HEARTBEAT","loop_ts":"L1","lane":"src","ts":"2026-11-29T12:30:00Z"}
{"op":"RELEASE","loop_ts":"L1","lane":"docs","ts":"2026-11-29T11:52:00Z"}
broken
{}`, "\r", "")))
	if err != nil {
		t.Fatal(err)
	}
	life := LifeOf(entries, "L1", "src", at(60), at(0))
	if life.Events != 0 || life.BeatAge == nil || *life.BeatAge != time.Hour || !life.Corrupt {
		t.Errorf("%+v", life)
	}
	if life := LifeOf(entries, "", "", at(60), at(0)); life.Events != 0 || life.BeatAge != nil || !life.Corrupt {
		t.Errorf("of no lease: %+v", life)
	}
}

// drawLines draws the rows of a small journal.
func drawLines(t *rapid.T) []Entry {
	var entries []Entry
	for i := range rapid.IntRange(0, 25).Draw(t, "rows") {
		e := Entry{"seq": encode(i + 1), "ts": encode(at(float64(-i)).Format(time.RFC3339))}
		e["op"] = encode(rapid.SampledFrom([]string{"ACQUIRE", "RECONCILE", "RELEASE", "SCAVENGE", "HEARTBEAT", "ADOPT", "REFUSE"}).Draw(t, "op"))
		e["loop_ts"] = encode(rapid.SampledFrom([]string{"", "L1", "L2"}).Draw(t, "loop"))
		e["lane"] = encode(rapid.SampledFrom([]string{"src", "docs"}).Draw(t, "lane"))
		e["holder"] = encode(fmt.Sprintf("w%d", i))
		entries = append(entries, e)
	}
	return entries
}

func state(f *Fold) any { return []any{f.Live(), f.Generations(), f.NextSeq(), f.LastGeneration()} }

func TestCompactionAtAnyPointChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawLines(t)
		cut := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		rest := append([]Entry{Replay(entries[:cut]).Compact()}, entries[cut:]...)
		if got, want := state(Replay(rest)), state(Replay(entries)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%v", got, want)
		}
	})
}

// What a reader was given does not change under it.
func TestLiveIsKept(t *testing.T) {
	f := folded(t, acquireSrc)
	before := f.Live()
	entries, _, _ := Parse([]byte(`{"op":"ADOPT","loop_ts":"L1","lane":"src","holder":"w9"}`))
	f.Add(entries[0])
	if got := text(before[0]["holder"]); got != "w1" {
		t.Errorf("%s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(acquireSrc + "\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _, err := Parse(data)
		if err != nil {
			return
		}
		fold := Replay(entries)
		again := Replay([]Entry{fold.Compact()})
		if got, want := show(again), show(fold); !strings.HasPrefix(got, strings.Split(want, "doubts")[0]) {
			t.Errorf("%s, want %s", got, want)
		}
		LifeOf(entries, "L1", "src", at(60), at(0))
		for _, l := range fold.Live() {
			l.Dead(at(0), "h", nil)
			l.Health(at(0), "QUIET", time.Hour, time.Minute)
		}
	})
}
