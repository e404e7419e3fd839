package facts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func (h *history) plans(dir, ref string, files ...string) (Plans, error) {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	return ReadPlans(context.Background(), repo, ref, files)
}

// wantPlans asserts the units, each as "PLAN/PHASE file:line claim ...".
func (h *history) wantPlans(claim, want, ref string, files ...string) Plans {
	h.t.Helper()
	p, err := h.plans(h.dir, ref, files...)
	if err != nil {
		h.t.Errorf("%s: %v", claim, err)
	}
	var units []string
	for _, u := range p.Units {
		s := u.Plan + "/" + u.Phase
		for _, at := range u.Places {
			s += fmt.Sprintf(" %s:%d %s", at.File, at.Line, at.Claim)
		}
		units = append(units, s)
	}
	if got := strings.Join(units, "; "); got != want {
		h.t.Errorf("%s: got %q, want %q", claim, got, want)
	}
	return p
}

func TestPlansComeFromTheRef(t *testing.T) {
	h := base(t)
	h.wantPlans("no plan file", "", "")
	first := h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\n", "docs/x/y/b-plan.md", "## 1. B B1 — SHIPPED\n", "docs/c.md", "## 1. C C1 — x\n")
	h.wantPlans("the default glob, in path order", "A/A1 docs/a-plan.md:1 open; B/B1 docs/x/y/b-plan.md:1 shipped", "")
	for file, text := range map[string]string{"docs/a-plan.md": "## 1. A A9 — SHIPPED\n", "docs/new-plan.md": "## 1. N N1 — x\n"} {
		if err := os.WriteFile(filepath.Join(h.dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.git("add", "docs/new-plan.md")
	p := h.wantPlans("neither work tree nor index", "A/A1 docs/a-plan.md:1 open; B/B1 docs/x/y/b-plan.md:1 shipped", "")
	if p.Ref != "refs/heads/main" || p.RefID != first || strings.Join(p.Files, " ") != "docs/a-plan.md docs/x/y/b-plan.md" {
		t.Errorf("read from %+v", p)
	}
	h.commit("more", "docs/a-plan.md", "## 1. A A2 — x\n")
	h.wantPlans("an older commit", "A/A1 docs/a-plan.md:1 open; B/B1 docs/x/y/b-plan.md:1 shipped", first)

	h.commit("rules", "dos.toml", "[paths]\nplans_glob = \"docs/*.md\"\n")
	os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte("[paths]\nplans_glob = \"none/*.md\"\n"), 0o644)
	h.wantPlans("the glob is the ref's", "A/A2 docs/a-plan.md:1 open; C/C1 docs/c.md:1 open; N/N1 docs/new-plan.md:1 open", "")
	h.wantPlans("named files need not match it", "B/B1 docs/x/y/b-plan.md:1 shipped", "", "./docs/x//y/b-plan.md", "docs/x/y/b-plan.md")
	h.git("checkout", "-q", "--orphan", "empty")
	h.wantPlans("a branch without a commit", "", "HEAD")
}

func TestRowsOfOneUnitAreOneUnit(t *testing.T) {
	h := base(t)
	h.commit("plans",
		"docs/117_a-plan.md", "- **V2 — loose**\n## 1. AUTH A1 — x\n- **A2 — y**\n- **A1 — SHIPPED**\n",
		"docs/117_b-plan.md", "## 1. auth a2 — BLOCKED\n## 2. 117 P1 — SHIPPED\n")
	p := h.wantPlans("across rows, files and case",
		"AUTH/A1 docs/117_a-plan.md:2 open docs/117_a-plan.md:4 shipped; AUTH/A2 docs/117_a-plan.md:3 open docs/117_b-plan.md:1 blocked; 117/P1 docs/117_b-plan.md:2 shipped", "")
	if len(p.Loose) != 1 || p.Loose[0].File != "docs/117_a-plan.md" || p.Loose[0].Line != 1 || p.Loose[0].Phase != "V2" || p.Loose[0].Claim != "" {
		t.Errorf("loose: %+v", p.Loose)
	}
}

func TestAPlanFileThatCannotBeReadIsNoEmptyPlan(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"too large":       {strings.Repeat("x", ancestry.MaxFile) + "x", "larger than 4194304 bytes"},
		"another coding":  {"#\x00#\x00", "NUL byte"},
		"too many phases": {"## 1. A A1 — x\n" + strings.Repeat("- **A2 — x**\n", maxPlanRows), "more than 10000 phases"},
		"too many loose":  {strings.Repeat("- **A2 — x**\n", maxPlanRows+1), "more than 10000 phases"},
	} {
		h := base(t)
		h.commit("plan", "docs/a-plan.md", c.text)
		var bad *PlanFileError
		if _, err := h.plans(h.dir, ""); !errors.As(err, &bad) || bad.Absent || bad.Path != "docs/a-plan.md" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := base(t)
	h.commit("plan", "docs/a-plan.md", strings.Repeat("x", ancestry.MaxFile), "docs/b-plan.md", "## 1. A A1 — x\n"+strings.Repeat("- **A2 — x**\n", maxPlanRows-1))
	if p, err := h.plans(h.dir, ""); err != nil || len(p.Units) != 2 {
		t.Errorf("a file and a list of just the bound: %v", err)
	}
	if err := os.Symlink("../README", filepath.Join(h.dir, "docs", "c-plan.md")); err != nil {
		t.Fatal(err)
	}
	h.git("add", "docs")
	h.git("commit", "-q", "-m", "link")
	var bad *PlanFileError
	if _, err := h.plans(h.dir, ""); !errors.As(err, &bad) || bad.Path != "docs/c-plan.md" {
		t.Errorf("a symbolic link: %v", err)
	}
	h.wantPlans("the others, by name", "", "", "docs/a-plan.md")
}

func TestPlanFilesTogetherAreBounded(t *testing.T) {
	h := base(t)
	id := h.commit("plan", "docs/a-plan.md", strings.Repeat("x", ancestry.MaxFile))
	blob := h.git("rev-parse", id+":docs/a-plan.md")
	for i := range maxPlanBytes / ancestry.MaxFile {
		h.git("update-index", "--add", "--cacheinfo", fmt.Sprintf("100644,%s,docs/b%d-plan.md", blob, i))
	}
	h.git("commit", "-q", "-m", "more bytes")
	var bad *PlanFileError
	if _, err := h.plans(h.dir, ""); !errors.As(err, &bad) || !strings.Contains(err.Error(), "more than 67108864 bytes") {
		t.Errorf("bytes: %v", err)
	}
	h.git("rm", "-q", "--cached", "docs/a-plan.md")
	h.git("commit", "-q", "-m", "just the bound")
	h.wantPlans("bytes of just the bound", "", "")

	h = base(t)
	for i := range maxPlanFiles + 1 {
		if err := os.WriteFile(filepath.Join(h.dir, "api", fmt.Sprintf("%d-plan.md", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.git("add", "api")
	h.commit("files", "dos.toml", "[paths]\nplans_glob = \"api/*-plan.md\"\n")
	if _, err := h.plans(h.dir, ""); !errors.As(err, &bad) || !strings.Contains(err.Error(), "more than 2000 plan files") {
		t.Errorf("files: %v", err)
	}
	h.git("rm", "-q", "api/7-plan.md")
	h.git("commit", "-q", "-m", "just the bound")
	if p := h.wantPlans("files of just the bound", "", ""); len(p.Files) != maxPlanFiles {
		t.Errorf("%d files", len(p.Files))
	}
}

func TestPlanFilesThatAreNotHere(t *testing.T) {
	h := base(t)
	h.commit("plan", "docs/a-plan.md", "## 1. A A1 — x\n")
	for _, name := range []string{"docs/no-plan.md", "docs", "", ".", "..", "../a", "/docs/a-plan.md", "docs/../..", "a\x00b", "docs/a-plan.md\n"} {
		var bad *PlanFileError
		if _, err := h.plans(h.dir, "", name); !errors.As(err, &bad) || !bad.Absent {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := h.plans(h.dir, "nope"); !errors.Is(err, ancestry.ErrNoRevision) {
		t.Errorf("no such ref: %v", err)
	}
	h.git("config", "uploadpack.allowFilter", "true")
	for filter, what := range map[string]string{"tree:0": "trees", "blob:none": "blobs"} {
		dir := filepath.Join(t.TempDir(), "partial")
		h.git("clone", "-q", "--bare", "--filter="+filter, "file://"+h.dir, dir)
		if _, err := h.plans(dir, ""); !errors.Is(err, ancestry.ErrMissing) {
			t.Errorf("%s that were never fetched: %v", what, err)
		}
	}
	os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte("[paths]\nplan_glob = 1\n"), 0o644)
	if _, err := h.plans(h.dir, ""); !errors.As(err, new(policy.Errors)) {
		t.Errorf("a dos.toml with errors: %v", err)
	}
}

func TestPlanFilesAreNamedFromWhereOneStands(t *testing.T) {
	h := base(t)
	h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\n", "docs/x/b-plan.md", "## 1. B B1 — x\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(h.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, file, want string }{
		{"docs", "a-plan.md", "docs/a-plan.md"},
		{"docs", "x/b-plan.md", "docs/x/b-plan.md"},
		{"docs/x", "../a-plan.md", "docs/a-plan.md"},
		{"", "docs/a-plan.md", "docs/a-plan.md"},
		{"docs/x", filepath.Join(h.dir, "docs/a-plan.md"), "docs/a-plan.md"},
		{"docs", filepath.Join(link, "docs/a-plan.md"), "docs/a-plan.md"},
		{"docs", "docs/a-plan.md", ""},
		{"docs", "../../a-plan.md", ""},
		{"docs", filepath.Join(h.dir, "../a-plan.md"), ""},
	} {
		p, err := h.plans(filepath.Join(h.dir, c.dir), "", c.file)
		if bad := new(PlanFileError); strings.Join(p.Files, " ") != c.want || (err == nil) != (c.want != "") || err != nil && !errors.As(err, &bad) {
			t.Errorf("%s from %s: %v, %v", c.file, c.dir, p.Files, err)
		}
	}
}

func TestWhatPlansHoldAndIsNotReadIsTold(t *testing.T) {
	h := base(t)
	h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\n* **A2 — x**\n", "docs/b-plan.md", "text\n")
	p := h.wantPlans("what is read", "A/A1 docs/a-plan.md:1 open", "")
	if len(p.Unread) != 2 || p.UnreadTotal != 1 || p.Unread[0].File != "docs/a-plan.md" || p.Unread[0].Line != 2 || p.Unread[1] != plan.Silent("docs/b-plan.md") {
		t.Errorf("not read: %d, %+v", p.UnreadTotal, p.Unread)
	}
	h.commit("many", "docs/a-plan.md", strings.Repeat("* **A2 — x**\n", maxPlanUnread-1), "docs/b-plan.md", "- [ ] A3: x\n- [ ] A4: x\n")
	p, err := h.plans(h.dir, "")
	if err != nil || len(p.Unread) != maxPlanUnread+2 || p.UnreadTotal != maxPlanUnread+1 {
		t.Errorf("%d listed of %d: %v", len(p.Unread), p.UnreadTotal, err)
	}
}
