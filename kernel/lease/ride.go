package lease

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Reason classes of claims inside a lease.
const (
	RideOver = "RIDE_OVER" // the lease that is ridden has ended, or is about to
)

// A Mount is the lease that a claim stands on: whoever works under a lease that
// another process keeps claims a unit, a seat or a part of the lane's tree inside
// it. The claim stands in a slot, ends with the lease and binds only those who ride
// the same one; others meet the lease itself. A unit and a seat are had once by all.
type Mount struct {
	Lane    string `json:"lane"`
	Slot    string `json:"slot,omitempty"`    // the chain of a lane that is not declared
	Gen     uint64 `json:"gen"`               // of the lease on this authority
	Nonce   string `json:"nonce"`             // of the lease that is ridden
	Through string `json:"through,omitempty"` // where its node granted that: the nonce of the delegation, which stands here in its place
}

// MountOf is what a claim inside a lease stands on where that lease stands.
func MountOf(r Record) Mount {
	return Mount{Lane: r.Lane, Slot: r.Slot, Gen: r.Gen, Nonce: r.Nonce}
}

// MountThrough is what it stands on at the remote, for a lease that its node granted.
func MountThrough(r Record) Mount {
	return Mount{Lane: r.Lane, Gen: r.UnderGen, Nonce: r.Nonce, Through: r.Under}
}

func (m Mount) chain() string {
	if m.Slot != "" {
		return m.Slot
	}
	return m.Lane
}

// stands is the nonce that is to stand on the chain.
func (m Mount) stands() string {
	if m.Through != "" {
		return m.Through
	}
	return m.Nonce
}

// carries reports whether a lease is the one that is ridden.
func (m Mount) carries(r Record) bool {
	return r.Rides == nil && r.Chain() == m.chain() && r.Gen == m.Gen && r.Nonce == m.stands()
}

// authority is the lane that a lease is decided under.
func (r Record) authority() string {
	if r.Rides != nil {
		return r.Rides.Lane
	}
	return r.Lane
}

// Inside names, to people, the lane that a claim is inside of, "" for a lease.
func (r Record) Inside() string {
	if r.Rides == nil {
		return ""
	}
	return "lane " + r.Rides.Lane
}

// checkMount says what is wrong with what a claim says that it stands on.
func (r Record) checkMount() error {
	m := r.Rides
	switch {
	case m == nil:
		return nil
	case r.Slot == "":
		return errors.New("a claim inside a lease that stands in no slot")
	case !canonical(m.Lane), m.Slot != "" && !lane.IsSlot(m.Slot), m.chain() == r.Slot:
		return fmt.Errorf("a claim inside lane %q", m.Lane)
	case m.Gen == 0 || m.Gen > maxGen || m.Nonce == "":
		return errors.New("a claim inside a lease without a generation or a nonce")
	case r.Delegate || r.State == lane.Waiting || r.State == lane.Parked || r.Ship != nil:
		return fmt.Errorf("a claim inside a lease that is %s, a node's, or ships", r.State)
	}
	return errors.Join(CheckWord("nonce of the ridden lease", m.Nonce), CheckWord("delegation", m.Through))
}

// rideName is the name under which a claim stands: the lane's, cut where it would be
// too long for one, and the slot, which makes it the only one.
func rideName(name, slot string) string {
	for {
		if full := name + "+" + slot; canonical(full) {
			return full
		}
		_, size := utf8.DecodeLastRuneInString(name)
		if size == 0 {
			return "ride+" + slot
		}
		name = name[:len(name)-size]
	}
}

// Mount finds the lease that a claim stands on: it is there as long as that is held.
// It is an *[UnreadError] when its chain cannot be read.
func (t Table) Mount(m Mount) (*Record, error) {
	if err := t.Unread[m.chain()]; err != nil {
		return nil, &UnreadError{m.chain(), err}
	}
	if r, ok := t.Chains[m.chain()]; ok && m.carries(r) && r.State == lane.Held {
		return &r, nil
	}
	return nil, nil
}

// Riders lists the claims inside a lease that have not ended, in order of their
// chains.
func (t Table) Riders(r Record) []Record {
	var riders []Record
	for _, chain := range t.chains() {
		if c := t.Chains[chain]; c.Rides != nil && c.State != lane.Free && c.Rides.carries(r) {
			riders = append(riders, c)
		}
	}
	return riders
}

// unseated says why a claim is over with the lease that it rides, "" while it is not.
// One that is parked ends the claims inside it itself: its lease may run again, so
// that no other may conclude it from that.
func (t Table) unseated(chain string, by Lapsing) string {
	r := t.Chains[chain]
	if r.Rides == nil || r.State != lane.Held || t.Unread[chain] != nil {
		return ""
	}
	on := r.Rides.chain()
	m, ok := t.Chains[on]
	switch {
	case t.Unread[on] != nil:
		return ""
	case !ok || !r.Rides.carries(m) || m.State == lane.Free:
		return rideEnded
	}
	if l := t.alone(on, by); l.Over {
		return "the lease that it rides has lapsed: " + l.Why
	}
	return ""
}

const rideEnded = "the lease that it rides has ended"

// endRides ends the claims inside a lease that ends or is parked.
func endRides(riders []Record, reason string, s Stamp) (writes []Write) {
	for _, r := range riders {
		writes = append(writes, laneWrite(OpVoid, freed(r, reason, s)))
	}
	return writes
}

// ending is the end of a lease, with all that was claimed inside it.
func (ev KeepEvidence) ending(op string, cur, free Record) []Write {
	writes := append([]Write{laneWrite(op, free)}, endRides(ev.Riders, rideEnded, ev.Stamp)...)
	return append(writes, ev.Order.end(append(slices.Clone(ev.Riders), cur)...)...)
}

// seated reports whether the lease that a claim rides is held still, and not past its
// own deadline.
func (ev KeepEvidence) seated(cur Record) (Verdict, bool) {
	if cur.Rides == nil {
		return Verdict{}, true
	}
	v := rideLost(cur)
	switch m, d := ev.Mount, ev.Delegation; {
	case m == nil || !cur.Rides.carries(*m) || m.State != lane.Held:
		return v, false
	case m.Lapsed(ev.Stamp.Now):
		v.Reason = "the lease that it rides has lapsed"
		return v, false
	case m.Under != "" && (d == nil || d.State != Live || d.Nonce != m.Under):
		v.Reason = "its node has not the lane on the remote any more"
		return v, false
	}
	return v, true
}
