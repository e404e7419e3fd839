package plan

import (
	"strings"
	"testing"
)

// FuzzOwnSection holds what a document keeps of its phases to a look through all
// of its rows.
func FuzzOwnSection(f *testing.F) {
	for _, s := range []string{
		"## 1. A A1 — x\n## 2. B a1 — y\n### A1\ntext\n", "## 1. A A1 — x\n- **A2 — y**\n## 2. a a1 — z\n### Phase A1\n### A2\n",
		"## 1. A K1 — x\n## 2. B \u212a1 — y\n### K1\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := Parse([]byte(text))
		for _, r := range d.Rows() {
			want := true
			for _, other := range d.Rows() {
				want = want && (!strings.EqualFold(other.Phase, r.Phase) || strings.EqualFold(other.Plan, r.Plan))
			}
			s, ok := d.Section(r.Phase)
			want = want && ok && strings.HasPrefix(strings.TrimLeft(s.Text, " "), "###")
			if own, got := d.ownSection(r); got != want || got && own != s {
				t.Fatalf("row %+v has %+v, %t; want %t of %q", r, own, got, want, text)
			}
		}
	})
}
