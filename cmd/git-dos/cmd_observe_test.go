package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
)

func TestObserveFolds(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	row := func(node string, seq uint64, minute int, r journal.Row) ledger.Entry {
		r.Op, r.Seq, r.At = firstOf(r.Op, journal.OpVerdict), seq, at.Add(time.Duration(minute)*time.Minute)
		return ledger.Entry{Node: node, Seq: seq, Op: r.Op, At: r.At, Payload: r.Encode()}
	}
	entries := []ledger.Entry{
		row("n1", 1, 1, journal.Row{Verb: "verify", Verdict: "SHIPPED", RunID: "R", Lane: "api"}),
		row("n1", 2, 5, journal.Row{Verb: "verify", Verdict: "NOT_SHIPPED", RunID: "Q", Source: "sensor"}),
		row("n1", 3, 6, journal.Row{Op: journal.OpHalt, RunID: "R"}),
		{Node: "n1", Seq: 4, Op: journal.OpVerdict, Payload: []byte(`{"v":9,"op":"VERDICT","seq":4}`)},
		row("n2", 1, 2, journal.Row{Verb: "gate", Verdict: "LIVE", RunID: "R"}),
	}
	for _, c := range []struct {
		claim string
		fold  observeFold
		want  string
	}{
		{"verdicts are counted by verb", observeFold{by: "verb", most: 9}, "3: verify=2 gate=1; verify@n1 gate@n2 verify@n1"},
		{"by lane, those of none together", observeFold{by: "lane", most: 0}, "3: =2 api=1; "},
		{"by source, the kernel's by default", observeFold{by: "source", most: 0}, "3: kernel=2 sensor=1; "},
		{"by node", observeFold{by: "node", most: 0}, "3: n1=2 n2=1; "},
		{"the newest of all nodes are shown", observeFold{by: "verb", most: 1}, "3: verify=2 gate=1; verify@n1"},
		{"one run's alone", observeFold{by: "verdict", run: "R", most: 9}, "2: LIVE=1 SHIPPED=1; verify@n1 gate@n2"},
		{"one verb's alone", observeFold{by: "verdict", verb: "gate", most: 9}, "1: LIVE=1; gate@n2"},
	} {
		c.fold.groups = map[string]*observeGroup{}
		for _, e := range entries {
			c.fold.visit(e)
		}
		a := c.fold.answer()
		var groups, rows []string
		for _, g := range a.Groups {
			groups = append(groups, fmt.Sprintf("%s=%d", g.Key, g.Count))
		}
		for _, r := range a.Rows {
			rows = append(rows, r.Verb+"@"+r.Node)
		}
		if got := fmt.Sprintf("%d: %s; %s", a.Total, strings.Join(groups, " "), strings.Join(rows, " ")); got != c.want || c.fold.doubts != 1 {
			t.Errorf("%s: %s (%d doubts), want %s", c.claim, got, c.fold.doubts, c.want)
		}
	}
}

// Neither the newest rows nor the groups grow with the ledger.
func TestObserveIsBounded(t *testing.T) {
	o := observeFold{by: "subject", most: 5, groups: map[string]*observeGroup{}}
	for i := range maxObserveGroups + 100 {
		o.add(observeRow{At: time.Unix(int64(i), 0), Seq: uint64(i), Subject: fmt.Sprint(i)})
		if len(o.rows) > 2*o.most+1000 {
			t.Fatalf("%d rows are held", len(o.rows))
		}
	}
	a := o.answer()
	if len(a.Groups) != maxObserveGroups || a.More != 100 || len(a.Rows) != 5 || a.Rows[4].Seq != maxObserveGroups+99 {
		t.Errorf("%d groups, %d more, rows %v", len(a.Groups), a.More, a.Rows)
	}
}

// A story keeps the order within a ref, whatever its clock says.
func TestLogMerges(t *testing.T) {
	e := func(name string, minute int) logEntry {
		return logEntry{Text: name, At: time.Unix(int64(minute*60), 0)}
	}
	s := logTale{limit: 4}
	s.merge([]logEntry{e("a1", 1), e("a9", 9), e("a3", 3)})
	s.merge([]logEntry{e("b2", 2), e("b5", 5)})
	var words []string
	for _, x := range s.entries {
		words = append(words, x.Text)
	}
	if got := strings.Join(words, " "); got != "b2 b5 a9 a3" || !s.cut {
		t.Errorf("%s, cut %t", got, s.cut)
	}
}
