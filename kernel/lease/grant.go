package lease

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// granted is the admission as a verdict and one transaction.
func (d *draft) granted() (Verdict, []Write, error) {
	lost, orphans := d.leftovers()
	writes := append(d.ended, lost...)
	fresh, again := false, true
	for _, p := range d.parts {
		writes = append(writes, laneWrite(p.op, p.rec))
		fresh = fresh || !p.had
		again = again && p.had && p.have.Nonce != d.Stamp.Nonce
	}
	if fresh || len(d.ended) > 0 {
		writes = append(writes, d.order(orphans).write(OpGranted))
	}
	v := d.verdict()
	v.Reacquired = again
	return v, writes, nil
}

func (d *draft) verdict() Verdict {
	first := d.parts[0]
	v := Verdict{Outcome: Acquired, Lane: first.rec.Lane, Lease: &first.rec, Kernel: first.kernel, Reason: "already yours", Scavenged: d.taken}
	if first.kernel != nil {
		v.Reason = first.kernel.Reason
	}
	for _, p := range d.parts {
		if len(d.parts) > 1 {
			v.Leases = append(v.Leases, p.rec)
		}
		if !p.had || p.have.Nonce == d.Stamp.Nonce {
			v.sent = append(v.sent, p.rec)
		}
		v = v.nearer(p.rec)
	}
	if len(d.parts) > 1 {
		v.Reason = fmt.Sprintf("%d lanes in one admission", len(d.parts))
	}
	if len(d.taken) > 0 {
		var names []string
		for _, t := range d.taken {
			names = append(names, t.Lane)
		}
		v.Reason += fmt.Sprintf("; operator %s ended lane %s for it", d.Operator, strings.Join(names, ", "))
	}
	if !d.unsafe.IsZero() {
		v.UnsafeUntil = &d.unsafe
	}
	return v
}

// refused ends all that this call has landed, and what landed half of the lanes
// that the caller asked for.
func (d *draft) refused(v Verdict) (Verdict, []Write, error) {
	var writes []Write
	own := map[string]bool{d.Stamp.Nonce: true}
	for _, p := range d.parts {
		if p.mine && !p.had {
			d.skip[p.have.Chain()] = true
		}
	}
	for _, chain := range slices.Sorted(maps.Keys(d.skip)) {
		if r := d.Table.Lanes[chain]; d.skip[chain] && !own[r.Nonce] && r.State != lane.Free && !d.Table.Order.admits(r) {
			writes = append(writes, laneWrite(OpVoid, freed(r, "another admission came first", d.Stamp)))
		}
	}
	return v, append(writes, endCut(d.Table, own, "another admission came first", d.Stamp)...), nil
}

// leftovers ends what earlier tries of this call have landed on chains that the
// admission does not use, and moves the chains that they may still land on. The
// chains it lists stand, in the order, under the caller's nonce.
func (d *draft) leftovers() (writes []Write, orphans []string) {
	used := map[string]bool{}
	for _, p := range d.parts {
		used[p.rec.Chain()] = true
	}
	const why = "an earlier try of its acquirer, which took another lane"
	end := func(op string, r Record) {
		chain := r.Chain()
		used[chain], d.rest.Lanes[chain], d.work.Lanes[chain] = true, r, r
		writes = append(writes, laneWrite(op, r))
	}
	for _, chain := range slices.Sorted(maps.Keys(d.Table.Order.Lanes)) {
		g := d.Table.Order.Lanes[chain]
		if g.Nonce != d.Stamp.Nonce || used[chain] || d.Table.Unread[chain] != nil {
			continue
		}
		r := d.work.Lanes[chain] // free where force ends it now
		switch {
		case d.Table.Order.ahead(chain, r.Gen):
			end(cutOp(r, g), voided(r, chain, g, why, d.Stamp))
			orphans = append(orphans, chain)
		case d.Table.Order.overruled(r):
			end(OpScavenge, freed(r, "an operator ended it by force", d.Stamp))
			orphans = append(orphans, chain)
		}
	}
	for _, chain := range slices.Sorted(maps.Keys(d.skip)) {
		if r := d.Table.Lanes[chain]; !used[chain] {
			end(OpVoid, freed(r, why, d.Stamp))
		}
	}
	if d.Sent == nil {
		return writes, orphans
	}
	for _, sent := range d.Sent.Leases {
		chain := sent.Chain()
		cur, ok := d.work.Lanes[chain]
		if used[chain] || d.Table.Unread[chain] != nil || ok && (cur.State != lane.Free || cur.Gen >= sent.Gen) {
			continue
		}
		if !ok {
			cur = Record{V: Version, Lane: sent.Lane, Slot: sent.Slot, Gen: 1, Tree: []string{}}
		}
		end(OpVoid, freed(cur, why, d.Stamp))
	}
	return writes, orphans
}

// order is the order after the admission. What the table shows to be free has no
// region in it, and claims that are over are gone.
func (d *draft) order(orphans []string) Order {
	was := d.Table.Order
	n := was.next()
	n.Policy, n.Newest = d.Stamp.Policy, map[string]uint64{}
	for chain, g := range was.Lanes {
		n.Lanes[chain] = d.refreshed(chain, g)
		if found, ok := was.Newest[chain]; ok && d.Table.Unread[chain] != nil {
			n.Newest[chain] = found // it may be torn, which nobody can see
		}
	}
	for _, w := range d.ended {
		if n.Lanes[w.Chain].Gen == w.Gen { // else it was not admitted, and need not be told
			n.Lanes[w.Chain] = Grant{Gen: w.Gen, Nonce: d.Stamp.Nonce, Lane: laneOn(d.Table.Lanes[w.Chain])}
			n.Newest[w.Chain] = w.Gen
		}
	}
	for _, chain := range orphans {
		n.Newest[chain] = d.Table.Lanes[chain].Gen
	}
	for _, p := range d.parts {
		if !p.had {
			chain := p.rec.Chain()
			n.Lanes[chain] = grantOf(p.rec)
			n.Newest[chain] = d.Table.Lanes[chain].Gen
		}
	}
	d.reclaim(n)
	n.Classes = d.classes(n)
	return n.slim()
}

// refreshed is the grant of a chain as the table shows it now.
func (d *draft) refreshed(chain string, g Grant) Grant {
	switch r := d.work.Lanes[chain]; {
	case d.Table.Unread[chain] != nil && d.Table.mute():
		g.Kind, g.Tree = lane.Global, nil // at most everything
	case d.Table.Unread[chain] != nil:
	case r.State != lane.Free && r.Gen == g.Gen && r.Nonce == g.Nonce:
		return grantOf(r)
	default:
		g = Grant{Gen: g.Gen, Nonce: g.Nonce, Lane: g.Lane}
	}
	return g
}

// reclaim drops the claims that are over and enters those of the admission.
func (d *draft) reclaim(n Order) {
	for what, table := range map[string]map[string]Claim{claimUnit: n.Units, claimSeat: n.Seats} {
		maps.DeleteFunc(table, func(key string, c Claim) bool {
			return d.rest.tenure(what, key, c, d.Stamp.Now, d.Skew).over
		})
		for _, p := range d.parts {
			if key := p.rec.claims(what); key != "" && !p.had {
				table[key] = Claim{Nonce: p.rec.Nonce, Until: p.rec.Deadline().UTC().Format(time.RFC3339)}
			}
		}
	}
}

// classes counts the live leases by kind.
func (d *draft) classes(n Order) map[string]int {
	count := map[string]int{}
	for _, r := range d.work.Lanes {
		if r.State != lane.Free && !lane.Reserved(r.Lane) {
			count[r.LaneKind]++
		}
	}
	for chain := range d.Table.Unread {
		if kind := n.Lanes[chain].Kind; kind != "" {
			count[kind]++
		}
	}
	return count
}

func grantOf(r Record) Grant {
	return Grant{Gen: r.Gen, Nonce: r.Nonce, Lane: laneOn(r), Kind: r.LaneKind, Tree: r.Tree, Unit: r.Unit, Seat: r.Seat}
}

// laneOn is the lane that a grant has to name, for a slot does not.
func laneOn(r Record) string {
	if r.Slot != "" {
		return r.Lane
	}
	return ""
}

// slim leaves out the trees when they would make the record too large. A kind
// without a tree may hold everything.
func (o Order) slim() Order {
	const most = maxRecord / 2
	size := 0
	for _, g := range o.Lanes {
		for _, entry := range g.Tree {
			size += len(entry)
		}
	}
	if size <= most {
		return o
	}
	for chain, g := range o.Lanes {
		g.Tree = nil
		o.Lanes[chain] = g
	}
	return o
}
