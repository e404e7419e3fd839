package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnread(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a heading without a number":         {"## AUTH AUTH1 — x", noNumber},
		"with a bracket behind the number":   {"## 1) AUTH AUTH1 — x", noNumber},
		"with a bare number":                 {"## 1 AUTH AUTH1 — x", noNumber},
		"of level 1":                         {"# 1. AUTH AUTH1 — x", noLevel},
		"of level 5":                         {"##### 1. AUTH AUTH1 — x", noLevel},
		"with a colon for a dash":            {"## 1. AUTH AUTH1: x", noDash},
		"with nothing behind":                {"## 1. AUTH AUTH1", noDash},
		"with a claim behind":                {"## 1. AUTH S1 SHIPPED", noDash},
		"whose phase begins with its plan":   {"## 1. AUTH AUTH1 log in", noDash},
		"with a glued hyphen":                {"## 1. A A1 -x", noDash},
		"of a plan alone":                    {"## 1. AUTH — x", noPhase},
		"of a phase without a digit":         {"## 1. AUTH setup — x", noPhase},
		"of a phase with a slash":            {"## 3. a/b A/1 - x SHIPPED", noName},
		"of a phase that is too long":        {"## 3. A A" + strings.Repeat("1", 200) + " — x", noName},
		"of a phase with a hidden character": {"## 3. A A1\u200b — x", noName},
		"of a plan that is too long":         {"## 3. " + strings.Repeat("A", 201) + " A1 — x", noName},
		"of a plan that is no text":          {"## 3. A\xff A1 — x", noName},
		"of a claim for nothing":             {"## 3. Sign in — SHIPPED", noPhase},
		"of a claim for one word":            {"## 3. signing — SHIPPED", noPhase},
		"of a phase alone":                   {"## AUTH1 — x", noPlan},
		"of a numbered phase":                {"## 2. Phase 2: x", noPlan},
		"with nothing but the phase":         {"### **P1**", noPlan},
		"prose":                              {"## Notes on AUTH1 — x", ""},
		"prose with a number":                {"## 2. Open questions — x", ""},
		"a product that looks like an id":    {"## S3 storage", ""},
		"a plan in words":                    {"# Sign in", ""},
		"a bullet of another sign":           {"* **AUTH2 — x**", noBullet},
		"and another":                        {"+ **AUTH2 — x**", noBullet},
		"a numbered item":                    {"2. **AUTH2 — x**", noBullet},
		"a task":                             {"- [x] **AUTH2 — x**", noBullet},
		"a task that is not bold":            {"- [ ] AUTH2: x", noBullet},
		"a bullet that is not bold":          {"- AUTH2 — x", noBullet},
		"bold in underscores":                {"- __AUTH2 — x__", noBullet},
		"a claim that is not bold":           {"- AUTH2 SHIPPED", noBullet},
		"a bold id and no dash":              {"- **AUTH2** x", noDash},
		"a colon for a dash":                 {"- **AUTH2: x**", noDash},
		"a claim for a dash":                 {"-**AUTH2 SHIPPED**", noDash},
		"Phase N with a colon":               {"  - **Phase 2: x**", noDash},
		"an id without a digit":              {"- **HALT — x**", noPhase},
		"an id without a letter":             {"- **2 — x**", noPhase},
		"a name with a slash":                {"- **a/A2 — x**", noName},
		"a detail in bold":                   {"- **Files — x**", ""},
		"a detail with a digit in small":     {"- **v2 of it**", ""},
		"a detail in prose":                  {"- AUTH2 needs it", ""},
		"small letters in prose":             {"- sha256: the digest", ""},
		"what is no item":                    {"AUTH2 — x", ""},
		"emphasis is no item":                {"**AUTH2 — x**", ""},
		"a fence":                            {"```\n* **AUTH2 — x**\n```", ""},
		"a plan that is read":                {"## 1. A A1 — x\n- **A2 — y**", ""},
		"a bullet of no plan has a list":     {"- **A2 — y**", ""},
		"the section of a phase that is":     {"## 1. A A1 — x\n### Phase A1: how", ""},
		"the same in another level":          {"## 1. A A1 — x\n#### A1: how", noPlan},
		"the section of a phase that is not": {"## 1. A A1 — x\n### A2: how", noPlan},
	} {
		list, total := Parse([]byte(c.text + "\n")).Unread(9)
		got := ""
		for _, u := range list {
			got += u.Reason
		}
		if got != c.want || total != len(list) {
			t.Errorf("%s: got %q of %d, want %q", name, got, total, c.want)
		}
	}
}

func TestUnreadTellsWhereAndIsBounded(t *testing.T) {
	text := "\n  * **A1 — " + strings.Repeat("x", 300) + "**\r\n" + strings.Repeat("* **A2 — x**\n", 9)
	list, total := Parse([]byte(text)).Unread(2)
	if len(list) != 2 || total != 10 || list[0].Line != 2 || list[1].Line != 3 || len(list[0].Text) != maxTitle || !strings.HasPrefix(list[0].Text, "* **A1") {
		t.Errorf("%d of %d: %+v", len(list), total, list)
	}
	if got := fmt.Sprint(Silent("a")); !strings.Contains(got, noneOfAll) {
		t.Error(got)
	}
}
