package drive

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
)

// kept keeps a lease of nine seconds, eight of them left, whose store is away,
// by a clock that stands at boot and at.
func kept(t *testing.T, boot *atomic.Value, at *atomic.Int64) (k *Keeper, tries *atomic.Int64) {
	t.Helper()
	tries = new(atomic.Int64)
	h := Held{Lane: "api", Nonce: "n", TTL: 9 * time.Second, Left: 8 * time.Second, From: lease.Instant{Boot: "one"}}
	clock := func() lease.Instant { return lease.Instant{Boot: boot.Load().(string), At: at.Load()} }
	k = Keep(t.Context(), h, clock, func(context.Context) (*admit.Desk, error) {
		tries.Add(1)
		return nil, errors.New("the store is away")
	})
	t.Cleanup(k.Stop)
	return k, tries
}

func clockAt(name string) (boot *atomic.Value, at *atomic.Int64) {
	boot, at = new(atomic.Value), new(atomic.Int64)
	boot.Store(name)
	return boot, at
}

func lost(t *testing.T, k *Keeper) string {
	t.Helper()
	select {
	case <-k.Lost():
		return k.Why()
	case <-time.After(time.Minute):
		t.Fatal("the lease is not lost")
		return ""
	}
}

func TestALeaseThatCannotBeRenewedIsLostByItsHoldersDeadline(t *testing.T) {
	boot, at := clockAt("one")
	k, tries := kept(t, boot, at)
	at.Store(int64(7 * time.Second)) // it is due, and not over
	for end := time.Now().Add(time.Minute); tries.Load() == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	select {
	case <-k.Lost():
		t.Fatalf("lost before its time, after %d tries: %s", tries.Load(), k.Why())
	default:
	}
	at.Store(int64(8 * time.Second))
	if why := lost(t, k); tries.Load() == 0 || !strings.Contains(why, "not renewed in time: the store is away") {
		t.Errorf("after %d tries: %s", tries.Load(), why)
	}
}

func TestOfAnotherBootNothingIsKnownOfTheTimeThatPassed(t *testing.T) {
	boot, at := clockAt("two")
	k, _ := kept(t, boot, at)
	if why := lost(t, k); !strings.Contains(why, "clock") {
		t.Error(why)
	}
}

func TestAKeeperThatIsStoppedLosesNothing(t *testing.T) {
	boot, at := clockAt("one")
	k, tries := kept(t, boot, at)
	time.Sleep(300 * time.Millisecond) // three looks at the clock
	k.Stop()
	at.Store(int64(time.Hour))
	select {
	case <-k.Lost():
		t.Errorf("lost after it was stopped: %s", k.Why())
	case <-time.After(200 * time.Millisecond):
	}
	if n := tries.Load(); n != 0 {
		t.Errorf("%d tries before it was due", n)
	}
}

// A process that was stopped wakes before its keeper looks at the clock: what it asks
// then is answered by the clock, and not by what the keeper has seen.
func TestWhetherALeaseIsOverIsAskedOfTheClock(t *testing.T) {
	boot, at := clockAt("one")
	k, _ := kept(t, boot, at)
	if k.Over() {
		t.Error("over at its start")
	}
	k.Stop() // it looks no more
	at.Store(int64(8*time.Second - 1))
	if k.Over() {
		t.Error("over before its time")
	}
	at.Store(int64(8 * time.Second))
	if !k.Over() {
		t.Error("not over when its time is")
	}
	at.Store(0)
	boot.Store("two")
	if !k.Over() {
		t.Error("not over, though the clock tells nothing")
	}
	boot, at = clockAt("two")
	k, _ = kept(t, boot, at)
	lost(t, k)
	boot.Store("one")
	if !k.Over() {
		t.Error("not over once it is lost")
	}
}
