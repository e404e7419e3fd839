package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/scope"
)

// withModule is a repository with a committed submodule api/sub that holds a/1
// and, in it, the submodule deep that holds f.
func withModule(t *testing.T) *scratch {
	t.Helper()
	s := alone(t)
	master := filepath.Join(bases, "modules")
	if _, err := os.Stat(master); err != nil {
		makeModules(t, master)
	}
	if err := os.CopyFS(s.dir, os.DirFS(master)); err != nil {
		t.Fatal(err)
	}
	return s
}

func makeModules(t *testing.T, master string) {
	lib, deep := based(t, "a/1", "1"), based(t, "f", "1")
	s := &scratch{t, master}
	s.run("git", "init", "-q", "-b", "main", master)
	lib.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", deep.dir, "deep")
	lib.git("commit", "-q", "-m", "deep")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "api/sub")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	s.git("commit", "-q", "-m", "sub")
}

// Work in a submodule is seen whatever the settings of anybody are.
func TestWorkInASubmodule(t *testing.T) {
	tests := []struct {
		claim  string
		change func(s *scratch)
	}{
		{"hidden by the user's settings", func(s *scratch) {
			s.git("config", "--global", "status.showUntrackedFiles", "no")
			s.write("api/sub/new", "x")
		}},
		{"hidden by its own settings", func(s *scratch) {
			s.git("-C", "api/sub", "config", "status.showUntrackedFiles", "no")
			s.write("api/sub/new", "x")
		}},
		{"in one below it", func(s *scratch) { s.write("api/sub/deep/new", "x") }},
		{"in one below it that is ignored", func(s *scratch) {
			s.git("-C", "api/sub", "config", "submodule.deep.ignore", "all")
			s.git("-C", "api/sub", "config", "status.showUntrackedFiles", "no")
			s.write("api/sub/deep/new", "x")
		}},
		{"a commit that is not recorded", func(s *scratch) { s.git("-C", "api/sub", "commit", "-q", "--allow-empty", "-m", "x") }},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			s := withModule(t)
			if got := s.uncommitted(); got != nil {
				t.Fatalf("before: %q", got)
			}
			tt.change(s)
			if got := s.uncommitted(); !slices.Equal(got, []string{"unstaged api/sub/"}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// What git cannot see inside a submodule is not clean.
func TestUnseenInASubmodule(t *testing.T) {
	tests := []struct {
		claim, want string
		change      func(s *scratch)
	}{
		{"an assumption", "--no-assume-unchanged", func(s *scratch) {
			s.git("-C", "api/sub", "update-index", "--assume-unchanged", "a/1")
			s.write("api/sub/a/1", "x")
		}},
		{"a file to be skipped", "--no-skip-worktree", func(s *scratch) {
			s.git("-C", "api/sub", "update-index", "--skip-worktree", "a/1")
			s.write("api/sub/a/1", "x")
		}},
		{"an assumption below it", `"api/sub/deep/f"`, func(s *scratch) { s.git("-C", "api/sub/deep", "update-index", "--assume-unchanged", "f") }},
		{"files where none is checked out", "not checked out", func(s *scratch) {
			s.git("submodule", "--quiet", "deinit", "-f", "api/sub")
			s.write("api/sub/mywork", "x")
		}},
		{"files without their repository", "not checked out", func(s *scratch) { s.remove("api/sub/.git") }},
		{"a broken repository", "", func(s *scratch) { s.remove("api/sub/.git"); s.write("api/sub/.git/x", "") }},
		{"a repository of other files", "leads elsewhere", func(s *scratch) { s.git("-C", "api/sub", "config", "core.worktree", s.dir) }},
		{"a dangling repository", "", func(s *scratch) { s.write("api/sub/.git", "gitdir: /nowhere") }},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			s := withModule(t)
			tt.change(s)
			tr := s.tree("")
			if got, err := tr.Uncommitted(context.Background(), everywhere); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, %v; want %s", got, err, tt.want)
			}
			if tt.want == "" {
				return // git itself will not look at anything
			}
			if _, err := tr.Uncommitted(context.Background(), func(p string, _ bool) bool { return p == "a" }); err != nil {
				t.Errorf("where it does not matter: %v", err)
			}
		})
	}
}

// A submodule that is not checked out is no work, and no place to commit from.
func TestASubmoduleThatIsNotCheckedOut(t *testing.T) {
	s := withModule(t)
	s.git("submodule", "--quiet", "deinit", "-f", "api/sub")
	if got := s.uncommitted(); got != nil {
		t.Errorf("%q", got)
	}
	s.write("api/sub/mywork", "x")
	var path *PathError
	if _, err := s.try(ask{paths: []string{"api/sub/mywork"}}); !errors.As(err, &path) || !strings.Contains(path.Why, "not checked out") {
		t.Errorf("%v", err)
	}
}

// A named path that git was told not to look at is not left out in silence.
func TestCommitOfWhatGitDoesNotLookAt(t *testing.T) {
	for _, flag := range []string{"assume-unchanged", "skip-worktree"} {
		for _, name := range []string{"a/1", "a"} {
			s := based(t, "a/1", "1", "a/2", "2", "b/1", "1")
			s.git("update-index", "--"+flag, "a/1")
			s.write("a/1", "x", "a/2", "x", "b/1", "x")
			v := s.refuse(ask{paths: []string{name, "b/1"}}, scope.NotLookedAt, "a/1")
			if !strings.Contains(v.Next, "--no-"+flag) {
				t.Errorf("next %q", v.Next)
			}
			s.commit(ask{paths: []string{"a/2", "b/1"}}, "a/2", "b/1")
		}
	}
	s := based(t, "a/1", "1", "b/1", "1")
	s.git("sparse-checkout", "set", "--no-cone", "b/")
	s.write("b/1", "x")
	s.refuse(ask{paths: []string{"a"}}, scope.NothingChanged)
	s.commit(ask{paths: []string{"a", "b"}}, "b/1")
}
