package pick

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/verdict"
)

const hour = 3_600_000

// tried is evidence of now = 100 h with attempts so many hours ago.
func tried(attempts ...Attempt) CooldownEvidence {
	return CooldownEvidence{Unit: "A/A1", Attempts: attempts, NowMS: 100 * hour, Policy: DefaultCooldown()}
}

func ago(hours float64, end string) Attempt {
	return Attempt{AtMS: 100*hour - int64(hours*hour), End: end, TS: fmt.Sprintf("T%v", 100-hours), Count: 1}
}

func TestDecideCooldown(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    CooldownEvidence
		want  CooldownOutcome
		until int64 // in hours, 0 for clear
		last  string
	}{
		{"what was never tried is clear", tried(), Clear, 0, ""},
		{"a drain holds for six hours", tried(ago(5, EndDrained)), RecentlyAttempted, 101, "T95"},
		{"so does a block", tried(ago(5, EndBlocked)), RecentlyAttempted, 101, "T95"},
		{"and what nobody can tell", tried(ago(5, EndUnknown)), RecentlyAttempted, 101, "T95"},
		{"the wall itself is over", tried(ago(6, EndDrained)), Clear, 0, "T94"},
		{"an error holds for half an hour", tried(ago(0.25, EndError)), RecentlyAttempted, 100, "T99.75"},
		{"and no longer", tried(ago(0.5, EndError)), Clear, 0, "T99.5"},
		{"what shipped is clear", tried(ago(1, EndShipped)), Clear, 0, "T99"},
		{"a ship clears what was before it", tried(ago(2, EndDrained), ago(1, EndShipped)), Clear, 0, "T99"},
		{"and not what comes after it", tried(ago(2, EndShipped), ago(1, EndDrained)), RecentlyAttempted, 105, "T99"},
		{"the newest decides, in any order", tried(ago(1, EndError), ago(2, EndDrained)), Clear, 0, "T99"},
	} {
		v := DecideCooldown(c.ev)
		until := c.until * hour
		if c.claim == "an error holds for half an hour" {
			until += hour / 4
		}
		if v.Outcome != c.want || v.UntilMS != until || v.LastTS != c.last || v.Count != int64(len(c.ev.Attempts)) || v.Err() != nil || v.Reason == "" {
			t.Errorf("%s: %+v; want %s until %d", c.claim, v, c.want, until)
		}
		if want := map[CooldownOutcome]int{Clear: 0, RecentlyAttempted: 3}[c.want]; v.ExitCode() != want {
			t.Errorf("%s: exit %d", c.claim, v.ExitCode())
		}
	}
	if v := (CooldownVerdict{}); v.ExitCode() != verdict.NoVerdict || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d", v.ExitCode())
	}
}

func TestD12OfOneTimeWhatDidNotShipWins(t *testing.T) {
	for _, other := range []string{EndDrained, EndBlocked, EndError, EndUnknown} {
		for _, all := range [][]Attempt{{ago(0.1, EndShipped), ago(0.1, other)}, {ago(0.1, other), ago(0.1, EndShipped)}} {
			if v := DecideCooldown(tried(all...)); v.Outcome != RecentlyAttempted || v.LastEnd != other || v.Count != 2 {
				t.Errorf("%+v: %+v", all, v)
			}
		}
	}
	long, short := ago(0.1, EndDrained), ago(0.1, EndError)
	if v := DecideCooldown(tried(short, long)); v.LastEnd != EndDrained {
		t.Errorf("the longer window: %+v", v)
	}
	a, b := ago(0.1, EndDrained), ago(0.1, EndBlocked)
	a.TS, b.TS = "T2", "T1"
	if v := DecideCooldown(tried(b, a)); v.LastTS != "T2" {
		t.Errorf("the later record: %+v", v)
	}
}

func TestD12AnAttemptInTheFutureIsOneOfNow(t *testing.T) {
	v := DecideCooldown(tried(ago(-1000, EndDrained)))
	if v.Outcome != RecentlyAttempted || v.UntilMS != 106*hour || v.AheadMS != 1000*hour || !strings.Contains(v.Reason, "ahead of this clock") {
		t.Errorf("%+v", v)
	}
	if v := DecideCooldown(tried(Attempt{AtMS: math.MaxInt64, End: EndError, Count: 1})); v.UntilMS != 100*hour+hour/2 {
		t.Errorf("however far: %+v", v)
	}
	if v := DecidePriority(tried(ago(-1000, EndDrained))); *v.LastMS != 100*hour || v.SortKey != [2]int64{1, 100 * hour} {
		t.Errorf("%+v", v)
	}
	endless := tried(ago(1, EndDrained))
	endless.Policy.WindowMS = math.MaxInt64
	if v := DecideCooldown(endless); v.Outcome != RecentlyAttempted || v.UntilMS != math.MaxInt64 {
		t.Errorf("a window without an end: %+v", v)
	}
}

func TestD12AttemptsWithoutAWholeTime(t *testing.T) {
	for _, at := range []string{`"5"`, `1.5`, `1.0`, `true`, `1e999`, `99999999999999999999`, `[5]`} {
		text := `["x",{"unit_id":"U","attempted_at_ms":` + at + `}]`
		if all, err := ParseAttempts([]byte(text), "U"); err == nil || all != nil || !strings.Contains(err.Error(), "attempts[1]: attempted_at_ms") {
			t.Errorf("%s: %v, %v", text, all, err)
		}
		if all, err := ParseAttempts([]byte(text), "V"); err != nil || len(all) != 0 {
			t.Errorf("%s, of another unit: %v, %v", text, all, err)
		}
	}
	ev := tried(ago(1, EndDrained))
	for field, break_ := range map[string]func(*CooldownEvidence){
		"window_ms":       func(ev *CooldownEvidence) { ev.Policy.WindowMS = -1 },
		"error_window_ms": func(ev *CooldownEvidence) { ev.Policy.ErrorWindowMS = -1 },
		"counts for none": func(ev *CooldownEvidence) { ev.Attempts = []Attempt{{End: EndError}} },
	} {
		bad := ev
		break_(&bad)
		if v, p := DecideCooldown(bad), DecidePriority(bad); v.Err() == nil || p.Err() == nil || !strings.Contains(v.Reason, field) || v.ExitCode() != 2 || p.ExitCode() != 2 {
			t.Errorf("%s: %+v, %+v", field, v, p)
		}
	}
}

func TestParseAttempts(t *testing.T) {
	for _, c := range []struct {
		claim, record string
		kept          bool
	}{
		{"an attempt", `{"op":"ATTEMPT","unit_id":"U","attempted_at_ms":5}`, true},
		{"without an op", `{"unit_id":"U","attempted_at_ms":5}`, true},
		{"with an empty op", `{"op":"","unit_id":"U","attempted_at_ms":5}`, true},
		{"with no op in words", `{"op":null,"unit_id":"U","attempted_at_ms":5}`, true},
		{"of another op", `{"op":"REFUSE","unit_id":"U","attempted_at_ms":5}`, false},
		{"of an op in small letters", `{"op":"attempt","unit_id":"U","attempted_at_ms":5}`, false},
		{"of an op that is no word", `{"op":5,"unit_id":"U","attempted_at_ms":5}`, false},
		{"at another unit", `{"unit_id":"u","attempted_at_ms":5}`, false},
		{"at none", `{"attempted_at_ms":5}`, false},
		{"at a unit that is no word", `{"unit_id":["U"],"attempted_at_ms":5}`, false},
		{"without a time", `{"unit_id":"U"}`, false},
		{"with none", `{"unit_id":"U","attempted_at_ms":null}`, false},
		{"of this schema", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"lane-journal","version":1}}`, true},
		{"of a later version", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"lane-journal","version":2}}`, false},
		{"of another family", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"intent-ledger","version":1}}`, false},
		{"of a later version of another family", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"intent-ledger","version":9}}`, false},
		{"of a family without a version", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"intent-ledger"}}`, true},
		{"of a version that is none", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"lane-journal","version":"2"}}`, true},
		{"of version 0", `{"unit_id":"U","attempted_at_ms":5,"schema":{"family":"x","version":0}}`, true},
		{"of a schema that is none", `{"unit_id":"U","attempted_at_ms":5,"schema":"lane-journal"}`, true},
		{"what is no record", `"x"`, false}, {"nothing", `null`, false}, {"a list", `[]`, false}, {"a number", `5`, false},
	} {
		all, err := ParseAttempts([]byte("["+c.record+"]"), "U")
		if err != nil || (len(all) == 1) != c.kept {
			t.Errorf("%s: %v, %v", c.claim, all, err)
		}
	}
	all, err := ParseAttempts([]byte(`[{"unit_id":"U","attempted_at_ms":5,"outcome":" Blocked ","ts":"T1"},{"unit_id":"U","attempted_at_ms":-6,"outcome":7,"ts":7}]`), "U")
	if want := []Attempt{{5, EndBlocked, "T1", 1}, {-6, EndUnknown, "", 1}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("%+v, %v; want %+v", all, err, want)
	}
	for _, bad := range []string{``, `null`, `{}`, `{`, `[`, `[]x`, `5`, "[\"\xff\"]", `[{"unit_id":"U","unit_id":"V"}]`} {
		if all, err := ParseAttempts([]byte(bad), "U"); err == nil {
			t.Errorf("%q: %v", bad, all)
		}
	}
}

func TestEnds(t *testing.T) {
	for word, want := range map[string]string{"shipped": "shipped", " Drained\n": "drained", "BLOCKED": "blocked", "Error": "error", "unknown": "unknown", "": "unknown", "weird": "unknown"} {
		if got := End(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	for _, word := range Ends() {
		if End(word) != word {
			t.Error(word)
		}
	}
}

// A unit of which attempts may be missing is never clear, and one that is known
// to hold it holds it.
func TestAttemptsThatMayBeMissing(t *testing.T) {
	for _, c := range []struct {
		claim    string
		attempts []Attempt
		cool     bool
	}{{"none is known", nil, false}, {"the known ones are over", []Attempt{ago(9, EndDrained)}, false}, {"the known one shipped", []Attempt{ago(1, EndShipped)}, false}, {"one holds", []Attempt{ago(1, EndDrained)}, true}} {
		ev := tried(c.attempts...)
		ev.Unknown = []string{"the ledger of node n1"}
		v := DecideCooldown(ev)
		if c.cool != (v.Outcome == RecentlyAttempted) || c.cool == (v.Err() != nil) || !c.cool && (v.ExitCode() != 2 || !strings.Contains(v.Reason, "node n1")) {
			t.Errorf("%s: %+v", c.claim, v)
		}
		if p := DecidePriority(ev); (p.Err() != nil) != (len(c.attempts) == 0) {
			t.Errorf("%s: %+v", c.claim, p)
		}
	}
}

func TestDecidePriority(t *testing.T) {
	never := DecidePriority(tried())
	if never.Outcome != NeverAttempted || never.ExitCode() != 0 || never.SortKey != [2]int64{} || never.LastMS != nil {
		t.Errorf("%+v", never)
	}
	old, young := DecidePriority(tried(ago(9, EndShipped))), DecidePriority(tried(ago(1, EndError), ago(5, EndDrained)))
	if old.Outcome != Attempted || old.ExitCode() != 3 || *old.LastMS != 91*hour || *young.LastMS != 99*hour {
		t.Errorf("%+v, %+v", old, young)
	}
	keys := [][2]int64{young.SortKey, never.SortKey, old.SortKey}
	slices.SortFunc(keys, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	if keys[0] != never.SortKey || keys[1] != old.SortKey || keys[2] != young.SortKey {
		t.Errorf("%v: what was never tried goes first, then what was tried least recently", keys)
	}
	data, err := json.Marshal(never)
	if want := `{"unit_id":"A/A1","freshness":"NEVER_ATTEMPTED","last_attempt_ms":null,"sort_key":[0,0],"reason":"no attempt is known"}`; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
	if v := (PriorityVerdict{}); v.ExitCode() != verdict.NoVerdict || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d", v.ExitCode())
	}
}

// The answer does not depend on the order of the attempts, and time alone never
// makes a unit that is clear cool again.
func TestCooldownIsAFoldAndEnds(t *testing.T) {
	attempt := rapid.Custom(func(t *rapid.T) Attempt {
		return Attempt{rapid.Int64Range(0, 20).Draw(t, "at"), rapid.SampledFrom(Ends()).Draw(t, "end"), rapid.SampledFrom([]string{"T1", "T2"}).Draw(t, "ts"), 1}
	})
	rapid.Check(t, func(t *rapid.T) {
		ev := CooldownEvidence{Unit: "u", Attempts: rapid.SliceOf(attempt).Draw(t, "attempts"), NowMS: rapid.Int64Range(0, 40).Draw(t, "now")}
		ev.Policy = CooldownPolicy{rapid.Int64Range(0, 12).Draw(t, "window"), rapid.Int64Range(0, 12).Draw(t, "error")}
		v, turned := DecideCooldown(ev), ev
		turned.Attempts = slices.Clone(ev.Attempts)
		slices.Reverse(turned.Attempts)
		if w := DecideCooldown(turned); w != v {
			t.Fatalf("%+v, reversed %+v", v, w)
		}
		if later := ev; v.Outcome == RecentlyAttempted && v.AheadMS == 0 {
			if later.NowMS = v.UntilMS; DecideCooldown(later).Outcome != Clear && len(ev.Attempts) == 1 {
				t.Fatalf("%+v holds at its wall", v)
			}
		}
	})
}

func FuzzParseAttempts(f *testing.F) {
	f.Add([]byte(`[{"op":"ATTEMPT","unit_id":"U","attempted_at_ms":5,"outcome":"error"},null]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if all, err := ParseAttempts(data, "U"); err == nil {
			ev := CooldownEvidence{Unit: "U", Attempts: all, Policy: DefaultCooldown()}
			if v, p := DecideCooldown(ev), DecidePriority(ev); v.Err() != nil || p.Err() != nil {
				t.Errorf("%q is read and cannot be judged", data)
			}
		}
	})
}
