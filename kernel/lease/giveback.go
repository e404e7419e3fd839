package lease

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Sent is what an acquirer has sent in one call, and what may have landed of it.
type Sent struct {
	Leases []Record // one a chain, those of earlier tries included
	Seq    uint64   // the number of the last try in the order
}

// Send notes what sending an admission, decided on this table, may leave behind,
// beside what was sent before. A lease that was only had again is not among it.
func (t Table) Send(v Verdict, before *Sent) *Sent {
	if len(v.sent) == 0 {
		return before
	}
	s := &Sent{Seq: t.Order.Seq + 1}
	if before != nil {
		s.Leases = slices.Clone(before.Leases)
	}
	for _, r := range v.sent {
		at := slices.IndexFunc(s.Leases, func(had Record) bool { return had.Chain() == r.Chain() })
		if at < 0 {
			s.Leases = append(s.Leases, r)
		} else {
			s.Leases[at] = r
		}
	}
	return s
}

// Overtaken reports whether the order has come to the admission's number. If it
// is not the admission itself that did, no part of it lands any more. A read
// sees lanes and order one after the other: that no part has landed before is
// certain only in a read that began after the order was seen there.
func (t Table) Overtaken(admission Sent) bool { return t.Order.Seq >= admission.Seq }

// Unread is an *[UnreadError] when a chain that the admission may have landed on
// cannot be read: then nobody can give it back, and its acquirer says so.
func (s Sent) Unread(t Table) error {
	for _, r := range s.Leases {
		if err := t.Unread[r.Chain()]; err != nil {
			return &UnreadError{r.Chain(), err}
		}
	}
	return nil
}

// GiveBack undoes an admission that its acquirer could not complete or will not
// report, whichever part of it landed: every lane of it is voided, what it has
// booked is nobody's, and what it ended by force stays ended. With pending set it may
// still be on its way, unless it is overtaken: then the order moves too, so that
// it is refused when it arrives. Whoever asks with pending set asks once more, in
// a read that begins after the order has moved past it; see [Table.Overtaken].
// What cannot be read stays; see [Sent.Unread].
func GiveBack(t Table, admission Sent, pending bool, s Stamp) []Write {
	const reason = "its acquirer gave it back"
	cut := map[string]bool{}
	if s.Nonce != "" {
		cut[s.Nonce] = true
	}
	var writes []Write
	for _, sent := range admission.Leases {
		cur := t.Chains[sent.Chain()]
		switch {
		case sent.Nonce == s.Nonce:
		case cur.State != "" && cur.State != lane.Free && cur.Nonce == sent.Nonce: // half-landed before this call
			writes = append(writes, laneWrite(OpVoid, freed(cur, reason, s)))
		}
	}
	writes = append(writes, endCut(t, cut, reason, s)...)
	moved := slices.ContainsFunc(writes, func(w Write) bool { return w.Chain == "" })
	if pending && !moved && !t.Overtaken(admission) {
		writes = append(writes, t.Order.next().write(OpEnded))
	}
	return writes
}
