package resume

import (
	"encoding/json"
	"testing"
)

func TestCompletedAsksThePlanForward(t *testing.T) {
	half := fold(intent("s1", "s2"), verified("s1", "a"))
	all := Decide(seen(fold(intent("s1"), verified("s1", "a"))))
	for _, c := range []struct {
		claim string
		plan  Verdict
		scope *ScopeCheck
		want  Completion
		exit  int
	}{
		{"a run that is complete is done", all, nil, Done, 0},
		{"when its steps cover the work", all, &ScopeCheck{Covers: true}, Done, 0},
		{"and not when they do not", all, &ScopeCheck{Reason: "docs/ was forgotten"}, Underdeclared, 5},
		{"what is left is not done", Decide(seen(half)), nil, Incomplete, 3},
		{"nor what diverged", Decide(seen(half, others(1))), nil, Incomplete, 3},
		{"whatever the steps cover", Decide(seen(half)), &ScopeCheck{}, Incomplete, 3},
		{"a run without an intent is neither", Decide(seen(fold())), nil, Indeterminate, 4},
		{"without steps nothing is ever done", Decide(seen(fold(intent()))), nil, Incomplete, 3},
		{"no plan is no answer", Verdict{}, nil, "", 2},
	} {
		v := Completed(c.plan, c.scope)
		if v.Outcome != c.want || v.ExitCode() != c.exit || v.IsDone != (c.want == Done) {
			t.Errorf("%s: %+v, exit %d", c.claim, v, v.ExitCode())
		}
	}
	data, err := json.Marshal(Completed(Decide(seen(half)), nil))
	want := `{"state":"INCOMPLETE","reason":"1 of 2 steps are in history without a gap","run_id":"RID-01","residual":["s2"],"verified":["s1"],"declared":["s1","s2"],"is_done":false,"fraction_done":0.5}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
	if data, _ = json.Marshal(Completed(Decide(seen(fold(intent()))), nil)); string(data) != `{"state":"INCOMPLETE","reason":"it declared no steps, so all of it is left","run_id":"RID-01","residual":["the goal"],"verified":[],"declared":[],"is_done":false}` {
		t.Errorf("%s", data)
	}
	if got := Completed(Decide(seen(half)), nil).String(); got != "INCOMPLETE RID-01 (1 of 2): 1 of 2 steps are in history without a gap" {
		t.Error(got)
	}
}

func TestWhatCanBeContinuedIsKept(t *testing.T) {
	half := fold(intent("s1"))
	unread := fold(intent("s1"))
	unread.Corrupt()
	for _, c := range []struct {
		claim string
		plan  Verdict
		want  Reach
	}{
		{"a run that can go on", Decide(seen(half)), Reachable},
		{"one that others overtook", Decide(seen(half, others(1))), Reachable},
		{"one that cannot be read", Decide(seen(unread)), Reachable},
		{"one that nobody judged", Verdict{}, Reachable},
		{"but not one that is complete", Decide(seen(fold(intent("s1"), verified("s1", "a")))), Collectible},
		{"nor one that never said what it was for", Decide(seen(fold())), Collectible},
	} {
		if got := c.plan.Reach(); got != c.want {
			t.Errorf("%s: %s", c.claim, got)
		}
	}
}

func TestRedrive(t *testing.T) {
	for _, c := range []struct {
		claim     string
		anchor    string
		inHistory bool
		want      Redo
	}{
		{"an anchor that history holds", "a", true, GitIdempotent},
		{"one that it lost", "a", false, EnvelopeBreach},
		{"none to lose", "", false, GitIdempotent},
	} {
		if got := Redrive(c.anchor, c.inHistory); got != c.want {
			t.Errorf("%s: %s", c.claim, got)
		}
	}
}
