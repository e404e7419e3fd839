package lease

import (
	"errors"
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

	Binding string // of the repository, for a delegation
}

// stampSeconds is the time as records hold it: UTC, whole seconds.
func stampSeconds(s Stamp) time.Time { return s.Now.UTC().Truncate(time.Second) }

// An Identity is what a caller offers as proof that a lease is its own. Any
// one that matches suffices; both empty match nothing.
type Identity struct {
	Nonce string
	RunID string // only a run id the caller stated itself
}

// Owns reports whether r is a lease of this identity.
func (id Identity) Owns(r Record) bool {
	return r.Nonce != "" && r.Nonce == id.Nonce || r.RunID != "" && r.RunID == id.RunID
}

// AcquireEvidence is everything Acquire may know.
type AcquireEvidence struct {
	Requests   []lane.Request // all of them, or none; none at all is one that names no lane
	Any        bool           // another lane will do when the one named cannot be had
	Force      bool           // an operator ends what stands against it
	Operator   string         // with Force
	RunID      string         // of the lease to be made
	Identity   Identity       // of leases the caller may already have
	TTL        time.Duration
	Scope      string
	Unit, Seat string
	Proc       *Proc
	Stamp      Stamp
	Table      Table
	Extra      []lane.Lease      // live leases that are not in the store
	Sent       *Sent             // what earlier tries of this very call may have landed
	Remembered []string          // nonces the asker's worktree took; they word a refusal and admit nobody
	Granted    map[string]Record // by the nonce of a delegation in Remembered: the lease of the asker's worktree under it
	Wait       bool              // an exclusive lane may wait for what it overlaps
	Rides      *Mount            // the request is for a part of this lease: its unit, seat and tree are claimed inside it
	Lapsing    Lapsing

	Delegations map[string]Delegation // what the asker's node has of lanes on the remote, by lane
	Delegate    bool                  // the node itself asks, for its workers; the table is the remote's
	Under       bool                  // the lanes are granted under the delegations; the table is the node's own
	Clock       Instant               // with Under: this machine's clock, before anything was read

	Lanes      lane.Taxonomy
	Algebra    lane.Algebra
	RatioMax   float64
	SelfModify []string
	Budgets    map[string]int
}

// Acquire judges whether lanes may be had, all of them or none. Rungs, first that
// applies:
//
//  1. a request is malformed: no verdict
//  2. the table is torn: no verdict yet, the caller reads again
//  3. a chain that an earlier try of this call has changed, or may have, cannot be
//     read: no verdict
//  4. no lane is named, or another will do: a lease the caller has already, then
//     the lane named, then the one that package lane offers goes through the rest
//  5. the record of a lane that is asked for cannot be read: no verdict
//  6. a lane waits for the caller: as [Await] says
//  7. a lane is held by the caller, by nonce or stated run id, and admitted: it is
//     renewed, so that nothing decided on it before, such as the VOID of an
//     acquirer that died since, can end it any more. It is refused with
//     LEASE_DIFFERS where it lacks the unit or the seat that is asked for
//  8. with force, what stands against a lane, a unit or a seat is scavenged
//  9. package lane decides on each lane, those before it live and those that have
//     lapsed not, see [Table.Lapse]; a lease of the
//     caller's that waits or is parked stands in the way like anyone's. An
//     unreadable lease that may stand against it leaves no verdict.
//     An exclusive lane waits for ordinary leases of others, where the caller will.
//     Where no slot is left for a lane that is not declared, its class is spent
//
// 10. another lease has the unit: UNIT_CLAIMED; or the seat: SEAT_TAKEN
//
// A lane that the caller holds and the order does not know is the rest of a
// half-landed admission. It is admitted now, as a new generation when something
// else is asked for now, or voided when the answer is no. So is all else that
// earlier tries of the call have left.
//
// Under delegations the lanes must be their node's, a *[DelegationError] else, and
// what pushes may still be on their way under earlier leases is fenced first, an
// *[UnfencedError] else. Of the leases that are over there are also those whose
// delegation is. To a node that asks itself its own delegations of other lanes are
// no obstacle.
//
// A grant is one transaction: the lanes with their next generations and the
// caller's new nonce, the end of every lapsed lease that would stand against it,
// the order, and the delegations that it was made under.
func Acquire(ev AcquireEvidence) (Verdict, []Write, error) {
	if len(ev.Requests) == 0 {
		ev.Requests = []lane.Request{{}}
	}
	if err := ev.Check(); err != nil {
		return Verdict{}, nil, err
	}
	ev.Lapsing.Now = ev.Stamp.Now
	if err := ev.undecidable(); err != nil {
		return Verdict{}, nil, err
	}
	var v Verdict
	var writes []Write
	var err error
	if ev.Rides != nil {
		v, writes, err = ev.ride()
	} else if r, ok := ev.waits(); ok {
		return ev.again(r)
	} else if ev.Any || ev.unnamed() {
		v, writes, err = ev.pick()
	} else {
		v, writes, err = ev.admit(ev.Requests, nil)
	}
	if err == nil {
		err = readBack(writes)
	}
	if err != nil {
		return Verdict{}, nil, err
	}
	return v, writes, nil
}

// unnamed reports whether the lane is left to others to choose.
func (ev AcquireEvidence) unnamed() bool {
	r := ev.Requests[0]
	return len(ev.Requests) == 1 && r.Lane == "" && anyCluster(r.Kind)
}

func anyCluster(kind string) bool {
	folded, err := lane.Canonical(kind)
	return kind == "" || err == nil && folded == lane.Cluster
}

// Check says what is wrong with the request as a whole and with what the record
// will hold as it was given, whatever the table. The lanes and trees it names are
// for package lane to judge.
func (ev AcquireEvidence) Check() error {
	if len(ev.Requests) == 0 {
		ev.Requests = []lane.Request{{}}
	}
	first := ev.Requests[0]
	switch {
	case ev.Any && len(ev.Requests) > 1:
		return errors.New("any lane is asked for beside several named ones: name one lane with --any, or none")
	case ev.Any && !anyCluster(first.Kind):
		return fmt.Errorf("any lane is asked for with kind %q: only cluster lanes are picked", first.Kind)
	case ev.unnamed() && len(first.Tree) > 0:
		return errors.New("a tree without a lane: say which with --lane")
	case ev.Force && (ev.Any || ev.unnamed()):
		return errors.New("force without a lane of its own: say which with --lane, without --any")
	case ev.Force && ev.Operator == "":
		return errors.New("force without an operator: say who with --operator")
	case ev.Stamp.Nonce == "":
		return errors.New("an admission without a nonce")
	case ev.Rides != nil:
		if err := ev.checkRide(); err != nil {
			return err
		}
	}
	if err := ev.checkWants(); err != nil {
		return err
	}
	return Record{
		Scope: ev.Scope, Nonce: ev.Stamp.Nonce, Holder: ev.Stamp.Holder, RunID: ev.RunID, Unit: ev.Unit, Seat: ev.Seat,
		Proc: ev.Proc, Policy: ev.Stamp.Policy, Operator: ev.Operator,
	}.checkWords()
}

// undecidable says why nothing can be decided on the table for this call.
func (ev AcquireEvidence) undecidable() error {
	if torn := ev.torn(); len(torn) > 0 {
		return &TornError{torn}
	}
	return ev.unseen()
}

// torn ignores the caller's own half-landed admission, which Acquire settles.
func (ev AcquireEvidence) torn() []string {
	return slices.DeleteFunc(ev.Table.Torn(), func(chain string) bool {
		return ev.Table.Order.Lanes[chain].Nonce == ev.Stamp.Nonce
	})
}

// unseen is an *UnreadError when a chain that this very call may have changed
// cannot be read: it can neither be used nor left.
func (ev AcquireEvidence) unseen() error {
	for _, chain := range ev.Table.unreadChains() {
		if ev.Table.Order.Lanes[chain].Nonce == ev.Stamp.Nonce {
			return &UnreadError{chain, ev.Table.Unread[chain]}
		}
	}
	if ev.Sent == nil {
		return nil
	}
	return ev.Sent.Unread(ev.Table)
}

// A TornError asks for another read; it names the chains that do not agree
// with the order.
type TornError struct{ Chains []string }

func (e *TornError) Error() string {
	return "an admission of " + ChainName(e.Chains[0]) + " is half done"
}

// readBack makes sure that everything to be written can be read again.
func readBack(writes []Write) error {
	for _, w := range writes {
		name := "the record of " + ChainName(w.Chain)
		var err error
		switch {
		case w.Delegation:
			name = "the delegation of " + ChainName(w.Chain)
			_, err = ParseDelegation(w.Chain, w.Gen, w.Payload)
		case w.Chain == "":
			name = "the order of admissions"
			_, err = ParseOrder(w.Gen, w.Payload)
		default:
			_, err = ParseRecord(w.Chain, w.Gen, w.Payload)
		}
		switch {
		case len(w.Payload) > maxRecord:
			return fmt.Errorf("%s would take %d bytes, at most %d: name a shorter tree", name, len(w.Payload), maxRecord)
		case w.Gen > maxGen:
			return fmt.Errorf("%s has come to its last number, %d", name, uint64(maxGen))
		case err != nil:
			return fmt.Errorf("%s cannot be written: %w", name, err)
		}
	}
	return nil
}
