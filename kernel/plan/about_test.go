package plan

import (
	"strings"
	"testing"
)

func TestWhatADocumentSaysOfAPhaseIsItsRowAndItsSection(t *testing.T) {
	d := Parse([]byte(strings.Join([]string{
		"## 1. AUTH AUTH1 — log in", "in api/login.go", "",
		"- **AUTH2 — log out**", "  as one would", "  - a detail", "- **AUTH3 — other**", "",
		"### AUTH2 in full", "by hand", "",
		"## 2. WEB WEB1 — a page", "words",
	}, "\n")))
	want := map[string]string{
		"AUTH1": "## 1. AUTH AUTH1 — log in\nin api/login.go",
		"AUTH2": "- **AUTH2 — log out**\n  as one would\n  - a detail\n\n### AUTH2 in full\nby hand",
		"AUTH3": "- **AUTH3 — other**",
		"WEB1":  "## 2. WEB WEB1 — a page\nwords",
	}
	for _, r := range d.Rows() {
		if got := d.About(r, 1000); got != want[r.Phase] {
			t.Errorf("%s: %q, want %q", r.Phase, got, want[r.Phase])
		}
		delete(want, r.Phase)
	}
	if len(want) > 0 {
		t.Errorf("rows that were not read: %v", want)
	}
	if got := d.About(Row{Line: 99}, 1000); got != "" {
		t.Errorf("of a row of another document: %q", got)
	}
	if got := d.About(Row{Plan: "AUTH", Phase: "AUTH1", Line: 1}, len("## 1. AUTH AUTH1 —")-1); got != "## 1. AUTH AUTH1 " {
		t.Errorf("cut within a character: %q", got)
	}
}
