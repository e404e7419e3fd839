//go:build unix

package refstore_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// hook gives the authority's repository a hook.
func (f *fixture) hook(t testing.TB, name, body string) {
	t.Helper()
	script(t, filepath.Join(f.raw, "hooks", name), body)
}

// counting runs a hook body and counts its runs in a file.
func counting(t testing.TB, body string) (hook string, runs func() int) {
	path := filepath.Join(t.TempDir(), "runs")
	return "echo >>" + path + "\n" + body, func() int {
		b, _ := os.ReadFile(path)
		return len(b)
	}
}

// TestDroppedAcknowledgementIsWonByReadingAgain kills the server after the
// refs moved and before it could say so.
func TestDroppedAcknowledgementIsWonByReadingAgain(t *testing.T) {
	t.Parallel()
	for _, by := range []transport{transports[0], transports[1]} {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, by, "")
			body, runs := counting(t, "kill -9 $PPID")
			f.hook(t, "reference-transaction", "[ \"$1\" = committed ] || exit 0\ncat >/dev/null\n"+body)
			for n := range 2 { // a create and an advance
				u, err := f.update(t, 20*time.Second, laneRef, killedOrder)
				if err != nil || f.rev(t, laneRef) != u.Wrote[0].New || f.rev(t, killedOrder) != u.Wrote[1].New {
					t.Errorf("update %d: %+v, %v", n, u.Wrote, err)
				}
			}
			if runs() != 2 {
				t.Errorf("%d pushes for 2 updates", runs())
			}
			tip := map[string]refstore.OID{laneRef: f.rev(t, laneRef)}
			if _, o := f.swap(t, f.repo, f.auth, tip, laneRef); o.Result != refstore.Won {
				t.Errorf("the transaction itself: %+v", o)
			}
		})
	}
}

// TestAcknowledgementThatComesTooLateIsWonByReadingAgain ends the client's
// patience while the server has moved the refs and not answered.
func TestAcknowledgementThatComesTooLateIsWonByReadingAgain(t *testing.T) {
	t.Parallel()
	for _, by := range []transport{transports[0], transports[1]} {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, by, "")
			f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
			moved := filepath.Join(t.TempDir(), "moved")
			f.hook(t, "reference-transaction", "[ \"$1\" = committed ] || exit 0\ncat >/dev/null; >"+moved+"; exec sleep 4")
			impatient, cancel := context.WithCancel(ctx)
			go func() {
				for range 1000 {
					if _, err := os.Lstat(moved); err == nil {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				cancel()
			}()
			started := time.Now()
			u, err := f.repo.Update(impatient, f.auth, queryFor(laneRef), func(refstore.Snapshot) ([]refstore.Write, error) {
				return []refstore.Write{{Ref: laneRef, Entry: entry("MOVE", 2, `{}`)}}, nil
			})
			if err != nil || len(u.Wrote) != 1 || f.rev(t, laneRef) != u.Wrote[0].New {
				t.Errorf("after %s: %+v, %v", time.Since(started), u.Wrote, err)
			}
		})
	}
}

// TestCancelledPushIsSettled cancels before the server has moved anything.
func TestCancelledPushIsSettled(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	began := filepath.Join(t.TempDir(), "began")
	f.hook(t, "pre-receive", ">"+began+"; exec sleep 3")
	interrupted := errors.New("interrupted")
	short, cancel := context.WithCancelCause(ctx)
	go func() {
		for range 1000 {
			if _, err := os.Lstat(began); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		cancel(interrupted)
	}()
	_, err := f.repo.Update(short, f.auth, queryFor(laneRef), func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{{Ref: laneRef, Entry: entry("MOVE", 2, `{}`)}}, nil
	})
	if !errors.Is(err, interrupted) || f.rev(t, laneRef) != id {
		t.Errorf("ended with %v, the ref at %s", err, f.rev(t, laneRef))
	}
	remove(t, filepath.Join(f.raw, "hooks", "pre-receive"))
	f.append(t, f.repo, f.auth, laneRef, entry("MOVE", 2, `{}`))
}

func TestRefusalCarriesTheServersWordsAndIsNotRetried(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"pre-receive": "cat >/dev/null; echo 'policy: no coordination on fridays'; exit 1",
		"update":      "case $1 in *order*) echo 'policy: no coordination on fridays'; exit 1;; esac",
		// Words that look like git's own about a race, and a lock, are still words.
		"pre-receive that lies": "cat >/dev/null; echo 'policy: no coordination on fridays'\n" +
			"echo \"stale info failed to update ref atomic transaction failed '/x/y.lock': File exists deny updating a hidden ref\"\n" +
			"echo 'fatal: the receiving end does not support --atomic push'\nexit 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, transports[0], "")
			counted, runs := counting(t, body)
			f.hook(t, strings.Fields(name)[0], counted)
			_, err := f.update(t, 20*time.Second, laneRef, killedOrder)
			o := outcome(t, err)
			if o.Result != refstore.Denied || !strings.Contains(o.Words, "no coordination on fridays") || !strings.Contains(err.Error(), "denied") {
				t.Errorf("%s: %v", o.Result, err)
			}
			if want := map[bool]int{true: 2, false: 1}[name == "update"]; runs() > want {
				t.Errorf("the hook ran %d times", runs())
			}
			if f.rev(t, laneRef)+f.rev(t, killedOrder) != "" {
				t.Error("a ref moved")
			}
		})
	}
}

func TestHiddenNamespaceIsNamedAndNeverFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key   string
		known bool // the ref was there and seen before it was hidden
		want  refstore.Result
		lost  bool
	}{
		{"transfer.hideRefs", false, refstore.HiddenNames, false},
		{"receive.hideRefs", false, refstore.HiddenNames, false},
		{"receive.hideRefs", true, refstore.HiddenNames, false},
		{"transfer.hideRefs", true, 0, true},
		{"uploadpack.hideRefs", true, 0, true},
	} {
		t.Run(c.key+" known "+map[bool]string{true: "ref", false: "nothing"}[c.known], func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, transports[0], "")
			if c.known {
				f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
			}
			before := f.rev(t, laneRef)
			gitIn(t, f.raw, "config", c.key, "refs/dos")
			_, err := f.update(t, 20*time.Second, laneRef)
			var lost *refstore.LostStateError
			switch {
			case c.lost:
				if !errors.As(err, &lost) {
					t.Errorf("ended with %v", err)
				}
			case outcome(t, err).Result != c.want || !strings.Contains(err.Error(), "hides the namespace"):
				t.Errorf("ended with %v", err)
			}
			if f.rev(t, laneRef) != before {
				t.Error("the ref moved")
			}
		})
	}
}

// TestRefHiddenFromReadersOnlyIsNotWon: the writer reads no ref, and the
// server's own view keeps it from making one.
func TestRefHiddenFromReadersOnlyIsNotWon(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	id := f.append(t, f.peerRepo, f.peer, laneRef, entry("FIRST", 1, `{}`))
	gitIn(t, f.raw, "config", "uploadpack.hideRefs", "refs/dos")
	_, err := f.update(t, 20*time.Second, laneRef)
	if o := outcome(t, err); o.Result != refstore.Unchanged || errors.Is(err, context.DeadlineExceeded) || f.rev(t, laneRef) != id {
		t.Errorf("%s: %v", o.Result, err)
	}
}

func TestServerWithoutAtomicPushIsNamedAndNothingMoves(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	gitIn(t, f.raw, "config", "receive.advertiseAtomic", "false")
	_, err := f.update(t, 20*time.Second, laneRef, killedOrder)
	if o := outcome(t, err); o.Result != refstore.NoAtomic || !strings.Contains(err.Error(), "atomic") {
		t.Errorf("%s: %v", o.Result, err)
	}
	if f.rev(t, laneRef)+f.rev(t, killedOrder) != "" {
		t.Error("a ref moved")
	}
}

// TestServerThatDeniesRewritesAndDeletionsServes: nothing we do is one.
func TestServerThatDeniesRewritesAndDeletionsServes(t *testing.T) {
	t.Parallel()
	for prefix, config := range map[string][]string{
		"":               {"receive.denyNonFastForwards", "receive.denyDeletes"},
		"refs/heads/dos": {"receive.denyNonFastForwards", "receive.denyDeletes", "receive.fsckObjects"},
	} {
		f := remoteFixture(t, transports[0], prefix)
		for _, key := range config {
			gitIn(t, f.raw, "config", key, "true")
		}
		if prefix != "" { // a host that knows branches only
			f.hook(t, "update", "case $1 in refs/heads/*) ;; *) echo 'branches only'; exit 1;; esac\ncase $3 in *[!0]*) ;; *) echo 'no deletions'; exit 1;; esac")
		}
		for range 3 {
			if _, err := f.update(t, 20*time.Second, laneRef, killedOrder); err != nil {
				t.Errorf("prefix %q: %v", prefix, err)
			}
		}
		f.compact(t, laneRef)
		if n := len(f.chain(t, laneRef)); n != 3 {
			t.Errorf("prefix %q: %d entries", prefix, n)
		}
		if prefix != "" && !strings.HasPrefix(gitIn(t, f.raw, "for-each-ref", "--format=%(refname)"), "refs/heads/dos/lane/api") {
			t.Error(gitIn(t, f.raw, "for-each-ref"))
		}
	}
}

// TestLeftoverLockOnTheServerIsNamedWithItsPath leaves one of two refs locked.
// Its age is the file's where the server is a path here, and otherwise the
// time it has been in the way.
func TestLeftoverLockOnTheServerIsNamedWithItsPath(t *testing.T) {
	defer refstore.SetLockPatience(2 * time.Second)()
	for by, ages := range map[int][2]time.Duration{0: {time.Hour, 2 * time.Hour}, 1: {2 * time.Second, time.Minute}} {
		t.Run(transports[by].name, func(t *testing.T) {
			f := remoteFixture(t, transports[by], "")
			if _, err := f.update(t, 20*time.Second, laneRef, killedOrder); err != nil {
				t.Fatal(err)
			}
			before := f.rev(t, laneRef)
			path := filepath.Join(f.raw, killedOrder+".lock")
			write(t, path, "")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
			_, err := f.update(t, 60*time.Second, laneRef, killedOrder)
			o := outcome(t, err)
			if o.Result != refstore.Locked || o.Ref != killedOrder || o.Path != path || o.Age < ages[0] || o.Age > ages[1] || !strings.Contains(err.Error(), path) {
				t.Errorf("%s %s %s %s: %v", o.Result, o.Ref, o.Path, o.Age, err)
			}
			if f.rev(t, laneRef) != before {
				t.Error("a ref moved")
			}
			remove(t, path)
			if _, err := f.update(t, 20*time.Second, laneRef, killedOrder); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestYoungLockOnTheServerIsWaitedFor: its owner is most likely alive.
func TestYoungLockOnTheServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	path := filepath.Join(f.raw, laneRef+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, "")
	time.AfterFunc(700*time.Millisecond, func() { _ = os.Remove(path) })
	if _, err := f.update(t, 20*time.Second, laneRef); err != nil {
		t.Error(err)
	}
}

func TestUnreachableRemoteIsOffline(t *testing.T) {
	t.Parallel()
	port := freePort(t) // nobody listens there
	for _, url := range []string{filepath.Join(t.TempDir(), "gone"), "http://127.0.0.1:" + port + "/hub.git", "git://127.0.0.1:" + port + "/hub.git", "ssh://127.0.0.1:" + port + "/hub.git"} {
		r, a := cloneAuthority(t, url, nil, "")
		f := &fixture{repo: r, auth: a, remote: true}
		_, err := f.update(t, 20*time.Second, laneRef)
		o := outcome(t, err)
		if o.Result != refstore.Offline || o.Words == "" || strings.Contains(o.Words, "\n") {
			t.Errorf("%s: %s: %v", url, o.Result, err)
		}
	}
}

// TestRemoteThatVanishesBetweenPushAndReadingAgainIsUnknown moves the hub away
// while its answer is due.
func TestRemoteThatVanishesBetweenPushAndReadingAgainIsUnknown(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"prepared", "committed"} {
		f := remoteFixture(t, transports[0], "")
		f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
		f.hook(t, "reference-transaction", "[ \"$1\" = "+state+" ] || exit 0\nmv "+f.raw+" "+f.raw+".away; kill -9 $PPID")
		_, err := f.update(t, 20*time.Second, laneRef)
		if o := outcome(t, err); o.Result != refstore.Unknown || o.Err == nil || !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%s: %s: %v", state, o.Result, err)
		}
		run(t, exec.Command("mv", f.raw+".away", f.raw))
	}
}
