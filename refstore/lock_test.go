//go:build unix

package refstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

func TestOneHolderAtATime(t *testing.T) {
	t.Parallel()
	dir := committed(t)
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", tree)
	a, b := open(t, dir).Local(), open(t, tree).Local()
	unlock, err := a.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Lock(ctx); err == nil {
		t.Error("a Local was locked twice")
	}
	short, cancel := timeout(200 * time.Millisecond)
	defer cancel()
	if _, err := b.Lock(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second holder, from another worktree: %v", err)
	}
	got := make(chan error)
	go func() {
		unlock, err := b.Lock(ctx)
		if err == nil {
			unlock()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	unlock()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// TestWaiterThatGaveUpHoldsNothing: when the lock comes to it after all, it
// gives it back.
func TestWaiterThatGaveUpHoldsNothing(t *testing.T) {
	t.Parallel()
	r := open(t, initRepo(t))
	unlock, err := r.Local().Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		short, cancel := timeout(10 * time.Millisecond)
		started := time.Now()
		_, err := r.Local().Lock(short)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(started) > 2*time.Second {
			t.Fatalf("after %s: %v", time.Since(started), err)
		}
	}
	unlock()
	before := runtime.NumGoroutine()
	for range 20 {
		short, cancel := timeout(5 * time.Second)
		unlock, err := r.Local().Lock(short)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
		cancel()
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func TestTransactionWithoutTheLockIsUnknown(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	for _, a := range []refstore.Authority{f.auth, f.repo.Local()} {
		id, err := f.repo.WriteEntry(context.Background(), laneRef, "", entry("X", 1, `{}`))
		if err != nil {
			t.Fatal(err)
		}
		if o := a.Txn(ctx, []refstore.Move{{Ref: laneRef, New: id}}); o.Result != refstore.Unknown || o.Err == nil {
			t.Errorf("%s: %+v", a.Name(), o)
		}
	}
	if f.rev(t, laneRef) != "" {
		t.Error("a ref moved")
	}
}

// TestGitThatOutlivesItsParentKeepsOthersOut kills a writer whose git has not
// yet begun.
func TestGitThatOutlivesItsParentKeepsOthersOut(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	began := filepath.Join(t.TempDir(), "began")
	env, _ := gitThat(t, "update-ref", "in=$(mktemp); cat >$in; >"+began+"; sleep 1.5; exec $REAL \"$@\" <$in >/dev/null 2>&1")
	var out bytes.Buffer
	cmd := worker(t, "move", env, f.repo.WorkTree, "", killedLane, killedOrder, "1")
	cmd.Stdout, cmd.Stderr = &out, nil
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 400 {
		if _, err := os.Lstat(began); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if f.rev(t, killedLane) != "" || out.Len() != 0 {
		t.Fatalf("the orphan was too fast: %q", out.String())
	}
	short, cancel := timeout(300 * time.Millisecond)
	defer cancel()
	if unlock, err := f.auth.Lock(short); !errors.Is(err, context.DeadlineExceeded) {
		unlock()
		t.Fatalf("locked beside the orphan: %v", err)
	}
	// The next writer decides on what the orphan wrote.
	var seen []uint64
	_, err := f.repo.Update(ctx, f.auth, queryFor(killedLane, killedOrder), func(s refstore.Snapshot) ([]refstore.Write, error) {
		seen = append(seen, s.Tip(killedLane).Entry.Gen, s.Tip(killedOrder).Entry.Gen)
		return []refstore.Write{{Ref: killedLane, Entry: entry("MOVE", 2, `{}`)}}, nil
	})
	if err != nil || fmt.Sprint(seen) != "[1 1]" {
		t.Errorf("decided on %v: %v", seen, err)
	}
}

// TestUpdateWaitsForTheLockAndEndsTyped when the deadline comes first.
func TestUpdateWaitsForTheLockAndEndsTyped(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	unlock, err := f.peer.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.update(t, 300*time.Millisecond, laneRef)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside a holder: %v", err)
	}
	time.AfterFunc(300*time.Millisecond, unlock)
	if _, err := f.update(t, 10*time.Second, laneRef); err != nil {
		t.Error(err)
	}
}
