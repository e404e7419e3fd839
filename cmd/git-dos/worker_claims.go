package main

import (
	"context"
	"sync"
	"time"

	"github.com/git-dos/git-dos/internal/drive"
)

// A claimKeeping renews what a worker claimed inside a lease that it rides. The zero
// value keeps nothing, and loses nothing.
type claimKeeping struct {
	keepers []*drive.Keeper
	lost    chan struct{} // closed when one of the claims is lost
	why     string        // may be read once it is
	end     context.CancelFunc
}

// keepClaims renews the claims from their admission until they are given back: also
// while a worktree is made, and while the run is graded.
func (w *workerRunning) keepClaims(ctx context.Context) *claimKeeping {
	k := &claimKeeping{lost: make(chan struct{})}
	ctx, k.end = context.WithCancel(ctx)
	var once sync.Once
	for _, r := range w.claims {
		held := drive.Held{Lane: r.Lane, Nonce: r.Nonce, TTL: time.Duration(r.TTL) * time.Second, Left: w.home.Left(r), From: w.from}
		keeper := drive.Keep(ctx, held, w.home.Clock, w.asked())
		k.keepers = append(k.keepers, keeper)
		go func() {
			select {
			case <-keeper.Lost():
				once.Do(func() {
					k.why = keeper.Why()
					close(k.lost)
				})
			case <-ctx.Done():
			}
		}()
	}
	return k
}

// gone is closed when a claim is lost: nil, which never is, where nothing was claimed.
func (k *claimKeeping) gone() <-chan struct{} {
	if k == nil {
		return nil
	}
	return k.lost
}

// over reports whether a claim is lost, by the clock as it is now.
func (k *claimKeeping) over() bool {
	if k == nil {
		return false
	}
	for _, keeper := range k.keepers {
		if keeper.Over() {
			return true
		}
	}
	return false
}

// stop ends the renewing, and waits for one under way.
func (k *claimKeeping) stop() {
	if k == nil {
		return
	}
	k.end()
	for _, keeper := range k.keepers {
		keeper.Stop()
	}
}
