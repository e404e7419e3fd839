package lease

import (
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A sweep ends what earlier tries of the call have left behind.
type sweep struct {
	*draft
	done   map[string]bool // chains that the admission uses, or that are ended
	writes []Write
}

const overtaken = "an earlier try of its acquirer, which took another lane"

// leftovers ends what earlier tries of this call have left on chains that the
// admission does not use. The orphans are those that the order has under the
// caller's nonce.
func (d *draft) leftovers() (writes []Write, orphans []string) {
	s := &sweep{draft: d, done: map[string]bool{}}
	for _, p := range d.parts {
		s.done[p.rec.Chain()] = true
	}
	orphans = s.unreached()
	s.landed()
	s.underWay()
	return s.writes, orphans
}

// end puts a record on a chain that none of the admission's is.
func (s *sweep) end(op string, r Record) {
	chain := r.Chain()
	s.done[chain], s.rest.Chains[chain], s.work.Chains[chain] = true, r, r
	s.writes = append(s.writes, laneWrite(op, r))
}

// unreached ends what the order says that a try did and what its chain lacks: an
// admission, or the end of another lease by force.
func (s *sweep) unreached() (chains []string) {
	order := s.Table.Order
	for _, chain := range slices.Sorted(maps.Keys(order.Lanes)) {
		g := order.Lanes[chain]
		if g.Nonce != s.Stamp.Nonce || s.done[chain] || s.Table.Unread[chain] != nil {
			continue
		}
		r := s.work.Chains[chain] // free where force ends it now
		switch {
		case order.ahead(chain, r.Gen):
			s.end(cutOp(r, g), voided(r, chain, g, overtaken, s.Stamp))
		case order.overruled(r):
			s.end(OpScavenge, freed(r, "another admission ended it", s.Stamp))
		default:
			continue
		}
		chains = append(chains, chain)
	}
	return chains
}

// landed ends the leases of the caller's that are decided anew on other chains.
func (s *sweep) landed() {
	for _, chain := range slices.Sorted(maps.Keys(s.skip)) {
		if !s.done[chain] {
			s.end(OpVoid, freed(s.Table.Chains[chain], overtaken, s.Stamp))
		}
	}
}

// underWay moves the chains that a try may still land on, so that it does not.
func (s *sweep) underWay() {
	if s.Sent == nil {
		return
	}
	for _, sent := range s.Sent.Leases {
		chain := sent.Chain()
		cur, ok := s.work.Chains[chain]
		if s.done[chain] || s.Table.Unread[chain] != nil || ok && (cur.State != lane.Free || cur.Gen >= sent.Gen) {
			continue
		}
		if !ok {
			cur = Record{V: Version, Lane: sent.Lane, Slot: sent.Slot, Gen: 1, Tree: []string{}}
		}
		s.end(OpVoid, freed(cur, overtaken, s.Stamp))
	}
}
