package main

import (
	"slices"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
)

const copiedNext = "the lease remembered here was taken in another copy of this repository; use --nonce if it is really yours"

// keptElsewhere adds to a verdict about a lane, for which the caller had
// nothing to show, that the lease stored here is that of another copy.
func keptElsewhere(d *admit.Desk, id lease.Identity, v lease.Verdict) lease.Verdict {
	had := []lease.Outcome{lease.Renewed, lease.Released, lease.AlreadyFree}
	if id == (lease.Identity{}) && !slices.Contains(had, v.Outcome) && copied(d, v.Lane) {
		v.Next = copiedNext
	}
	return v
}

// pushedElsewhere is keptElsewhere for a push that its leases did not carry.
func pushedElsewhere(d *admit.Desk, holds []lease.Hold, v lease.PushVerdict) lease.PushVerdict {
	if v.Outcome != lease.Fenced && v.Outcome != lease.Gated {
		return v
	}
	bare := len(holds) == 0 && copied(d, "")
	for _, h := range holds {
		bare = bare || h.Identity == (lease.Identity{}) && copied(d, h.Lane)
	}
	if bare {
		v.Next = copiedNext
	}
	return v
}

// copied reports whether this worktree stores a lease of a lane, or with ""
// of any, that was taken in another copy. It only words a hint.
func copied(d *admit.Desk, name string) bool {
	lanes, err := d.Copied()
	return err == nil && (slices.Contains(lanes, name) || name == "" && len(lanes) > 0)
}
