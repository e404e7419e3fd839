package lease

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// satisfied reports whether a lease that is only renewed has the unit or the seat
// that is asked for.
func (d *draft) satisfied(what, key string) bool {
	return slices.ContainsFunc(d.parts, func(p *part) bool { return p.had && p.have.claims(what) == key })
}

// first is the unit or the seat that the first lane's record is to hold.
func (d *draft) first(what string) string {
	key := d.Unit
	if what == claimSeat {
		key = d.Seat
	}
	if key == "" || d.satisfied(what, key) {
		return ""
	}
	return key
}

// differs refuses a lease of the caller's that would have to change its unit or
// its seat: within one generation neither does.
func (d *draft) differs() (Verdict, bool) {
	p := d.parts[0]
	for _, w := range d.wants() {
		if !p.had || d.satisfied(w[0], w[1]) {
			continue
		}
		has := "none"
		if had := p.have.claims(w[0]); had != "" {
			has = w[0] + " " + had
		}
		v := refuse(p.lane, LeaseDiffers, fmt.Sprintf("your lease has %s, and %s %s is asked for", has, w[0], w[1]))
		v.Next = "git dos lease release --lane " + p.lane + ", then acquire it again"
		return v.heldBy(p.have).until(p.have), true
	}
	return Verdict{}, false
}

// pick decides where another lane than the one named will do. A cluster lane that
// the caller has is had again before anything else is looked at, so that asking
// twice never books two; what landed half of one is completed if it can be, and
// ended if it cannot.
func (ev AcquireEvidence) pick() (Verdict, []Write, error) {
	var dropped []string
	if r, ok := ev.cluster(); ok {
		v, writes, err := ev.admit([]lane.Request{{Lane: r.Lane}}, nil)
		if !elsewhere(v, err) {
			return v, writes, err
		}
		dropped = append(dropped, r.Chain())
	}
	var named *Verdict
	var unread error
	if !ev.unnamed() {
		v, writes, err := ev.admit(ev.Requests, nil, dropped...)
		if !elsewhere(v, err) {
			return v, writes, err
		}
		if unread = err; err == nil {
			named = &v
		}
	}
	d := ev.draft(dropped)
	asked := d.evidence(lane.Request{}, ev.Budgets, ev.SelfModify)
	asked.Live = append(asked.Live, ev.Table.unreadNames()...)
	k := lane.Arbitrate(asked)
	if err := ev.Table.undecided(k); err != nil {
		return Verdict{}, nil, err
	}
	switch {
	case k.Outcome == lane.Acquire:
		return ev.admit([]lane.Request{{Lane: k.Lane, Kind: k.LaneKind}}, &k, dropped...)
	case unread != nil:
		return Verdict{}, nil, unread
	case named != nil:
		return d.refused(*named)
	}
	return d.refused(d.refusal("", k))
}

// cluster finds the lease of the caller's that is had again instead of another:
// one that this call has landed, else one that is admitted, else a half-landed one.
func (ev AcquireEvidence) cluster() (Record, bool) {
	var best *Record
	rank := func(r Record) int {
		switch {
		case r.Nonce == ev.Stamp.Nonce:
			return 0
		case ev.Table.Order.admits(r):
			return 1
		}
		return 2
	}
	for _, chain := range ev.Table.chains() {
		r := ev.Table.Lanes[chain]
		if ev.owns(r) && r.LaneKind == lane.Cluster && !lane.Reserved(r.Lane) && (best == nil || rank(r) < rank(*best)) {
			best = &r
		}
	}
	if best == nil {
		return Record{}, false
	}
	return *best, true
}

// elsewhere reports whether an answer about one lane leaves it open that another
// may be had.
func elsewhere(v Verdict, err error) bool {
	if err != nil {
		return errors.As(err, new(*UnreadError))
	}
	switch v.ReasonClass {
	case lane.SameLaneHeld, lane.ExclusiveLive, lane.ExclusiveNotAlone, lane.Collision, lane.ClassBudgetExhausted, lane.SelfModify:
		return v.Outcome == Refused
	}
	return false
}
