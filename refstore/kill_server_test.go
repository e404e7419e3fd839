//go:build unix

package refstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// receivePack makes the clone of f push through a receive-pack that runs line
// once per flag file; line finds its arguments as "$@".
func (f *fixture) receivePack(t testing.TB, line string) (flag string) {
	t.Helper()
	dir := t.TempDir()
	flag = filepath.Join(dir, "flag")
	path := script(t, filepath.Join(dir, "receive-pack"), fmt.Sprintf("if rm %s 2>/dev/null; then\n\t%s\nfi\nexec git-receive-pack \"$@\"", flag, line))
	gitIn(t, f.repo.WorkTree, "config", "remote.origin.receivepack", path)
	return flag
}

// TestServerKilledRightBeforeARenameIsNamed kills the server between locking
// and moving two refs. What it leaves is named with its path and age, and
// after the remedy the next writer goes on.
func TestServerKilledRightBeforeARenameIsNamed(t *testing.T) {
	needStrace(t)
	defer refstore.SetLockPatience(time.Second)()
	t.Run("kills", func(t *testing.T) {
		for _, first := range []bool{true, false} {
			for n := 1; n <= 2; n++ {
				t.Run(fmt.Sprintf("rename %d, refs new %t", n, first), func(t *testing.T) {
					t.Parallel()
					a := remoteArena(t)
					flag := a.receivePack(t, "exec "+killAt(fmt.Sprint(n))+" git-receive-pack \"$@\"")
					if !first {
						if _, err := movePair(ctx, a.repo, a.auth, killedLane, killedOrder); err != nil {
							t.Fatal(err)
						}
					}
					for range full(1, 10) {
						a.killServer(t, flag, n)
					}
					t.Log(a.tally)
				})
			}
		}
	})
}

func (a *arena) killServer(t *testing.T, flag string, n int) {
	t.Helper()
	write(t, flag, "")
	short, cancel := timeout(30 * time.Second)
	defer cancel()
	_, err := movePair(short, a.repo, a.auth, killedLane, killedOrder)
	if _, ferr := os.Lstat(flag); ferr == nil {
		t.Fatal("the server was not killed")
	}
	a.tally.kills++
	locks := locksBelow(t, a.raw)
	a.tally.stale += len(locks)
	if len(locks) != 3-n {
		t.Fatalf("a kill before rename %d left %v", n, locks)
	}
	var o *refstore.OutcomeError
	if !errors.As(err, &o) || o.Outcome.Result != refstore.Locked || !strings.HasSuffix(o.Outcome.Path, ".lock") {
		t.Fatalf("the writer ended with %v", err)
	}
	if ref := strings.TrimSuffix(strings.TrimPrefix(o.Outcome.Path, a.raw+"/"), ".lock"); o.Outcome.Ref != ref || o.Outcome.Age <= 0 {
		t.Errorf("named %s, %s old, for %s", o.Outcome.Path, o.Outcome.Age, o.Outcome.Ref)
	}
	if !strings.Contains(err.Error(), "remove it") || !strings.Contains(err.Error(), o.Outcome.Path) {
		t.Errorf("words: %v", err)
	}
	emptyRefs(t, a.raw)
	for _, path := range locks { // the remedy it names
		remove(t, path)
	}
	if _, err := movePair(ctx, a.repo, a.auth, killedLane, killedOrder); err != nil {
		t.Errorf("after the remedy: %v", err)
	}
	a.onlyPrefixes(t)
	gitIn(t, a.raw, "fsck", "--strict", "--no-dangling")
}

// TestMirrorLockOfALivingGitStays: it becomes another file while it is looked
// at, as the locks of a git at work do.
func TestMirrorLockOfALivingGitStays(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	f.append(t, f.peerRepo, f.peer, laneRef, entry("X", 2, `{}`))
	path := filepath.Join(f.repo.CommonDir, "refs/dos/at/origin/lane/api.lock")
	write(t, path, "")
	var during sync.WaitGroup
	during.Go(func() {
		time.Sleep(500 * time.Millisecond)
		if err := errors.Join(os.WriteFile(path+".other", nil, 0o600), os.Rename(path+".other", path)); err != nil {
			t.Error(err)
		}
	})
	_, err := f.auth.Read(ctx, queryFor(laneRef))
	during.Wait()
	if o := outcome(t, err); o.Result != refstore.Locked || o.Path != path || o.Age <= 0 {
		t.Errorf("%s %s: %v", o.Result, o.Path, err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}

// TestClientKilledInsideItsMirrorBlocksNobody kills the git of a remote
// writer right before it moves the mirror.
func TestClientKilledInsideItsMirrorBlocksNobody(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for _, word := range []string{"fetch", "push"} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			a := remoteArena(t)
			if _, err := movePair(ctx, a.repo, a.auth, killedLane, killedOrder); err != nil {
				t.Fatal(err)
			}
			for n := range full(2, 10) {
				if _, err := movePair(ctx, a.peerRepo, a.peer, killedLane, killedOrder); err != nil { // something to fetch
					t.Fatal(err)
				}
				env, flag := gitThat(t, word, orphan+"kill -9 $PPID; exec "+strings.Replace(killAt(fmt.Sprint(n%2+1)), " -f ", " ", 1)+" $REAL \"$@\"")
				var out bytes.Buffer
				cmd := worker(t, "move", env, a.dir, "origin", killedLane, killedOrder, "1")
				cmd.Stdout = &out
				if err := cmd.Run(); err == nil {
					t.Errorf("the writer was not killed: %s", out.String())
				}
				if _, err := os.Lstat(flag); err == nil {
					t.Fatal("git was not killed")
				}
				a.tally.kills++
				time.Sleep(300 * time.Millisecond) // the orphan ends by its own signal
				a.survive(t)
			}
			t.Log(a.tally)
		})
	}
}
