package lease

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// wants lists what a request books, as pairs of what and key.
func (ev AcquireEvidence) wants() [][2]string {
	wants := [][2]string{{bookUnit, ev.Unit}, {bookSeat, ev.Seat}}
	return slices.DeleteFunc(wants, func(w [2]string) bool { return w[1] == "" })
}

// checkWants says what is wrong with the names of what is to be booked.
func (ev AcquireEvidence) checkWants() error {
	how := map[string]string{bookUnit: "write it as PLAN/PHASE", bookSeat: "write it as one word"}
	for _, w := range ev.wants() {
		what, key := w[0], w[1]
		hidden := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) && !unicode.IsControl(r) }
		if strings.ContainsFunc(key, hidden) {
			return fmt.Errorf("%s %q holds white space or what cannot be seen: %s", what, key, how[what])
		}
		if _, ok := lane.FoldName(key); !ok {
			return fmt.Errorf("%s %q has no stable folded form: use plain letters and digits", what, key)
		}
	}
	return nil
}

// book judges the unit and the seat that the admission asks for.
func (d *draft) book() (Verdict, error) {
	for _, w := range d.wants() {
		if d.satisfied(w[0], w[1]) {
			continue
		}
		found, taken := d.rest.bookedBy(w[0], w[1], d.ownLease, d.ownNonce, d.Stamp.Now, d.Lapsing.Skew)
		switch {
		case !taken:
		case found.unread != "":
			return Verdict{}, &UnreadError{found.unread, d.Table.Unread[found.unread]}
		case d.Force && len(found.by) == 0:
			d.fear(found.until)
		default:
			return d.alreadyBooked(w[0], w[1], found), nil
		}
	}
	return Verdict{}, nil
}

func (d *draft) alreadyBooked(what, key string, found tenure) Verdict {
	class := UnitClaimed
	if what == bookSeat {
		class = SeatTaken
	}
	v := refuse(d.parts[0].lane, class, "")
	if len(found.by) == 0 {
		v.Reason = what + " " + key + " is booked by a lease that stands on no lane, until " + found.until.UTC().Format(time.RFC3339)
		v.Next = "take another " + what + "; or, if that worker is gone: git dos lease acquire --force --operator NAME"
		return v
	}
	r := found.by[0]
	if had := r.books(what); had != "" {
		key = had // as its holder spells it
	}
	v.Reason = r.Holder.String() + " has " + what + " " + key + " with lane " + r.Lane
	v.Next = "take another " + what + ", or wait for its release: git dos lease live"
	return d.inTheWay(v, r)
}

// ownLease reports whether a lease is one of those that the caller asks for and has
// already, or that it rides. Another of the same admission is not: what that has booked is taken.
func (d *draft) ownLease(r Record) bool {
	return d.rides(r) || r.Nonce == d.Stamp.Nonce || slices.ContainsFunc(d.parts, func(p *part) bool { return p.mine && p.have.Chain() == r.Chain() && p.have.Nonce == r.Nonce })
}

// ownNonce reports whether a booking of this nonce is the caller's.
func (d *draft) ownNonce(nonce string) bool {
	return nonce == d.Stamp.Nonce || d.Rides != nil && nonce == d.Rides.stands() || slices.ContainsFunc(d.parts, func(p *part) bool { return p.mine && p.have.Nonce == nonce })
}

// satisfied reports whether a lease that is only renewed has the unit or the seat
// that is asked for.
func (d *draft) satisfied(what, key string) bool {
	return slices.ContainsFunc(d.parts, func(p *part) bool { return p.had && sameKey(p.have.books(what), key) })
}

// first is the unit or the seat that the first lane's record is to hold.
func (d *draft) first(what string) string {
	key := d.Unit
	if what == bookSeat {
		key = d.Seat
	}
	if key == "" || d.satisfied(what, key) {
		return ""
	}
	return key
}

// differs refuses a lease of the caller's that would have to change its unit or
// its seat: within one generation neither does.
func (d *draft) differs() Verdict {
	p := d.parts[0]
	for _, w := range d.wants() {
		if !p.had || d.satisfied(w[0], w[1]) {
			continue
		}
		has := "none"
		if had := p.have.books(w[0]); had != "" {
			has = w[0] + " " + had
		}
		v := refuse(p.lane, LeaseDiffers, fmt.Sprintf("your lease has %s, and %s %s is asked for", has, w[0], w[1]))
		v.Next = "git dos lease release --lane " + verdict.ShellWord(p.lane) + ", then acquire it again"
		v.HeldHere = d.remembers(p.have)
		return v.heldBy(p.have).until(p.have)
	}
	return Verdict{}
}
