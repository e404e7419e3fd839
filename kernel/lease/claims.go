package lease

import (
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// What a lease may claim beside its lane.
const (
	claimUnit = "unit"
	claimSeat = "seat"
)

// claims is the unit or the seat that a record names.
func (r Record) claims(what string) string {
	if what == claimUnit {
		return r.Unit
	}
	return r.Seat
}

func (o Order) claimed(what string) map[string]Claim {
	if what == claimUnit {
		return o.Units
	}
	return o.Seats
}

// A tenure is what is known of a claim.
type tenure struct {
	over   bool
	by     []Record  // the leases it stands by, none when only the order knows
	unread string    // the chain that may have it and cannot be read
	until  time.Time // where only the order knows
}

// tenure judges one entry of the order. The record that names it decides; else
// any lease of its nonce that lives, since the leases of one admission share it.
// A nonce that stands nowhere may be at work until its time, and skew, are over.
func (t Table) tenure(what, key string, c Claim, now time.Time, skew time.Duration) tenure {
	var by []Record
	known := false
	for _, chain := range t.chains() {
		r := t.Lanes[chain]
		switch {
		case r.Nonce != c.Nonce:
		case r.claims(what) == key && r.State == lane.Free:
			return tenure{over: true}
		case r.claims(what) == key:
			return tenure{by: []Record{r}}
		case r.State != lane.Free:
			by = append(by, r)
		default:
			known = true
		}
	}
	if len(by) > 0 {
		return tenure{by: by}
	}
	for chain, g := range t.Order.Lanes {
		known = known || g.Nonce == c.Nonce && t.Lanes[chain].Gen > g.Gen // ended, and followed by another
	}
	for _, chain := range t.unreadChains() {
		if g := t.Order.Lanes[chain]; g.Nonce == c.Nonce && (g.Kind != "" || t.mute()) {
			return tenure{unread: chain}
		}
	}
	until, err := time.Parse(time.RFC3339, c.Until)
	switch {
	case known:
		return tenure{over: true}
	case err == nil && skew > 0 && !now.Before(until.Add(skew)):
		return tenure{over: true}
	}
	return tenure{until: until}
}

// claimant finds what stands against a unit or a seat being claimed: a lease
// that names it, whether the order has it or not, or an entry of the order. The
// caller's own, by nonce, does not.
func (t Table) claimant(what, key string, own func(nonce string) bool, now time.Time, skew time.Duration) (tenure, bool) {
	var by []Record
	for _, chain := range t.chains() {
		if r := t.Lanes[chain]; r.State != lane.Free && r.claims(what) == key && !own(r.Nonce) {
			by = append(by, r)
		}
	}
	if len(by) > 0 {
		return tenure{by: by}, true
	}
	for _, chain := range t.unreadChains() {
		if g := t.Order.Lanes[chain]; g.claims(what) == key && !own(g.Nonce) {
			return tenure{unread: chain}, true
		}
	}
	c, ok := t.Order.claimed(what)[key]
	if !ok || own(c.Nonce) {
		return tenure{}, false
	}
	found := t.tenure(what, key, c, now, skew)
	return found, !found.over
}

// wants lists what a request claims, as pairs of what and key.
func (ev AcquireEvidence) wants() [][2]string {
	wants := [][2]string{{claimUnit, ev.Unit}, {claimSeat, ev.Seat}}
	return slices.DeleteFunc(wants, func(w [2]string) bool { return w[1] == "" })
}

// claim judges the unit and the seat that the admission asks for.
func (d *draft) claim() (Verdict, bool, error) {
	for _, w := range d.wants() {
		if d.satisfied(w[0], w[1]) {
			continue
		}
		found, taken := d.rest.claimant(w[0], w[1], d.ownNonce, d.Stamp.Now, d.Skew)
		switch {
		case !taken:
		case found.unread != "":
			return Verdict{}, false, &UnreadError{found.unread, d.Table.Unread[found.unread]}
		case d.Force && len(found.by) == 0:
			d.fear(found.until)
		default:
			return d.claimTaken(w[0], w[1], found), false, nil
		}
	}
	return Verdict{}, true, nil
}

func (d *draft) claimTaken(what, key string, found tenure) Verdict {
	class := UnitClaimed
	if what == claimSeat {
		class = SeatTaken
	}
	v := refuse(d.parts[0].lane, class, "")
	if len(found.by) == 0 {
		v.Reason = what + " " + key + " is claimed by a lease that stands on no lane, until " + found.until.UTC().Format(time.RFC3339)
		v.Next = "take another " + what + "; or, if that worker is gone: git dos lease acquire --force --operator NAME"
		return v
	}
	r := found.by[0]
	v.Reason = r.Holder.String() + " has " + what + " " + key + " with lane " + r.Lane
	v.Next = "take another " + what + ", or wait for its release: git dos lease live"
	return v.heldBy(r).until(r)
}

// ownNonce reports whether a claim of this nonce is the caller's.
func (d *draft) ownNonce(nonce string) bool {
	return nonce == d.Stamp.Nonce || slices.ContainsFunc(d.parts, func(p *part) bool { return p.mine && p.have.Nonce == nonce })
}
