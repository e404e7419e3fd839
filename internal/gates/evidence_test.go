package gates

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/policy"
)

func TestAudit(t *testing.T) {
	f := newField(t)
	good := f.commit("fix: the api", "api/a.go", "package a\n")
	bad := f.commit("fix: nothing at all")
	got := map[string]audit.Outcome{}
	for finding, err := range f.site("", "", policy.Gates{}).Audit(t.Context(), []string{bad, good}) {
		if err != nil {
			t.Fatal(err)
		}
		got[finding.Sha] = finding.Outcome
	}
	if want := map[string]audit.Outcome{good: audit.OK, bad: audit.Unwitnessed}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	lacking := []string{good, strings.Repeat("9", 40)}
	for _, ahead := range []bool{false, true} {
		s, last := f.site("", "", policy.Gates{}), error(nil)
		if ahead {
			s.AuditAhead(t.Context(), lacking, Known{})
		}
		for _, last = range s.Audit(t.Context(), lacking) {
		}
		if last == nil {
			t.Errorf("a commit that is not here was audited, ahead: %v", ahead)
		}
	}
}

// What is audited ahead is what was asked for, or it is audited anew.
func TestAnAuditAheadIsTheSame(t *testing.T) {
	f := newField(t)
	good := f.commit("fix: the api", "api/a.go", "package a\n")
	bad := f.commit("fix: nothing at all")
	for _, ahead := range [][]string{{bad, good}, {good}, {good, bad}, nil} {
		s := f.site("", "", policy.Gates{})
		s.AuditAhead(t.Context(), ahead, Known{})
		var got []string
		for finding, err := range s.Audit(t.Context(), []string{bad, good}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, finding.Sha+string(finding.Outcome))
		}
		if want := []string{bad + string(audit.Unwitnessed), good + string(audit.OK)}; !slices.Equal(got, want) {
			t.Errorf("ahead of %q: %q, want %q", ahead, got, want)
		}
	}
	s := f.site("", "", policy.Gates{})
	ctx, cancel := context.WithCancel(t.Context())
	s.AuditAhead(ctx, []string{bad, good}, Known{})
	cancel()
	var last error
	for _, last = range s.Audit(ctx, []string{bad, good}) {
	}
	select {
	case <-s.ahead.done:
	case <-time.After(10 * time.Second):
		t.Error("the audit goes on after its context has ended")
	}
	if last == nil && len(s.ahead.found) < 2 {
		t.Error("an audit that was ended reads as a whole one")
	}
}

func TestArrivals(t *testing.T) {
	f := newField(t)
	early := f.commit("early", "early", "1\n")
	for i := range hooks.FreshWindow - 4 {
		f.commit(fmt.Sprint("filler ", i), "filler", fmt.Sprint(i))
	}
	f.git("checkout", "-q", "-b", "side")
	side := f.commit("by a branch", "glob[x]*", "1\n")
	f.git("checkout", "-q", "main")
	came := f.commit("came and went", "went", "1\n", "late", "1\n", "api/a", "changed\n", ":(exclude)y", "1\n")
	f.git("rm", "-q", "went")
	f.commit("went")
	f.git("merge", "-q", "-m", "merge", "side")
	trunk := f.git("rev-parse", "HEAD")
	f.git("rm", "-q", "late")
	tip := f.commit("deletes")

	paths := []string{"early", "late", "went", "glob[x]*", "filler", "never", "api/a", ":(exclude)y"}
	p, _ := update(trunk, tip)
	got, err := f.site(trunk, onMain, policy.Gates{}).Arrivals(t.Context(), p, paths)
	if err != nil {
		t.Fatal(err)
	}
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, []string{":(exclude)y", "filler", "glob[x]*", "late"}) {
		t.Errorf("%q came", keys)
	}
	if a := got["late"]; len(a.Commits) != 1 || a.Commits[0] != came || a.Blob != f.git("rev-parse", trunk+":late") {
		t.Errorf("late: %+v", a)
	}
	if a := got["glob[x]*"]; !slices.Equal(a.Commits, []string{trunk, side}) {
		t.Errorf("by a merge and its branch: %+v, want %s and %s", a, trunk, side)
	}
	topic := p
	topic.Updates = []hooks.Update{{Ref: "refs/heads/topic", New: tip}}
	if got, err := f.site(early, onMain, policy.Gates{}).Arrivals(t.Context(), topic, paths); err != nil || len(got) != 2 || got["early"].Blob == "" {
		t.Errorf("of another branch the trunk counts as it is here: %+v, %v", got, err)
	}
	p, _ = update("", tip)
	if got, err := f.site("", "", policy.Gates{}).Arrivals(t.Context(), p, paths); err != nil || len(got) != 0 {
		t.Errorf("nothing came to a trunk that is new: %+v, %v", got, err)
	}
	p, _ = update(strings.Repeat("9", 40), tip)
	if got, err := f.site(trunk, onMain, policy.Gates{}).Arrivals(t.Context(), p, paths); err == nil {
		t.Errorf("a trunk that is not here: %+v", got)
	}
	clone := &field{t, filepath.Join(t.TempDir(), "shallow"), f.now}
	f.git("clone", "-q", "--depth", "3", "file://"+f.dir, clone.dir)
	p, _ = update(tip, tip)
	if got, err := clone.site(tip, onMain, policy.Gates{}).Arrivals(t.Context(), p, paths); err == nil {
		t.Errorf("history that is cut: %+v", got)
	}
}

func TestMovedIsWhatIsAlikeElsewhere(t *testing.T) {
	f := newField(t)
	text := strings.Repeat("a line that stays\n", 20)
	f.commit("two files", "kept", text, "a\n\t\"b", text+"own\n")
	f.git("mv", "a\n\t\"b", "there")
	f.git("rm", "-q", "api/a")
	s := f.site("", "", policy.Gates{})
	check := func(what, commit string, want ...string) {
		t.Helper()
		got, err := s.Moved(t.Context(), commit)
		if keys := slices.Sorted(maps.Keys(got)); err != nil || !slices.Equal(keys, want) {
			t.Errorf("%s: %q and %v, want %q", what, keys, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(f.dir, "there"), []byte(text+"another end\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.git("add", "there")
	check("staged", "", "a\n\t\"b")
	f.git("commit", "-q", "-m", "move")
	move := f.git("rev-parse", "HEAD")
	check("committed", move, "a\n\t\"b")
	check("nothing is staged", "")
	f.git("rm", "-q", "there")
	check("replaced by what is not like it", f.commit("replace", "else", "x\n"))
	for _, id := range []string{strings.Repeat("9", 40), "HEAD", "--all"} {
		if got, err := s.Moved(t.Context(), id); err == nil {
			t.Errorf("%s moves %v", id, got)
		}
	}
}

func TestFiles(t *testing.T) {
	f := newField(t)
	if err := os.Symlink("api", filepath.Join(f.dir, "link")); err != nil {
		t.Fatal(err)
	}
	head := f.git("rev-parse", "HEAD")
	f.commit("files", "docs/ünï\tcode \"x\".md", "text", "big", strings.Repeat("x", 100))
	f.git("update-index", "--add", "--cacheinfo", "160000,"+head+",sub")
	f.git("commit", "-q", "-m", "sub")
	tip := f.git("rev-parse", "HEAD")
	f.git("tag", "-a", "-m", "x", "of-commit")
	f.git("tag", "-a", "-m", "x", "of-blob", "HEAD:big")
	s := f.site("", "", policy.Gates{})
	for _, at := range []string{tip, f.git("rev-parse", "of-commit"), ""} {
		files, err := s.Files(t.Context(), at)
		if err != nil {
			t.Fatalf("%q: %v", at, err)
		}
		for path, want := range map[string][2]bool{ // there, and a folder
			"api/a": {true, false}, "api": {true, true}, "docs/ünï\tcode \"x\".md": {true, false}, "nope": {}, "API/a": {}, "api/a/b": {},
			"link": {true, true}, "link/anything": {true, true}, "sub": {true, true}, "sub/README.md": {true, true}, "subs": {},
		} {
			if got := [2]bool{files.Has(path), files.Folder(path)}; got != want {
				t.Errorf("%q: %s is there and a folder: %v, want %v", at, path, got, want)
			}
		}
		var got []string
		for doc, err := range files.Read(t.Context(), []string{"api/a", "link", "sub", "api", "nope", "big", "docs/ünï\tcode \"x\".md"}, 50) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %d %q", doc.Path, doc.Size, doc.Data))
		}
		if want := []string{`api/a 2 "1\n"`, `big 100 ""`, "docs/ünï\tcode \"x\".md 4 \"text\""}; !slices.Equal(got, want) {
			t.Errorf("%q: read %q, want %q", at, got, want)
		}
	}
	if files, err := s.Files(t.Context(), f.git("rev-parse", "of-blob")); err != nil || files != nil {
		t.Errorf("a tag of a blob: %v, %v", files, err)
	}
	if files, err := s.Files(t.Context(), strings.Repeat("9", 40)); err == nil {
		t.Errorf("a commit that is not here: %v", files)
	}
	if files, err := s.Files(t.Context(), "--output=x"); err == nil {
		t.Errorf("no id: %v", files)
	}
	blob := f.git("rev-parse", "HEAD:big")
	files, err := s.Files(t.Context(), tip)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	tree := f.git("rev-parse", tip+"^{tree}")
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if files, err := s.Files(t.Context(), f.git("rev-parse", "of-commit")); err == nil {
		t.Errorf("a tree that is not here: %v", files)
	}
	var last error
	for _, last = range files.Read(t.Context(), []string{"api/a", "big"}, 1000) {
	}
	if last == nil {
		t.Error("a file that is not here was read")
	}
}
