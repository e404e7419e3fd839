// Package lease decides the life of leases: who is admitted to a lane, who may
// renew, release, ship under or take away a lease, and what to write for it.
//
// A lane's state is the newest record on its chain. Admissions of all lanes
// are put in one order by a second record, [Order], which moves together with
// the lane it admits; an admission that another one overtook is decided again.
// Every decision takes the records as read, the time and the policy's numbers,
// and returns a verdict and the [Write]s that would make it true. Nothing here
// reads a clock, a repository or a source of randomness: nonces are handed in.
package lease

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
	OpVoid      = "VOID"
)

// OpGranted is the op of an admission on the order chain.
const OpGranted = "GRANTED"

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
		return "an unnamed holder on " + h.Node
	case h.Node == "", strings.HasSuffix(h.Owner, "@"+h.Node):
		return h.Owner
	}
	return h.Owner + " on " + h.Node
}

// A Record is the state of one lane, as the newest entry of its chain holds
// it. A free lane keeps the generation and the name of its last holder.
type Record struct {
	V          int        `json:"v"`
	Lane       string     `json:"lane"`
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
	TTL        int64      `json:"ttl_s"`
	AcquiredAt time.Time  `json:"acquired_at"`
	RenewedAt  time.Time  `json:"renewed_at"`
	Policy     string     `json:"policy"`             // trunk commit the admission was decided under
	Reason     string     `json:"reason,omitempty"`   // why the last entry was written
	Operator   string     `json:"operator,omitempty"` // who scavenged it
	Ship       *Ship      `json:"ship,omitempty"`     // on SHIP entries: what was pushed
}

// A Ship is what a SHIP entry says was pushed under the lease.
type Ship struct {
	Ref   string     `json:"ref"` // branch on the authority
	Old   string     `json:"old"` // its tip before, "" when it did not exist
	New   string     `json:"new"`
	Units []ShipUnit `json:"units"`
}

// A ShipUnit is one unit of a plan, with the commit that names it.
type ShipUnit struct {
	Plan   string `json:"plan"`
	Phase  string `json:"phase"`
	Commit string `json:"commit"`
	Tree   string `json:"tree"` // that commit's tree
}

// Bounds of what a ref may hold and a request may ask for.
const (
	maxRecord = 1 << 20
	maxGen    = 1 << 53 // the last number that every reader of JSON agrees on
	maxTTL    = 100 * 365 * 24 * 3600
	maxYear   = 9000
	maxWord   = 256
)

// CheckWord reports why a name or an id cannot stand in a record, where it
// must read back as the same bytes and be fit to be shown.
func CheckWord(what, s string) error {
	switch {
	case len(s) > maxWord:
		return fmt.Errorf("%s is %d bytes long, at most %d", what, len(s), maxWord)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%s %q holds a control character or is not UTF-8", what, s)
	}
	return nil
}

// ParseRecord reads the record on a lane's chain. It checks that the record is
// about that lane and that generation: one planted from elsewhere is refused.
// Keys of a later minor version are ignored.
func ParseRecord(name string, gen uint64, payload []byte) (Record, error) {
	var r Record
	if err := decode(payload, &r); err != nil {
		return Record{}, fmt.Errorf("lane %s: %w", name, err)
	}
	switch {
	case r.V != Version:
		return Record{}, fmt.Errorf("lane %s: %w: version %d, this git-dos knows %d", name, ErrRecord, r.V, Version)
	case r.Lane != name:
		return Record{}, fmt.Errorf("lane %s: %w: it is about lane %q", name, ErrRecord, r.Lane)
	case r.Gen != gen || gen == 0 || gen > maxGen:
		return Record{}, fmt.Errorf("lane %s: %w: generation %d in an entry of generation %d", name, ErrRecord, r.Gen, gen)
	case r.State != lane.Free && (r.Nonce == "" || r.TTL <= 0):
		return Record{}, fmt.Errorf("lane %s: %w: held without a nonce or a ttl", name, ErrRecord)
	case r.TTL < 0 || r.TTL > maxTTL || r.RenewedAt.Year() > maxYear || r.AcquiredAt.Year() > maxYear:
		return Record{}, fmt.Errorf("lane %s: %w: a ttl or a time out of range", name, ErrRecord)
	}
	r.AcquiredAt, r.RenewedAt = r.AcquiredAt.UTC(), r.RenewedAt.UTC()
	return r, nil
}

func decode(payload []byte, into any) error {
	if len(payload) > maxRecord {
		return fmt.Errorf("%w: %d bytes", ErrRecord, len(payload))
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return nil
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

// exclusive reports whether the recorded kind tolerates no other lease.
func (r Record) exclusive() bool { return r.LaneKind != lane.Cluster && r.LaneKind != lane.Keyword }

// asLive is the record as evidence for admission.
func (r Record) asLive() lane.Lease {
	return lane.Lease{Lane: r.Lane, Kind: r.LaneKind, Tree: r.Tree, Exclusive: r.exclusive(), Holder: r.Holder.String(), State: r.State}
}
