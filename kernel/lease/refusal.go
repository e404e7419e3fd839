package lease

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// refusal words what package lane refused, with the lease that stands in the way.
func (d *draft) refusal(name string, k lane.Verdict) Verdict {
	v := refuse(name, k.ReasonClass, k.Reason)
	v.Kernel = &k
	other, ok := d.work.Holding(k.ConflictLane)
	if !ok || k.ConflictLane == "" {
		return v
	}
	if slices.ContainsFunc(d.parts, func(p *part) bool { return p.rec.Nonce != "" && p.rec.Chain() == other.Chain() }) {
		v.Reason = fmt.Sprintf("it cannot be had together with lane %s, which is asked for too: %s", other.Lane, k.Reason)
		v.Next = "ask for one of them"
		return v.heldBy(other).until(other)
	}
	v.Next = "wait for its release, or choose another lane: git dos lease live"
	return d.inTheWay(v, other)
}

// inTheWay names the lease that a refusal is about. The worktree that holds it
// itself is told how to go on, and so is who waits for one that has lapsed.
func (d *draft) inTheWay(v Verdict, other Record) Verdict {
	other = d.asTaken(other)
	v = v.heldBy(other).until(other)
	switch {
	case d.remembers(other):
		return d.heldHere(v, other)
	case other.State == lane.Parked:
		v.Next = "choose another lane, or have an operator free it: " + scavengeCommand(other.Lane)
	}
	return v.lapsing(d.Table.Lapse(other.Chain(), d.Lapsing), other, d.Stamp.Now)
}

// lapsing adds to a refusal when the lease in the way may be taken, should nobody
// renew it: an asker that waits takes it then.
func (v Verdict) lapsing(l Lapse, other Record, now time.Time) Verdict {
	if l.In > 0 {
		v.LapsesIn = int64((l.In + time.Second - 1) / time.Second)
	}
	switch {
	case l.Skewed:
		v.Reason += fmt.Sprintf("; its stamp of %s is ahead of this clock, %s: one of the two is wrong", other.RenewedAt.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case other.Lapsed(now) && !v.HeldHere:
		v.Reason += "; it lapsed at " + other.Deadline().UTC().Format(time.RFC3339)
		if l.In > 0 {
			v.Reason += fmt.Sprintf(", and can be taken in %ds unless it is renewed", v.LapsesIn)
			v.Next = fmt.Sprintf("%s --wait %ds; if that worker is known to be gone: %s", v.acquireCommand(), v.LapsesIn+5, scavengeCommand(other.Lane))
		}
	}
	return v
}

// remembers reports whether a lease is one that the asker's worktree took.
func (d *draft) remembers(r Record) bool {
	return r.State != lane.Free && slices.Contains(d.Remembered, r.Nonce)
}

// asTaken is a lease as the asker's worktree took it: of a lane that its node has for
// its workers, the node's lease on it, as only that one has the proof to go on with.
func (d *draft) asTaken(r Record) Record {
	if granted, ok := d.Granted[r.Nonce]; ok {
		return granted
	}
	return r
}

// heldHere words a refusal by a lease of the asker's own worktree: the lane that
// is asked for is there to be had again, and any other to be released.
func (d *draft) heldHere(v Verdict, own Record) Verdict {
	asked := v.Lane == own.Lane
	v.HeldHere = true
	if words := d.ownWords(own); asked {
		v.Reason = words
	} else {
		v.Reason += "; " + words
	}
	switch {
	case own.State == lane.Parked:
		v.Next = own.unparkCommand() + "; or have an operator free it: " + scavengeCommand(own.Lane)
	case asked && own.State == lane.Held:
		v.Next = "git dos lease heartbeat --lane " + verdict.ShellWord(own.Lane) + "; to be given it by acquire: " + own.again()
	case asked:
		v.Next = "git dos lease await --lane " + verdict.ShellWord(own.Lane)
	default:
		v.Next = "git dos lease release --lane " + verdict.ShellWord(own.Lane)
	}
	return v
}

// ownWords says that this worktree holds a lease.
func (d *draft) ownWords(own Record) string {
	words := "this worktree holds lane " + own.Lane
	if own.State == lane.Waiting {
		words = "this worktree waits for lane " + own.Lane
	}
	if own.State == lane.Parked {
		return words + ", which is parked and does not lapse"
	}
	if at := own.Deadline().UTC().Format(time.RFC3339); own.Lapsed(d.Stamp.Now) {
		return words + ", which lapsed at " + at + " and which nobody took"
	} else {
		return words + " until " + at
	}
}

// reminded adds to a refusal of every lane that might have done which one the
// asker's worktree holds already.
func (d *draft) reminded(v Verdict) Verdict {
	if v.HeldHere {
		return v
	}
	for _, chain := range d.work.chains() {
		own := d.work.Chains[chain]
		if own.State != lane.Held || !d.remembers(own) || !d.Table.Order.admits(own) {
			continue
		}
		own = d.asTaken(own)
		v.HeldHere, v.Reason = true, v.Reason+"; "+d.ownWords(own)
		v.Next = "to be given that one again: " + own.again()
		return v.heldBy(own).until(own)
	}
	return v
}

// again is the command that answers with a lease which its asker has.
func (r Record) again() string {
	proof := "--nonce " + verdict.ShellWord(r.Nonce)
	if r.RunID != "" {
		proof = "--run-id " + verdict.ShellWord(r.RunID)
	}
	return r.acquireCommand() + " " + proof
}

// acquireCommand is the command that asks for a record's lane: one that is not
// declared has no tree but what is named.
func (r Record) acquireCommand() string {
	words := "git dos lease acquire --lane " + verdict.ShellWord(r.Lane)
	if r.Slot == "" {
		return words
	}
	for _, entry := range r.Tree {
		words += " --tree " + verdict.ShellWord(entry)
	}
	return words
}

// acquireCommand asks again for what was refused.
func (v Verdict) acquireCommand() string {
	if v.Lane == "" {
		return "git dos lease acquire"
	}
	return "git dos lease acquire --lane " + verdict.ShellWord(v.Lane)
}

func (r Record) unparkCommand() string {
	return "git dos lease unpark --lane " + verdict.ShellWord(r.Lane)
}

func scavengeCommand(name string) string {
	return "git dos lease scavenge --lane " + verdict.ShellWord(name) + " --force --operator NAME"
}
