package lease

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// refusal words what package lane refused, with the lease that stands in the way.
func (d *draft) refusal(name string, k lane.Verdict) Verdict {
	v := refuse(name, k.ReasonClass, k.Reason)
	v.Kernel = &k
	other, ok := d.work.Holding(k.ConflictLane)
	if !ok || k.ConflictLane == "" {
		return v
	}
	v = v.heldBy(other).until(other)
	v.Next = "wait for its release, or choose another lane: git dos lease live"
	switch {
	case slices.ContainsFunc(d.parts, func(p *part) bool { return p.rec.Nonce != "" && p.rec.Chain() == other.Chain() }):
		v.Reason = fmt.Sprintf("it cannot be had together with lane %s, which is asked for too: %s", other.Lane, k.Reason)
		v.Next = "ask for one of them"
	case k.ReasonClass == lane.SameLaneHeld && other.State == lane.Held && slices.Contains(d.Remembered, other.Nonce):
		v.HeldHere = true
		v.Reason = "this worktree holds it until " + v.Deadline.Format(time.RFC3339)
		v.Next = "git dos lease heartbeat --lane " + other.Lane
	case other.Lapsed(d.Stamp.Now):
		v.Reason += fmt.Sprintf("; it lapsed at %s", v.Deadline.Format(time.RFC3339))
		v.Next = fmt.Sprintf("if that worker is gone: git dos lease scavenge --lane %s --force --operator NAME", other.Lane)
	}
	return v
}

// freed is the record of a lane after its lease ended.
func freed(r Record, reason string, s Stamp) Record {
	r.State, r.Reason, r.Ship = lane.Free, reason, nil
	r.RenewedAt = stampSeconds(s)
	return r
}
