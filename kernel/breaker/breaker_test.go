package breaker

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func judge(row, all int64, e Event) Verdict {
	return Decide(Evidence{Counts{row, all}, e, DefaultPolicy()})
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		claim string
		got   Verdict
		want  Outcome
		on    Rung
		after Counts
	}{
		{"nothing failed", judge(0, 0, Nothing), Closed, "", Counts{0, 0}},
		{"two in a row are not three", judge(2, 2, Nothing), Closed, "", Counts{2, 2}},
		{"three are", judge(3, 3, Nothing), Open, Consecutive, Counts{3, 3}},
		{"the failure itself is counted", judge(2, 2, Failure), Open, Consecutive, Counts{3, 3}},
		{"a success ends the row and keeps the total", judge(9, 9, Success), Closed, "", Counts{0, 9}},
		{"the total opens it without a row", judge(0, 20, Nothing), Open, Total, Counts{0, 20}},
		{"and no success closes it then", judge(5, 20, Success), Open, Total, Counts{0, 20}},
		{"the row is told first", judge(3, 20, Nothing), Open, Consecutive, Counts{3, 20}},
		{"a row may be longer than a total nobody counted", judge(5, 0, Nothing), Open, Consecutive, Counts{5, 0}},
		{"a row of any length is fine where it has no maximum", Decide(Evidence{Counts{99, 5}, Nothing, Policy{0, 6, Nobody}}), Closed, "", Counts{99, 5}},
		{"so is any total", Decide(Evidence{Counts{0, 999}, Nothing, Policy{1, 0, Nobody}}), Closed, "", Counts{0, 999}},
		{"a count does not come round", judge(math.MaxInt64, math.MaxInt64, Failure), Open, Consecutive, Counts{math.MaxInt64, math.MaxInt64}},
	} {
		exit := map[Outcome]int{Closed: 0, Open: 3}[c.want]
		if v := c.got; v.Outcome != c.want || v.TrippedOn != c.on || v.Counts != c.after || v.ExitCode() != exit || v.Err() != nil || v.Reason == "" {
			t.Errorf("%s: %+v, exit %d", c.claim, v, v.ExitCode())
		}
	}
}

func TestOnlyAnOpenBreakerIsEscalated(t *testing.T) {
	for _, whom := range []Whom{Nobody, Judge, Human} {
		by := Policy{3, 0, whom}
		if v := Decide(Evidence{Counts{2, 2}, Nothing, by}); v.Escalation != Nobody {
			t.Errorf("%s: closed, and shown to %s", whom, v.Escalation)
		}
		if v := Decide(Evidence{Counts{2, 2}, Failure, by}); v.Escalation != whom {
			t.Errorf("%s: open, and shown to %s", whom, v.Escalation)
		}
	}
}

func TestBadEvidenceIsNoVerdict(t *testing.T) {
	good := DefaultPolicy()
	for field, ev := range map[string]Evidence{
		"consecutive is negative":     {Counts{-1, 0}, Nothing, good},
		"total is negative":           {Counts{0, -1}, Success, good},
		"max_consecutive is negative": {Counts{}, Nothing, Policy{-1, 1, Nobody}},
		"max_total is negative":       {Counts{}, Nothing, Policy{1, -1, Nobody}},
		"both 0":                      {Counts{}, Nothing, Policy{0, 0, Nobody}},
		"on_trip":                     {Counts{}, Nothing, Policy{1, 1, "human"}},
		"event":                       {Counts{}, "FAILURE", good},
	} {
		v := Decide(ev)
		if v.Outcome != "" || v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), field) {
			t.Errorf("%s: %s, exit %d", field, v, v.ExitCode())
		}
	}
	if v := (Verdict{}); v.ExitCode() != 2 || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d, %v", v.ExitCode(), v.Err())
	}
}

func TestTheVerdictAsJSON(t *testing.T) {
	for want, v := range map[string]Verdict{
		`{"state":"CLOSED","escalation":"NONE","tripped_on":null,"counts":{"consecutive":0,"total":1},"reason":"failures in a row: 0, at all: 1"}`:          judge(1, 1, Success),
		`{"state":"OPEN","escalation":"NONE","tripped_on":"total","counts":{"consecutive":1,"total":20},"reason":"failures at all: 20, and 20 are enough"}`: judge(0, 19, Failure),
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	if got, want := Decide(Evidence{Counts{3, 3}, Nothing, Policy{3, 0, Human}}).String(), "OPEN: failures in a row: 3, and 3 are enough\n  escalated to HUMAN"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever happens in between, so many failures at all open it for good.
func TestTheTotalIsNeverHealed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := Policy{MaxTotal: rapid.Int64Range(1, 9).Draw(t, "most"), OnTrip: Human}
		var n Counts
		failures := int64(0)
		for _, e := range rapid.SliceOf(rapid.SampledFrom([]Event{Nothing, Failure, Success})).Draw(t, "events") {
			if e == Failure {
				failures++
			}
			v := Decide(Evidence{n, e, by})
			n = v.Counts
			if open := v.Outcome == Open; open != (failures >= by.MaxTotal) {
				t.Fatalf("%d failures of %d: %s", failures, by.MaxTotal, v)
			}
		}
	})
}
