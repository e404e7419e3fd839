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
	admits, again, sure := false, true, time.Time{}
	for _, p := range d.parts {
		writes = append(writes, laneWrite(p.op, p.rec))
		admits = admits || !p.had
		again = again && p.had && p.have.Nonce != d.Stamp.Nonce
		if p.had {
			if at := p.have.sureUntil(d.Table.Watch.Gone[p.have.Chain()], d.Lapsing); sure.IsZero() || at.Before(sure) {
				sure = at
			}
		}
	}
	writes = append(writes, d.granting()...)
	switch {
	case admits || len(d.ended) > 0:
		writes = append(writes, d.order(orphans).write(OpGranted))
	case d.Sent != nil && !d.Table.Overtaken(*d.Sent):
		// An earlier try, which takes over what has lapsed, may be on its way still:
		// nothing that is only had again would refuse it.
		writes = append(writes, d.Table.Order.next().write(OpEnded))
	}
	v := d.verdict()
	if v.Reacquired = again; !admits {
		v.sure = sure
	}
	if d.Rides != nil {
		return d.mounted(v, admits), append(writes, d.heartbeats(admits)...), nil
	}
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
		if p.rec.Nonce == d.Stamp.Nonce {
			v.fresh = append(v.fresh, p.rec)
		}
		v = v.nearer(p.rec)
	}
	if len(d.parts) > 1 {
		v.Reason = fmt.Sprintf("%d lanes in one admission", len(d.parts))
	}
	switch {
	case len(d.taken) > len(d.over):
		v.Reason = d.forced()
	case len(d.over) > 0:
		v.Reason = d.succeeded()
	}
	if first.rec.State == lane.Waiting {
		return d.waits(v, first.rec)
	}
	for _, p := range d.parts {
		v = v.workUntil(p.rec, d.Lapsing)
	}
	if !d.unsafe.IsZero() {
		v.UnsafeUntil = &d.unsafe
	}
	return v
}

// waits is the verdict on a lane that was admitted to wait.
func (d *draft) waits(v Verdict, r Record) Verdict {
	on, _ := d.work.beside(r.Chain()) // nothing that cannot be read is waited for
	return v.waiting(r, waitsFor(on))
}

// forced says what an operator's force ended for the admission.
func (d *draft) forced() string {
	var names []string
	for _, t := range d.taken[:len(d.taken)-len(d.over)] {
		names = append(names, t.Lane)
	}
	leases := "the lease of lane "
	if len(names) > 1 {
		leases = "the leases of lanes "
	}
	return "operator " + d.Operator + " ended " + leases + strings.Join(names, ", ") + " for it"
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
		if r := d.Table.Chains[chain]; d.skip[chain] && !own[r.Nonce] && r.State != lane.Free && !d.Table.Order.admits(r) {
			writes = append(writes, laneWrite(OpVoid, freed(r, "another admission came first", d.Stamp)))
		}
	}
	return v, append(writes, endCut(d.Table, own, "another admission came first", d.Stamp)...), nil
}

// order is the order after the admission. What the table shows to be free has no
// region in it, and bookings that are over are gone.
func (d *draft) order(orphans []string) Order {
	was := d.Table.Order
	n := was.next()
	n.Policy, n.Newest, n.Admitted, n.Found = d.Stamp.Policy, map[string]uint64{}, "", 0
	for chain, g := range was.Lanes {
		n.Lanes[chain] = d.refreshed(chain, g)
		if found, ok := was.Newest[chain]; ok && d.Table.Unread[chain] != nil {
			n.Newest[chain] = found // it may be torn, which nobody can see
		}
	}
	for _, w := range d.ended {
		if n.Lanes[w.Chain].Gen == w.Gen { // else it was not admitted, and need not be told
			n.Lanes[w.Chain] = Grant{Gen: w.Gen, Nonce: d.Stamp.Nonce, Lane: laneOn(d.Table.Chains[w.Chain])}
			n.Newest[w.Chain] = w.Gen
		}
	}
	for _, chain := range orphans {
		n.Newest[chain] = d.Table.Chains[chain].Gen
	}
	for _, p := range d.parts {
		if !p.had {
			chain := p.rec.Chain()
			n.Lanes[chain] = grantOf(p.rec)
			n.Newest[chain] = d.Table.Chains[chain].Gen
		}
	}
	d.rebook(n)
	n.Classes = d.classes(n)
	if d.Table.mute() && len(d.Table.Unread) > 0 {
		n = n.muted()
	}
	return n.slim()
}

// muted is an order in the older layout, which says of no chain that it is free.
// Several lanes that are cut off from it are taken for lost.
func (o Order) muted() Order {
	for chain, found := range o.Newest {
		o.Admitted, o.Found = chain, found
	}
	if len(o.Newest) > 1 {
		o.Admitted, o.Found = "", 0
	}
	o.Newest = nil
	return o
}

// refreshed is the grant of a chain as the table shows it now.
func (d *draft) refreshed(chain string, g Grant) Grant {
	switch r := d.work.Chains[chain]; {
	case d.Table.Unread[chain] != nil:
	case r.State != lane.Free && r.Gen == g.Gen && r.Nonce == g.Nonce:
		return grantOf(r)
	default:
		g = Grant{Gen: g.Gen, Nonce: g.Nonce, Lane: g.Lane}
	}
	return g
}

// rebook drops the bookings that are over and enters those of the admission.
func (d *draft) rebook(n Order) {
	for what, table := range map[string]map[string]Booking{bookUnit: n.Units, bookSeat: n.Seats} {
		maps.DeleteFunc(table, func(key string, b Booking) bool {
			return d.rest.tenure(what, key, b, d.Stamp.Now, d.Lapsing.Skew).over
		})
		for _, p := range d.parts {
			if key := p.rec.books(what); key != "" && !p.had && !d.borrowed(what, key) {
				table[foldKey(key)] = Booking{Nonce: p.rec.Nonce, Until: p.rec.Deadline().UTC().Format(time.RFC3339)}
			}
		}
	}
}

// classes counts the live leases by kind.
func (d *draft) classes(n Order) map[string]int {
	count := map[string]int{}
	for _, r := range d.work.Chains {
		if r.State != lane.Free && !lane.Reserved(r.Lane) && r.Rides == nil {
			count[r.LaneKind]++
		}
	}
	for chain := range d.Table.Unread {
		if g := n.Lanes[chain]; g.Kind != "" && g.Rides == "" {
			count[g.Kind]++
		}
	}
	return count
}

func grantOf(r Record) Grant {
	g := Grant{Gen: r.Gen, Nonce: r.Nonce, Lane: laneOn(r), Kind: r.LaneKind, Tree: r.Tree, Unit: r.Unit, Seat: r.Seat}
	if r.Rides != nil {
		g.Rides = r.Rides.chain()
	}
	return g
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
