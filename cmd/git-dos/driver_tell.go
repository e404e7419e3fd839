package main

import (
	"context"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
)

// A telling publishes what this node has to tell while a driver works: in one push, at
// most once in fleet.interval, whichever of the node's drivers comes to it, and once
// when the driver ends. nil tells nobody.
type telling struct {
	c       *cli.Context
	open    func(context.Context) (*admit.Desk, error)
	end     context.CancelFunc
	working sync.WaitGroup
	failed  error // of the last try
}

// tellFleet begins. open opens the repository anew for each push.
func tellFleet(c *cli.Context, d *admit.Desk, open func(context.Context) (*admit.Desk, error)) *telling {
	if d.Remote() == "" {
		return nil
	}
	t := &telling{c: c, open: open}
	ctx, end := context.WithCancel(context.WithoutCancel(c.Context))
	t.end = end
	every := time.NewTicker(max(d.Rules.Policy.Fleet.Interval, time.Second))
	t.working.Go(func() {
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
				t.publish(ctx, false)
			}
		}
	})
	return t
}

// publish sends what is due, or what there is. What is not sent is sent by the next.
func (t *telling) publish(ctx context.Context, all bool) {
	d, err := t.open(ctx)
	if err == nil && (all || d.PublishDue()) {
		_, err = d.Sync(ctx, admit.SyncRequest{Force: all})
	}
	if ctx.Err() == nil {
		t.failed = err
	}
}

// stop ends it with what there is to tell last, also after an interrupt.
func (t *telling) stop() {
	if t == nil {
		return
	}
	t.end()
	t.working.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.c.Context), panelTime)
	defer cancel()
	if t.publish(ctx, true); t.failed != nil {
		warn(t.c, "not published yet, git dos sync hands it to the others: %v", deskError(t.failed))
	}
}

// tellAtOnce publishes without regard to fleet.interval, and reports whether the others
// can read it now.
func tellAtOnce(ctx context.Context, d *admit.Desk) bool {
	if d.Remote() == "" {
		return false
	}
	report, err := d.Sync(ctx, admit.SyncRequest{Force: true})
	return err == nil && report.Outcome == admit.InSync
}
