package replan

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/replan"
)

func at(hour int) time.Time { return time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC) }

func TestWhatWasTriedLaterTakesAClaimBack(t *testing.T) {
	try := func(outcome string, hour int) journal.Attempt {
		return journal.Attempt{Unit: "A/A1", Outcome: outcome, At: at(hour)}
	}
	for name, c := range map[string]struct {
		tried []journal.Attempt
		ended time.Time
		want  string // what the claims say, in short
	}{
		"nothing":                      {nil, time.Time{}, ""},
		"shipped":                      {[]journal.Attempt{try("shipped", 1)}, time.Time{}, "attempt 01"},
		"shipped twice":                {[]journal.Attempt{try("shipped", 2), try("shipped", 1)}, time.Time{}, "attempt 02"},
		"drained after that":           {[]journal.Attempt{try("shipped", 1), try("drained", 2)}, time.Time{}, ""},
		"drained before":               {[]journal.Attempt{try("shipped", 2), try("unknown", 1)}, time.Time{}, "attempt 02"},
		"both at one time":             {[]journal.Attempt{try("shipped", 1), try("error", 1)}, time.Time{}, ""},
		"a worker":                     {nil, at(3), "worker 03"},
		"a worker, then drained":       {[]journal.Attempt{try("drained", 4)}, at(3), ""},
		"a worker after what drained":  {[]journal.Attempt{try("drained", 2)}, at(3), "worker 03"},
		"a worker, and shipped before": {[]journal.Attempt{try("shipped", 1)}, at(3), "attempt 01 worker 03"},
	} {
		var u unit
		u.ledgers(c.tried, c.ended)
		var got []string
		for _, claim := range u.Claims {
			word := "attempt "
			if strings.HasPrefix(claim, "the worker") {
				word = "worker "
			}
			_, hour, _ := strings.Cut(claim, "2026-01-02T")
			got = append(got, word+hour[:2])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, u.Claims, c.want)
		}
	}
}

func TestAClaimCanBeRecorded(t *testing.T) {
	var u unit
	for _, file := range []string{"a\xff.md", strings.Repeat("ä", 400), "c.md", "c.md", "d.md", "e.md"} {
		u.Rows = append(u.Rows, replan.Row{File: file, Shipped: true})
	}
	u.Rows = append(u.Rows, replan.Row{File: "open.md"})
	u.documents()
	row := journal.Row{Op: journal.OpVerdict, Verb: Verb, Subject: "A/A1", Detail: u.Claimed(), Seq: 1, At: at(1)}
	back, err := journal.Decode(row.Encode())
	if err != nil || back.Detail != u.Claimed() || len(u.Claims) != maxFiles+1 || u.Claims[maxFiles] != "2 more plan documents say SHIPPED" {
		t.Errorf("%q, %v, claims %q", back.Detail, err, u.Claims)
	}
}
