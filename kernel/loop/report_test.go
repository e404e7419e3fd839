package loop

import (
	"strings"
	"testing"
)

func TestD10AReplanIsJudgedByItsCounts(t *testing.T) {
	type counts = map[string]int64
	for _, c := range []struct {
		claim  string
		report ReplanReport
		want   Productivity
	}{
		{"anything that was counted is something", ReplanReport{Counts: counts{"closed": 0, "refilled": 0, "gardened": 1}}, Productive},
		{"the order is no matter", ReplanReport{Counts: counts{"closed": 1, "refilled": 0, "gardened": 0}}, Productive},
		{"counts that are all zero are nothing", ReplanReport{Counts: counts{"closed": 0, "refilled": 0}}, Unproductive},
		{"what was counted stands, skipped or not", ReplanReport{Skipped: true, Counts: counts{"closed": 2}}, Productive},
		{"what was skipped and not counted is nothing", ReplanReport{Skipped: true}, Unproductive},
		{"what was not counted is trusted", ReplanReport{}, Productive},
		{"also where it says so with an empty list", ReplanReport{Counts: counts{}}, Productive},
	} {
		if got, err := c.report.Productivity(); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.claim, got, err)
		}
	}
	if got, err := (ReplanReport{Counts: counts{"closed": 3, "gardened": -1}}).Productivity(); err == nil || got != "" || !strings.Contains(err.Error(), `"gardened"`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAReplanIsSkippedWhereNothingIsNew(t *testing.T) {
	for _, c := range []struct {
		findings, ships int64
		want            bool
	}{{0, 0, true}, {-3, -1, true}, {1, 0, false}, {0, 1, false}, {-3, 1, false}} {
		if got := SkipReplan(c.findings, c.ships); got != c.want {
			t.Errorf("%d findings, %d ships: %t", c.findings, c.ships, got)
		}
	}
}
