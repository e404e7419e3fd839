package status

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func run(liveness string, change ...func(*Evidence)) Evidence {
	ev := Evidence{
		RunID:     "RID-1",
		Liveness:  Liveness{Verdict: liveness, Reason: "the reason"},
		Declared:  []string{"s2", "s1", "s3"},
		Verified:  []string{"s2", "s1"},
		Region:    []string{"src/**"},
		HasIntent: true,
		Plan:      &Plan{Verdict: "RESUMABLE", Reason: "one is left", RunID: "RID-1", Residual: []string{"s3"}, Verified: []string{"s2", "s1"}},
	}
	for _, c := range change {
		c(&ev)
	}
	return ev
}

func TestTheStatusIsThatOfLiveness(t *testing.T) {
	for claim, c := range map[string]struct {
		ev   Evidence
		want int
	}{
		"who advances is well":                 {run(Advancing), 0},
		"who spins is not":                     {run(Spinning), 3},
		"who stalled even less":                {run(Stalled), 4},
		"no word is no verdict":                {run(""), 2},
		"nor is any other word":                {run("advancing"), 2},
		"nor a run without an id":              {run(Advancing, func(ev *Evidence) { ev.RunID = "" }), 2},
		"nor a page asked for in no known way": {run(Advancing, func(ev *Evidence) { ev.Show = "all" }), 2},
		"nor a stopped run without a plan":     {run(Stalled, func(ev *Evidence) { ev.Plan = nil }), 2},
	} {
		v := Decide(c.ev)
		if v.ExitCode() != c.want || (v.Err() == nil) != (c.want != 2) {
			t.Errorf("%s: %d %v, want %d", claim, v.ExitCode(), v.Err(), c.want)
		}
	}
	if v := (Verdict{}); v.ExitCode() != 2 || v.Err() == nil {
		t.Errorf("nothing decided is %d, %v", v.ExitCode(), v.Err())
	}
}

func TestThePlanIsShownOfWhatStopped(t *testing.T) {
	parked := func(ev *Evidence) { ev.Suspended = true }
	show := func(s Show) func(*Evidence) { return func(ev *Evidence) { ev.Show = s } }
	for claim, c := range map[string]struct {
		ev   Evidence
		want bool
	}{
		"a run that advances has no plan":      {run(Advancing), false},
		"nor has one that spins":               {run(Spinning), false},
		"one that stalled has":                 {run(Stalled), true},
		"and one that is parked":               {run(Advancing, parked), true},
		"and whatever is said to have stopped": {run(Advancing, show(Always)), true},
		"but nothing that is said to live":     {run(Stalled, parked, show(Never)), false},
		"and nothing without an intent":        {run(Stalled, func(ev *Evidence) { ev.HasIntent = false }), false},
	} {
		if v := Decide(c.ev); (v.Resume != nil) != c.want || v.Err() != nil {
			t.Errorf("%s: %+v %v", claim, v.Resume, v.Err())
		}
	}
}

func TestD19StatusCountsWhatIsVerifiedAndDeclared(t *testing.T) {
	for _, c := range []struct {
		claim              string
		declared, verified []string
		want               Progress
	}{
		{"in order of their names", []string{"b", "a", "c"}, []string{"b", "a"}, Progress{2, 3, []string{"a", "b"}, []string{"c"}}},
		{"nothing that was not declared", []string{"a"}, []string{"x", "a", "y"}, Progress{1, 1, []string{"a"}, []string{}}},
		{"each step once", []string{"a", "b"}, []string{"a", "a", "a"}, Progress{1, 2, []string{"a"}, []string{"b"}}},
		{"however often it was declared", []string{"a", "a"}, []string{"a"}, Progress{1, 1, []string{"a"}, []string{}}},
		{"what is left in the order in which it was declared, once", []string{"z", "b", "a", "z"}, []string{"b"}, Progress{1, 3, []string{"b"}, []string{"z", "a"}}},
		{"none of none", nil, []string{"a", "b"}, Progress{0, 0, []string{}, []string{}}},
	} {
		v := Decide(run(Advancing, func(ev *Evidence) { ev.Declared, ev.Verified = c.declared, c.verified }))
		if !reflect.DeepEqual(v.Progress, c.want) {
			t.Errorf("%s: %+v, want %+v", c.claim, v.Progress, c.want)
		}
	}
}

// The keys are a closed list: whoever adds one has to look at where its value
// comes from.
func TestNoFieldOfTheDigestIsAClaim(t *testing.T) {
	data, err := json.Marshal(Decide(run(Stalled, func(ev *Evidence) { ev.Plan.Command = "x"; ev.Liveness.Class = "SILENT" })))
	if err != nil {
		t.Fatal(err)
	}
	var digest any
	if err := json.Unmarshal(data, &digest); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"already_proposed", "commits_since_start", "declared_count", "journal_events_since", "last_heartbeat_age_ms", "left_steps", "liveness",
		"liveness_detail", "now_ms", "process_alive", "progress", "proposed_command", "reason", "reason_class", "region", "residual",
		"resume", "resume_sha", "run_id", "run_started_ms", "schema", "verdict", "verified", "verified_count", "verified_steps",
	}
	if got := keys(digest); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func keys(v any) []string {
	var all []string
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			all = append(append(all, k), keys(inner)...)
		}
	case []any:
		for _, inner := range v {
			all = append(all, keys(inner)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestTheShapeOfTheDigest(t *testing.T) {
	age, alive := int64(5000), false
	ev := run(Stalled)
	ev.Liveness.BeatAgeMS, ev.Liveness.ProcessAlive = &age, &alive
	ev.Liveness.Commits, ev.Liveness.NowMS = 2, 9000
	data, err := json.Marshal(Decide(ev))
	want := `{"schema":1,"run_id":"RID-1","liveness":"STALLED","liveness_detail":{"verdict":"STALLED","reason":"the reason",` +
		`"run_started_ms":0,"now_ms":9000,"commits_since_start":2,"journal_events_since":0,"last_heartbeat_age_ms":5000,"process_alive":false},` +
		`"progress":{"verified_count":2,"declared_count":3,"verified_steps":["s1","s2"],"left_steps":["s3"]},"region":["src/**"],` +
		`"resume":{"verdict":"RESUMABLE","reason":"one is left","run_id":"RID-1","resume_sha":"","residual":["s3"],"verified":["s2","s1"],"already_proposed":false}}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
	data, err = json.Marshal(Decide(Evidence{RunID: "R", Liveness: Liveness{Verdict: Advancing}}))
	for _, part := range []string{`"resume":null`, `"region":[]`, `"verified_steps":[]`, `"left_steps":[]`, `"last_heartbeat_age_ms":null`, `"process_alive":null`} {
		if err != nil || !strings.Contains(string(data), part) {
			t.Errorf("%s, %v: want %s", data, err, part)
		}
	}
}

func TestTheDigestAsText(t *testing.T) {
	ev := run(Stalled)
	ev.Plan.Command = "git dos intent --run-id RID-1"
	ev.Region = []string{"a\x1b[31m"}
	want := "STALLED RID-1: the reason\n  progress: 2 of 3 steps in history\n  done: s1, s2\n  left: s3\n  region: \"a\\x1b[31m\"\n" +
		"  resume: RESUMABLE: one is left\n  next: git dos intent --run-id RID-1"
	if got := Decide(ev).String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	many := run(Advancing, func(ev *Evidence) {
		ev.Declared, ev.Verified, ev.Region = []string{"x\ny"}, nil, nil
		for i := range 30 {
			ev.Declared = append(ev.Declared, fmt.Sprint("s", i))
		}
	})
	want = "ADVANCING RID-1: the reason\n  progress: 0 of 31 steps in history\n" +
		"  left: \"x\\ny\", s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10 and 19 more"
	if got := Decide(many).String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Decide(run("")).String(); !strings.HasPrefix(got, "no verdict: liveness") {
		t.Error(got)
	}
}

// What Decide was given stays the caller's.
func TestTheEvidenceIsNotShared(t *testing.T) {
	ev := run(Stalled)
	v := Decide(ev)
	ev.Region[0], ev.Plan.Verdict = "x", "x"
	if v.Region[0] != "src/**" || v.Resume.Verdict != "RESUMABLE" {
		t.Errorf("%+v", v)
	}
}
