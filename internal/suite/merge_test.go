package suite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// sides are two branches that left a common commit, and that commit.
func sides(s scratch, ours, theirs []string) (base, a, b refstore.OID) {
	base = s.commit("f", "1\n2\n3\n4\n5\n", "t/x_test", "old\n")
	a = s.commit(ours...)
	s.git("checkout", "-q", "-b", "side", string(base))
	return base, a, s.commit(theirs...)
}

func (s scratch) space() *Space {
	s.t.Helper()
	space, err := Open(s.open(s.dir))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := space.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return space
}

func TestAMergeIsMadeAsideAndRun(t *testing.T) {
	s := newScratch(t)
	_, a, b := sides(s, []string{"f", "one\n2\n3\n4\n5\n"}, []string{"f", "1\n2\n3\n4\nfive\n"})
	objects := s.git("count-objects", "-v")
	space := s.space()
	m, err := space.Merge(context.Background(), a, b)
	if err != nil || !m.Clean || len(m.Conflicts) > 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	tree := m.Tree
	r, err := space.Run(context.Background(), tree, []string{"cat", "f"}, time.Minute)
	if err != nil || r.Output != "one\n2\n3\n4\nfive\n" || r.Tree != tree {
		t.Errorf("%q, %v", r.Output, err)
	}
	if after := s.git("count-objects", "-v"); after != objects {
		t.Errorf("the repository grew:\n%s\n%s", objects, after)
	}
	if exec.Command("git", "-C", s.dir, "cat-file", "-e", string(tree)).Run() == nil {
		t.Error("the merged tree is in the repository")
	}
}

func TestConflictsAreNamed(t *testing.T) {
	s := newScratch(t)
	_, a, b := sides(s, []string{"f", "a\n", "dir\nected", "a\n"}, []string{"f", "b\n", "dir\nected", "b\n"})
	m, err := s.space().Merge(context.Background(), a, b)
	slices.Sort(m.Conflicts)
	if err != nil || m.Clean || !slices.Equal(m.Conflicts, []string{"dir\nected", "f"}) {
		t.Errorf("%+v, %v", m, err)
	}
}

// One side splits a folder in two and the other adds a file to it: git refuses
// to say where that belongs, and lists no path.
func TestAConflictMayNameNoPath(t *testing.T) {
	s := newScratch(t)
	var files []string
	for _, name := range []string{"a/1", "a/2", "a/3", "a/4"} {
		files = append(files, name, strings.Repeat(name+"\n", 20))
	}
	base := s.commit(files...)
	s.git("checkout", "-q", "-b", "side")
	b := s.commit("a/new", "new\n")
	s.git("checkout", "-q", "-b", "split", string(base))
	s.git("mv", "a", "b")
	if err := os.Mkdir(filepath.Join(s.dir, "c"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("mv", "b/3", "b/4", "c/")
	a := s.commit()
	m, err := s.space().Merge(context.Background(), a, b)
	if err != nil || m.Clean {
		t.Errorf("%+v, %v", m, err)
	}
}

// What is checked out, which may be the branch to be judged, does not choose
// how the two sides merge. What the one side has committed does.
func TestOnlyTheTrunksAttributesMerge(t *testing.T) {
	for _, attributes := range []string{"* merge=union\n", "* merge=ours\n"} {
		s := newScratch(t)
		s.git("config", "merge.ours.driver", "true")
		theirs := []string{"f", "theirs\n2\n3\n4\n5\n", ".gitattributes", attributes, "t/.gitattributes", attributes}
		_, a, b := sides(s, []string{"f", "ours\n2\n3\n4\n5\n"}, theirs)
		for _, checked := range []refstore.OID{a, b} {
			s.git("checkout", "-q", string(checked))
			if m, err := s.space().Merge(context.Background(), a, b); err != nil || m.Clean || !slices.Equal(m.Conflicts, []string{"f"}) {
				t.Errorf("%q, with %s checked out: %+v, %v", attributes, checked, m, err)
			}
		}
		if m, err := s.space().Merge(context.Background(), b, a); err != nil || !m.Clean {
			t.Errorf("%q of the side that is merged into: %+v, %v", attributes, m, err)
		}
	}
}

func TestWhatCannotBeMergedIsAnError(t *testing.T) {
	s := newScratch(t)
	a := s.commit("f", "1\n")
	absent := refstore.OID(strings.Repeat("1", 40))
	for _, pair := range [][2]refstore.OID{{a, absent}, {absent, a}, {a, refstore.OID(s.git("rev-parse", "HEAD:f"))}} {
		if m, err := s.space().Merge(context.Background(), pair[0], pair[1]); !errors.Is(err, ErrMissing) || m.Clean {
			t.Errorf("%v: %+v, %v", pair, m, err)
		}
	}
	for _, bad := range []refstore.OID{"HEAD", "", "--help"} {
		if _, err := s.space().Merge(context.Background(), a, bad); err == nil {
			t.Errorf("%q was merged", bad)
		}
	}
}

// A git that is too old to merge without a work tree says so, and is not taken
// for a conflict.
func TestAnOldGitCannotMerge(t *testing.T) {
	s := newScratch(t)
	_, a, b := sides(s, []string{"g", "1\n"}, []string{"h", "1\n"})
	space := s.space()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	old := t.TempDir()
	script := "#!/bin/sh\nfor w; do if test \"$w\" = merge-tree; then echo usage >&2; exit 129; fi; done\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(old, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", old+string(os.PathListSeparator)+os.Getenv("PATH"))
	if _, err := space.Merge(context.Background(), a, b); !errors.Is(err, ErrCannotMerge) {
		t.Errorf("%v, want ErrCannotMerge", err)
	}
}

func TestAnOverlayIsTheTreeWithTheChanges(t *testing.T) {
	s := newScratch(t)
	base := s.commit("f", "1\n", "t/gone", "x\n", "t/kept", "k\n", "d", "a file\n")
	s.git("rm", "-q", "t/gone", "d")
	tip := s.commit("f", "2\n", "t/new\nline", "n\n", "t/run", "#!/bin/sh\n", "d/in", "i\n")
	space := s.space()
	ctx := context.Background()
	changes, err := space.Changes(ctx, base, tip)
	if err != nil {
		t.Fatal(err)
	}
	all, err := space.Overlay(ctx, base, changes)
	if err != nil || string(all) != s.git("rev-parse", string(tip)+"^{tree}") {
		t.Errorf("all changes make %s, %v", all, err)
	}
	none, err := space.Overlay(ctx, base, nil)
	if err != nil || string(none) != s.git("rev-parse", string(base)+"^{tree}") {
		t.Errorf("no change makes %s, %v", none, err)
	}
	inside, err := space.Overlay(ctx, base, slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Path != "d/in" }))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := space.Run(ctx, inside, []string{"cat", "d/in"}, time.Minute); err != nil || r.Output != "i\n" {
		t.Errorf("a file where there was one above it: %q, %v", r.Output, err)
	}
	tests, err := space.Overlay(ctx, base, slices.DeleteFunc(changes, func(c Change) bool { return !strings.HasPrefix(c.Path, "t/") }))
	if err != nil {
		t.Fatal(err)
	}
	r, err := space.Run(ctx, tests, []string{"sh", "-c", "cat f d; ls t | sort; test -x t/run"}, time.Minute)
	if want := "1\na file\nkept\nline\nnew\nrun\n"; err != nil || strings.Join(strings.Fields(r.Output), " ") != strings.Join(strings.Fields(want), " ") || !r.Passed() {
		t.Errorf("%q exit %d, %v", r.Output, r.Exit, err)
	}
}
