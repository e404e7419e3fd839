package refstore_test

import "testing"

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
