package lease

import (
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Late reports whether an answer that has come at now lets a lease run on that others
// may have found lapsed meanwhile. Then a takeover of it may have been cut off between
// the order and the lane, and the answer holds only when one more read bears it out,
// see [Table.Stands]. What was decided in time may have arrived late.
func (v Verdict) Late(now time.Time) bool { return !v.sure.IsZero() && now.After(v.sure) }

// sureUntil is until when nobody can have found a lease lapsed. That of a process that
// has ended can have been found so at any time.
func (r Record) sureUntil(gone bool, by Lapsing) time.Time {
	if gone {
		return r.AcquiredAt
	}
	ttl := time.Duration(r.TTL) * time.Second
	return r.RenewedAt.Add(ttl - by.margin(ttl))
}

// Stands holds the leases of an answer to a table that was read after they were
// written: the order must admit each still, and what its node granted it under, by
// lane, must be live. When it is not so, somebody took the lane over or gave it back,
// and was cut off or is about to reach it; the answer is then that the lease is lost.
// It is an *[UnreadError] when one cannot be read.
func (t Table) Stands(v Verdict, delegations map[string]Delegation) (Verdict, error) {
	for _, r := range v.All() {
		own := delegations[r.Lane]
		if r.Under != "" && own.State == Unreadable {
			return Verdict{}, &UnreadError{r.Chain(), ErrRecord}
		}
		if no, ok := (KeepEvidence{Lane: r.Lane, Delegation: &own}).delegated(r); !ok {
			return no, nil
		}
		if err := t.Unread[r.Chain()]; err != nil {
			return Verdict{}, &UnreadError{r.Chain(), err}
		}
		if no, ok, err := t.stillMounted(r); err != nil || !ok {
			return no, err
		}
		if now := t.Chains[r.Chain()]; now.Nonce == r.Nonce && now.State != lane.Free && t.Order.admits(r) {
			continue
		}
		no := Verdict{Outcome: LostLease, Lane: r.Lane, ReasonClass: StaleLease, AsOf: v.AsOf,
			Reason: "it had lapsed, and somebody was taking it over", Next: "stop work on this lane; git dos lease live shows what is free"}
		if now, ok := t.Chains[r.Chain()]; ok && now.State != lane.Free && now.Nonce != r.Nonce {
			no = no.heldBy(now)
		}
		return no, nil
	}
	return v, nil
}
