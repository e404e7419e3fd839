package refstore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestAPathWithALineBreakIsToldApart(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no path has one
	}
	dir := filepath.Join(t.TempDir(), "a\nb")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "init", "--quiet")
	if _, err := refstore.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "a repository whose path has a line break cannot be worked in") {
		t.Error(err)
	}
}

func TestHeadIsToldOnlyWhereItNamesACommit(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T, dir string)
		branch  string
		known   bool
	}{
		{"a branch with a commit", func(t *testing.T, dir string) {}, "refs/heads/main", true},
		{"a detached head has no branch", func(t *testing.T, dir string) { gitIn(t, dir, "checkout", "--quiet", "--detach") }, "", true},
		{"an unborn branch is not told", func(t *testing.T, dir string) { gitIn(t, dir, "checkout", "--quiet", "--orphan", "new") }, "", false},
		{"an ambiguous HEAD is not told", func(t *testing.T, dir string) { gitIn(t, dir, "update-ref", "refs/heads/HEAD", "main") }, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := initRepo(t)
			gitIn(t, dir, "checkout", "--quiet", "-B", "main")
			gitIn(t, dir, "commit", "--quiet", "--allow-empty", "-m", "root")
			c.arrange(t, dir)
			r := open(t, dir)
			head, known := r.Head()
			if known != c.known || head.Branch != c.branch {
				t.Fatalf("head %+v, %v, want branch %q, %v", head, known, c.branch, c.known)
			}
			if want := gitIn(t, dir, "rev-parse", "--verify", "refs/heads/main"); known && string(head.ID) != want {
				t.Errorf("head is at %s, want %s", head.ID, want)
			}
			if r.WorkTree == "" || r.GitDir == "" || r.Bare {
				t.Errorf("found %+v, want a work tree all the same", r)
			}
		})
	}
}
