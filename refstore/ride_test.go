//go:build unix

package refstore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// ride pushes a commit of the clone's main branch together with a lane.
func (f *fixture) ride(t testing.TB) (refstore.Update, error) {
	t.Helper()
	gitIn(t, f.repo.WorkTree, "commit", "--quiet", "--allow-empty", "-m", "work")
	head := refstore.OID(gitIn(t, f.repo.WorkTree, "rev-parse", "HEAD"))
	short, cancel := timeout(20 * time.Second)
	defer cancel()
	return f.repo.Update(short, f.auth, queryFor(laneRef, "refs/heads/main"), func(s refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{
			{Ref: "refs/heads/main", Target: head},
			{Ref: laneRef, Entry: entry("SHIP", s.Tip(laneRef).Entry.Gen+1, `{}`)},
		}, nil
	})
}

// TestPrePushHookIsTheUsersOwn: it is not bothered with our refs, sees a
// branch that rides, and can refuse it.
func TestPrePushHookIsTheUsersOwn(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	log := filepath.Join(t.TempDir(), "log")
	hook := filepath.Join(f.repo.GitDir, "hooks", "pre-push")
	script(t, hook, "cat >>"+log)
	f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
	if b, err := os.ReadFile(log); err == nil {
		t.Errorf("the hook ran for a lane: %s", b)
	}
	if _, err := f.ride(t); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(log); !strings.Contains(string(b), " refs/heads/main ") {
		t.Errorf("the hook saw %q", b)
	}
	remove(t, log)
	script(t, hook, "cat >>"+log+"; echo 'no pushes today' >&2; exit 1")
	before := fmt.Sprint(f.rev(t, laneRef), f.rev(t, "refs/heads/main"))
	_, err := f.ride(t)
	if o := outcome(t, err); o.Result != refstore.Denied || !strings.Contains(o.Words, "no pushes today") {
		t.Errorf("%s: %v", o.Result, err)
	}
	if b, _ := os.ReadFile(log); strings.Count(string(b), " refs/heads/main ") != 1 {
		t.Errorf("the hook saw %q", b)
	}
	if after := fmt.Sprint(f.rev(t, laneRef), f.rev(t, "refs/heads/main")); after != before {
		t.Error("a ref moved")
	}
}

// TestServerThatDiesIsNoRefusal: a branch rides, nothing moves, and nobody has said
// no; what a hook of the user's that lets it pass prints is no refusal either.
func TestServerThatDiesIsNoRefusal(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
	script(t, filepath.Join(f.repo.GitDir, "hooks", "pre-push"), "git rev-parse --verify nothing; echo 'fatal: ! [remote rejected]' >&2; exit 0")
	script(t, filepath.Join(f.raw, "hooks", "pre-receive"), "kill -9 $PPID")
	_, err := f.ride(t)
	if o := outcome(t, err); o.Result == refstore.Denied || o.Result == refstore.Won {
		t.Errorf("%s: %v", o.Result, err)
	}
}

// TestTrunkStaysWhenTheLaneMoved: the lane is given away between the read and
// the push.
func TestTrunkStaysWhenTheLaneMoved(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
	if _, err := f.ride(t); err != nil {
		t.Fatal(err)
	}
	lane := f.rev(t, laneRef)
	trunk := f.rev(t, "refs/heads/main")
	f.append(t, f.peerRepo, f.peer, laneRef, entry("SCAVENGE", 2, `{}`))
	gitIn(t, f.repo.WorkTree, "commit", "--quiet", "--allow-empty", "-m", "late")
	ship, err := f.repo.WriteEntry(context.Background(), laneRef, lane, entry("SHIP", 1, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	o, err := transact(ctx, f.auth, []refstore.Move{
		{Ref: "refs/heads/main", Expect: trunk, New: refstore.OID(gitIn(t, f.repo.WorkTree, "rev-parse", "HEAD"))},
		{Ref: laneRef, Expect: lane, New: ship},
	})
	if err != nil || o.Result != refstore.Lost || o.Ref != laneRef || len(o.Landed) != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if f.rev(t, "refs/heads/main") != trunk {
		t.Error("trunk moved")
	}
}

// TestLockOfALivingGitIsNotWonOver holds a git transaction at prepare, where
// git has locked the ref and checked its old value.
func TestLockOfALivingGitIsNotWonOver(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	theirs := f.hash(t, "commit", f.commit(t, message("lane", "api", "THEIRS", "2", `{}`, "1"), id))
	in, say := f.prepared(t, fmt.Sprintf("update %s %s %s\n", laneRef, theirs, id))
	_, o := f.swap(t, f.repo, f.auth, map[string]refstore.OID{laneRef: id}, laneRef)
	if o.Result != refstore.Locked || o.Ref != laneRef || o.Path != filepath.Join(f.raw, laneRef+".lock") || o.Age <= 0 || o.Age > time.Minute {
		t.Errorf("beside a prepared transaction: %+v", o)
	}
	time.AfterFunc(1500*time.Millisecond, func() { say("commit\n"); _ = in.Close() })
	u, err := f.update(t, 20*time.Second, laneRef)
	if err != nil {
		t.Fatal(err)
	}
	if tip := f.read(t, "lane").Tip(laneRef); tip.ID != u.Wrote[0].New || tip.Parent != theirs {
		t.Errorf("the chain ends in %s on %s, theirs is %s", tip.ID, tip.Parent, theirs)
	}
}

// prepared starts a git that holds a transaction of the given lines.
func (f *fixture) prepared(t testing.TB, lines string) (in interface{ Close() error }, say func(string)) {
	t.Helper()
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir, cmd.Env = f.raw, elsewhere()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	say = func(s string) { _, _ = stdin.Write([]byte(s)) }
	say("start\n" + lines + "prepare\n")
	for heard := ""; !strings.Contains(heard, "prepare: ok"); {
		b := make([]byte, 100)
		n, err := stdout.Read(b)
		if err != nil {
			t.Fatalf("git does not prepare: %v", err)
		}
		heard += string(b[:n])
	}
	return stdin, say
}

// TestForeignLeftoverLockIsReportedAndStays: no intent of ours names it.
func TestForeignLeftoverLockIsReportedAndStays(t *testing.T) {
	defer refstore.SetLockPatience(time.Second)()
	f := localFixture(t, initRepo(t))
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	path := filepath.Join(f.raw, laneRef+".lock")
	for name, content := range map[string]string{"empty": "", "an entry on the tip": string(f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), id)))} {
		write(t, path, content)
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		_, err := f.update(t, 20*time.Second, laneRef)
		o := outcome(t, err)
		if o.Result != refstore.Locked || o.Path != path || o.Age < time.Hour || !strings.Contains(err.Error(), o.Age.Round(time.Second).String()) {
			t.Errorf("%s: %s: %v", name, o.Result, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != content || f.rev(t, laneRef) != id {
			t.Errorf("%s: the lock holds %q, %v", name, b, err)
		}
		remove(t, path)
	}
	f.append(t, f.repo, f.auth, laneRef, entry("MOVE", 2, `{}`))
}
