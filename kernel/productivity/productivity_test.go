package productivity

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func judge(deltas ...int64) Verdict { return Decide(Evidence{Deltas: deltas, Policy: DefaultPolicy()}) }

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		claim string
		got   Verdict
		want  Outcome
		exit  int
	}{
		{"no step is no reason to stop", judge(), Productive, 0},
		{"two steps are too few to judge", judge(0, 0), Productive, 0},
		{"a step that adds nothing stalls", judge(900, 900, 0), Stalled, 4},
		{"also after lean ones", judge(1, 1, 0), Stalled, 4},
		{"a stall is over with the next step", judge(900, 0, 900), Productive, 0},
		{"two lean steps diminish", judge(900, 499, 499), Diminishing, 3},
		{"one does not", judge(900, 900, 499), Productive, 0},
		{"nor one before a good one", judge(900, 499, 500), Productive, 0},
		{"the floor itself is enough", judge(900, 500, 499), Productive, 0},
		{"nothing before a lean step is lean too", judge(900, 0, 1), Diminishing, 3},
		{"only the last two are looked at", judge(0, 0, 0, 900, 900), Productive, 0},
		{"one step may be judged where the policy says so", Decide(Evidence{[]int64{0}, Policy{1, 500}}), Stalled, 4},
		{"but it alone diminishes nothing", Decide(Evidence{[]int64{1}, Policy{1, 500}}), Productive, 0},
		{"not one step is never judged", Decide(Evidence{nil, Policy{0, 500}}), Productive, 0},
		{"without a floor nothing is lean", Decide(Evidence{[]int64{1, 1, 1}, Policy{3, 0}}), Productive, 0},
		{"and nothing is still nothing", Decide(Evidence{[]int64{1, 1, 0}, Policy{3, 0}}), Stalled, 4},
	} {
		if c.got.Outcome != c.want || c.got.ExitCode() != c.exit || c.got.Err() != nil || c.got.Reason == "" {
			t.Errorf("%s: %s, exit %d; want %s, %d", c.claim, c.got, c.got.ExitCode(), c.want, c.exit)
		}
	}
}

func TestBadNumbersAreNoVerdict(t *testing.T) {
	for field, v := range map[string]Verdict{
		"deltas[1]": judge(1, -1, 5, 5),
		"min_steps": Decide(Evidence{[]int64{1}, Policy{-1, 500}}),
		"floor":     Decide(Evidence{[]int64{1}, Policy{3, -1}}),
	} {
		if v.Outcome != "" || v.ExitCode() != verdict.NoVerdict || v.Err() == nil || !strings.Contains(v.Err().Error(), field) {
			t.Errorf("%s: %s, exit %d", field, v, v.ExitCode())
		}
	}
	if v := (Verdict{}); v.ExitCode() != verdict.NoVerdict || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d, %v", v.ExitCode(), v.Err())
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"NaN", "1.5", "1e3", "", " 1", "Inf", "0x10", "99999999999999999999", "-1", "null", "true"} {
		if _, err := Parse("deltas", []string{"5", bad}); err == nil || !strings.Contains(err.Error(), "deltas[1]") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if list, err := Parse("deltas", []string{"0", "9223372036854775807"}); err != nil || len(list) != 2 || list[1] != math.MaxInt64 {
		t.Errorf("%v, %v", list, err)
	}
	for n, fits := range map[int]bool{maxNumbers: true, maxNumbers + 1: false} {
		if _, err := Parse("deltas", slices.Repeat([]string{"1"}, n)); (err == nil) != fits {
			t.Errorf("a row of %d: %v", n, err)
		}
	}
}

func TestTheVerdictAsJSON(t *testing.T) {
	data, err := json.Marshal(Decide(Evidence{Policy: DefaultPolicy()}))
	want := `{"verdict":"PRODUCTIVE","reason":"0 steps, fewer than the 3 that are judged","evidence":{"deltas":[],"policy":{"min_steps":3,"floor":500}}}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
	if got, want := judge(900, 499, 498).String(), "DIMINISHING: the last two steps added 499 and 498, less than 500 each"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func trend(t *testing.T, left ...int64) Trend {
	t.Helper()
	got, err := Converge(left, DefaultRounds())
	if err != nil {
		t.Fatalf("%v: %v", left, err)
	}
	return got
}

func TestConverge(t *testing.T) {
	for _, c := range []struct {
		claim string
		left  []int64
		want  Trend
	}{
		{"less and less converges", []int64{9, 7, 4, 1}, Converging},
		{"so does a plateau on the way down", []int64{9, 4, 4, 1}, Converging},
		{"a rise that ends below everything converges", []int64{5, 6, 7, 4}, Converging},
		{"a rise that ends at the best so far does not", []int64{5, 6, 7, 5}, Thrashing},
		{"up and down thrashes", []int64{5, 3, 5, 3}, Thrashing},
		{"more and more thrashes", []int64{1, 2, 3, 4}, Thrashing},
		{"a rise of long ago is forgotten", []int64{1, 9, 8, 7, 6}, Converging},
		{"four equal rounds starve", []int64{9, 4, 4, 4, 4}, Starved},
		{"three do not", []int64{9, 4, 4, 4}, Converging},
		{"nothing left converges, whatever went before", []int64{0, 9, 0, 9, 0}, Converging},
		{"four times nothing is no famine", []int64{0, 0, 0, 0}, Converging},
	} {
		if got := trend(t, c.left...); got != c.want {
			t.Errorf("%s: %s, want %s", c.claim, got, c.want)
		}
	}
	if got, err := Converge([]int64{9, 5, 5}, Rounds{Window: 2, MaxNonconverging: 2}); err != nil || got != Starved {
		t.Errorf("a narrower window: %s, %v", got, err)
	}
	if got, err := Converge([]int64{5, 5, 5}, Rounds{Window: 9, MaxNonconverging: 2}); err != nil || got != Starved {
		t.Errorf("a window wider than the rounds: %s, %v", got, err)
	}
}

func TestD22TwoEqualRoundsDoNotStarve(t *testing.T) {
	for _, few := range [][]int64{{}, {5}, {5, 5}, {5, 5, 5}, {5, 6}, {5, 3, 5}, {5, 4, 3}} {
		if got := trend(t, few...); got != Insufficient {
			t.Errorf("%v: %s, want INSUFFICIENT", few, got)
		}
	}
	for _, done := range [][]int64{{0}, {5, 0}, {5, 5, 0}} {
		if got := trend(t, done...); got != Converging {
			t.Errorf("%v: %s, want CONVERGING", done, got)
		}
	}
	if got := trend(t, 5, 5, 5, 5); got != Starved {
		t.Errorf("four equal rounds: %s, want STARVED", got)
	}
}

func TestBadRounds(t *testing.T) {
	for field, c := range map[string]struct {
		left []int64
		by   Rounds
	}{
		"residual[1]":       {[]int64{1, -1, 2, 3}, DefaultRounds()},
		"window":            {[]int64{1, 2, 3, 4}, Rounds{1, 3}},
		"max_nonconverging": {[]int64{1, 2, 3, 4}, Rounds{4, 0}},
	} {
		if got, err := Converge(c.left, c.by); got != "" || err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %q, %v", field, got, err)
		}
	}
}

// Nothing that happened before the rounds that are looked at matters, and a
// loop whose rounds leave less each time is never stopped.
func TestConvergeForgetsAndIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		round := rapid.Int64Range(0, 6)
		past, last := rapid.SliceOf(round).Draw(t, "past"), rapid.SliceOfN(round, 4, 4).Draw(t, "last")
		long, err := Converge(append(past, last...), DefaultRounds())
		short, err2 := Converge(last, DefaultRounds())
		if long != short || err != nil || err2 != nil {
			t.Fatalf("%s with the past, %s without it: %v, %v", long, short, err, err2)
		}
		falling := []int64{}
		for left := rapid.Int64Range(20, 40).Draw(t, "start"); len(falling) < 6; left -= rapid.Int64Range(1, 3).Draw(t, "step") {
			falling = append(falling, left)
			if got, _ := Converge(falling, DefaultRounds()); got == Thrashing || got == Starved {
				t.Fatalf("%v: %s", falling, got)
			}
		}
	})
}
