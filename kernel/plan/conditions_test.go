package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// conditionsOf are those of the phase in a document that lists it.
func conditionsOf(t *testing.T, text, phase string) Conditions {
	t.Helper()
	d := Parse([]byte(text))
	for _, r := range d.Rows() {
		if r.Phase == phase {
			return d.Conditions(r)
		}
	}
	t.Fatalf("%q lists no %s", text, phase)
	return Conditions{}
}

func (c Conditions) words() string {
	var all []string
	for word, is := range map[string]bool{"draft": c.Draft, "gated": c.Gated, "soaking": c.Soaking} {
		if is {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	for _, n := range c.Needs {
		all = append(all, strings.TrimPrefix(n.Plan+"/"+n.Phase, "/"))
	}
	for _, u := range c.Unread {
		all = append(all, "?"+u)
	}
	return strings.Join(all, " ")
}

func TestConditions(t *testing.T) {
	for _, c := range []struct{ claim, text, want string }{
		{"nothing is said", "x", ""},
		{"a draft", "x\nDRAFT", "draft"},
		{"in prose it is none", "a draft", ""},
		{"no longer one", "not DRAFT, never BLOCKED, not yet SOAKING", ""},
		{"blocked", "BLOCKED", "gated"}, {"awaiting", "AWAITING", "gated"}, {"gated", "GATED", "gated"}, {"deferred", "DEFERRED", "gated"},
		{"a soak", "SOAK", "soaking"}, {"soaking", "SOAKING", "soaking"},
		{"all of them", "DRAFT GATED SOAK", "draft gated soaking"},
		{"also where it says SHIPPED", "SHIPPED, SOAKING", "soaking"},
		{"in a fence they are none", "x\n```\nDRAFT GATED\nDepends on: A7\n```", ""},
		{"up to the next phase", "x\n- **A2 — DRAFT**", ""},
		{"even one in a form not read", "x\n* **A2 — DRAFT**\nGATED", ""},
		{"up to the next heading", "x\n### Notes\nDRAFT", ""},
		{"needs", "x\nDepends on: A7", "A7"},
		{"in any case and in bold", "x\n  - **depends on:** `A7`, *A8*.", "A7 A8"},
		{"within a line", "x. Depends on: A7; and A9 is nice", "A7"},
		{"up to a full stop", "x\nDepends on: A7. Then more, and more.", "A7"},
		{"of another plan", "x\nDepends on: PAY/P2, docs/82-plan/liveness, WEB W3", "PAY/P2 docs/82-plan/liveness WEB/W3"},
		{"numbered phases", "x\nDepends on: Phase 2, PAY/Phase 3, WEB Phase 4", "Phase 2 PAY/Phase 3 WEB/Phase 4"},
		{"each once", "x\nDepends on: A7, A7\nDepends on: A7, A8", "A7 A8"},
		{"none", "x\nDepends on: none", ""}, {"nothing", "x\nDepends on: Nothing.", ""}, {"a dash", "x\nDepends on: \u2014", ""}, {"silence", "x\nDepends on:", ""},
		{"what is no name is told", "x\nDepends on: A7 and A8, the weather, A9", "A9 ?A7 and A8 ?the weather"},
		{"a part of a word is no key", "x\nIndepends on: A7", ""},
		{"prose is no key", "x depends on A7", ""},
	} {
		if got := conditionsOf(t, "## 1. A A1 — "+c.text+"\n", "A1").words(); got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
	}
}

func TestNeedsAreBounded(t *testing.T) {
	text := "x\nDepends on: none"
	for i := range maxNeeds + 100 {
		text += fmt.Sprintf(", B%d", i)
	}
	c := conditionsOf(t, "## 1. A A1 — "+text+text+"\n", "A1")
	if len(c.Needs) != maxNeeds || len(c.Unread) != 1 {
		t.Errorf("%d needs, and not read %q", len(c.Needs), c.Unread)
	}
}

func TestConditionsOfASection(t *testing.T) {
	one := "## 1. A A1 — a\n- **A2 — b**\n\n### A2\nGATED. Depends on: A1\n\nIt gates on a long\nsoak.\n\n### A3\nDRAFT\n"
	if got := conditionsOf(t, one, "A2").words(); got != "gated soaking A1" {
		t.Errorf("its section counts: %q", got)
	}
	if got := conditionsOf(t, one, "A1").words(); got != "" {
		t.Errorf("that of another does not: %q", got)
	}
	if got := conditionsOf(t, "## 1. A A1 — a\n- **A2 — b**\n* **A3 — DRAFT**\n", "A2").words(); got != "" {
		t.Errorf("a bullet has no section of its own: %q", got)
	}
	two := "## 1. A A1 — a\n- **A2 — b**\n## 2. B A2 — c\n### A2\nGATED\n"
	if got := conditionsOf(t, two, "A2").words(); got != "" {
		t.Errorf("of two plans nobody knows whose it is: %q", got)
	}
}

func TestADocumentMayBeADraft(t *testing.T) {
	const body = "## 1. A A1 — x\n- **A2 — y**\n"
	for _, c := range []struct {
		front string
		draft bool
	}{
		{"---\nclass: draft\n---\n", true}, {"---\ntitle: x\nPlan_Class: \"DRAFT\"\n---\n", true}, {"---\nstatus: Draft\n---\n", true},
		{"---\r\nstatus: draft\r\n---\r\n", true},
		{"---\nclass: drafty\n---\n", false}, {"---\nclassy: draft\n---\n", false}, {"---\nclass: draft\n", false}, {"x\n---\nclass: draft\n---\n", false}, {"---\n---\nclass: draft\n---\n", false}, {"", false},
	} {
		for _, phase := range []string{"A1", "A2"} {
			if got := conditionsOf(t, c.front+body, phase); got.Draft != c.draft {
				t.Errorf("%q, %s: %+v", c.front, phase, got)
			}
		}
	}
}

func TestConditionsOfARowThatIsNotThere(t *testing.T) {
	d := Parse([]byte("## 1. A A1 — GATED\n"))
	if got := d.Conditions(Row{Plan: "A", Phase: "A9", Line: 7}).words(); got != "" {
		t.Error(got)
	}
}

func TestUnreadMentions(t *testing.T) {
	for text, want := range map[string]bool{"* **A2 — x**": true, "### A2": true, "* a2: y": true, "# 3. A A2": true, "* **A23 — x**": false, "* **A2.1 — x**": false, "": false} {
		if got := (Unread{Text: text}).Mentions("A2"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestCycle(t *testing.T) {
	for _, c := range []struct{ edges, want string }{
		{"a:b b:c", ""},
		{"a:a", "a"},
		{"a:b b:a", "a b"},
		{"a:b b:c c:b", "b c"},
		{"a:b a:c b:d c:d", ""},
		{"a:b b:c c:A", "a b c"},
		{"x:y y:x", ""},
		{"", ""},
	} {
		edges := map[string][]Name{}
		for _, e := range strings.Fields(c.edges) {
			from, to, _ := strings.Cut(e, ":")
			edges[from] = append(edges[from], Name{"p", to})
		}
		key := func(n Name) string { return strings.ToLower(n.Phase) }
		var got []string
		for _, n := range Cycle(Name{"p", "a"}, key, func(n Name) []Name { return edges[key(n)] }) {
			got = append(got, n.Phase)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v, want %q", c.edges, got, c.want)
		}
	}
	// Every unit is looked at once, however many ways lead to it.
	asked := 0
	var n int
	Cycle(Name{"p", "0"}, func(n Name) string { return n.Phase }, func(at Name) (next []Name) {
		asked++
		if fmt.Sscan(at.Phase, &n); n < 40 {
			next = []Name{{"p", fmt.Sprint(n + 1)}, {"p", fmt.Sprint(n + 1)}}
		}
		return next
	})
	if asked != 41 {
		t.Errorf("%d units were asked for, want 41", asked)
	}
}
