//go:build unix

package refstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// late is an authority whose first write seems not to have happened and lands
// right before the next read.
type late struct {
	refstore.Authority
	land func([]refstore.Move)
	held []refstore.Move
}

func (l *late) Txn(ctx context.Context, moves []refstore.Move) refstore.Outcome {
	if l.held == nil {
		l.held = moves
		return refstore.Outcome{Result: refstore.Unchanged}
	}
	return l.Authority.Txn(ctx, moves)
}

func (l *late) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	if l.land != nil && l.held != nil {
		l.land(l.held)
		l.land = nil
	}
	return l.Authority.Read(ctx, q)
}

func TestWriteThatLandsLateIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, others := range []int{0, 1} { // entries that stand on it already
		f := localFixture(t, initRepo(t))
		f.landLate(t, others)
	}
}

func (f *fixture) landLate(t *testing.T, others int) {
	a := &late{Authority: f.auth, land: func(moves []refstore.Move) {
		gitIn(t, f.raw, "update-ref", moves[0].Ref, string(moves[0].New))
		for range others {
			f.plant(t, laneRef, "commit", f.commit(t, message("lane", "api", "X", "2", `{}`, "1"), moves[0].New))
		}
	}}
	decided := 0
	u, err := f.repo.Update(ctx, a, queryFor(laneRef), func(s refstore.Snapshot) ([]refstore.Write, error) {
		decided++
		return []refstore.Write{{Ref: laneRef, Entry: entry("ACQUIRE", s.Tip(laneRef).Entry.Gen+1, `{}`)}}, nil
	})
	if err != nil || decided != 1 || len(u.Wrote) != 1 {
		t.Errorf("decided %d times: %+v, %v", decided, u.Wrote, err)
	}
	chain := f.chain(t, laneRef)
	if len(chain) != 1+others || chain[others].ID != u.Wrote[0].New {
		t.Errorf("%d entries", len(chain))
	}
}

func TestDecisionIsMadeUnderTheLock(t *testing.T) {
	t.Parallel()
	for _, f := range []*fixture{localFixture(t, initRepo(t)), remoteFixture(t, transports[0], "")} {
		other := open(t, f.repo.CommonDir)
		var b refstore.Authority = other.Local()
		if f.remote {
			a, err := other.Remote("origin", "")
			if err != nil {
				t.Fatal(err)
			}
			b = a
		}
		for _, step := range []string{"read", "decide"} {
			tryLock := func() {
				short, cancel := timeout(50 * time.Millisecond)
				defer cancel()
				if unlock, err := b.Lock(short); !errors.Is(err, context.DeadlineExceeded) {
					unlock()
					t.Errorf("%s, %s: the lock is free", f.auth.Name(), step)
				}
			}
			_, err := f.repo.Update(ctx, readStep{f.auth, tryLock, step == "read"}, queryFor(laneRef), func(refstore.Snapshot) ([]refstore.Write, error) {
				if step == "decide" {
					tryLock()
				}
				return nil, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

type readStep struct {
	refstore.Authority
	try func()
	on  bool
}

func (r readStep) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	if r.on {
		r.try()
	}
	return r.Authority.Read(ctx, q)
}

// TestSymbolicRefIsNotWrittenThrough, even when it appears after the read.
func TestSymbolicRefIsNotWrittenThrough(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	gitIn(t, f.raw, "symbolic-ref", "refs/dos/lane/sym", laneRef)
	gitIn(t, f.raw, "symbolic-ref", "refs/dos/lane/named", "refs/dos/other/x")
	f.plant(t, "refs/dos/other/x", "commit", f.commit(t, message("lane", "named", "X", "1", `{}`, "1")))
	if tip := f.read(t, "lane").Tip("refs/dos/lane/named"); !errors.Is(tip.Err, refstore.ErrBroken) {
		t.Errorf("a symbolic ref to an entry of its own reads as %+v", tip)
	}
	f.swap(t, f.repo, f.auth, map[string]refstore.OID{"refs/dos/lane/sym": id}, "refs/dos/lane/sym")
	if got := f.rev(t, laneRef); got != id {
		t.Errorf("%s moved to %s", laneRef, got)
	}
}

// TestTagThatSaysItIsAnEntryIsBroken has no other broken ref beside it, which
// would have every ref read with more care.
func TestTagThatSaysItIsAnEntryIsBroken(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	id := f.append(t, f.repo, f.auth, "refs/dos/lane/web", entry("FIRST", 1, `{}`))
	f.plant(t, laneRef, "tag", "object "+string(id)+"\ntype commit\ntag v\ntagger a <a@b> 1 +0000\n\n"+message("lane", "api", "X", "1", `{}`, "1"))
	if tip := f.read(t, "lane").Tip(laneRef); !errors.Is(tip.Err, refstore.ErrBroken) {
		t.Errorf("reads as %+v", tip)
	}
}

// TestRefThatBreaksUnderAWriteIsUnknown, not free and not unchanged.
func TestRefThatBreaksUnderAWriteIsUnknown(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	write(t, filepath.Join(f.raw, laneRef), "")
	for _, expect := range []refstore.OID{"", id} {
		_, o := f.swap(t, f.repo, f.auth, map[string]refstore.OID{laneRef: expect}, laneRef)
		if o.Result != refstore.Unknown || !errors.Is(o.Err, refstore.ErrBroken) || o.Ref != laneRef {
			t.Errorf("expecting %q: %+v", expect, o)
		}
	}
}

// TestObjectsAreWrittenWhileEmptyFoldersVanish, as git gc makes them.
func TestObjectsAreWrittenWhileEmptyFoldersVanish(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			dirs, _ := filepath.Glob(filepath.Join(f.raw, "objects", "??"))
			for _, dir := range dirs {
				_ = os.Remove(dir) // those with an object stay
			}
		}
	})
	for range 200 {
		id, err := f.repo.WriteEntry(context.Background(), laneRef, "", entry("X", 1, `{}`))
		if err != nil {
			t.Error(err)
			break
		}
		remove(t, loose(f.raw, id))
	}
	close(done)
	wait.Wait()
}

// TestObjectThatIsThereAlreadyIsAsYoungAsANewOne, so that git gc does not take
// it away from under the entry that is about to use it.
func TestObjectThatIsThereAlreadyIsAsYoungAsANewOne(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	if _, err := f.repo.WriteEntry(context.Background(), laneRef, "", entry("X", 1, `{}`)); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-30 * 24 * time.Hour)
	_ = filepath.WalkDir(filepath.Join(f.raw, "objects"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	id, err := f.repo.WriteEntry(context.Background(), laneRef, "", entry("X", 2, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, f.raw, "prune", "--expire=2.weeks.ago", string(id))
	gitIn(t, f.raw, "update-ref", laneRef, string(id))
	gitIn(t, f.raw, "fsck", "--strict")
	if gitIn(t, f.raw, "cat-file", "-t", string(id)+"^{tree}") != "tree" {
		t.Error("the tree is gone")
	}
	tree := gitIn(t, f.raw, "rev-parse", string(id)+"^{tree}")
	if st, err := os.Stat(loose(f.raw, refstore.OID(tree))); err != nil || time.Since(st.ModTime()) > time.Hour {
		t.Errorf("the tree is as old as %v, %v", st.ModTime(), err)
	}
}

// TestEmptyObjectFileIsWrittenAnew: a crash of the machine leaves such files.
func TestEmptyObjectFileIsWrittenAnew(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	id, err := f.repo.WriteEntry(context.Background(), laneRef, "", entry("X", 1, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	tree := refstore.OID(gitIn(t, f.raw, "rev-parse", string(id)+"^{tree}"))
	rewrite(t, loose(f.raw, tree), nil)
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	gitIn(t, f.raw, "cat-file", "-p", f.name(laneRef)+"^{tree}")
	if st, err := os.Stat(loose(f.raw, tree)); err != nil || st.Size() == 0 {
		t.Errorf("the tree is still empty: %v", err)
	}
}

// TestTwoAttemptsAtOneEntryAreTwoObjects: else a loser could take the winner's
// commit for its own.
func TestTwoAttemptsAtOneEntryAreTwoObjects(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	seen := map[refstore.OID]bool{}
	for range 20 {
		id, err := f.repo.WriteEntry(context.Background(), laneRef, "", entry("X", 1, `{}`))
		if err != nil || seen[id] {
			t.Fatalf("%s again, or %v", id, err)
		}
		seen[id] = true
	}
}

// TestWordsOfAnOutcomeSayWhatAndWhatToDo, in one line unless a server spoke in
// several.
func TestWordsOfAnOutcomeSayWhatAndWhatToDo(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]refstore.Outcome{
		"hub: lock file /x/y.lock is in the way (1m0s old); if no git process is running there, remove it (refs/dos/lane/api)": {Result: refstore.Locked, Path: "/x/y.lock", Age: time.Minute, Ref: laneRef},
		"hub: the write was denied (refs/dos/lane/api): no":                                                                    {Result: refstore.Denied, Ref: laneRef, Words: "no"},
		"hub: unreachable: connection refused":                                                                                 {Result: refstore.Offline, Words: "connection refused"},
		"hub: the outcome of the write is unknown: boom":                                                                       {Err: errors.New("boom")},
		"hub: gave up after losing to other writers: boom":                                                                     {Result: refstore.Lost, Err: errors.New("boom")},
	} {
		if got := (&refstore.OutcomeError{Authority: "hub", Outcome: o}).Error(); got != want {
			t.Errorf("%s\n%s, want\n%s", o.Result, got, want)
		}
	}
	for r := refstore.Unknown; r <= refstore.Offline; r++ {
		if s := r.String(); s == "" || strings.HasPrefix(s, "result") {
			t.Errorf("result %d has no name", r)
		}
	}
}
