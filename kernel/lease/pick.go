package lease

import (
	"errors"

	"github.com/git-dos/git-dos/kernel/lane"
)

// pick decides where another lane than the one named will do. A cluster lane that
// the caller has is had again before anything else is looked at, so that asking
// twice never books two; what landed half of one is completed if it can be, and
// ended if it cannot.
func (ev AcquireEvidence) pick() (Verdict, []Write, error) {
	ev.Wait = false // another lane is taken instead
	var dropped []string
	if r, ok := ev.cluster(); ok {
		v, writes, err := ev.admit([]lane.Request{{Lane: r.Lane}}, nil)
		if !elsewhere(v, err) {
			return ev.redirected(v, Verdict{}, nil), writes, err
		}
		dropped = append(dropped, r.Chain())
	}
	var named Verdict // the refusal of the lane named
	var unread error  // or why there is none
	if !ev.unnamed() {
		v, writes, err := ev.admit(ev.Requests, nil, dropped...)
		if !elsewhere(v, err) {
			return v, writes, err
		}
		named, unread = v, err
	}
	d := ev.draft(dropped)
	k := lane.Arbitrate(d.evidence(lane.Request{}, ev.Budgets, ev.SelfModify))
	if err := ev.Table.undecided(k); err != nil {
		return Verdict{}, nil, err
	}
	switch {
	case k.Outcome == lane.Acquire:
		v, writes, err := ev.admit([]lane.Request{{Lane: k.Lane, Kind: k.LaneKind}}, &k, dropped...)
		return ev.redirected(v, named, unread), writes, err
	case unread != nil:
		return Verdict{}, nil, unread
	case named.Outcome == Refused:
		return d.refused(d.reminded(named))
	}
	return d.refused(d.reminded(d.refusal("", k)))
}

// redirected says in place of which lane another was had, and why: the lane named
// was refused, or could not be read, or the asker had the other one.
func (ev AcquireEvidence) redirected(v, no Verdict, unread error) Verdict {
	named, _, _ := lane.Resolve(ev.Requests[0], ev.Lanes)
	if ev.unnamed() || v.Outcome != Acquired || named.Lane == v.Lane {
		return v
	}
	if v.Kernel != nil && v.Kernel.AutoPicked {
		v.Kernel.HintRefused = no.ReasonClass
	}
	v.Reason += ", in place of lane " + named.Lane
	switch {
	case unread != nil:
		v.Reason += ": " + unread.Error()
	case no.Reason != "":
		v.Reason += ": " + no.Reason
	}
	return v
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
		r := ev.Table.Chains[chain]
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
