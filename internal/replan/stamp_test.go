package replan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

const doc = "docs/a-plan.md"

// repo is a repository with a plan document of such a text.
func repo(t *testing.T, text string) *refstore.Repo {
	t.Helper()
	dir := t.TempDir()
	githome.Git(t, dir, "init", "--quiet")
	write(t, dir, "dos.toml", "[trunk]\nref = \"main\"\n")
	write(t, dir, doc, text)
	githome.Git(t, dir, "add", ".")
	githome.Git(t, dir, "commit", "--quiet", "-m", "A: A1: first")
	r, err := refstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, r *refstore.Repo, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.WorkTree, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func drift(truth replan.Truth, phase string, line int) replan.Unit {
	return replan.Unit{Plan: "A", Phase: phase, Truth: truth, Sha: strings.Repeat("a", 40), Rows: []replan.Row{{File: doc, Line: line, Shipped: truth != replan.Shipped}}}
}

func stamp(t *testing.T, r *refstore.Repo, dry bool, units ...replan.Unit) []Page {
	t.Helper()
	leases := []Lease{{Lane: "api", Tree: []string{"api/**"}}, {Lane: "docs", Tree: []string{"docs/**"}, Note: worktree.Note{Lease: "docs@1"}}}
	pages, err := Stamp(t.Context(), r, facts.ShipScope{}, units, leases, dry)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestADocumentKeepsItsBytesAndItsMode(t *testing.T) {
	text := "\xef\xbb\xbf## 1. A A1 — x\r\n- **A2 — y** SHIPPED  \r\n- **A3 — \xff**"
	r := repo(t, text)
	at := filepath.Join(r.WorkTree, doc)
	before, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	units := []replan.Unit{drift(replan.Shipped, "A1", 1), drift(replan.NotShipped, "A2", 2)}
	if pages := stamp(t, r, true, units...); Stamped(pages) != 2 || pages[0].Commit != "" || read(t, r, doc) != text {
		t.Errorf("dry: %+v, %q", pages, read(t, r, doc))
	}
	pages := stamp(t, r, false, units...)
	want := "\xef\xbb\xbf## 1. A A1 — x (SHIPPED aaaaaaaaaaaa)\r\n- **A2 — y** not SHIPPED  \r\n- **A3 — \xff**"
	if got := read(t, r, doc); got != want || Stamped(pages) != 2 || pages[0].Lane != "docs" {
		t.Errorf("%q, %+v", got, pages)
	}
	after, err := os.Stat(at)
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("mode %v became %v, %v", before.Mode(), after.Mode(), err)
	}
	if got := githome.Git(t, r.WorkTree, "show", "--format=%H", "--name-only"); got != pages[0].Commit+"\n\n"+doc {
		t.Errorf("committed %q", got)
	}
	if left, err := filepath.Glob(filepath.Join(r.WorkTree, "docs", ".git-dos*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// A process that was killed between writing and committing leaves what the next
// one would write.
func TestAStampThatWasCutOffIsCommitted(t *testing.T) {
	text, stamped := "## 1. A A1 — x\n\nwords\n", "## 1. A A1 — x (SHIPPED aaaaaaaaaaaa)\n\nwords\n"
	for left, want := range map[string]string{
		stamped: "",
		strings.ReplaceAll(stamped, "\n", "\r\n"):                 "it has changes that no commit has (unstaged)",
		strings.Replace(stamped, "words", "other words", 1):       "it has changes that no commit has (unstaged)",
		strings.Replace(text, "words", "other words", 1):          "it has changes that no commit has (unstaged)",
		strings.Replace(stamped, "aaaaaaaaaaaa", "bbbbbbbbbb", 1): "it has changes that no commit has (unstaged)",
	} {
		r := repo(t, text)
		write(t, r.WorkTree, doc, left)
		if pages := stamp(t, r, true, drift(replan.Shipped, "A1", 1)); pages[0].Why != want || pages[0].Commit != "" {
			t.Errorf("%q: dry: %+v", left, pages)
		}
		pages := stamp(t, r, false, drift(replan.Shipped, "A1", 1))
		if pages[0].Why != want || (pages[0].Commit != "") != (want == "") || read(t, r, doc) != left {
			t.Errorf("%q: %+v", left, pages)
		}
	}
	r := repo(t, text)
	write(t, r.WorkTree, doc, stamped)
	githome.Git(t, r.WorkTree, "add", doc)
	if pages := stamp(t, r, false, drift(replan.Shipped, "A1", 1)); pages[0].Why != "it has changes that no commit has (staged)" {
		t.Errorf("staged: %+v", pages)
	}
}

func TestWhatKilledWritersLeftGoes(t *testing.T) {
	r := repo(t, "was\n")
	for _, name := range []string{"docs/.git-dos-0000000000000000.tmp", "docs/.git-dos-notes"} {
		write(t, r.WorkTree, name, "")
	}
	f, err := openFiles(r.WorkTree)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if err := f.replace(doc, []byte("was\n"), []byte("is\n")); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(r.WorkTree, "docs", ".git-dos*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != ".git-dos-notes" {
		t.Errorf("left %q, %v", left, err)
	}
}

// What the branch that is checked out ships is not unstamped there, though the
// trunk has it not.
func TestAStampThatTheBranchBearsOutStays(t *testing.T) {
	r := repo(t, "## 1. A A1 — x SHIPPED\n")
	pages := stamp(t, r, false, drift(replan.NotShipped, "A1", 1))
	if Stamped(pages) != 0 || pages[0].Why == "" || read(t, r, doc) != "## 1. A A1 — x SHIPPED\n" {
		t.Errorf("%+v", pages)
	}
}

func TestAFileThatChangesMeanwhileStaysAsItIs(t *testing.T) {
	r := repo(t, "was\n")
	f, err := openFiles(r.WorkTree)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if err := f.replace(doc, []byte("other\n"), []byte("is\n")); !errors.Is(err, errMeanwhile) || read(t, r, doc) != "was\n" {
		t.Errorf("%v, %q", err, read(t, r, doc))
	}
	if err := f.replace(doc, []byte("was\n"), []byte("is\n")); err != nil || read(t, r, doc) != "is\n" {
		t.Errorf("%v, %q", err, read(t, r, doc))
	}
	for _, name := range []string{"../out", "nosuch", "docs"} {
		if err := f.replace(name, nil, []byte("x")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestALeaseWithoutATreeCoversEverything(t *testing.T) {
	for _, c := range []struct {
		tree []string
		want bool
	}{{nil, true}, {[]string{"docs/**"}, true}, {[]string{"doc/**"}, false}, {[]string{"docs/*/x"}, false}} {
		if got := (Lease{Tree: c.tree}).covers(doc); got != c.want {
			t.Errorf("%q covers it: %v", c.tree, got)
		}
	}
}
