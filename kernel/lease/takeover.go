package lease

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
)

// lapse sets aside the leases that are over. They bind nobody, and those that
// stand against the admission end with it, see [draft.succeed].
func (d *draft) lapse() {
	for _, chain := range d.Table.chains() {
		r := d.Table.Chains[chain]
		if d.skip[chain] || d.owns(r) || d.sibling(r) {
			continue
		}
		l := d.rideLapse(chain, r)
		if why := d.orphaned(r); why != "" && r.State != lane.Free {
			l.Over, l.Why = true, why
		}
		if l.Over {
			d.lapsed[chain] = freed(r, "lapsed: "+l.Why, d.Stamp)
			d.rest.Chains[chain], d.work.Chains[chain] = d.lapsed[chain], d.lapsed[chain]
		}
	}
}

// succeed ends the lapsed leases that would stand against the admission, from
// the very tips they were judged by: a late renewal and the admission cannot both
// land. The others stay, for their holders to renew, but for those whose place in
// a class with a budget is needed.
func (d *draft) succeed() {
	var stay []string
	for _, chain := range slices.Sorted(maps.Keys(d.lapsed)) {
		if r := d.Table.Chains[chain]; d.opposed(r) {
			d.succeedTo(chain)
		} else {
			d.rest.Chains[chain], d.work.Chains[chain] = r, r
			stay = append(stay, chain)
		}
	}
	for _, chain := range stay {
		if d.crowded(d.Table.Chains[chain].LaneKind) {
			d.succeedTo(chain)
		}
	}
}

// succeedTo ends the lapsed lease of a chain.
func (d *draft) succeedTo(chain string) {
	free := d.lapsed[chain]
	d.rest.Chains[chain], d.work.Chains[chain] = free, free
	d.ended = append(d.ended, laneWrite(OpScavenge, free))
	d.taken = append(d.taken, takenFrom(d.Table.Chains[chain]))
	d.over = append(d.over, free)
}

// crowded reports whether more leases of a class would live than its budget
// allows, the admission's among them.
func (d *draft) crowded(kind string) bool {
	most, bounded := d.Budgets[kind]
	if !bounded || !slices.ContainsFunc(d.parts, func(p *part) bool { return !p.had && p.rec.LaneKind == kind }) {
		return false
	}
	count := 0
	for _, l := range append(d.work.Live(d.skip), d.Extra...) {
		if lane.CanonicalOr(l.Kind) == kind && !lane.Reserved(l.Lane) {
			count++
		}
	}
	return count > most
}

// opposed reports whether a lapsed lease would stand against the admission: by its
// lane, its tree or its exclusivity, by a unit or a seat, or by the slot that the
// admission takes.
func (d *draft) opposed(r Record) bool {
	for _, w := range d.wants() {
		if sameKey(r.books(w[0]), w[1]) {
			return true
		}
	}
	if d.Rides != nil || r.Rides != nil {
		return d.inRide(r)
	}
	for _, p := range d.parts {
		if p.had {
			continue
		}
		ev := d.evidence(p.req, nil, nil)
		ev.Live = []lane.Lease{r.asLive()}
		if _, against, _, ok := lane.Conflicts(ev); p.rec.Chain() == r.Chain() || !ok || len(against) > 0 {
			return true
		}
	}
	return false
}

func takenFrom(r Record) Taken {
	return Taken{Lane: r.Lane, Gen: r.Gen, Nonce: r.Nonce, Holder: r.Holder, Deadline: r.Deadline().UTC()}
}

// succeeded says from whom the admission took over, and why it could.
func (d *draft) succeeded() string {
	var words []string
	for i, r := range d.over {
		words = append(words, "lane "+r.Lane+" of "+d.Table.Chains[d.over[i].Chain()].Holder.String()+" had "+r.Reason)
	}
	return strings.Join(words, "; ")
}
