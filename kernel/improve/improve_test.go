package improve

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// change is one that is kept, altered.
func change(alter func(*Evidence)) Evidence {
	ev := Evidence{SuitePassed: true, TruthClean: true, Work: 5, Baseline: 4, Policy: DefaultPolicy()}
	alter(&ev)
	return ev
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		claim   string
		alter   func(*Evidence)
		want    Outcome
		cause   Cause
		reverts int64
	}{
		{"more is kept", func(*Evidence) {}, Keep, "", 0},
		{"as much is not", func(ev *Evidence) { ev.Work = 4 }, Revert, NoImprovement, 1},
		{"less is not", func(ev *Evidence) { ev.Work = 3 }, Revert, NoImprovement, 1},
		{"a red suite undoes any gain", func(ev *Evidence) { ev.SuitePassed, ev.Work = false, 99 }, Revert, Regressed, 1},
		{"so does a claim that does not hold", func(ev *Evidence) { ev.TruthClean, ev.Work = false, 99 }, Revert, Regressed, 1},
		{"a regression is told before a standstill", func(ev *Evidence) { ev.TruthClean, ev.Work = false, 0 }, Revert, Regressed, 1},
		{"the second revert is not the third", func(ev *Evidence) { ev.Work, ev.Reverts = 4, 1 }, Revert, NoImprovement, 2},
		{"the third escalates, and keeps its cause", func(ev *Evidence) { ev.Work, ev.Reverts = 4, 2 }, Escalate, NoImprovement, 3},
		{"and so does every one after it", func(ev *Evidence) { ev.SuitePassed, ev.Reverts = false, 7 }, Escalate, Regressed, 8},
		{"a gain heals, also then", func(ev *Evidence) { ev.Reverts = 7 }, Keep, "", 0},
		{"the first may be enough", func(ev *Evidence) { ev.Work, ev.Policy.MaxReverts = 0, 1 }, Escalate, NoImprovement, 1},
		{"what the worker says is not read", func(ev *Evidence) { ev.Work, ev.Narrated = 4, "a great gain" }, Revert, NoImprovement, 1},
		{"a count does not come round", func(ev *Evidence) { ev.Work, ev.Reverts = 0, math.MaxInt64 }, Escalate, NoImprovement, math.MaxInt64},
		{"tokens are no matter without a floor", func(ev *Evidence) { ev.Tokens = 1e9 }, Keep, "", 0},
		{"too little for them is wasteful", func(ev *Evidence) { ev.Tokens, ev.Policy.Floor = 1001, 0.001 }, Revert, Wasteful, 1},
		{"the floor itself is enough", func(ev *Evidence) { ev.Tokens, ev.Policy.Floor = 1000, 0.001 }, Keep, "", 0},
		{"few are not judged", func(ev *Evidence) { ev.Tokens, ev.Policy.Floor = 999, 1 }, Keep, "", 0},
		{"as many as are needed are", func(ev *Evidence) { ev.Tokens, ev.Policy.Floor = 1000, 1 }, Revert, Wasteful, 1},
		{"none are never judged", func(ev *Evidence) { ev.Policy.MinTokens, ev.Policy.Floor = 0, 1 }, Keep, "", 0},
		{"waste is not asked for where nothing was gained", func(ev *Evidence) { ev.Work, ev.Tokens, ev.Policy.Floor = 4, 1e6, 1 }, Revert, NoImprovement, 1},
	} {
		v := Decide(change(c.alter))
		exit := map[Outcome]int{Keep: 0, Revert: 3, Escalate: 4}[c.want]
		human := v.Escalation == Human
		if v.Outcome != c.want || v.Cause != c.cause || v.Reverts != c.reverts || human != (c.want == Escalate) || v.ExitCode() != exit || v.Err() != nil || v.Reason == "" {
			t.Errorf("%s: %s, %+v, exit %d", c.claim, v, v, v.ExitCode())
		}
	}
}

func TestD13FloorsThatAreNoNumbersAreNoVerdict(t *testing.T) {
	for _, floor := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.1} {
		v := Decide(change(func(ev *Evidence) { ev.Tokens, ev.Policy.Floor = 5000, floor }))
		if v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), "efficiency_floor") {
			t.Errorf("%g: %s, exit %d", floor, v, v.ExitCode())
		}
	}
}

func TestBadEvidenceIsNoVerdict(t *testing.T) {
	for field, alter := range map[string]func(*Evidence){
		"work is negative":          func(ev *Evidence) { ev.Work = -1 },
		"baseline_work":             func(ev *Evidence) { ev.Baseline = -1 },
		"tokens":                    func(ev *Evidence) { ev.Tokens = -1 },
		"consecutive_reverts":       func(ev *Evidence) { ev.Reverts = -1 },
		"min_tokens_for_efficiency": func(ev *Evidence) { ev.Policy.MinTokens = -1 },
		"max_consecutive_reverts":   func(ev *Evidence) { ev.Policy.MaxReverts = 0 },
	} {
		v := Decide(change(alter))
		if v.Outcome != "" || v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), field) {
			t.Errorf("%s: %s, exit %d", field, v, v.ExitCode())
		}
	}
	if v := (Verdict{}); v.ExitCode() != 2 || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d, %v", v.ExitCode(), v.Err())
	}
}

func TestTheVerdictAsJSON(t *testing.T) {
	got, err := json.Marshal(Decide(change(func(ev *Evidence) { ev.Narrated = "n" })))
	want := `{"verdict":"KEEP","revert_cause":null,"escalation":"NONE","next_consecutive_reverts":0,"reason":"the work is 5, 1 more than the baseline","evidence":{` +
		`"suite_passed":true,"truth_clean":true,"work":5,"baseline_work":4,"tokens":0,"consecutive_reverts":0,"narrated":"n",` +
		`"policy":{"max_consecutive_reverts":3,"efficiency_floor":0,"min_tokens_for_efficiency":1000},"delta":1,"improved":true}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, want := Decide(change(func(ev *Evidence) { ev.SuitePassed, ev.Reverts = false, 2 })).String(), "ESCALATE regressed: the suite did not pass, and reverts in a row: 3 of 3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A loop of which no iteration is proved to have gained anything is stopped
// after as many as the policy allows, whatever it says; one that gains is not.
func TestTheRatchetStopsWhatDoesNotGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := Policy{MaxReverts: rapid.Int64Range(1, 5).Draw(t, "most")}
		var baseline, reverts, idle int64
		for range 20 {
			gain := rapid.Int64Range(0, 1).Draw(t, "gain")
			v := Decide(Evidence{SuitePassed: true, TruthClean: true, Work: baseline + gain, Baseline: baseline, Reverts: reverts, Narrated: "done", Policy: by})
			if idle++; gain > 0 {
				idle, baseline = 0, baseline+gain
			}
			if reverts = v.Reverts; (v.Outcome == Escalate) != (idle >= by.MaxReverts) || (v.Outcome == Keep) != (gain > 0) {
				t.Fatalf("%d iterations without a gain, at most %d: %s", idle, by.MaxReverts, v)
			}
		}
	})
}
