package liveness

import (
	"strings"
	"testing"
)

func TestBadEvidenceNamesTheField(t *testing.T) {
	const whole = `"run_started_ms":1,"now_ms":5,"commits_since_start":0`
	for _, c := range []struct{ field, evidence, policy string }{
		{"run_started_ms", `{"now_ms":5,"commits_since_start":0}`, ""},
		{"now_ms", `{"run_started_ms":1,"commits_since_start":0}`, ""},
		{"commits_since_start", `{"run_started_ms":1,"now_ms":5}`, ""},
		{"now_ms", `{"run_started_ms":1,"now_ms":null,"commits_since_start":0}`, ""},
		{"now_ms", `{"run_started_ms":1,"now_ms":NaN,"commits_since_start":0}`, ""},
		{"now_ms", `{"run_started_ms":1,"now_ms":1e999,"commits_since_start":0}`, ""},
		{"now_ms", `{"run_started_ms":1,"now_ms":99999999999999999999,"commits_since_start":0}`, ""},
		{"now_ms", `{"run_started_ms":1,"now_ms":35184372088832,"commits_since_start":0}`, ""},
		{"run_started_ms", `{"run_started_ms":6,"now_ms":5,"commits_since_start":0}`, ""},
		{"run_started_ms", `{"run_started_ms":-6,"now_ms":5,"commits_since_start":0}`, ""},
		{"commits_since_start", `{"run_started_ms":1,"now_ms":5,"commits_since_start":-1}`, ""},
		{"commits_since_start", `{"run_started_ms":1,"now_ms":5,"commits_since_start":"1"}`, ""},
		{"last_heartbeat_age_ms", `{` + whole + `,"last_heartbeat_age_ms":1.5}`, ""},
		{"last_heartbeat_age_ms", `{` + whole + `,"last_heartbeat_age_ms":-1}`, ""},
		{"last_heartbeat_age_ms", `{` + whole + `,"last_heartbeat_age_ms":Infinity}`, ""},
		{"last_heartbeat_age_ms", `{` + whole + `,"last_heartbeat_age_ms":1,"last_heartbeat_age_ms":2}`, ""},
		{"journal_events_since", `{` + whole + `,"journal_events_since":-1}`, ""},
		{"journal_events_since", `{` + whole + `,"journal_events_since":null}`, ""},
		{"last_progress_age_ms", `{` + whole + `,"last_progress_age_ms":-1}`, ""},
		{"tokens_spent_since", `{` + whole + `,"tokens_spent_since":-1}`, ""},
		{"skewed_ms", `{` + whole + `,"skewed_ms":5}`, ""},
		{"process_alive", `{` + whole + `,"process_alive":"false"}`, ""},
		{"workspace", `{` + whole + `,"workspace":0}`, ""},
		{"finished", `{` + whole + `,"finished":null}`, ""},
		{`"comits", which nothing reads`, `{` + whole + `,"comits":1}`, ""},
		{`"policy", which nothing reads`, `{` + whole + `,"policy":{}}`, ""},
		{"grace_ms", `{` + whole + `}`, `{"grace_ms":-1}`},
		{"spin_ms", `{` + whole + `}`, `{"spin_ms":0.5}`},
		{"progress_window_ms", `{` + whole + `}`, `{"progress_window_ms":null}`},
		{"progress_window_ms", `{` + whole + `}`, `{"progress_window_ms":-1}`},
		{`"grace", which nothing reads`, `{` + whole + `}`, `{"grace":1}`},
		{"not a JSON object", `[]`, ""},
		{"not a JSON object", `null`, ""},
		{"not a JSON object", ``, ""},
		{"not JSON", `{` + whole, ""},
		{"not JSON", `{` + whole + ` x`, ""},
		{"more than one", `{` + whole + `}{}`, ""},
		{"longer than", `{` + whole + strings.Repeat(" ", maxEvidence) + `}`, ""},
	} {
		policy := []byte(c.policy)
		if c.policy == "" {
			policy = nil
		}
		ev, err := Decode([]byte(c.evidence), policy)
		if err == nil || !strings.Contains(err.Error(), c.field) || ev != (Evidence{}) {
			t.Errorf("%.120s %s: %v, want an error that says %s", c.evidence, c.policy, err, c.field)
		}
	}
}

func TestDecode(t *testing.T) {
	ev, err := Decode([]byte(`{"run_started_ms":1,"now_ms":5,"commits_since_start":2,"last_heartbeat_age_ms":null,"process_alive":false,"workspace":true,"finished":true}`), []byte(`{"grace_ms":0}`))
	if err != nil || ev.Commits != 2 || ev.BeatAgeMS != nil || !is(ev.ProcessAlive, false) || !is(ev.Workspace, true) || !ev.Finished {
		t.Fatalf("%+v, %v", ev, err)
	}
	if want := (Policy{0, 15 * minute, hour}); ev.Policy != want {
		t.Errorf("%+v, want %+v: what is not stated is the default", ev.Policy, want)
	}
}

// Evidence that was not decoded is held to the same.
func TestDecideChecks(t *testing.T) {
	for field, ev := range map[string]Evidence{
		"last_heartbeat_age_ms": with(beat(-1)),
		"commits_since_start":   with(commits(-1)),
		"skewed_ms":             with(skewed(0)),
		"spin_ms":               with(func(ev *Evidence) { ev.Policy.SpinMS = -1 }),
	} {
		v := Decide(ev)
		if v.Outcome != "" || v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), field) {
			t.Errorf("%s: %s, exit %d", field, v, v.ExitCode())
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"run_started_ms":1,"now_ms":5,"commits_since_start":0,"last_heartbeat_age_ms":3}`), []byte(`{"spin_ms":1}`))
	f.Add([]byte(`{"now_ms":`), []byte(`null`))
	f.Fuzz(func(t *testing.T, evidence, policy []byte) {
		if ev, err := Decode(evidence, policy); err == nil && Decide(ev).Err() != nil {
			t.Errorf("%s %s is read and cannot be judged", evidence, policy)
		}
	})
}
