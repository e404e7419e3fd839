//go:build unix

package refstore_test

import (
	"context"
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

// fetching makes the fetches of f run a shell line first, and counts them.
func (f *fixture) fetching(t testing.TB, line string) (runs func() int) {
	t.Helper()
	body, runs := counting(t, line)
	path := script(t, filepath.Join(t.TempDir(), "upload-pack"), body+"\nexec git-upload-pack \"$@\"")
	gitIn(t, f.repo.WorkTree, "config", "remote.origin.uploadpack", path)
	return runs
}

// another opens the clone of f as another process would.
func (f *fixture) another(t testing.TB) *refstore.Remote {
	t.Helper()
	a, err := open(t, f.repo.WorkTree).Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// waitFor waits until a condition holds.
func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for range 500 {
		if cond() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// gate is a shell line that waits until the test opens it.
func gate(t testing.TB) (line string, open func()) {
	path := filepath.Join(t.TempDir(), "open")
	return "while [ ! -e " + path + " ]; do sleep 0.02; done", func() { write(t, path, "") }
}

// TestReadersDuringAFetchShareTheNextOne: eight readers of one clone make two
// fetches at most, and each sees what was there when it began.
func TestReadersDuringAFetchShareTheNextOne(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.peerRepo, f.peer, laneRef, entry("FIRST", 1, `{}`))
	wait, opened := gate(t)
	runs := f.fetching(t, wait)
	var all sync.WaitGroup
	read := func(want func() refstore.OID) {
		a, id := f.another(t), want()
		all.Go(func() {
			s, err := a.Read(ctx, laneQuery)
			if tip := s.Tip(laneRef); err != nil || id != "" && tip.ID != id || s.AsOf.IsZero() {
				t.Errorf("read %s, want %s: %v", tip.ID, id, err)
			}
		})
	}
	read(func() refstore.OID { return "" })
	waitFor(t, "the first fetch", func() bool { return runs() == 1 })
	// The first has begun, and may or may not see this one.
	f.append(t, f.peerRepo, f.peer, laneRef, entry("SECOND", 2, `{}`))
	for range 7 {
		read(func() refstore.OID { return f.rev(t, laneRef) })
	}
	time.Sleep(300 * time.Millisecond) // so that all of them wait
	opened()
	all.Wait()
	if got := runs(); got != 2 {
		t.Errorf("%d fetches", got)
	}
}

// TestAFetchThatBeganBeforeServesNobodyElse: neither one that is over, nor one
// that brought something else.
func TestAFetchThatBeganBeforeServesNobodyElse(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	runs := f.fetching(t, "")
	for n := range 3 {
		if _, err := f.another(t).Read(ctx, laneQuery); err != nil || runs() != n+1 {
			t.Errorf("read %d: %d fetches, %v", n, runs(), err)
		}
	}
	wait, opened := gate(t)
	runs = f.fetching(t, wait)
	var all sync.WaitGroup
	read := func(kinds ...string) {
		a := f.another(t)
		all.Go(func() {
			if _, err := a.Read(ctx, refstore.Query{Kinds: kinds}); err != nil {
				t.Error(err)
			}
		})
	}
	read("lane")
	waitFor(t, "the first fetch", func() bool { return runs() == 1 })
	for _, kind := range []string{"lane", "order", "meta"} {
		read(kind)
		time.Sleep(100 * time.Millisecond)
	}
	opened()
	all.Wait()
	if got := runs(); got != 4 {
		t.Errorf("%d fetches for one, and three of different things", got)
	}
}

// TestAFetchLogThatCannotBeReadServesNobody: what others left in it is no proof
// of a fetch.
func TestAFetchLogThatCannotBeReadServesNobody(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	runs := f.fetching(t, "")
	path := filepath.Join(f.repo.CommonDir, "dos", "at-origin.fetches")
	f.read(t, "lane")
	for n, text := range []string{"", "{", "null", `{"begun":-1}`, `{"begun":"x"}`, `{"begun":18446744073709551615,"ended":18446744073709551615,"kinds":["lane"],"prefix":"refs/dos"}`, strings.Repeat("[", 1<<20)} {
		write(t, path, text)
		if _, err := f.another(t).Read(ctx, laneQuery); err != nil || runs() != n+2 {
			t.Errorf("%.40q: %d fetches, %v", text, runs(), err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	before := runs()
	if f.read(t, "lane"); runs() != before+1 {
		t.Error("without a log nothing was fetched")
	}
}

// TestNobodyIsStuckBehindAFetchThatHangs: it ends within its limit, and those
// that came while it hung share one more and are told that nothing answers.
func TestNobodyIsStuckBehindAFetchThatHangs(t *testing.T) {
	defer refstore.SetLookTime(1500 * time.Millisecond)()
	f := remoteFixture(t, transports[0], "")
	runs := f.fetching(t, "exec sleep 60")
	began := time.Now()
	var all sync.WaitGroup
	for range 8 {
		a := f.another(t)
		all.Go(func() {
			_, err := a.Read(ctx, laneQuery)
			var o *refstore.OutcomeError
			if !errors.As(err, &o) || o.Outcome.Result != refstore.Offline || o.Outcome.Words == "" {
				t.Errorf("ended with %v", err)
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > 12*time.Second || runs() > 3 {
		t.Errorf("took %s and %d fetches", took, runs())
	}
	// A caller's own deadline is its own, and says nothing about the remote.
	short, cancel := context.WithTimeoutCause(ctx, 200*time.Millisecond, errors.New("in a hurry"))
	defer cancel()
	if _, err := f.another(t).Read(short, laneQuery); err == nil || err.Error() != "in a hurry" {
		t.Errorf("in a hurry: %v", err)
	}
	gitIn(t, f.repo.WorkTree, "config", "--unset", "remote.origin.uploadpack")
	if _, err := f.another(t).Read(ctx, laneQuery); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestReadersOfARemoteThatDoesNotAnswerShareThatToo: they ask it twice, not
// eight times.
func TestReadersOfARemoteThatDoesNotAnswerShareThatToo(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	wait, opened := gate(t)
	runs := f.fetching(t, wait+"; exit 1")
	var all sync.WaitGroup
	for n := range 8 {
		a := f.another(t)
		all.Go(func() {
			_, err := a.Read(ctx, laneQuery)
			var o *refstore.OutcomeError
			if !errors.As(err, &o) || o.Outcome.Result != refstore.Offline || o.Outcome.Words == "" {
				t.Errorf("ended with %v", err)
			}
		})
		if n == 0 {
			waitFor(t, "the first fetch", func() bool { return runs() == 1 })
		}
	}
	time.Sleep(300 * time.Millisecond)
	opened()
	all.Wait()
	if runs() != 2 {
		t.Errorf("%d fetches", runs())
	}
}

// TestAFetchThatDidNotEndServesNobody: whoever waited for it fetches.
func TestAFetchThatDidNotEndServesNobody(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	dir := t.TempDir()
	runs := f.fetching(t, fmt.Sprintf("echo >>%[1]s/n; n=$(($(wc -l <%[1]s/n))); while [ ! -e %[1]s/open$n ]; do sleep 0.02; done", dir))
	var all sync.WaitGroup
	cut, cancel := context.WithCancel(ctx)
	for _, c := range []context.Context{ctx, cut, ctx} { // the lock goes to them in this order
		a := f.another(t)
		all.Go(func() {
			if _, err := a.Read(c, laneQuery); err != nil && c.Err() == nil {
				t.Error(err)
			}
		})
		waitFor(t, "the first fetch", func() bool { return runs() == 1 })
		time.Sleep(200 * time.Millisecond)
	}
	write(t, filepath.Join(dir, "open1"), "")
	waitFor(t, "the second fetch", func() bool { return runs() == 2 })
	write(t, filepath.Join(dir, "open3"), "")
	cancel()
	all.Wait()
	if runs() != 3 {
		t.Errorf("%d fetches", runs())
	}
}

// TestAPushOfCommitsDoesNotKeepReadersOut, however long it takes, and the
// mirror has what it won.
func TestAPushOfCommitsDoesNotKeepReadersOut(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "refs/heads/dos"} {
		f := remoteFixture(t, transports[0], prefix)
		f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
		gitIn(t, f.repo.WorkTree, "commit", "--quiet", "--allow-empty", "-m", "work")
		head := refstore.OID(gitIn(t, f.repo.WorkTree, "rev-parse", "HEAD"))
		wait, opened := gate(t)
		body, runs := counting(t, wait)
		f.hook(t, "pre-receive", body)
		pushed := make(chan refstore.OID, 1)
		go func() {
			u, err := f.repo.Update(ctx, f.auth, queryFor(laneRef, "refs/heads/main"), func(s refstore.Snapshot) ([]refstore.Write, error) {
				return []refstore.Write{{Ref: "refs/heads/main", Target: head}, {Ref: laneRef, Entry: entry("SHIP", 1, `{}`)}}, nil
			})
			if err != nil {
				t.Error(err)
				pushed <- ""
				return
			}
			pushed <- u.Wrote[1].New
		}()
		waitFor(t, "the push", func() bool { return runs() == 1 })
		reader, err := open(t, f.repo.WorkTree).Remote("origin", prefix)
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := timeout(10 * time.Second)
		if _, err := reader.Read(short, laneQuery); err != nil {
			t.Errorf("a reader during the push: %v", err)
		}
		cancel()
		opened()
		ship := <-pushed
		if s, err := reader.Cached(ctx, laneQuery); err != nil || s.Tip(laneRef).ID != ship {
			t.Errorf("prefix %q: the mirror has %s, want %s: %v", prefix, s.Tip(laneRef).ID, ship, err)
		}
	}
}

// TestReadersAndWritersOfOneCloneAgree: while one of them writes, readers that
// prune never take what was just written out of the mirror.
func TestReadersAndWritersOfOneCloneAgree(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		a := f.another(t)
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := a.Read(ctx, laneQuery); err != nil {
					t.Errorf("read: %v", err)
					return
				}
			}
		})
	}
	for n := range 12 {
		ref := fmt.Sprintf("refs/dos/lane/l%d", n)
		id := f.append(t, f.repo, f.auth, ref, entry("ACQUIRE", 1, `{}`))
		if s, err := f.another(t).Cached(ctx, laneQuery); err != nil || s.Tip(ref).ID != id || s.Tip(ref).Err != nil {
			t.Errorf("the mirror has %+v of %s, %v", s.Tip(ref), ref, err)
		}
	}
	close(stop)
	readers.Wait()
}

// TestAFetchBesideAWorktreeInTheMaking: git fails on a worktree that is half made, and
// the remote has nothing to do with it.
func TestAFetchBesideAWorktreeInTheMaking(t *testing.T) {
	t.Parallel()
	for name, half := range map[string]string{
		"its HEAD is not set yet":     "echo ../.. >commondir; echo 0000000000000000000000000000000000000000 >HEAD",
		"its file is not written yet": "echo ref: refs/heads/half >HEAD; : >commondir",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, transports[0], "")
			f.append(t, f.peerRepo, f.peer, laneRef, entry("FIRST", 1, `{}`))
			dir := filepath.Join(f.repo.CommonDir, "worktrees", "half")
			runs := f.fetching(t, fmt.Sprintf(`if [ -e %[1]s ]; then rm -r %[1]s; else mkdir -p %[1]s; (cd %[1]s; echo /nowhere/.git >gitdir; %[2]s); fi`, dir, half))
			s, err := f.another(t).Read(ctx, laneQuery)
			if err != nil || s.Tip(laneRef).ID == "" {
				t.Errorf("read %+v: %v", s.Tip(laneRef), err)
			}
			if runs() != 2 {
				t.Errorf("%d fetches, want the one that failed and another", runs())
			}
		})
	}
}

// TestAFetchBesideAPushIsMadeAgain: a push moves the remote-tracking branch that a
// fetch was about to move; git says so in these words.
func TestAFetchBesideAPushIsMadeAgain(t *testing.T) {
	t.Parallel()
	a := remoteFixture(t, transports[0], "").another(t)
	const moved = "': is at 389b7622ace39dc16338cdc6a41c570253d96be3 but expected 8a1fd3513c828f182345a6faf004876a771bb228"
	for ref, again := range map[string]bool{
		"refs/remotes/origin/main": true, "refs/dos/at/origin/lane/api": true,
		"refs/remotes/other/main": false, "refs/heads/main": false,
	} {
		if got := a.MirrorMoved("error: cannot lock ref '" + ref + moved); got != again {
			t.Errorf("%s moved: made again %v, want %v", ref, got, again)
		}
	}
}
