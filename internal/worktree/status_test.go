package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func everywhere(string, bool) bool { return true }

// uncommitted lists what the worktree has, as "state path".
func (s *scratch) uncommitted() []string {
	s.t.Helper()
	index := s.index()
	all, err := s.tree("").Uncommitted(context.Background(), everywhere)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.index() != index {
		s.t.Error("looking changed the index")
	}
	var out []string
	for _, u := range all {
		line := string(u.State) + " " + u.Path
		if u.Dir {
			line += "/"
		}
		out = append(out, line)
	}
	return out
}

func TestUncommitted(t *testing.T) {
	tests := []struct {
		claim  string
		change func(s *scratch)
		want   []string
	}{
		{"nothing", func(*scratch) {}, nil},
		{"a touched file is not changed", func(s *scratch) { s.write("a/1", "1") }, nil},
		{"a change", func(s *scratch) { s.write("a/1", "x") }, []string{"unstaged a/1"}},
		{"a staged change", func(s *scratch) { s.write("a/1", "x"); s.git("add", "a") }, []string{"staged a/1"}},
		{"both", func(s *scratch) { s.write("a/1", "x"); s.git("add", "a"); s.write("a/1", "y") }, []string{"staged and unstaged a/1"}},
		{"a deletion", func(s *scratch) { s.remove("a/1") }, []string{"deleted a/1"}},
		{"a staged deletion", func(s *scratch) { s.git("rm", "-q", "a/1") }, []string{"deleted a/1"}},
		{"a rename is two paths", func(s *scratch) { s.git("config", "status.renames", "copies"); s.git("mv", "a/1", "c") }, []string{"deleted a/1", "staged c"}},
		{"an announced file", func(s *scratch) { s.write("n", "x"); s.git("add", "-N", "n") }, []string{"unstaged n"}},
		{"new files one by one", func(s *scratch) {
			s.git("config", "status.showUntrackedFiles", "no")
			s.write("d/x", "", "d/e/y z", "")
		}, []string{"untracked d/e/y z", "untracked d/x"}},
		{"ignored files are no work", func(s *scratch) { s.write(".git/info/exclude", "*.o\n", "x.o", "x") }, nil},
		{"odd names", func(s *scratch) { s.write("x\ny", "", "\xff", "", "\"q", "", "->", "") }, []string{"untracked \"q", "untracked ->", "untracked x\ny", "untracked \xff"}},
		{"a repository of its own", func(s *scratch) { s.git("init", "-q", "sub/nested"); s.write("sub/nested/f", "") }, []string{"untracked sub/nested/"}},
		{"a hook of somebody's is not asked", func(s *scratch) { s.git("config", "core.fsmonitor", "touch fsmonitor-ran; true") }, nil},
		{"a mode", func(s *scratch) { os.Chmod(filepath.Join(s.dir, "a/1"), 0o755) }, []string{"unstaged a/1"}},
		{"a sparse checkout leaves out what is no work", func(s *scratch) { s.git("sparse-checkout", "set", "--no-cone", "b/") }, nil},
		{"a conflict", func(s *scratch) {
			s.git("checkout", "-q", "-b", "other")
			s.write("a/1", "2")
			s.git("commit", "-q", "-am", "2")
			s.git("checkout", "-q", "main")
			s.write("a/1", "3")
			s.git("commit", "-q", "-am", "3")
			s.run("sh", "-c", "git merge other >/dev/null 2>&1 || true")
		}, []string{"unmerged a/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			s := based(t, "a/1", "1", "b/1", "1")
			tt.change(s)
			if got := s.uncommitted(); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestUncommittedInASubmodule(t *testing.T) {
	s, lib := based(t, "a", "1"), based(t, "f", "1")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	s.git("commit", "-q", "-m", "sub")
	s.git("config", "submodule.sub.ignore", "all")
	s.write("sub/new", "x")
	if got := s.uncommitted(); !slices.Equal(got, []string{"unstaged sub/"}) {
		t.Errorf("%q", got)
	}
}

// What git was told not to look at is not clean.
func TestUncommittedAndHidden(t *testing.T) {
	for flag, hint := range map[string]string{"--assume-unchanged": "--no-assume-unchanged", "--skip-worktree": "--no-skip-worktree"} {
		s := based(t, "a/1", "1", "b/1", "1")
		s.git("update-index", flag, "a/1")
		s.write("a/1", "x")
		tr := s.tree("")
		if _, err := tr.Uncommitted(context.Background(), everywhere); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), hint) {
			t.Errorf("%s: %v", flag, err)
		}
		if _, err := tr.Uncommitted(context.Background(), func(p string, _ bool) bool { return p != "a/1" }); err != nil {
			t.Errorf("%s where it does not matter: %v", flag, err)
		}
	}
}

// What git complains of while it looks may have kept it from seeing something;
// what it was asked to trace has not.
func TestUncommittedWithComplaints(t *testing.T) {
	s := based(t, "a", "1")
	t.Setenv("GIT_TRACE", "1")
	t.Setenv("GIT_TRACE2", "1")
	if got := s.uncommitted(); got != nil {
		t.Errorf("%q", got)
	}
	s.link("elsewhere", ".gitignore")
	if _, err := s.tree("").Uncommitted(context.Background(), everywhere); !errors.Is(err, ErrUnreadable) {
		t.Errorf("%v, want ErrUnreadable", err)
	}
}

// A directory that git cannot look into whole is not committed without the rest.
func TestCommitOfWhatGitCannotSee(t *testing.T) {
	s := based(t, "a/1", "1", "b/1", "1")
	s.write("a/1", "x", "b/1", "x")
	s.link("elsewhere", "a/.gitignore")
	if v, err := s.try(ask{paths: []string{"b", "a"}}); !errors.Is(err, ErrUnreadable) {
		t.Errorf("%+v, %v, want ErrUnreadable", v, err)
	}
	s.commit(ask{paths: []string{"b"}}, "b/1")
	s.commit(ask{paths: []string{"a/1"}}, "a/1")
}

// A broken index or HEAD is no clean worktree, and no empty footprint.
func TestUnreadable(t *testing.T) {
	s := based(t, "a", "1")
	s.write(".git/index", "garbage")
	repo := s.tree("")
	if _, err := repo.Uncommitted(context.Background(), everywhere); !errors.Is(err, ErrUnreadable) {
		t.Errorf("uncommitted: %v, want ErrUnreadable", err)
	}
	if _, err := repo.Staged(context.Background()); err == nil {
		t.Error("staged: no error")
	}
	s = based(t, "a", "1")
	tr := s.tree("")
	s.remove(".git/objects/" + s.git("rev-parse", "HEAD^{tree}")[:2])
	if _, err := tr.Staged(context.Background()); err == nil {
		t.Error("staged without a tree to compare with: no error")
	}
	s = based(t, "a", "1")
	tr = s.tree("")
	s.write(".git/refs/heads/main", "")
	if _, err := tr.Staged(context.Background()); err == nil {
		t.Error("staged with a broken branch: no error")
	}
}

func TestStaged(t *testing.T) {
	s := newScratch(t)
	want := func(claim string, want ...string) {
		t.Helper()
		got, err := s.tree("").Staged(context.Background())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", claim, got, err, want)
		}
	}
	s.write("a/1", "1", "b/1", strings.Repeat("text\n", 50))
	want("nothing yet")
	s.git("add", ".")
	want("before the first commit", "a/1", "b/1")
	s.git("commit", "-q", "-m", "base")
	s.write("a/1", "x", "n", "x")
	want("what is only in files")
	s.git("config", "diff.renames", "copies")
	s.git("config", "diff.relative", "true")
	s.git("mv", "b/1", "a/\xff")
	want("both sides of a rename", "a/\xff", "b/1")
	s.write("other", "")
	s.git("add", "n")
	t.Setenv("GIT_INDEX_FILE", filepath.Join(s.dir, ".git", "other-index"))
	s.git("read-tree", "HEAD")
	s.git("update-index", "--force-remove", "a/1")
	want("the index a hook is given", "a/1")
}

func TestParseEntry(t *testing.T) {
	for _, r := range []string{"1 M. N... 1 2 3 4 5", "1 M N... 1 2 3 4 5 path", "? ", "x path", "u UU", "1"} {
		if e, ok := parseEntry(r); ok {
			t.Errorf("%q reads as %+v", r, e)
		}
	}
}
