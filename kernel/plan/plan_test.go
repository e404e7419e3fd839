package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func show(rows []Row) string {
	var parts []string
	for _, r := range rows {
		parts = append(parts, fmt.Sprintf("%s/%s %s %d %q", r.Plan, r.Phase, r.Claim, r.Line, r.Title))
	}
	return strings.Join(parts, "; ")
}

func TestRows(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a heading opens a plan with its first phase": {"## 1. AUTH AUTH1 — sign in\n", `AUTH/AUTH1 open 1 "sign in"`},
		"bullets under it add phases":                 {"### 2. AUTH AUTH1 — a\n\n- **AUTH2 — b**\n  text\n- **AUTH3 — c**\n", `AUTH/AUTH1 open 1 "a"; AUTH/AUTH2 open 3 "b"; AUTH/AUTH3 open 5 "c"`},
		"the bold may end before the dash":            {"## 1. A A1 — a\n- **A2** — b\n", `A/A1 open 1 "a"; A/A2 open 2 "b"`},
		"a nested bullet is a phase too":              {"## 1. A A1 — a\n- x\n\t- **A2 — b**\n", `A/A1 open 1 "a"; A/A2 open 3 "b"`},
		"a deeper heading leaves the plan open":       {"## 1. A A1 — a\n### Notes\n- **A2 — b**\n", `A/A1 open 1 "a"; A/A2 open 3 "b"`},
		"a heading of its level closes the plan":      {"## 1. A A1 — a\n## Notes\n- **V2 — b**\n", `A/A1 open 1 "a"`},
		"a higher heading closes the plan":            {"### 1. A A1 — a\n# Notes\n- **V2 — b**\n", `A/A1 open 1 "a"`},
		"an inner plan that closes gives back to the outer": {"## 1. A A1 — a\n### 2. B B1 — b\n- **B2 — b**\n### Notes\n- **A2 — a**\n",
			`A/A1 open 1 "a"; B/B1 open 2 "b"; B/B2 open 3 "b"; A/A2 open 5 "a"`},
		"level 1 opens nothing":             {"# 1. A A1 — a\n", ""},
		"level 5 opens nothing":             {"##### 1. A A1 — a\n", ""},
		"without a number nothing opens":    {"## A A1 — a\n", ""},
		"without a phase nothing opens":     {"## 1. A — a\n- **A2 — b**\n", ""},
		"without a dash nothing opens":      {"## 1. A A1 a\n", ""},
		"a phase needs a digit":             {"## 1. A one — a\n", ""},
		"a phase needs a letter":            {"## 1. A 1 — a\n", ""},
		"a bullet's phase needs both":       {"## 1. A A1 — a\n- **Files — x**\n- **2026 — x**\n", `A/A1 open 1 "a"`},
		"prose with a number opens nothing": {"## 2. Open questions of A1 — a\n", ""},
		"a bullet that is not bold":         {"## 1. A A1 — a\n- A2 — b\n", `A/A1 open 1 "a"`},
		"a bullet of another sign":          {"## 1. A A1 — a\n* **A2 — b**\n", `A/A1 open 1 "a"`},
		"Phase N is a phase":                {"## 1. A Phase 2 — a\n- **Phase 3 — b**\n", `A/Phase 2 open 1 "a"; A/Phase 3 open 2 "b"`},
		"a plan may be a path":              {"## 1. docs/117_x A1 — a\n", `docs/117_x/A1 open 1 "a"`},
		"a phase may not":                   {"## 1. A a/b1 — a\n", ""},
		"emphasis and colons are no name":   {"## 1. **A:** `A1` — a\n", `A/A1 open 1 "a"`},
		"ids keep their inner marks":        {"## 1. A SF1.2-port — a\n- **MG3'-1 — b**\n", `A/SF1.2-port open 1 "a"; A/MG3'-1 open 2 "b"`},
		"other dashes that stand alone": {"## 1. A A1 – a\n- **A2 - b**\n- **A3 -- c**\n- **A4 --- d**\n- **A5 \x97 e**\n",
			`A/A1 open 1 "a"; A/A2 open 2 "b"; A/A3 open 3 "c"; A/A4 open 4 "d"; A/A5 open 5 "e"`},
		"an em dash needs no blanks":        {"## 1. A A1—a\n", `A/A1 open 1 "a"`},
		"a hyphen does":                     {"## 1. A A1 -a\n", ""},
		"four hyphens are no dash":          {"## 1. A A1 ---- a\n", ""},
		"a fence hides what is in it":       {"```\n## 1. A A1 — a\n```\n## 1. B B1 — b\n", `B/B1 open 4 "b"`},
		"a fence that never closes":         {"~~~\n## 1. A A1 — a\n```\n## 1. B B1 — b\n", ""},
		"a shorter fence closes nothing":    {"````\n```\n## 1. A A1 — a\n````\n## 1. B B1 — b\n", `B/B1 open 5 "b"`},
		"a fence with words closes none":    {"```\n``` x\n## 1. A A1 — a\n```\n", ""},
		"code within a line opens no fence": {"```x``` y\n## 1. A A1 — a\n", `A/A1 open 2 "a"`},
		"an indented heading is code":       {"    ## 1. A A1 — a\n", ""},
		"a byte order mark and CRLF":        {"\xef\xbb\xbf## 1. A A1 — a\r\n- **A2 — SHIPPED**\r\n", `A/A1 open 1 "a"; A/A2 shipped 2 "SHIPPED"`},
		"no end to the last line":           {"## 1. A A1 —", `A/A1 open 1 ""`},
		"a separator is no line end":        {"x\u2028## 1. A A1 — a\n", ""},
		"a name no commit could bear":       {"## 1. A\xff A1 — a\n## 2. A A1\u200b — a\n## 3. A " + strings.Repeat("A", 200) + "1 — a\n", ""},
		"a title is clipped at a character": {"## 1. A A1 — " + strings.Repeat("é", 101) + "x\n", `A/A1 open 1 "` + strings.Repeat("é", 100) + `"`},
		"a phase listed twice is two rows":  {"## 1. A A1 — a\n- **A1 — SHIPPED**\n", `A/A1 open 1 "a"; A/A1 shipped 2 "SHIPPED"`},
		"nothing":                           {"", ""},
	} {
		if got := show(Parse([]byte(c.text)).Rows()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestLooseBulletsBelongToNoPlan(t *testing.T) {
	d := Parse([]byte("- **A1 — above any heading**\n## 1. A A2 — a\n- **A3 — b**\n## Notes\n- **V2 — rewrite**\n- **Files — x**\n"))
	if got, want := show(d.Loose()), `/A1  1 "above any heading"; /V2  5 "rewrite"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := show(d.Rows()), `A/A2 open 2 "a"; A/A3 open 3 "b"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestClaims(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Claim
	}{
		"the word":                         {"SHIPPED 2026-01-01", ClaimShipped},
		"in emphasis":                      {"**SHIPPED**.", ClaimShipped},
		"lower case is prose":              {"this shipped", ClaimOpen},
		"part of a word":                   {"UNSHIPPED NOT_SHIPPED SHIPPEDX", ClaimOpen},
		"denied":                           {"NOT SHIPPED, never SHIPPED, not yet SHIPPED, NOT-SHIPPED", ClaimOpen},
		"denied once and claimed once":     {"not yet SHIPPED; SHIPPED", ClaimShipped},
		"waiting":                          {"SOAK", ClaimBlocked},
		"soaking":                          {"SOAKING", ClaimBlocked},
		"blocked":                          {"BLOCKED on x", ClaimBlocked},
		"awaiting":                         {"AWAITING", ClaimBlocked},
		"gated":                            {"GATED", ClaimBlocked},
		"deferred":                         {"DEFERRED", ClaimBlocked},
		"no longer waiting":                {"not BLOCKED", ClaimOpen},
		"waiting words in prose":           {"soak blocked deferred", ClaimOpen},
		"shipped outranks waiting":         {"SOAKING since SHIPPED", ClaimShipped},
		"a fence claims nothing":           {"x\n```\nSHIPPED\n```\n", ClaimOpen},
		"a later line of the text":         {"x\n\nStatus: SHIPPED", ClaimShipped},
		"the next heading is another text": {"x\n### Notes\nSHIPPED", ClaimOpen},
		"the next phase is another text":   {"x\n- **A2 — SHIPPED**", ClaimOpen},
		"even one in a form not read":      {"x\n* **A2 — SHIPPED**\nSHIPPED", ClaimOpen},
		"a task of the phase is its own":   {"x\n- [x] SHIPPED", ClaimShipped},
		"a detail in capitals is its own":  {"x\n- **STATUS — SHIPPED**", ClaimShipped},
		"a bold detail is not":             {"x\n- **Status: SHIPPED**", ClaimShipped},
	} {
		rows := Parse([]byte("## 1. A A1 — " + c.text + "\n")).Rows()
		if len(rows) == 0 || rows[0].Claim != c.want {
			t.Errorf("%s: got %s, want %s", name, show(rows), c.want)
		}
	}
}

// What a plan of very many or very long lines costs is bounded by its length: its
// square would not end within the time that a test may take.
func TestCostIsBounded(t *testing.T) {
	const size = 1 << 20
	for _, unit := range map[string]string{
		"bullets": "- **A1 — x**\n", "details": "- **x**\n", "headings": "#\n", "plan headings": "## 1. A A1 — x\n", "fences": "```\n",
		"a long line": "## 1. A A1 — x ", "dashes": "- **A1 —", "hyphens": "- **A1 -- ", "words": "gates on ", "dots": "...", "paths": "a/b.c ",
		"paragraphs": "gates on\n\n", "zeros": "\x00", "invalid": "\xff\xfe", "stars": "*", "SHIPPED": "not SHIPPED ", "needs": "Depends on: A1, b\n", "names": "Depends on: A1 ", "items": "* **A1 — x**\n", "lists": "- * + 1. ", "numbers": "## 1. A A1\n",
	} {
		text := []byte("## 1. A A1 — x\n### A1\n" + strings.Repeat(unit, size/len(unit)))
		d := Parse(text)
		d.Conditions(d.Rows()[0])
		d.Loose()
		d.Unread(10)
		s, _ := d.Section("A1")
		s.ClaimsShipped()
		s.Soaking()
		s.Files(nil)
		d.Section("Z9")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"## 1. A A1 — a\n- **A2 — b**\n", "### Phase P1\nx/y.go `a/b.c`\n", "```\n# x\n```\n", "\xef\xbb\xbf\r\n- **\xff1 \x97", "- **Phase 2 --"} {
		f.Add([]byte(seed), "A1")
	}
	f.Fuzz(func(t *testing.T, text []byte, phase string) {
		d := Parse(text)
		rows := d.Rows()
		last := 0
		for _, r := range rows {
			if r.Line <= last || !isPlan(r.Plan) || len(r.Title) > maxTitle || r.Claim == "" {
				t.Errorf("%+v", r)
			}
			last = r.Line
		}
		for _, r := range rows[:min(len(rows), 3)] {
			if c := d.Conditions(r); len(c.Needs)+len(c.Unread) > maxNeeds+1 {
				t.Errorf("%d needs", len(c.Needs)+len(c.Unread))
			}
		}
		for _, r := range d.Loose() {
			if r.Plan != "" || slices.ContainsFunc(rows, func(o Row) bool { return o.Line == r.Line }) {
				t.Errorf("%+v is loose", r)
			}
		}
		missed, n := d.Unread(3)
		for _, u := range missed {
			if u.Line < 1 || u.Reason == "" || len(u.Text) > maxTitle || len(missed) > n || slices.ContainsFunc(rows, func(r Row) bool { return r.Line == u.Line }) {
				t.Errorf("%+v of %d is unread", u, n)
			}
		}
		s, ok := d.Section(phase)
		if ok && (s.Line < 1 || !strings.Contains(d.text, s.Text)) {
			t.Errorf("%+v", s)
		}
		for _, file := range s.Files(nil) {
			if !strings.Contains(s.Text, file) || strings.HasPrefix(file, "/") || strings.Contains("/"+file+"/", "/../") {
				t.Errorf("file %q", file)
			}
		}
		s.Soaking()
	})
}
