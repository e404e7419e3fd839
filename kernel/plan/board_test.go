package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func TestBoard(t *testing.T) {
	for name, c := range map[string]struct {
		claims string
		truth  string
		want   string // claim, truth and divergence of the line, outcome and strict status of the board
	}{
		"claimed and true":                  {"shipped", Shipped, "shipped SHIPPED  AGREES 0"},
		"neither":                           {"open", NotShipped, "open NOT_SHIPPED  AGREES 0"},
		"waiting and not shipped":           {"blocked", NotShipped, "blocked NOT_SHIPPED  AGREES 0"},
		"claimed and not true":              {"shipped", NotShipped, "shipped NOT_SHIPPED OVER_CLAIM DIVERGES 3"},
		"true and not claimed":              {"open", Shipped, "open SHIPPED UNDER_CLAIM DIVERGES 3"},
		"true while it waits":               {"blocked", Shipped, "blocked SHIPPED UNDER_CLAIM DIVERGES 3"},
		"one row of two claims too much":    {"open shipped", NotShipped, "shipped NOT_SHIPPED OVER_CLAIM DIVERGES 3"},
		"one row of two claims too little":  {"shipped open", Shipped, "shipped SHIPPED UNDER_CLAIM DIVERGES 3"},
		"both rows agree":                   {"shipped shipped", Shipped, "shipped SHIPPED  AGREES 0"},
		"blocked outweighs open":            {"open blocked open", NotShipped, "blocked NOT_SHIPPED  AGREES 0"},
		"unknown is no agreement":           {"open", Indeterminate, "open INDETERMINATE  INDETERMINATE 2"},
		"nor is it a divergence":            {"shipped", Indeterminate, "shipped INDETERMINATE  INDETERMINATE 2"},
		"a truth nobody decided is unknown": {"open", "", "open INDETERMINATE  INDETERMINATE 2"},
		"and so is a word nobody knows":     {"shipped", "MAYBE", "shipped INDETERMINATE  INDETERMINATE 2"},
	} {
		u := Unit{Plan: "A", Phase: "A1"}
		for i, claim := range strings.Fields(c.claims) {
			u.Places = append(u.Places, Place{File: "p", Line: i + 1, Claim: Claim(claim)})
		}
		b := Decide([]Unit{u}, []Truth{{Outcome: c.truth}})
		l := b.Units[0]
		got := fmt.Sprintf("%s %s %s %s %d", l.Claim, l.Truth, l.Divergence, b.Outcome, b.Strict().ExitCode())
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if b.ExitCode() != verdict.Yes {
			t.Errorf("%s: status %d of a board that is not strict", name, b.ExitCode())
		}
	}
}

func TestBoardCountsAndWeighs(t *testing.T) {
	shipped := []Place{{File: "p", Line: 1, Claim: ClaimShipped}}
	open := []Place{{File: "p", Line: 2, Claim: ClaimOpen}}
	units := []Unit{{"A", "A1", shipped}, {"A", "A2", open}, {"A", "A3", open}}
	b := Decide(units, []Truth{{Outcome: NotShipped}, {Outcome: Shipped}})
	if b.OverClaims != 1 || b.UnderClaims != 1 || b.Unknowns != 1 || b.Outcome != Unknown {
		t.Errorf("a unit without a truth: %+v", b)
	}
	if b.Strict().ExitCode() != verdict.NoVerdict {
		t.Error("a divergence hides what is unknown")
	}
	if b := Decide(nil, nil); b.Outcome != Nothing || b.Strict().ExitCode() != verdict.NoVerdict || b.ExitCode() != verdict.Yes {
		t.Errorf("no unit at all: %+v", b)
	}
	if code := (Board{}).ExitCode(); code != verdict.NoVerdict {
		t.Errorf("the zero board answers %d", code)
	}
}

func TestBoardText(t *testing.T) {
	var rows []Place
	for i := range 7 {
		rows = append(rows, Place{File: "a", Line: i + 1, Phase: "A1", Claim: ClaimShipped})
	}
	b := Decide([]Unit{{"A", "A1", rows}, {"A", "A2", rows[:1]}}, []Truth{{Outcome: NotShipped, Reason: "no commit names it"}, {Outcome: Shipped, Reason: "x"}})
	b.Ref, b.Files, b.Loose = "refs/heads/main", []string{"a", "b", "c"}, []Place{{File: "b", Line: 3, Phase: "V2"}}
	b.UnreadTotal, b.Unread = 8, []Unread{{"b", 4, "* **V3", "no"}, {"b", 5, "", "no"}, {"b", 6, "", "no"}, {"b", 7, "", "no"}, {"b", 8, "", "no"}, {"b", 9, "", "no"}, Silent("c")}
	want := `DIVERGES 2 units of 3 plan files on refs/heads/main: 1 over-claimed, 0 under-claimed, 0 unknown
  OVER_CLAIM   shipped  NOT_SHIPPED    A A1  a:1, a:2, a:3, a:4, a:5, and 2 more: no commit names it
  -            shipped  SHIPPED        A A2  a:1
  8 headings or bullets not read:
    b:4: no: * **V3
    b:5: no: 
    b:6: no: 
    b:7: no: 
    b:8: no: 
    and 3 more
  without a phase in a form that is read: c
  under no plan heading, so of no plan: V2 at b:3
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := Decide(nil, nil).String(); !strings.Contains(got, "there is no plan file") {
		t.Error(got)
	}
	b = Decide(nil, nil)
	if b.Glob = "docs/*.md"; !strings.Contains(b.String(), "there is no plan file: none is named docs/*.md; ") || !strings.HasSuffix(b.Idle(), ": none is named docs/*.md") {
		t.Error(b, b.Idle())
	}
}

func TestIdle(t *testing.T) {
	b := Decide(nil, nil)
	b.Ref = "refs/heads/main"
	for want, files := range map[string][]string{
		"there is no plan file on refs/heads/main":                             nil,
		"2 plan files on refs/heads/main, and no phase in a form that is read": {"a", "b"},
		"1 plan file on refs/heads/main, and no phase in a form that is read":  {"a"},
	} {
		if b.Files = files; b.Idle() != want {
			t.Errorf("got %q, want %q", b.Idle(), want)
		}
	}
	b.Files, b.Loose = []string{"a"}, []Place{{File: "a", Line: 3, Phase: "V2"}}
	if got := b.Idle(); !strings.HasSuffix(got, "; under no plan heading: V2 at a:3") {
		t.Error(got)
	}
	b.Unread, b.UnreadTotal = []Unread{Silent("a"), {"a", 4, "* **V3", "no"}}, 1
	if got := b.Idle(); !strings.HasSuffix(got, "; 1 heading or bullet not read, the first a:4: no: * **V3") {
		t.Error(got)
	}
}
