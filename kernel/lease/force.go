package lease

import (
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// force ends every lease that stands against the admission, whoever holds it, and
// in whatever state. What is asked for in the same breath stays, and so does what
// is not in the store: that refuses as ever. A lane that a try of this very call
// has landed is looked at again, for its end of the others may have been cut off.
func (d *draft) force() error {
	for _, p := range d.parts {
		if p.had && p.have.Nonce != d.Stamp.Nonce {
			continue
		}
		d.clear(p)
	}
	for _, w := range d.wants() {
		if d.satisfied(w[0], w[1]) {
			continue
		}
		found, _ := d.rest.bookedBy(w[0], w[1], d.ownLease, d.ownNonce, d.Stamp.Now, d.Lapsing.Skew)
		if found.unread != "" {
			return &UnreadError{found.unread, d.Table.Unread[found.unread]}
		}
		for _, r := range found.by {
			d.scavenge(r)
		}
	}
	return nil
}

// clear ends what stands against one lane. What cannot be read stays, and leaves
// no verdict when the lane is judged.
func (d *draft) clear(p *part) {
	ev := d.evidence(p.req, nil, nil)
	ev.Live = slices.DeleteFunc(d.work.Live(d.skip), func(l lane.Lease) bool { return l.Lane == p.lane && p.had })
	_, against, _, ok := lane.Conflicts(ev)
	if !ok {
		return // judge says why
	}
	for _, l := range against {
		for _, chain := range d.work.chains() {
			if r := d.work.Chains[chain]; r.Lane == l.Lane && r.State != lane.Free && !d.skip[chain] && !d.asked(r) {
				d.scavenge(r)
			}
		}
	}
}

// asked reports whether a lease is one that the caller has and asks for.
func (d *draft) asked(r Record) bool {
	return slices.ContainsFunc(d.parts, func(p *part) bool { return p.mine && p.have.Chain() == r.Chain() })
}

func (d *draft) scavenge(r Record) {
	chain := r.Chain()
	if d.work.Chains[chain].State == lane.Free {
		return // for another lane of the admission, or for its unit
	}
	free := freed(r, "scavenged by operator "+d.Operator, d.Stamp)
	free.Operator = d.Operator
	d.rest.Chains[chain], d.work.Chains[chain] = free, free
	d.ended = append(d.ended, laneWrite(OpScavenge, free))
	d.taken = append(d.taken, takenFrom(r))
	d.fear(r.Deadline())
}

// fear notes until when a worker that was ended may still be at work.
func (d *draft) fear(until time.Time) {
	if until.After(d.Stamp.Now) && until.After(d.unsafe) {
		d.unsafe = until.UTC()
	}
}
