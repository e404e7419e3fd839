package machine

import (
	"context"
	"errors"
	"time"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/kernel/fleet"
)

// ErrUnnamed means that a process cannot be told from a later one of its number, so
// that it is not touched.
var ErrUnnamed = errors.New("the process cannot be told from another of its number on this system")

// How often it is looked whether a process has ended, and how long one that was
// killed may take.
const (
	endLook = 20 * time.Millisecond
	endKill = 5 * time.Second
)

// A hold is a process that is about to be ended. signal reports whether nobody was
// there to get the signal; with group all of its process group does.
type hold interface {
	signal(s sig, group bool) (gone bool, err error)
	gone(group bool) (bool, error)
	pinned() bool
	close()
}

// A sig is one of the signals that are sent.
type sig string

const (
	sigTerm sig = "TERM"
	sigKill sig = "KILL"
)

// End asks a process to end, and kills it after its grace. It is held on to before
// it is looked at once more, so that whatever takes its number is not hit; where
// the system has no such hold, it is looked at right before each signal. Its process
// group gets the signals too where it leads one that was made for the spawn.
//
// The error is of a process that cannot be told from others, or signalled. One that
// had ended is none: then no signal was sent.
func End(ctx context.Context, o Owned, grace time.Duration) (fleet.Ending, error) {
	e := fleet.Ending{PID: o.PID, RunID: o.RunID}
	if o.Proc == (host.Proc{}) || o.Proc.Start != o.Start {
		return e, ErrUnnamed
	}
	h, err := holdOn(o.Proc)
	if err != nil || h == nil {
		e.Gone = err == nil
		return e, err
	}
	defer h.close()
	e.Pinned, e.Group = h.pinned(), leads(o)
	for _, step := range []struct {
		s    sig
		most time.Duration
	}{{sigTerm, grace}, {sigKill, endKill}} {
		if e.Gone, err = h.signal(step.s, e.Group); err != nil || e.Gone {
			return e, err
		}
		e.Signal = string(step.s)
		if e.Gone, err = await(ctx, h, false, step.most); err != nil || e.Gone {
			break
		}
	}
	if err == nil && e.Group && e.Signal == string(sigTerm) { // what its leader left behind
		if _, err = await(ctx, h, true, grace); err == nil {
			_, err = h.signal(sigKill, true)
		}
	}
	return e, err
}

// await waits until the process has ended, or all of its group.
func await(ctx context.Context, h hold, group bool, most time.Duration) (bool, error) {
	over := time.NewTimer(most)
	defer over.Stop()
	look := time.NewTicker(endLook)
	defer look.Stop()
	for {
		if gone, err := h.gone(group); gone || err != nil {
			return gone, err
		}
		select {
		case <-look.C:
		case <-over.C:
			return h.gone(group)
		case <-ctx.Done():
			gone, _ := h.gone(group)
			return gone, context.Cause(ctx)
		}
	}
}

// same asks once more whether a number is that of the process that was looked at,
// and nil is the answer yes. It has gone where that process has provably ended.
func same(p host.Proc) (gone bool, err error) {
	now, err := host.Process(p.PID)
	switch {
	case err == nil && now == p:
		return false, nil
	case host.Gone(p):
		return true, nil
	case err == nil:
		err = ErrUnnamed
	}
	return false, err
}
