package lease

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// TornFor is how long a torn table must stay the same before it counts as cut
// off rather than as read in the middle of a transaction.
const TornFor = 2 * time.Second

// A Stamp is what an entry records about its making.
type Stamp struct {
	Now    time.Time // the writer's wall clock
	Nonce  string    // for a lease that this decision would mint
	Holder Holder
	Policy string // trunk commit the decision is made under, "" without one
}

// stampSeconds is the time as records hold it: UTC, whole seconds.
func stampSeconds(s Stamp) time.Time { return s.Now.UTC().Truncate(time.Second) }

// An Identity is what a caller offers as proof that a lease is its own. Any
// one that matches suffices; both empty match nothing.
type Identity struct {
	Nonce string
	RunID string // only a run id the caller stated itself
}

// owns reports whether r is the lease of this identity.
func (id Identity) owns(r Record) bool {
	return r.Nonce != "" && r.Nonce == id.Nonce || r.RunID != "" && r.RunID == id.RunID
}

// AcquireEvidence is everything Acquire may know.
type AcquireEvidence struct {
	Request    lane.Request
	RunID      string   // of the lease to be made
	Identity   Identity // of a lease the caller may already have
	TTL        time.Duration
	Scope      string
	Unit, Seat string
	Stamp      Stamp
	Table      Table
	Remembered string // nonce of a lease the asker's worktree took; it words a refusal and admits nobody

	Lanes      lane.Taxonomy
	Algebra    lane.Algebra
	RatioMax   float64
	SelfModify []string
}

// Acquire judges whether a lane may be had. Rungs, first that applies:
//
//  1. the table is torn: no verdict yet, the caller reads again
//  2. the request is malformed: no verdict; unknown lane or tree: refused
//  3. the lane is held by the caller, by nonce or stated run id, and admitted:
//     it is renewed, so that nothing decided on it before, such as the VOID of
//     an acquirer that died since, can end it any more
//  4. the lane is held by the caller, but the order does not know it: the rest
//     of a half-landed admission. It is admitted now, as a new generation when
//     something else is asked for now, or voided when another admission stands
//     against that
//  5. package lane decides; a lease of the caller's that waits or is parked
//     stands in the way like anyone's
//
// A grant is two writes: the lane with the next generation and the caller's
// new nonce, and the order.
func Acquire(ev AcquireEvidence) (Verdict, []Write, error) {
	if err := ev.checkWords(); err != nil {
		return Verdict{}, nil, err
	}
	if torn := ev.torn(); len(torn) > 0 {
		return Verdict{}, nil, &TornError{torn}
	}
	claim, no, ok := lane.Resolve(ev.Request, ev.Lanes)
	if !ok {
		return ev.notResolved(no)
	}
	have := ev.Table.Lanes[claim.Lane]
	fresh := have.Nonce != "" && have.Nonce == ev.Stamp.Nonce // made by this very call
	mine := have.State == lane.Held && (fresh || ev.Identity.owns(have))
	if mine && ev.Table.Order.admits(have) {
		have.Reason, have.Ship, have.RenewedAt = "", nil, stampSeconds(ev.Stamp)
		v := Verdict{Outcome: Acquired, Lane: have.Lane, Lease: &have, Reacquired: !fresh, Reason: "already yours"}
		return v.withDeadline(), []Write{laneWrite(OpHeartbeat, have)}, nil
	}
	except := ""
	if mine {
		except = claim.Lane
	}
	k := lane.Decide(lane.Evidence{
		Request: ev.Request, Lanes: ev.Lanes, Live: ev.Table.live(except),
		Algebra: ev.Algebra, RatioMax: ev.RatioMax, SelfModify: ev.SelfModify,
	})
	if err := k.Err(); err != nil {
		return Verdict{}, nil, err
	}
	switch {
	case k.Outcome == lane.Acquire && mine && have.LaneKind == k.LaneKind && slices.Equal(have.Tree, k.Tree):
		return ev.complete(have, k)
	case k.Outcome == lane.Acquire:
		return ev.grant(have, k)
	case mine:
		v := ev.refusal(claim.Lane, k)
		return v, []Write{laneWrite(OpVoid, freed(have, "another admission came first", ev.Stamp))}, nil
	}
	return ev.refusal(claim.Lane, k), nil, nil
}

// checkWords looks at what the record will hold as it was given.
func (ev AcquireEvidence) checkWords() error {
	for _, w := range []struct{ what, value string }{
		{"owner", ev.Stamp.Holder.Owner}, {"worker", ev.Stamp.Holder.Worker}, {"node", ev.Stamp.Holder.Node},
		{"run id", ev.RunID}, {"unit", ev.Unit}, {"seat", ev.Seat},
	} {
		if err := CheckWord(w.what, w.value); err != nil {
			return err
		}
	}
	return nil
}

// torn ignores the caller's own half-landed admission, which Acquire settles.
func (ev AcquireEvidence) torn() []string {
	var torn []string
	for _, name := range ev.Table.Torn() {
		if ev.Table.Order.Lanes[name].Nonce != ev.Stamp.Nonce {
			torn = append(torn, name)
		}
	}
	return torn
}

// A TornError asks for another read; it names the lanes that do not agree
// with the order.
type TornError struct{ Lanes []string }

func (e *TornError) Error() string {
	return fmt.Sprintf("an admission of lane %s is half done", e.Lanes[0])
}

func (ev AcquireEvidence) notResolved(no lane.Verdict) (Verdict, []Write, error) {
	if err := no.Err(); err != nil {
		return Verdict{}, nil, err
	}
	return ev.refusal(ev.Request.Lane, no), nil, nil
}

func (ev AcquireEvidence) refusal(name string, k lane.Verdict) Verdict {
	v := Verdict{Outcome: Refused, Lane: name, ReasonClass: k.ReasonClass, Reason: k.Reason, Kernel: &k}
	other, ok := ev.Table.Lanes[k.ConflictLane]
	if !ok || k.ConflictLane == "" {
		return v
	}
	v.Holder = &other.Holder
	d := other.Deadline().UTC()
	v.Deadline = &d
	v.Next = "wait for its release, or choose another lane: git dos lease live"
	if k.ReasonClass == lane.SameLaneHeld && other.State == lane.Held && other.Nonce != "" && other.Nonce == ev.Remembered {
		v.HeldHere = true
		v.Reason = "this worktree holds it until " + d.Format(time.RFC3339)
		v.Next = "git dos lease heartbeat --lane " + other.Lane
		return v
	}
	if other.Lapsed(ev.Stamp.Now) {
		v.Reason += fmt.Sprintf("; it lapsed at %s", d.Format(time.RFC3339))
		v.Next = fmt.Sprintf("if that worker is gone: git dos lease scavenge --lane %s --force --operator NAME", other.Lane)
	}
	return v
}

// grant makes a new lease. The generation passes both the lane's own and the
// order's, so that it never restarts.
func (ev AcquireEvidence) grant(have Record, k lane.Verdict) (Verdict, []Write, error) {
	gen := max(have.Gen, ev.Table.Order.Lanes[k.Lane].Gen) + 1
	now := stampSeconds(ev.Stamp)
	r := Record{
		V: Version, Lane: k.Lane, LaneKind: k.LaneKind, Tree: k.Tree, Scope: ev.Scope, State: lane.Held, Gen: gen,
		Nonce: ev.Stamp.Nonce, Holder: ev.Stamp.Holder, RunID: ev.RunID, Unit: ev.Unit, Seat: ev.Seat,
		TTL: int64(ev.TTL / time.Second), AcquiredAt: now, RenewedAt: now, Policy: ev.Stamp.Policy,
	}
	return ev.admit(OpAcquire, r, k)
}

// complete admits a lease whose lane landed without its order entry. It keeps
// its tree: readers tell an admission that they have missed by its generation,
// so within one generation the tree never changes.
func (ev AcquireEvidence) complete(have Record, k lane.Verdict) (Verdict, []Write, error) {
	have.TTL = int64(ev.TTL / time.Second)
	have.RenewedAt = stampSeconds(ev.Stamp)
	have.Policy = ev.Stamp.Policy
	return ev.admit(OpHeartbeat, have, k)
}

// admit is the grant of r: an entry on its lane, and one in the order.
func (ev AcquireEvidence) admit(op string, r Record, k lane.Verdict) (Verdict, []Write, error) {
	w := laneWrite(op, r)
	if len(w.Payload) > maxRecord {
		return Verdict{}, nil, fmt.Errorf("the record of lane %s would take %d bytes, at most %d: name a shorter tree", r.Lane, len(w.Payload), maxRecord)
	}
	v := Verdict{Outcome: Acquired, Lane: r.Lane, Lease: &r, Kernel: &k, Reason: k.Reason}
	return v.withDeadline(), []Write{w, orderWrite(ev.Table.Order.admit(r, ev.Table.Lanes[r.Lane].Gen))}, nil
}

// freed is the record of a lane after its lease ended.
func freed(r Record, reason string, s Stamp) Record {
	r.State, r.Reason, r.Ship = lane.Free, reason, nil
	r.RenewedAt = stampSeconds(s)
	return r
}

func (v Verdict) withDeadline() Verdict {
	if v.Lease != nil {
		d := v.Lease.Deadline().UTC()
		v.Deadline = &d
	}
	return v
}
