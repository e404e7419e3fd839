package plan

import (
	"strings"
	"testing"
)

const bom = "\xef\xbb\xbf"

func repair(t *testing.T, text string, fixes ...Fix) (string, []Mend) {
	t.Helper()
	data := []byte(text)
	out, mends := Repair(data, among(fixes))
	if string(data) != text {
		t.Errorf("the text itself became %q", data)
	}
	return string(out), mends
}

func among(fixes []Fix) func(plan, phase string) *Fix {
	return func(plan, phase string) *Fix {
		for _, f := range fixes {
			if strings.EqualFold(plan, f.Plan) && strings.EqualFold(phase, f.Phase) {
				return &f
			}
		}
		return nil
	}
}

var (
	a1Shipped = Fix{Plan: "AUTH", Phase: "AUTH1", Shipped: true, By: "0123abcd"}
	a2Shipped = Fix{Plan: "AUTH", Phase: "AUTH2", Shipped: true, By: "0123abcd"}
	a1Open    = Fix{Plan: "auth", Phase: "auth1"}
)

func TestARowGetsWhatIsTrueAndNothingElseChanges(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		fixes      []Fix
	}{
		"a heading":             {"## 1. AUTH AUTH1 — log in\ntext\n", "## 1. AUTH AUTH1 — log in (SHIPPED 0123abcd)\ntext\n", []Fix{a1Shipped}},
		"without an end":        {"## 1. AUTH AUTH1 — log in", "## 1. AUTH AUTH1 — log in (SHIPPED 0123abcd)", []Fix{a1Shipped}},
		"a bullet":              {"## 1. AUTH AUTH1 — x\n- **AUTH2 — y**  \n- **AUTH3 — z**\n", "## 1. AUTH AUTH1 — x\n- **AUTH2 — y** (SHIPPED 0123abcd)  \n- **AUTH3 — z**\n", []Fix{a2Shipped}},
		"carriage returns":      {"## 1. AUTH AUTH1 — x\r\n- **AUTH2 — y**\r\n", "## 1. AUTH AUTH1 — x (SHIPPED 0123abcd)\r\n- **AUTH2 — y**\r\n", []Fix{a1Shipped}},
		"a byte order mark":     {bom + "## 1. AUTH AUTH1 — x\n", bom + "## 1. AUTH AUTH1 — x (SHIPPED 0123abcd)\n", []Fix{a1Shipped}},
		"both rows of a unit":   {"## 1. AUTH AUTH1 — x\n- **AUTH1 — y**\n", "## 1. AUTH AUTH1 — x (SHIPPED 0123abcd)\n- **AUTH1 — y** (SHIPPED 0123abcd)\n", []Fix{a1Shipped}},
		"one that waits":        {"## 1. AUTH AUTH1 — x\nBLOCKED on z\n", "## 1. AUTH AUTH1 — x (SHIPPED 0123abcd)\nBLOCKED on z\n", []Fix{a1Shipped}},
		"one that says it":      {"## 1. AUTH AUTH1 — x SHIPPED\n", "## 1. AUTH AUTH1 — x SHIPPED\n", []Fix{a1Shipped}},
		"a claim in its text":   {"## 1. AUTH AUTH1 — x\nStatus: SHIPPED, all\u00e9 SHIPPED.\n", "## 1. AUTH AUTH1 — x\nStatus: not SHIPPED, all\u00e9 not SHIPPED.\n", []Fix{a1Open}},
		"a claim with returns":  {bom + "## 1. AUTH AUTH1 — x\r\n`SHIPPED`\r\n", bom + "## 1. AUTH AUTH1 — x\r\n`not SHIPPED`\r\n", []Fix{a1Open}},
		"bytes of no text":      {"## 1. AUTH AUTH1 — x \xff SHIPPED \xfeSHIPPED\n", "## 1. AUTH AUTH1 — x \xff not SHIPPED \xfenot SHIPPED\n", []Fix{a1Open}},
		"a fence":               {"## 1. AUTH AUTH1 — x SHIPPED\n```\nSHIPPED\n```\n", "## 1. AUTH AUTH1 — x not SHIPPED\n```\nSHIPPED\n```\n", []Fix{a1Open}},
		"another row":           {"## 1. AUTH AUTH1 — x SHIPPED\n- **AUTH2 — y** SHIPPED\n", "## 1. AUTH AUTH1 — x not SHIPPED\n- **AUTH2 — y** SHIPPED\n", []Fix{a1Open}},
		"a longer word":         {"## 1. AUTH AUTH1 — SHIPPED_BY SHIPPED\n", "## 1. AUTH AUTH1 — SHIPPED_BY not SHIPPED\n", []Fix{a1Open}},
		"a unit that is no row": {"## 1. AUTH AUTH9 — x\n", "## 1. AUTH AUTH9 — x\n", []Fix{a1Open, a1Shipped}},
	} {
		got, mends := repair(t, c.text, c.fixes...)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, m := range mends {
			if m.Why != "" {
				t.Errorf("%s: line %d: %s", name, m.Line, m.Why)
			}
		}
		if again, mends := repair(t, got, c.fixes...); again != got || len(mends) > 0 {
			t.Errorf("%s: once more: %q, %v", name, again, mends)
		}
	}
}

func TestARowThatCannotBeChangedIsLeftAsItIs(t *testing.T) {
	text := "## 1. AUTH AUTH1 — log in, not yet\n- **AUTH2 — y**\n"
	got, mends := repair(t, text, a1Shipped, a2Shipped)
	if want := strings.Replace(text, "y**", "y** (SHIPPED 0123abcd)", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(mends) != 2 || mends[0].Why == "" || mends[0].Line != 1 || mends[1].Why != "" {
		t.Errorf("%+v", mends)
	}
	if got, mends = repair(t, text, a1Shipped); got != text || len(mends) != 1 || mends[0].Why == "" {
		t.Errorf("%q, %+v", got, mends)
	}
}

// FuzzRepair holds whatever document to: what is not mended is byte for byte as
// it was, and rows that are not meant say what they said.
func FuzzRepair(f *testing.F) {
	for _, s := range []string{
		"## 1. AUTH AUTH1 — x SHIPPED\n- **AUTH2 — y**\r\n", bom + "```\n## 1. AUTH AUTH1 — x\n", "## 1. AUTH AUTH1 - \xff\r\r\n- **AUTH1 — not**\n",
		"## 1. AUTH AUTH1 — a\n* **AUTH7 — b** SHIPPED\n- **AUTH2 — SHIPPED not\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, fixes := range [][]Fix{{a1Shipped, {Plan: "AUTH", Phase: "AUTH2"}}, {a1Open, a2Shipped}} {
			out, mends := Repair([]byte(text), among(fixes))
			meant := map[int]bool{}
			for _, m := range mends {
				meant[m.Line] = m.Why == ""
			}
			was, now := Parse([]byte(text)).Rows(), Parse(out).Rows()
			if len(was) != len(now) {
				t.Fatalf("%d rows became %d: %q", len(was), len(now), out)
			}
			for i := range was {
				if !meant[was[i].Line] && (was[i].Claim != now[i].Claim || was[i].Line != now[i].Line) {
					t.Fatalf("row %+v became %+v: %q", was[i], now[i], out)
				}
			}
			stripped := strings.ReplaceAll(strings.ReplaceAll(string(out), " (SHIPPED 0123abcd)", ""), "not SHIPPED", "SHIPPED")
			base := strings.ReplaceAll(strings.ReplaceAll(text, " (SHIPPED 0123abcd)", ""), "not SHIPPED", "SHIPPED")
			if stripped != base {
				t.Fatalf("%q became %q", text, out)
			}
		}
	})
}
