package lease

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of the lease verbs.
type Outcome string

// The outcomes. The first group is the affirmative one of each verb.
const (
	Acquired    Outcome = "acquire"   // the lane is the asker's
	Renewed     Outcome = "renewed"   // the lease runs for another ttl
	Released    Outcome = "released"  // the lane is free now
	AlreadyFree Outcome = "free"      // there was nothing to release or scavenge
	Scavenged   Outcome = "scavenged" // an operator took the lease away
	Shown       Outcome = "shown"     // the lane's state as asked for
	Parked      Outcome = "parked"    // the lane is kept and its lease does not run
	Unparked    Outcome = "unparked"  // its lease runs

	Refused   Outcome = "refuse"    // someone or some rule stands against it
	Contended Outcome = "contended" // others kept getting in first until time ran out
	LostLease Outcome = "lost"      // the lease is not the asker's any more
	Waits     Outcome = "waiting"   // the lane is the asker's when what it overlaps is free
)

// Reason classes of the lease verbs beside those of package lane.
const (
	NoLease    = "NO_LEASE"    // nothing is held under that identity
	StaleLease = "STALE_LEASE" // the lane has another nonce now
	PolicySkew = "POLICY_SKEW" // admissions are decided under a trunk this clone does not have
	ParkedLane = "PARKED"      // the lane is parked and neither renewed nor released by nonce

	UnitClaimed  = "UNIT_CLAIMED"  // another lease has the unit
	SeatTaken    = "SEAT_TAKEN"    // another lease has the seat
	LeaseDiffers = "LEASE_DIFFERS" // the asker's own lease has another unit or seat

	NotHeld     = "NOT_HELD"     // the lease waits, or is in a state this version does not know
	NotAdmitted = "NOT_ADMITTED" // the lease is on its lane, and the order does not know it
	NotLapsed   = "NOT_LAPSED"   // nothing proves that the lease is over

	Draining       = "DRAINING"        // the asker's node gives the lane back
	DelegationOver = "DELEGATION_OVER" // the node that granted the lease has not the lane any more
)

// A Verdict answers a lease verb.
type Verdict struct {
	Outcome     Outcome       `json:"outcome"`
	Lane        string        `json:"lane"`
	ReasonClass string        `json:"reason_class,omitempty"`
	Reason      string        `json:"reason"`
	Lease       *Record       `json:"lease,omitempty"`  // the asker's lease, or the lane as it is now
	Leases      []Record      `json:"leases,omitempty"` // all of the admission, when they are several
	Scavenged   []Taken       `json:"scavenged,omitempty"`
	Holder      *Holder       `json:"holder,omitempty"` // who stands in the way
	Deadline    *time.Time    `json:"deadline,omitempty"`
	WorkUntil   *time.Time    `json:"work_until,omitempty"`  // when the holder must stop unless it has renewed
	LapsesIn    int64         `json:"lapses_in_s,omitempty"` // until the lease in the way can be taken, should nobody renew it
	WaitsFor    []WaitsFor    `json:"waits_for,omitempty"`
	UnsafeUntil *time.Time    `json:"unsafe_until,omitempty"` // until then a scavenged worker may still be at work
	Reacquired  bool          `json:"reacquired,omitempty"`
	HeldHere    bool          `json:"held_here,omitempty"` // the lease in the way is one that the asker's worktree took
	Kernel      *lane.Verdict `json:"kernel,omitempty"`    // the admission decision itself
	AsOf        *time.Time    `json:"as_of,omitempty"`
	Next        string        `json:"next,omitempty"` // what to run now

	sure  time.Time // when it lets a lease run on: until when nobody can have taken that over, see Late
	sent  []Record  // what the admission puts on lanes, see [Table.Send]
	fresh []Record  // what it makes
}

// A Taken is a lease that an operator's force ended.
type Taken struct {
	Lane     string    `json:"lane"`
	Gen      uint64    `json:"gen"`
	Nonce    string    `json:"nonce"`
	Holder   Holder    `json:"holder"`
	Deadline time.Time `json:"deadline"`
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Acquired, Renewed, Released, AlreadyFree, Scavenged, Shown, Parked, Unparked:
		return verdict.Yes
	case Refused, Contended, LostLease, Waits:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

func (v Verdict) String() string {
	var b strings.Builder
	b.WriteString(string(v.Outcome))
	if v.Lane != "" {
		b.WriteString(" " + v.Lane)
	}
	if v.ReasonClass != "" && v.ExitCode() != verdict.Yes {
		fmt.Fprintf(&b, " (%s)", v.ReasonClass)
	}
	if v.Reason != "" {
		fmt.Fprintf(&b, ": %s", v.Reason)
	}
	switch l := v.Lease; {
	case len(v.Leases) > 0:
		for _, l := range v.Leases {
			fmt.Fprintf(&b, "\n  lane      %s", l.Lane)
			b.WriteString(l.details(v.Deadline))
		}
	case l != nil && l.State != lane.Free:
		b.WriteString(l.details(v.Deadline))
	}
	if v.UnsafeUntil != nil {
		who, what := "its worker", "it sends"
		if len(v.Scavenged) > 1 {
			who, what = "their workers", "they send"
		}
		fmt.Fprintf(&b, "\n  %s may be at work until %s; git dos push fences what %s", who, v.UnsafeUntil.Format(time.RFC3339), what)
	}
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.Next)
	}
	return b.String()
}

// details are the lines about a lease that is held, with its deadline, or that of the
// answer where it is nearer.
func (r Record) details(nearer *time.Time) string {
	deadline := r.Deadline().UTC()
	if nearer != nil && nearer.Before(deadline) {
		deadline = *nearer
	}
	until := deadline.Format(time.RFC3339)
	if r.State == lane.Parked {
		until = "none, as long as it is parked"
	}
	s := fmt.Sprintf("\n  tree      %s\n  run id    %s\n  nonce     %s\n  deadline  %s", strings.Join(r.Tree, " "), r.RunID, r.Nonce, until)
	if r.Unit != "" {
		s += "\n  unit      " + r.Unit
	}
	if r.Seat != "" {
		s += "\n  seat      " + r.Seat
	}
	return s
}

func refuse(name, class, reason string) Verdict {
	return Verdict{Outcome: Refused, Lane: name, ReasonClass: class, Reason: reason}
}

func (v Verdict) heldBy(r Record) Verdict {
	v.Holder = &r.Holder
	return v
}

// until adds the deadline of a lease. One that is parked has none.
func (v Verdict) until(r Record) Verdict {
	if r.State == lane.Parked {
		return v
	}
	d := r.Deadline().UTC()
	v.Deadline = &d
	return v
}

// workUntil adds when the holder must count a lease that it made or renewed now as
// lost, unless it renews it again: before anybody can have seen it lapse.
func (v Verdict) workUntil(r Record, by Lapsing) Verdict {
	ttl := time.Duration(r.TTL) * time.Second
	at := r.RenewedAt.Add(ttl - by.margin(ttl)).UTC()
	if v.WorkUntil == nil || at.Before(*v.WorkUntil) {
		v.WorkUntil = &at
	}
	return v
}

// nearer is until, where several leases count and the first to lapse matters.
func (v Verdict) nearer(r Record) Verdict {
	if v.Deadline != nil && v.Deadline.Before(r.Deadline()) {
		return v
	}
	return v.until(r)
}

// Fresh returns the leases that an acquired verdict made, as opposed to those
// that the asker had before.
func (v Verdict) Fresh() []Record { return v.fresh }

// All returns the leases of an acquired verdict, one or several.
func (v Verdict) All() []Record {
	switch {
	case len(v.Leases) > 0:
		return v.Leases
	case v.Lease != nil:
		return []Record{*v.Lease}
	}
	return nil
}
