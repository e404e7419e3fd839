package plan

import (
	"slices"
	"strings"
	"testing"
)

func TestSection(t *testing.T) {
	for name, c := range map[string]struct{ text, phase, want string }{
		"a heading, up to the next":             {"# T\n\n### A1 x\nbody\n\n### A2\ny\n", "A1", "### A1 x\nbody\n\n"},
		"up to the end":                         {"### A1\nbody", "A1", "### A1\nbody"},
		"up to a heading of level 2":            {"### A1\na\n## B\n", "A1", "### A1\na\n"},
		"up to a deeper heading":                {"### A1\na\n#### B\n", "A1", "### A1\na\n"},
		"a heading of level 1 ends nothing":     {"### A1\na\n# b\n## C\n", "A1", "### A1\na\n# b\n"},
		"bullets of phases do not end it":       {"### A1\n- **A2 — x**\n", "A1", "### A1\n- **A2 — x**\n"},
		"a heading in a fence does not":         {"### A1\n```\n## B\n```\na\n", "A1", "### A1\n```\n## B\n```\na\n"},
		"the word Phase may stand before":       {"### Phase A1: x\na\n", "A1", "### Phase A1: x\na\n"},
		"and may be part of the name":           {"### Phase 2 x\na\n", "phase 2", "### Phase 2 x\na\n"},
		"in either case":                        {"### phase a1\na\n", "A1", "### phase a1\na\n"},
		"with emphasis":                         {"### **A1** x\n", "A1", "### **A1** x\n"},
		"with a full stop":                      {"### A1. x\n", "A1", "### A1. x\n"},
		"a longer id is another":                {"### A10\n### A1.1\n### A1-port\n### A1_x\n### A1'\n### A1é\n", "A1", ""},
		"an id in the middle is another":        {"### x A1\n### pre-A1\n", "A1", ""},
		"other levels are not its heading":      {"## A1\n#### A1\n", "A1", ""},
		"the first of two":                      {"### A1 a\n### A1 b\n", "A1", "### A1 a\n"},
		"else a bullet, up to the next":         {"- **A1 — x**\n  a\n- **A2 — y**\n", "A1", "- **A1 — x**\n  a\n"},
		"up to any heading":                     {"- **A1 — x**\n# B\n", "A1", "- **A1 — x**\n"},
		"a detail does not end it":              {"- **A1 — x**\n- **Files:** a/b.go\n- **A2**\n", "A1", "- **A1 — x**\n- **Files:** a/b.go\n"},
		"a phase that stands deeper does not":   {"- **A1 — x**\n  - **A1a — y**\n- **A2**\n", "A1", "- **A1 — x**\n  - **A1a — y**\n"},
		"but ends a deeper one":                 {"- **A1 — x**\n  - **A1a — y**\n- **A2**\n", "A1a", "  - **A1a — y**\n"},
		"an id without a digit, up to any bold": {"- **halt — x**\n- **boot — y**\n", "halt", "- **halt — x**\n"},
		"a heading goes before a bullet":        {"- **A1 — x**\n### A1\ny\n", "A1", "### A1\ny\n"},
		"a bullet in a fence is none":           {"```\n- **A1 — x**\n```\n", "A1", ""},
		"an empty phase is none":                {"### \n- ** x\n", "", ""},
		"a numbered heading is none":            {"### 1. A A1 — x\n", "A1", ""},
	} {
		s, ok := Parse([]byte(c.text)).Section(c.phase)
		if s.Text != c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q %v, want %q", name, s.Text, ok, c.want)
		}
	}
	if s, _ := Parse([]byte("x\n\n### A1\n")).Section("A1"); s.Line != 3 {
		t.Errorf("line %d, want 3", s.Line)
	}
}

func TestSoaking(t *testing.T) {
	for text, want := range map[string]bool{
		"This gates on a 30d soak.":                 true,
		"It Gates On\na long\nSoak":                 true,
		"gates on review":                           false,
		"gates on review\n\nthen soak":              false,
		"soak, and it gates on review":              false,
		"delegates on a soak":                       false,
		"gates on a presoak":                        false,
		"gates on a presoak and a soak":             true,
		"the soak window of AUTH closes 2026-02-01": true,
		"the soak window is over":                   false,
		"status: in_progress":                       true,
		"```yaml\nStatus:   in_progress\n```":       true,
		"status: done":                              false,
		"old -> tomb":                               true,
		"old → tomb":                                true,
		"old-> tomb":                                true,
		"a zero-emit window":                        true,
		"a nonzero-emit window":                     false,
		"":                                          false,
	} {
		if got := (Section{Text: text}).Soaking(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFiles(t *testing.T) {
	for text, want := range map[string]string{
		"Touch `src/a.go` and `src/b.go`.":                                "src/a.go src/b.go",
		"src/a.go, src/a.go; ./src/a.go":                                  "src/a.go",
		"(src/a.go) [b](src/b.go) <c/c.go> \"d/d.go\"":                    "src/a.go src/b.go c/c.go d/d.go",
		"**src/a.go** see src/b.go:42 and c/c.go#L7. d/d.py::T":           "src/a.go src/b.go c/c.go d/d.py",
		"out/a.png out/b.zip x/y.exe x/y.PDF x/y.tar.gz":                  "",
		"a.go README /etc/x.conf ../x/y.go a/../../b.go a//b.go a/./b.go": "",
		"https://example.org/a/b.html src/*.go a/b a/b. a/.env v1/2.0":    "",
		"C:\\x\\y.go a\\b/c.go $HOME/x.go ~/x.go":                         "",
		"docs/a.md a/b.tar.go ünï/cödé.go @s/p/x.ts":                      "docs/a.md a/b.tar.go ünï/cödé.go @s/p/x.ts",
		"a/b\xff.go a/c.go\x00d/e.go":                                     "a/c.go d/e.go",
		"src/a.go/..":                                                     "",
		"_x/__init__.py":                                                  "_x/__init__.py",
	} {
		if got := strings.Join((Section{Text: text}).Files(nil), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	s := Section{Text: "src/a.go srcs/b.go lib/c.go src/x/d.go"}
	for _, dirs := range [][]string{{"src"}, {"src/"}, {"./src"}, {"none", "src"}} {
		if got := s.Files(dirs); !slices.Equal(got, []string{"src/a.go", "src/x/d.go"}) {
			t.Errorf("in %v: %v", dirs, got)
		}
	}
}

func TestHub(t *testing.T) {
	for file, want := range map[string]bool{
		"src/config.py": true, "src/CLI.py": true, "a/b/__init__.py": true, "conftest.py": true, "x/models.py": true, "x/utils.py": true,
		"x/constants.py": true, "x/settings.py": true,
		"src/real.py": false, "src/config.py.go": false, "src/myconfig.py": false,
		"docs/a.png": true, "docs/x/a.MMD": true, "x/docs/a.png": false, "docs/a.md": false, "docs.png": false,
		"src/registry.go": true, "docs/INDEX.md": true, "x/index.md": true,
	} {
		if got := Hub(file, []string{"registry.go"}, []string{"INDEX.md"}); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}
