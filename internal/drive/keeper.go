// Package drive is what verbs that run for a while have in common: they renew
// what they hold while they work, and stop in time when they cannot.
package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Bounds on how often a keeper looks at its clock, and how soon it tries again
// what did not reach the store.
const (
	oftenest = 20 * time.Millisecond
	rarest   = time.Second
	again    = 10 // of the times within a renewal's interval
)

// A Keeper renews a lease at a third of its ttl until it is stopped, or until
// the lease is lost: taken over, ended, or not renewed in time. One that only
// watches leaves the renewing to the lease's holder.
type Keeper struct {
	lane  string
	id    lease.Identity
	ttl   time.Duration
	open  func(context.Context) (*admit.Desk, error)
	touch func(context.Context, *admit.Desk) (left time.Duration, lost string, err error)
	clock func() lease.Instant

	mu    sync.Mutex
	since lease.Instant // when the renewal began that counts
	left  time.Duration // from then on

	lost chan struct{}
	why  string
	stop context.CancelFunc
	done chan struct{}
}

// A Held is a lease to keep. Until is when its holder must stop unless it has
// renewed, as the admission said that began at From by the clock below.
type Held struct {
	Lane  string
	Nonce string
	TTL   time.Duration
	Left  time.Duration // from From until its holder must stop
	From  lease.Instant
}

// Keep begins to renew. open opens the repository anew for each renewal, so that
// it is made under the rules of its time. clock is one that runs on while the
// machine is suspended.
func Keep(ctx context.Context, h Held, clock func() lease.Instant, open func(context.Context) (*admit.Desk, error)) *Keeper {
	return start(ctx, h, clock, open, (*Keeper).renew)
}

// Watch begins to look whether the lease is still held, for whoever works under
// one that another process keeps. It writes nothing.
func Watch(ctx context.Context, h Held, clock func() lease.Instant, open func(context.Context) (*admit.Desk, error)) *Keeper {
	return start(ctx, h, clock, open, (*Keeper).look)
}

type touch func(*Keeper, context.Context, *admit.Desk) (left time.Duration, lost string, err error)

func start(ctx context.Context, h Held, clock func() lease.Instant, open func(context.Context) (*admit.Desk, error), by touch) *Keeper {
	ctx, stop := context.WithCancel(ctx)
	k := &Keeper{
		lane: h.Lane, id: lease.Identity{Nonce: h.Nonce}, ttl: h.TTL, open: open, clock: clock,
		since: h.From, left: h.Left, lost: make(chan struct{}), stop: stop, done: make(chan struct{}),
	}
	k.touch = func(ctx context.Context, d *admit.Desk) (time.Duration, string, error) { return by(k, ctx, d) }
	go k.run(ctx, h)
	return k
}

// Lost is closed when the lease is lost. Whoever works under it must stop.
func (k *Keeper) Lost() <-chan struct{} { return k.lost }

// Over reports whether whoever works under the lease must stop, by the clock as it is
// now: one that was stopped itself wakes before its keeper has looked at it.
func (k *Keeper) Over() bool {
	select {
	case <-k.lost:
		return true
	default:
	}
	passed, left, ok := k.passed()
	return !ok || passed >= left
}

// passed is how long ago the renewal began that counts, and for how long from then on
// the lease holds.
func (k *Keeper) passed() (passed, left time.Duration, ok bool) {
	k.mu.Lock()
	since, left := k.since, k.left
	k.mu.Unlock()
	passed, ok = k.clock().Since(since)
	return passed, left, ok
}

// Why says why the lease was lost. It may be asked once Lost is closed.
func (k *Keeper) Why() string { return k.why }

// Stop ends the renewing, and waits for one under way.
func (k *Keeper) Stop() {
	k.stop()
	<-k.done
}

// run looks at the clock often and at the store rarely. A timer alone would not
// do: it stands still while the machine is suspended.
func (k *Keeper) run(ctx context.Context, h Held) {
	defer close(k.done)
	renewal := h.TTL / 3
	next := renewal
	tick := time.NewTicker(min(max(renewal/30, oftenest), rarest))
	defer tick.Stop()
	var last error
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		passed, left, ok := k.passed()
		switch {
		case !ok:
			k.lose("this machine's clock does not tell how long it was not renewed")
			return
		case passed >= left:
			k.lose(fmt.Sprintf("it was not renewed in time%s", because(last)))
			return
		case passed < next:
			continue
		}
		from := k.clock()
		until, lost, err := k.reach(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			last, next = err, passed+renewal/again
		case lost != "":
			k.lose(lost)
			return
		default:
			k.mu.Lock()
			k.since, k.left = from, until
			k.mu.Unlock()
			next, last = renewal, nil
		}
	}
}

// reach opens the repository, and renews or looks.
func (k *Keeper) reach(ctx context.Context) (left time.Duration, lost string, err error) {
	d, err := k.open(ctx)
	if err != nil {
		return 0, "", err
	}
	return k.touch(ctx, d)
}

// renew renews once, and returns for how long from its start the lease then holds,
// or why it is lost.
func (k *Keeper) renew(ctx context.Context, d *admit.Desk) (left time.Duration, lost string, err error) {
	began := d.Now()
	v, err := d.Heartbeat(ctx, k.lane, k.id)
	switch {
	case err != nil:
		return 0, "", err
	case v.ExitCode() != verdict.Yes:
		return 0, v.Reason, nil
	case v.WorkUntil != nil:
		left = v.WorkUntil.Sub(began)
	}
	return left, "", nil
}

// look looks once.
func (k *Keeper) look(ctx context.Context, d *admit.Desk) (left time.Duration, lost string, err error) {
	r, _, err := d.Lease(ctx, k.lane, false)
	switch {
	case err != nil:
		return 0, "", err
	case r == nil || r.Nonce != k.id.Nonce:
		return 0, "another lease stands on the lane", nil
	case r.State != lane.Held:
		return 0, "it is " + string(r.State), nil
	}
	if left = d.Left(*r); left <= 0 {
		return 0, "its holder has not renewed it", nil
	}
	return left, "", nil
}

func (k *Keeper) lose(why string) {
	k.why = why
	close(k.lost)
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}
