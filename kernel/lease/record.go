// Package lease decides the life of leases: who is admitted to a lane, who may
// renew, release, ship under or take away a lease, and what to write for it.
//
// A lane's state is the newest record on its chain: the one of its own name, or,
// for a lane that no policy declares, a numbered slot that such lanes use in
// turn. Admissions of all lanes are put in one order by a second record, [Order],
// which moves together with the lanes it admits; an admission that another one
// overtook is decided again.
// Every decision takes the records as read, the time and the policy's numbers,
// and returns a verdict and the [Write]s that would make it true. Nothing here
// reads a clock, a repository or a source of randomness: nonces are handed in.
package lease

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Version is the version of the records this package writes.
const Version = 1

// ErrRecord is wrapped by every failure to read a record. An unreadable
// record never reads as a free lane.
var ErrRecord = errors.New("unreadable record")

// Scopes of a lease: decided in this repository, or on the remote.
const (
	Local = "local"
	Fleet = "fleet"
)

// Ops on a lane's chain.
const (
	OpAcquire   = "ACQUIRE"
	OpHeartbeat = "HEARTBEAT"
	OpShip      = "SHIP"
	OpRelease   = "RELEASE"
	OpScavenge  = "SCAVENGE"
	OpReady     = "READY"
	OpPark      = "PARK"
	OpUnpark    = "UNPARK"
	OpVoid      = "VOID"
	OpDelegate  = "DELEGATE" // a node takes the lane for its workers
	OpReturn    = "RETURN"   // and gives it back
	OpTaking    = "TAKING"   // of a lease under a delegation: somebody is about to take it over
	OpPushing   = "PUSHING"  // of a lease under a delegation: a push under it is on its way
)

// Ops on the order chain: an admission, and the end of what an earlier one had
// booked beside its lanes.
const (
	OpGranted = "GRANTED"
	OpEnded   = "ENDED"
)

// A Holder says who has a lease, for people and for refusals. Identity is the
// nonce, never a name.
type Holder struct {
	Node   string `json:"node"`
	Owner  string `json:"owner"`
	Worker string `json:"worker,omitempty"`
}

func (h Holder) String() string {
	switch {
	case h.Owner == "":
		return "node " + h.Node
	case h.Node == "", strings.HasSuffix(h.Owner, "@"+h.Node):
		return h.Owner
	}
	return h.Owner + " on " + h.Node
}

// A Record is the state of one lane, as the newest entry of its chain holds
// it. A free lane keeps the generation and the name of its last holder, and a
// free slot the name of its last lane.
type Record struct {
	V          int        `json:"v"`
	Lane       string     `json:"lane"`
	Slot       string     `json:"slot,omitempty"` // the chain of a lane that is not declared
	LaneKind   string     `json:"lane_kind"`
	Tree       []string   `json:"tree"`
	Scope      string     `json:"scope"`
	State      lane.State `json:"state"`
	Gen        uint64     `json:"gen"`
	Nonce      string     `json:"nonce"`
	Holder     Holder     `json:"holder"`
	RunID      string     `json:"run_id"`
	Unit       string     `json:"unit,omitempty"`
	Seat       string     `json:"seat,omitempty"`
	Proc       *Proc      `json:"proc,omitempty"`
	TTL        int64      `json:"ttl_s"`
	AcquiredAt time.Time  `json:"acquired_at"`
	RenewedAt  time.Time  `json:"renewed_at"`
	Policy     string     `json:"policy"`             // trunk commit the admission was decided under
	Reason     string     `json:"reason,omitempty"`   // why the last entry was written
	Operator   string     `json:"operator,omitempty"` // who scavenged it
	Ship       *Ship      `json:"ship,omitempty"`     // on SHIP entries: what was pushed

	Delegate bool     `json:"delegate,omitempty"`  // held by a node, which grants leases on the lane itself
	Under    string   `json:"under,omitempty"`     // granted by its node: the nonce of the delegation
	UnderGen uint64   `json:"under_gen,omitempty"` // and its generation on the remote
	Taking   bool     `json:"taking,omitempty"`    // somebody found it lapsed and is about to take it over
	Pushing  []string `json:"pushing,omitempty"`   // pushes under it, by nonce, of which the end is not known

	Rung  string `json:"rung,omitempty"`  // of a reserved lane: how far its holder has ramped up
	Rides *Mount `json:"rides,omitempty"` // of a claim inside another lease: that lease
}

// A Proc is the worker's own process, where its caller named it.
type Proc struct {
	PID   int64  `json:"pid"`
	Start string `json:"start"` // when it began, as its system tells it
	Boot  string `json:"boot"`
	PIDNS string `json:"pidns"` // the namespace that the pid counts in
}

// Chain is the key of the chain the record stands on.
func (r Record) Chain() string {
	if r.Slot != "" {
		return r.Slot
	}
	return r.Lane
}

// A Ship is what a SHIP entry says was pushed under the lease.
type Ship struct {
	Ref   string     `json:"ref"` // branch on the authority
	Old   string     `json:"old"` // its tip before, "" when it did not exist
	New   string     `json:"new"`
	Units []ShipUnit `json:"units"`

	Under *ShippedUnder `json:"under,omitempty"` // on a delegation: the lease that its node had granted
}

// A ShippedUnder is the lease that a push went under, where its node granted it.
type ShippedUnder struct {
	Gen    uint64 `json:"gen"`
	Nonce  string `json:"nonce"`
	Holder Holder `json:"holder"`
}

// A ShipUnit is one unit of a plan, with the commit that names it.
type ShipUnit struct {
	Plan   string `json:"plan"`
	Phase  string `json:"phase"`
	Commit string `json:"commit"`
	Tree   string `json:"tree"` // that commit's tree
}

// encode renders a record as one line of JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // records hold nothing that cannot be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Deadline is when the lease lapses by its own stamps unless it is renewed.
func (r Record) Deadline() time.Time {
	return r.RenewedAt.Add(time.Duration(r.TTL) * time.Second)
}

// Lapsed reports whether the lease is past its own deadline. For a lease that
// nobody took, this is a word for people: its holder may still renew it.
func (r Record) Lapsed(now time.Time) bool {
	return r.State == lane.Held && !now.Before(r.Deadline())
}

// Words that tell people how a lease stands, beside its state. No decision is
// made on them.
const (
	Suspended = "suspended" // past its own deadline, and nobody took it
	Skewed    = "skewed"    // renewed in the future, by this clock
)

// Display is the word for how a lease stands: its state, or that it is past its
// deadline or stamped ahead of the reader's clock.
func (r Record) Display(now time.Time) string {
	switch live := r.State == lane.Held || r.State == lane.Waiting; {
	case live && r.RenewedAt.Sub(now) > maxAhead:
		return Skewed
	case live && !now.Before(r.Deadline()):
		return Suspended
	}
	return string(r.State)
}

// exclusive reports whether the recorded kind tolerates no other lease.
func (r Record) exclusive() bool { return r.LaneKind != lane.Cluster && r.LaneKind != lane.Keyword }

// asLive is the record as evidence for admission.
func (r Record) asLive() lane.Lease {
	return lane.Lease{Lane: r.Lane, Kind: r.LaneKind, Tree: r.Tree, Exclusive: r.exclusive(), Holder: r.Holder.String(), State: r.State}
}

// freed is the record of a lane after its lease ended. Pushes under it may still
// be on their way.
func freed(r Record, reason string, s Stamp) Record {
	r.State, r.Reason, r.Ship, r.Taking = lane.Free, reason, nil, false
	r.Delegate = false
	r.RenewedAt = stampSeconds(s)
	return r
}
