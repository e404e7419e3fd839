//go:build unix

package hookset

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// cutAfter lets so many steps of f be taken, and ends it as a kill would. It
// reports whether f was cut.
func cutAfter(n int, f func()) (cut bool) {
	step := func() {
		if n--; n < 0 {
			panic(errCut)
		}
	}
	defer func() {
		rename, remove = os.Rename, os.Remove
		if err := recover(); err != nil {
			if err != errCut {
				panic(err)
			}
			cut = true
		}
	}()
	rename = func(from, to string) error { step(); return os.Rename(from, to) }
	remove = func(path string) error { step(); return os.Remove(path) }
	f()
	return false
}

var errCut = errors.New("cut")

// theirsRuns reports whether the hook that was there before is still run.
func theirsRuns(t *testing.T, repo *refstore.Repo) bool {
	t.Helper()
	p, err := FindPlace(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(p.Dir, "pre-push"))
	cmd.Dir, cmd.Stdin = repo.WorkTree, strings.NewReader("")
	out, _ := cmd.CombinedOutput()
	return strings.Contains(string(out), "theirs")
}

func TestACutLeavesHooksThatWork(t *testing.T) {
	for _, q := range []Request{{}, {OwnPath: true}} {
		for n := 0; ; n++ {
			repo, program := newRepo(t), fakeProgram(t)
			q.Program = program
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-push"), "#!/bin/sh\necho theirs\n", 0o755)
			if err := os.Mkdir(filepath.Join(repo.CommonDir, "dos"), 0o755); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, traces(repo)...)
			run := func() {
				if _, err := Install(context.Background(), repo, q); err != nil {
					t.Error(err)
				}
			}
			cut := cutAfter(n, run)
			if !theirsRuns(t, repo) {
				t.Errorf("install %+v is cut after %d steps: the hook from before is not run", q, n)
			}
			if n%2 == 0 {
				install(t, repo, q)
				if !theirsRuns(t, repo) || see(t, repo).Outcome != Armed {
					t.Errorf("install %+v is cut after %d steps and repeated: %+v", q, n, see(t, repo))
				}
			}
			uninstall(t, repo)
			sameSnapshot(t, "install cut and taken out", snapshot(t, traces(repo)...), before)
			if !cut {
				break
			}
		}
		for n := 0; ; n++ {
			repo, program := newRepo(t), fakeProgram(t)
			q.Program = program
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-push"), "#!/bin/sh\necho theirs\n", 0o755)
			before := snapshot(t, traces(repo)...)
			install(t, repo, q)
			cut := cutAfter(n, func() { uninstall(t, repo) })
			if !theirsRuns(t, repo) {
				t.Errorf("uninstall %+v is cut after %d steps: the hook from before is not run", q, n)
			}
			uninstall(t, repo)
			sameSnapshot(t, "uninstall cut and repeated", snapshot(t, traces(repo)...), before)
			if !cut {
				break
			}
		}
	}
}
