//go:build unix

package refstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// intent writes what a killed writer leaves beside its locks: refs, each with
// the id it was to move to.
func (f *fixture) intent(t testing.TB, lines ...string) {
	t.Helper()
	write(t, filepath.Join(f.raw, "dos", "intent"), strings.Join(lines, "\n")+"\n")
}

// TestOnlyAProvablyAbandonedLockIsRemoved leaves lock files of many kinds,
// each under an intent that names its ref.
func TestOnlyAProvablyAbandonedLockIsRemoved(t *testing.T) {
	defer refstore.SetLockPatience(time.Second)()
	t.Run("locks", func(t *testing.T) {
		for name, c := range map[string]struct {
			content func(f *fixture, t *testing.T, tip refstore.OID) string
			during  func(t *testing.T, path string) // half-way through the second
			other   bool                            // what was intended is something else
			healed  bool
		}{
			"empty": {content: func(*fixture, *testing.T, refstore.OID) string { return "" }, healed: true},
			"an entry on the tip": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				return string(f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), tip)))
			}, healed: true},
			"two entries on the tip": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				first := f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), tip))
				return string(f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), first)))
			}, healed: true},
			"an entry on a commit of somebody's on the tip": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				first := f.hash(t, "commit", f.commit(t, "work\n", tip))
				return string(f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), first)))
			}},
			"more entries on the tip than a transaction writes": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				for range 5 {
					tip = f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), tip))
				}
				return string(tip)
			}},
			"an entry on the tip that was not intended": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				return string(f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), tip)))
			}, other: true},
			"an entry on an older tip": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				return string(f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"))))
			}},
			"an entry of another ref": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				return string(f.hash(t, "commit", f.commit(t, message("lane", "web", "X", "2", `{}`, "1"), tip)))
			}},
			"a commit of somebody's": {content: func(f *fixture, t *testing.T, tip refstore.OID) string {
				return string(f.hash(t, "commit", f.commit(t, "work\n", tip)))
			}},
			"an object that is not there": {content: func(*fixture, *testing.T, refstore.OID) string { return strings.Repeat("7", 40) }},
			"words":                       {content: func(*fixture, *testing.T, refstore.OID) string { return "hello" }},
			"empty, replaced meanwhile": {content: func(*fixture, *testing.T, refstore.OID) string { return "" }, during: func(t *testing.T, path string) {
				if err := errors.Join(os.WriteFile(path+".other", nil, 0o600), os.Rename(path+".other", path)); err != nil {
					t.Error(err)
				}
			}},
			"a folder": {},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := localFixture(t, initRepo(t))
				tip := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
				path := filepath.Join(f.raw, laneRef+".lock")
				intended := ""
				if c.content == nil {
					if err := os.Mkdir(path, 0o755); err != nil {
						t.Fatal(err)
					}
				} else {
					intended = c.content(f, t, tip)
					write(t, path, intended)
				}
				if c.other {
					intended = string(tip)
				}
				f.intent(t, laneRef+" "+intended)
				var during sync.WaitGroup
				if c.during != nil {
					during.Go(func() {
						time.Sleep(500 * time.Millisecond)
						c.during(t, path)
					})
				}
				_, err := f.update(t, 20*time.Second, laneRef)
				during.Wait()
				_, gone := os.Lstat(path)
				if c.healed {
					if err != nil || gone == nil {
						t.Errorf("not healed: %v", err)
					}
					return
				}
				if o := outcome(t, err); o.Result != refstore.Locked || o.Path != path || gone != nil || f.rev(t, laneRef) != tip {
					t.Errorf("%s, the lock is there: %t: %v", o.Result, gone == nil, err)
				}
			})
		}
	})
}

// TestRideThatWasKilledIsHealed: the lock of a branch is ours when it holds the
// commit that the ride was to bring.
func TestRideThatWasKilledIsHealed(t *testing.T) {
	t.Parallel()
	dir := committed(t)
	f := localFixture(t, dir)
	f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	next := f.hash(t, "commit", f.commit(t, "next\n", f.rev0(t, "refs/heads/main")))
	write(t, filepath.Join(f.raw, "refs/heads/main.lock"), string(next)+"\n")
	f.intent(t, "refs/heads/main "+string(next), laneRef+" "+string(next))
	f.append(t, f.repo, f.auth, laneRef, entry("MOVE", 2, `{}`))
	if locks := locksBelow(t, f.raw); len(locks) != 0 {
		t.Errorf("left %v", locks)
	}
}

func (f *fixture) rev0(t testing.TB, ref string) refstore.OID {
	t.Helper()
	return refstore.OID(gitIn(t, f.raw, "rev-parse", ref))
}

// TestIntentIsEmptiedWhenGitHasEnded, won or lost.
func TestIntentIsEmptiedWhenGitHasEnded(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	check := func(when string) {
		t.Helper()
		if b, err := os.ReadFile(filepath.Join(f.raw, "dos", "intent")); err != nil || len(b) != 0 {
			t.Errorf("%s: intent %q, %v", when, b, err)
		}
	}
	check("after a win")
	if _, o := f.swap(t, f.repo, f.auth, map[string]refstore.OID{laneRef: id}, laneRef); o.Result != refstore.Won {
		t.Fatal(o)
	}
	if _, o := f.swap(t, f.repo, f.auth, map[string]refstore.OID{laneRef: id}, laneRef); o.Result != refstore.Lost {
		t.Fatal(o)
	}
	check("after a loss")
}

func TestIntentThatNamesNoRefRemovesNothing(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	outside := filepath.Join(filepath.Dir(f.raw), "precious.lock")
	write(t, outside, "")
	write(t, filepath.Join(f.raw, "index.lock"), "")
	f.intent(t, "../precious", "refs/../../precious", "index", "/etc/passwd", "\x00\xff", strings.Repeat("x", 1<<16))
	f.append(t, f.repo, f.auth, laneRef, entry("MOVE", 2, `{}`))
	for _, path := range []string{outside, filepath.Join(f.raw, "index.lock")} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestHealRemovesWhatIsProvablyLeft, a minute old, and nothing beside it.
func TestHealRemovesWhatIsProvablyLeft(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	tip := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	next := f.hash(t, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), tip))
	foreign := f.hash(t, "commit", f.commit(t, "work\n", tip))
	locks := map[string]struct {
		content string
		age     time.Duration
		stays   bool
	}{
		laneRef:             {string(next) + "\n", 2 * time.Minute, false},
		"refs/dos/lane/a":   {"", 2 * time.Minute, false},
		"refs/dos/lane/b":   {"", 30 * time.Second, true},
		"refs/dos/lane/c":   {string(foreign) + "\n", 2 * time.Minute, true},
		"refs/heads/main":   {"", time.Hour, true},
		"refs/dosage/other": {"", time.Hour, true},
	}
	for ref, l := range locks {
		path := filepath.Join(f.raw, ref+".lock")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, l.content)
		at := time.Now().Add(-l.age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	removed, settled, err := f.repo.Heal(t.Context())
	if err != nil || settled || len(removed) != 2 {
		t.Errorf("%v, settled %t, %v", removed, settled, err)
	}
	for ref, l := range locks {
		if _, err := os.Lstat(filepath.Join(f.raw, ref+".lock")); (err == nil) != l.stays {
			t.Errorf("%s: %v, to stay: %t", ref, err, l.stays)
		}
	}
	f.intent(t, "refs/dos/lane/x "+string(next))
	if removed, settled, err := f.repo.Heal(t.Context()); err != nil || !settled || len(removed) != 0 {
		t.Errorf("a write that was cut off: %v, settled %t, %v", removed, settled, err)
	}
}
