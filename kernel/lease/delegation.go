package lease

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Ops on the chain of a delegation.
const (
	OpAsking    = "ASKING"    // the node is about to take the lane on the remote
	OpLive      = "LIVE"      // it has the lane, or has renewed it
	OpGrant     = "GRANT"     // it admitted one of its workers
	OpReturning = "RETURNING" // it admits nobody any more and is about to give the lane back
	OpGone      = "GONE"      // it has not the lane
)

// A DelegationState says how far a node has come with a lane on the remote.
type DelegationState string

// The states of a delegation.
const (
	Asking    DelegationState = "asking"
	Live      DelegationState = "live"
	Returning DelegationState = "returning"
	Gone      DelegationState = "gone"

	// Unreadable is the state of one that cannot be read, and that may be any other.
	Unreadable DelegationState = "unreadable"
)

// A Delegation is what a node holds of a lane on the remote, for its own workers:
// under it their leases are decided in the node's repository alone. It is kept in
// that repository, and every grant under it moves its chain: a grant and a return
// cannot both be decided on the same state.
type Delegation struct {
	V         int             `json:"v"`
	Seq       uint64          `json:"seq"` // the number of the entry on its chain
	Lane      string          `json:"lane"`
	State     DelegationState `json:"state"`
	Nonce     string          `json:"nonce"` // of the lease on the remote
	Gen       uint64          `json:"gen,omitempty"`
	Kind      string          `json:"lane_kind,omitempty"`
	Tree      []string        `json:"tree,omitempty"`
	TTL       int64           `json:"ttl_s,omitempty"`
	RenewedAt time.Time       `json:"renewed_at"` // when the renewal began that succeeded last
	Clock     Instant         `json:"clock"`      // the same, by this machine's clock
	Binding   string          `json:"binding"`    // the repository it was made in: in a copy it is nobody's
	Reason    string          `json:"reason,omitempty"`
}

// ParseDelegation reads entry number seq of the delegation of a lane.
func ParseDelegation(name string, seq uint64, payload []byte) (Delegation, error) {
	var d Delegation
	err := decode(payload, &d)
	if err == nil {
		err = d.check(name, seq)
	}
	if err != nil {
		return Delegation{}, fmt.Errorf("delegation of lane %s: %w", name, err)
	}
	d.RenewedAt = d.RenewedAt.UTC()
	return d, nil
}

func (d Delegation) check(name string, seq uint64) error {
	states := []DelegationState{Asking, Live, Returning, Gone}
	has := d.State == Live || d.State == Returning
	switch {
	case d.V != Version:
		return fmt.Errorf("%w: version %d, this git-dos knows %d", ErrRecord, d.V, Version)
	case d.Lane != name || !canonical(name):
		return fmt.Errorf("%w: it is about lane %q", ErrRecord, d.Lane)
	case d.Seq != seq || seq == 0 || seq > maxGen:
		return fmt.Errorf("%w: number %d in entry %d", ErrRecord, d.Seq, seq)
	case !slices.Contains(states, d.State):
		return fmt.Errorf("%w: state %q", ErrRecord, d.State)
	case d.Nonce == "" && d.State != Gone:
		return fmt.Errorf("%w: without a nonce", ErrRecord)
	case has && (d.Gen == 0 || d.TTL <= 0 || d.RenewedAt.IsZero()):
		return fmt.Errorf("%w: without a generation, a ttl or the time of a renewal", ErrRecord)
	case d.Gen > maxGen || d.TTL < 0 || d.TTL > maxTTL || !inRange(d.RenewedAt):
		return fmt.Errorf("%w: a generation, a ttl or a time out of range", ErrRecord)
	}
	err := errors.Join(CheckWord("nonce", d.Nonce), CheckWord("kind", d.Kind), CheckWord("boot id", d.Clock.Boot), CheckWord("binding", d.Binding), checkText("reason", d.Reason, maxText), checkTree(d.Tree))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return nil
}

func (d Delegation) ttl() time.Duration { return time.Duration(d.TTL) * time.Second }

// Usable reports whether leases may be granted under the delegation, and worked
// under: the node has it, and nobody can have seen it lapse. After a reboot it is
// not usable until it was renewed.
func (d Delegation) Usable(now Instant, by Lapsing) bool {
	since, ok := now.Since(d.Clock)
	return d.State == Live && ok && since < d.ttl()-by.margin(d.ttl())
}

// Due reports whether a delegation that is live should be renewed: a third of its
// ttl has passed, or nobody can tell.
func (d Delegation) Due(now Instant) bool {
	since, ok := now.Since(d.Clock)
	return !ok || since >= d.ttl()/3
}

// Within brings the times of an answer about a lease down to those of the
// delegation that it was granted under, where these are nearer.
func (v Verdict) Within(d Delegation, by Lapsing) Verdict {
	deadline := d.RenewedAt.Add(d.ttl()).UTC()
	if v.Deadline != nil && deadline.Before(*v.Deadline) {
		v.Deadline = &deadline
	}
	until := deadline.Add(-by.margin(d.ttl()))
	if v.WorkUntil != nil && until.Before(*v.WorkUntil) {
		v.WorkUntil = &until
	}
	return v
}

// Shown is a lease that was granted under the delegation as a reader may count on it:
// it ends with the delegation, if not before.
func (d Delegation) Shown(r Record) Record {
	if until := d.RenewedAt.Add(d.ttl()); until.Before(r.Deadline()) {
		r.TTL = max(1, int64(until.Sub(r.RenewedAt)/time.Second))
	}
	return r
}

// WithinAll is Within for the delegations of all lanes of an answer, by lane.
func (v Verdict) WithinAll(all map[string]Delegation, by Lapsing) Verdict {
	for _, r := range v.All() {
		if d, ok := all[r.Lane]; ok && v.Outcome == Acquired {
			v = v.Within(d, by)
		}
	}
	return v
}

// next is the delegation with another state, one entry on.
func (d Delegation) next(state DelegationState) Delegation {
	d.V, d.Seq, d.State, d.Reason = Version, d.Seq+1, state, ""
	return d
}

func (d Delegation) write(op string) Write {
	return Write{Chain: d.Lane, Delegation: true, Op: op, Gen: d.Seq, Payload: encode(d)}
}

// Ask notes that the node is about to take a lane on the remote. The zero
// Delegation is one that there never was. A node that asks already goes on under
// the nonce that it asks with: should the lane have been given under it, it is
// had again by that nonce, and by nothing else.
func (d Delegation) Ask(name string, s Stamp) (Delegation, []Write) {
	if d.State == Asking {
		return d, nil
	}
	n := Delegation{Seq: d.Seq, Lane: name, Nonce: s.Nonce, Binding: s.Binding}.next(Asking)
	return n, []Write{n.write(OpAsking)}
}

// Hold notes that the node has the lane on the remote, as r: it was given, or
// renewed, by an answer to what began at the stamp and at clock. Leases that were
// granted under an earlier delegation of the lane are over, and end with it. It is
// an error when r is not what this delegation asked for.
func (d Delegation) Hold(r Record, local Table, s Stamp, clock Instant) (Delegation, []Write, error) {
	if d.State != Asking && d.State != Live || r.Nonce != d.Nonce || r.State != lane.Held || !r.Delegate || r.Lane != d.Lane {
		return d, nil, fmt.Errorf("delegation of lane %s: the remote does not have it as it was asked for", d.Lane)
	}
	n := d.next(Live)
	n.Gen, n.Kind, n.Tree, n.TTL = r.Gen, r.LaneKind, r.Tree, r.TTL
	n.RenewedAt, n.Clock = stampSeconds(s), clock
	return n, append([]Write{n.write(OpLive)}, local.orphans(n, "the node took the lane anew", s)...), nil
}

// orphans ends the lease on a delegated lane that was not granted under the
// delegation.
func (t Table) orphans(d Delegation, reason string, s Stamp) []Write {
	r, ok := t.Chains[d.Lane]
	if !ok || t.Unread[d.Lane] != nil || r.State == lane.Free || r.Under == d.Nonce && d.State != Gone {
		return nil
	}
	return append([]Write{laneWrite(OpVoid, freed(r, reason, s))}, endRides(t.Riders(r), rideEnded, s)...)
}

// Idle reports whether nobody works under the delegation. A lease that cannot be
// read, or that an admission was cut off from, may be somebody's.
func (d Delegation) Idle(local Table, by Lapsing) bool {
	r, ok := local.Chains[d.Lane]
	switch {
	case local.Unread[d.Lane] != nil || slices.Contains(local.Torn(), d.Lane):
		return false
	case !ok || r.State == lane.Free || r.Under != d.Nonce:
		return true
	}
	return local.Lapse(d.Lane, by).Over
}

// Kept reports whether a worker has parked the lane under the delegation, so that
// it goes back to be kept on the remote.
func (d Delegation) Kept(local Table) (Record, bool) {
	r, ok := local.Chains[d.Lane]
	return r, ok && local.Unread[d.Lane] == nil && r.State == lane.Parked && r.Under == d.Nonce
}

// Return notes that the node is about to give the lane back, and frees what has
// lapsed on it, in one transaction with it. That moves the node's order too: a read
// may straddle a grant, and show the delegation as it left it and the lane as it was,
// or the grant may have been cut off from the delegation. It is not ok while somebody
// works under the delegation, or when there is none to give back.
func (d Delegation) Return(local Table, s Stamp, by Lapsing) (n Delegation, writes []Write, ok bool) {
	by.Now = s.Now
	_, kept := d.Kept(local)
	if d.State != Live || !kept && !d.Idle(local, by) {
		return d, nil, false
	}
	n = d.next(Returning)
	writes = []Write{n.write(OpReturning), local.Order.next().write(OpEnded)}
	if kept {
		return n, writes, true
	}
	if r, held := local.Chains[d.Lane]; held && r.State != lane.Free {
		writes = append(writes, laneWrite(OpScavenge, freed(r, "lapsed, and the lane went back", s)))
		writes = append(writes, endRides(local.Riders(r), rideEnded, s)...)
	}
	return n, writes, true
}

// End notes that the node has not the lane on the remote: it was refused, it went
// back, or it was lost. What was granted under it is over.
func (d Delegation) End(reason string, local Table, s Stamp) (Delegation, []Write) {
	n := d.next(Gone)
	n.Reason = reason
	return n, append([]Write{n.write(OpGone)}, local.orphans(n, reason, s)...)
}
