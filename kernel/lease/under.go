package lease

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A DelegationError means that a lane cannot be granted under what its node has
// of it. The node renews that, or takes the lane anew.
type DelegationError struct {
	Lane string
	Why  string
}

func (e *DelegationError) Error() string { return "lane " + e.Lane + ": " + e.Why }

// An UnfencedError asks for chains to be fenced before they are granted anew: a
// push of their last holder may be on its way. First [Take] is written, then the
// lanes move on the remote, and then the admission is decided again with
// Watch.Fenced set for the tips that stood when the remote moved.
type UnfencedError struct{ Chains []string }

func (e *UnfencedError) Error() string {
	return "a push under " + ChainName(e.Chains[0]) + " may be on its way"
}

// under makes a record one that is granted under its node's delegation.
func (d *draft) under(r *Record) error {
	if !d.Under {
		return nil
	}
	own, ok := d.Delegations[r.Lane]
	switch {
	case !ok || !own.Usable(d.Clock, d.Lapsing):
		return &DelegationError{r.Lane, "its node does not have it"}
	case !d.Algebra.Within(r.Tree, own.Tree):
		return &DelegationError{r.Lane, "its node has it with another tree"}
	}
	r.Under, r.UnderGen = own.Nonce, own.Gen
	return nil
}

// orphaned says why a lease is over, with the delegation that it was granted
// under: "" when it is not.
func (d *draft) orphaned(r Record) string {
	if own := d.Delegations[r.Lane]; d.Under && own.State != Unreadable && (own.Nonce != r.Under || own.State == Gone) {
		return "its node has not the lane any more"
	}
	return ""
}

// granting moves the delegations of the lanes that are granted.
func (d *draft) granting() []Write {
	var writes []Write
	for _, p := range d.parts {
		if d.Under && !p.had {
			writes = append(writes, d.Delegations[p.rec.authority()].next(Live).write(OpGrant))
		}
	}
	return writes
}

// unfenced lists the chains on which the last lease was another's that may still
// push: it is taken from its holder, or a push under it is unresolved.
func (d *draft) unfenced() []string {
	if !d.Under {
		return nil
	}
	found := map[string]bool{}
	for _, w := range d.ended {
		found[w.Chain] = d.mayPush(w.Chain)
	}
	for _, p := range d.parts {
		if !p.had {
			found[p.rec.Chain()] = d.mayPush(p.rec.Chain())
		}
	}
	maps.DeleteFunc(found, func(_ string, may bool) bool { return !may })
	return slices.Sorted(maps.Keys(found))
}

func (d *draft) mayPush(chain string) bool {
	r := d.Table.Chains[chain] // the zero Record where there is none
	live := r.State != "" && r.State != lane.Free
	switch {
	case d.owns(r) || d.orphaned(r) != "" || r.Rides != nil: // pushes go under the lease that is ridden
		return false
	case live && !r.Taking:
		return true
	}
	return (live || len(r.Pushing) > 0) && !d.Table.Watch.Fenced[chain]
}

// Take marks leases that are about to be taken from their holders, so that a
// holder which looks once more at its lease does not push under it.
func Take(t Table, chains []string, by Lapsing, s Stamp) []Write {
	by.Now = s.Now
	var writes []Write
	for _, chain := range chains {
		r := t.Chains[chain]
		if l := t.Lapse(chain, by); l.Over && !r.Taking {
			r.Taking, r.Reason, r.Ship = true, "lapsed: "+l.Why, nil
			writes = append(writes, laneWrite(OpTaking, r))
		}
	}
	return writes
}

// Announce judges whether a push may go under a lease that its node granted, and
// notes that it is on its way, by a nonce of its own. Whoever grants the lane anew
// before the end of the push is known fences it first.
func Announce(ev KeepEvidence, push string) (Verdict, []Write) {
	cur, no, ok := ev.fit()
	switch {
	case !ok:
		return no, nil
	case slices.Contains(cur.Pushing, push):
		return Verdict{Outcome: Renewed, Lane: ev.Lane, Lease: &cur, Reason: "the push is announced"}, nil
	case len(cur.Pushing) >= maxPushing:
		v := refuse(ev.Lane, NotHeld, fmt.Sprintf("%d pushes under it are unresolved: release it and take it again", len(cur.Pushing)))
		v.Next = "git dos lease release --lane " + verdict.ShellWord(cur.Lane) + "; " + cur.acquireCommand()
		return v.heldBy(cur), nil
	}
	cur.Pushing, cur.Ship, cur.Reason = append(slices.Clone(cur.Pushing), push), nil, ""
	return Verdict{Outcome: Renewed, Lane: ev.Lane, Lease: &cur, Reason: "the push is announced"}, []Write{laneWrite(OpPushing, cur)}
}

// maxPushing bounds the pushes whose end is not known that a record names.
const maxPushing = 16

// Resolve notes that the end of an announced push is known: it shipped what ship
// says, or nothing. It renews nothing, and whose the lane is by now is the same to
// it.
func Resolve(ev KeepEvidence, push string, ship *Ship) []Write {
	cur := ev.current()
	if cur == nil || !slices.Contains(cur.Pushing, push) {
		return nil
	}
	r := *cur
	r.Pushing = slices.DeleteFunc(slices.Clone(r.Pushing), func(p string) bool { return p == push })
	r.Ship, r.Reason = ship, ""
	op := OpHeartbeat
	if ship != nil {
		op = OpShip
	}
	if r.State == lane.Free {
		r.Ship, op = nil, OpRelease
	}
	return []Write{laneWrite(op, r)}
}

// fit is inUse for a lease that is worked under at this very moment: nobody is
// taking it, and its node has the lane.
func (ev KeepEvidence) fit() (Record, Verdict, bool) {
	cur, no, ok := ev.inUse(lane.Held)
	if ok && cur.Taking {
		no = Verdict{Outcome: LostLease, Lane: ev.Lane, ReasonClass: StaleLease, Reason: "it lapsed, and somebody is about to take it",
			Next: "git dos lease heartbeat tells whether it is yours still"}
		return cur, no.heldBy(cur), false
	}
	return cur, no, ok
}

// delegated reports whether the node still has the lane of a lease that it granted.
func (ev KeepEvidence) delegated(cur Record) (Verdict, bool) {
	if d := ev.Delegation; cur.Under == "" || d != nil && d.State == Live && d.Nonce == cur.Under {
		return Verdict{}, true
	}
	v := Verdict{Outcome: LostLease, Lane: ev.Lane, ReasonClass: DelegationOver, Reason: "its node has not the lane on the remote any more",
		Next: "stop work on this lane; " + cur.acquireCommand()}
	return v.heldBy(cur), false
}
