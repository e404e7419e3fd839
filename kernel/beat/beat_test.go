package beat

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/verdict"
)

const (
	now    = 1_767_225_600_000 // 2026-01-01T00:00:00Z
	minute = 60_000
)

// at is a beat of supervise, so long before now.
func at(ago int64, node string) Beat { return Beat{Name: Supervise, AtMS: now - ago, Node: node} }

// every is one name with an interval of ten minutes.
func every(beats ...Beat) Evidence {
	return Evidence{NowMS: now, Cadences: []Cadence{{Supervise, 10 * minute}}, Beats: beats}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  Outcome
		exit  int
	}{
		{"a beat of now is fresh", every(at(0, "a")), Fresh, 0},
		{"one of one and a half intervals ago still is", every(at(15*minute, "a")), Fresh, 0},
		{"a millisecond more is late", every(at(15*minute+1, "a")), Late, 3},
		{"three intervals still are", every(at(30*minute, "a")), Late, 3},
		{"a millisecond more is missing", every(at(30*minute+1, "a")), Missing, 4},
		{"what never beat is missing", every(), Missing, 4},
		{"the newest beat of any node counts", every(at(90*minute, "a"), at(minute, "b"), at(20*minute, "c")), Fresh, 0},
		{"two writers of one name are missed when both are silent", every(at(90*minute, "a"), at(31*minute, "b")), Missing, 4},
		{"another name's beat does not count", every(Beat{Name: "superwise", AtMS: now}), Missing, 4},
		{"an odd interval is halved downwards", Evidence{NowMS: now, Cadences: []Cadence{{"x", 3}}, Beats: []Beat{{Name: "x", AtMS: now - 5}}}, Late, 3},
		{"and no further", Evidence{NowMS: now, Cadences: []Cadence{{"x", 3}}, Beats: []Beat{{Name: "x", AtMS: now - 4}}}, Fresh, 0},
		{"the worst name decides", Evidence{NowMS: now, Cadences: []Cadence{{"a", minute}, {"b", minute}, {"c", minute}},
			Beats: []Beat{{Name: "a", AtMS: now}, {Name: "b", AtMS: now - 2*minute}, {Name: "c", AtMS: now}}}, Late, 3},
	} {
		v := Decide(c.ev)
		if v.Outcome != c.want || v.ExitCode() != c.exit || v.Err() != nil || v.Reason == "" {
			t.Errorf("%s: %s, exit %d; want %s, %d", c.claim, v, v.ExitCode(), c.want, c.exit)
		}
	}
}

func TestClockSkew(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  Outcome
		skew  bool
		age   int64 // -1: none
	}{
		{"a beat a minute ahead is one of now", every(at(-minute, "a")), Fresh, false, 0},
		{"one further ahead is not used", every(at(-minute-1, "a")), Missing, true, -1},
		{"an older one of the same node is", every(at(-60*minute, "a"), at(20*minute, "a")), Late, true, 20 * minute},
		{"or of another", every(at(-60*minute, "a"), at(minute, "b")), Fresh, true, minute},
		{"one that is used hides no skew", every(at(minute, "b"), at(-60*minute, "a")), Fresh, true, minute},
		{"the far future overflows nothing", every(Beat{Name: Supervise, AtMS: math.MaxInt64}), Missing, true, -1},
		{"a stale beat is no skew", every(at(60*minute, "a")), Missing, false, 60 * minute},
	} {
		v := Decide(c.ev)
		m := v.Beats[0]
		age := int64(-1)
		if m.AgeMS != nil {
			age = *m.AgeMS
		}
		if v.Outcome != c.want || m.ClockSkew != c.skew || age != c.age || m.NeverBeaten {
			t.Errorf("%s: %s, skew %v, age %d, never %v", c.claim, v, m.ClockSkew, age, m.NeverBeaten)
		}
		if c.skew && (!strings.Contains(m.Reason, "SKEWED") || !strings.Contains(m.Reason, "2026-01-01T00:00:00Z")) {
			t.Errorf("%s: the reason %q does not show both times", c.claim, m.Reason)
		}
	}
}

// A node that could not be read may have the beat that is missed.
func TestUnreadIsNotNever(t *testing.T) {
	ev := every()
	ev.Unread = []string{"n2", "n1"}
	v := Decide(ev)
	if m := v.Beats[0]; v.Outcome != Missing || m.NeverBeaten || !slices.Equal(v.Unread, []string{"n1", "n2"}) {
		t.Errorf("%+v", v)
	}
	if !strings.Contains(v.Reason, "2 nodes could not be read: n1, n2") {
		t.Errorf("reason %q", v.Reason)
	}
	if v = Decide(every()); !v.Beats[0].NeverBeaten {
		t.Errorf("%+v", v)
	}
	ev.Beats = []Beat{at(0, "n3")}
	if v = Decide(ev); v.Outcome != Fresh {
		t.Errorf("a fresh beat is fresh whoever else is unread: %s", v)
	}
}

func TestBadEvidenceIsNoVerdict(t *testing.T) {
	one := []Cadence{{"x", minute}}
	for field, ev := range map[string]Evidence{
		"[heartbeats]":               {NowMS: now},
		"now_ms":                     {NowMS: -1, Cadences: one},
		"beat name":                  {NowMS: now, Cadences: []Cadence{{"X", minute}}},
		"interval_ms":                {NowMS: now, Cadences: []Cadence{{"x", 0}}},
		"interval_ms of beat x":      {NowMS: now, Cadences: []Cadence{{"x", math.MaxInt64}}},
		"beat x is declared twice":   {NowMS: now, Cadences: []Cadence{{"x", 1}, {"x", 2}}},
		`at_ms of beat x of node "a`: {NowMS: now, Cadences: one, Beats: []Beat{{Name: "x", AtMS: -1, Node: "a\x1b"}}},
	} {
		v := Decide(ev)
		if v.Outcome != "" || v.ExitCode() != verdict.NoVerdict || v.Err() == nil || !strings.Contains(v.Err().Error(), field) {
			t.Errorf("%s: %s, exit %d", field, v, v.ExitCode())
		}
	}
	if v := Decide(every(Beat{Name: "nobody", AtMS: -1}, at(0, "a"))); v.Outcome != Fresh {
		t.Errorf("a name that is not watched does not matter: %s", v)
	}
	if v := (Verdict{}); v.ExitCode() != verdict.NoVerdict || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d, %v", v.ExitCode(), v.Err())
	}
}

func TestTheVerdictIsShown(t *testing.T) {
	ev := every(Beat{Name: Supervise, AtMS: now - 20*minute, Node: "n1", Host: "h", RunID: "R"})
	ev.Cadences = append(ev.Cadences, Cadence{"nightly", 1440 * minute})
	v := Decide(ev)
	data, err := json.Marshal(v)
	want := `{"verdict":"MISSING","reason":"of 2 beats 0 fresh, 1 late, 1 missing","beats":[` +
		`{"name":"nightly","interval_ms":86400000,"last_beat_ms":null,"age_ms":null,"verdict":"MISSING","never_beaten":true,"clock_skew":false,"reason":"it has never beaten, every 24h0m0s is expected; git dos beat nightly is for whatever runs under that name, and if nothing does, take it out of [heartbeats]"},` +
		`{"name":"supervise","interval_ms":600000,"last_beat_ms":1767224400000,"age_ms":1200000,"verdict":"LATE","never_beaten":false,"clock_skew":false,"node":"n1","host":"h","run_id":"R","reason":"20m0s ago on node n1, every 10m0s is expected"}]}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want\n%s", data, err, want)
	}
	text := "MISSING: of 2 beats 0 fresh, 1 late, 1 missing\nMISSING nightly: it has never beaten, every 24h0m0s is expected; git dos beat nightly is for whatever runs under that name, and if nothing does, take it out of [heartbeats]\nLATE supervise: 20m0s ago on node n1, every 10m0s is expected"
	if v.String() != text {
		t.Errorf("%q, want %q", v, text)
	}
	if s := Decide(every(at(0, "a\x1b[31m\nb"))).String(); strings.ContainsAny(s, "\x1b") || strings.Count(s, "\n") != 1 {
		t.Errorf("a node's name reaches the terminal as it is: %q", s)
	}
}

func TestAllowed(t *testing.T) {
	declared := map[string]time.Duration{"nightly": time.Hour, "patrol": time.Minute}
	for _, name := range []string{"nightly", "patrol", Supervise, Dispatcher} {
		if err := Allowed(name, declared); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Allowed("nightli", declared); !errors.Is(err, ErrUndeclared) || !strings.Contains(err.Error(), "nightly, patrol") {
		t.Errorf("a misspelt name: %v", err)
	}
	if err := Allowed("x", nil); !errors.Is(err, ErrUndeclared) {
		t.Errorf("nothing declared: %v", err)
	}
	for _, bad := range []string{"", "-x", "Nightly", "a b", "a/b", "a_b", "ü", "a\n", "a.lock", strings.Repeat("x", maxName+1)} {
		if err := Allowed(bad, map[string]time.Duration{bad: time.Hour}); err == nil || errors.Is(err, ErrUndeclared) {
			t.Errorf("%q is a name: %v", bad, err)
		}
	}
	for _, good := range []string{"a", "0", "a-", "a-b-0", strings.Repeat("x", maxName)} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestPanel(t *testing.T) {
	drivers := map[string]time.Duration{Supervise: 5 * time.Minute, "patrol": time.Minute}
	for _, c := range []struct {
		claim    string
		declared map[string]time.Duration
		beats    []Beat
		ended    int64 // of supervise, in Unix milliseconds; 0 for never
		want     []Cadence
	}{
		{"what is declared is watched, in order", map[string]time.Duration{"b": time.Second, "a": time.Minute}, nil, 0, []Cadence{{"a", 60000}, {"b", 1000}}},
		{"a driver that never beat is not", nil, nil, 0, nil},
		{"one that did is, at its own interval", nil, []Beat{{Name: Supervise}}, 0, []Cadence{{Supervise, 300000}}},
		{"unless it is declared", map[string]time.Duration{Supervise: time.Hour}, []Beat{{Name: Supervise}}, 0, []Cadence{{Supervise, 3600000}}},
		{"one whose interval nobody knows is not", nil, []Beat{{Name: Dispatcher}}, 0, nil},
		{"the interval that its newest beat states is its own", nil, []Beat{{Name: Supervise, AtMS: 1, IntervalMS: 7}, {Name: Supervise, AtMS: 3, IntervalMS: 9}, {Name: Supervise, AtMS: 2, IntervalMS: 8}}, 0, []Cadence{{Supervise, 9}}},
		{"where it can be one", nil, []Beat{{Name: Supervise, IntervalMS: -1}}, 0, []Cadence{{Supervise, 300000}}},
		{"at most", nil, []Beat{{Name: Supervise, IntervalMS: maxIntervalMS + 1}}, 0, []Cadence{{Supervise, 300000}}},
		{"what is declared goes before", map[string]time.Duration{Supervise: time.Hour}, []Beat{{Name: Supervise, IntervalMS: 9}}, 0, []Cadence{{Supervise, 3600000}}},
		{"one that was stopped after it beat is not watched", nil, []Beat{{Name: Supervise, AtMS: 3}, {Name: Supervise, AtMS: 2}}, 3, nil},
		{"one that has beaten since is", nil, []Beat{{Name: Supervise, AtMS: 1}, {Name: Supervise, AtMS: 4}}, 3, []Cadence{{Supervise, 300000}}},
		{"nor does a stop quiet what is declared", map[string]time.Duration{Supervise: time.Hour}, []Beat{{Name: Supervise, AtMS: 1}}, 3, []Cadence{{Supervise, 3600000}}},
		{"and no other name", nil, []Beat{{Name: "patrol"}}, 0, nil},
	} {
		ended := map[string]int64{}
		if c.ended != 0 {
			ended[Supervise] = c.ended
		}
		if got := Panel(c.declared, drivers, c.beats, ended); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.claim, got, c.want)
		}
	}
}

// The answer does not depend on the order of the nodes, a beat more never
// makes a name look worse, and a beat from the future changes no outcome.
func TestFoldOverNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		beat := rapid.Custom(func(t *rapid.T) Beat {
			return Beat{
				Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"),
				AtMS: now - minute*rapid.Int64Range(-3, 40).Draw(t, "ago"),
				Node: rapid.SampledFrom([]string{"n1", "n2", "n3"}).Draw(t, "node"),
			}
		})
		ev := Evidence{NowMS: now, Cadences: []Cadence{{"a", minute}, {"b", 10 * minute}}, Beats: rapid.SliceOf(beat).Draw(t, "beats")}
		v := Decide(ev)
		shuffled := ev
		shuffled.Beats = rapid.Permutation(ev.Beats).Draw(t, "order")
		if got, want := Decide(shuffled).String(), v.String(); got != want {
			t.Fatalf("in another order %s, want %s", got, want)
		}
		more := ev
		more.Beats = append(slices.Clone(ev.Beats), beat.Draw(t, "more"))
		for i, m := range Decide(more).Beats {
			if worse(v.Beats[i].Outcome, m.Outcome) != v.Beats[i].Outcome {
				t.Fatalf("one beat more makes %s of %s", m.Outcome, v.Beats[i].Outcome)
			}
		}
		future := ev
		future.Beats = append(slices.Clone(ev.Beats), Beat{Name: "a", AtMS: now + minute + rapid.Int64Range(1, math.MaxInt64-now-minute).Draw(t, "ahead")})
		if got := Decide(future); got.Outcome != v.Outcome || got.Beats[0].Outcome != v.Beats[0].Outcome {
			t.Fatalf("a beat from the future makes %s of %s", got, v)
		}
	})
}
