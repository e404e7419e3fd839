package lease

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// PushOutcome is the closed vocabulary of push.
type PushOutcome string

// The outcomes of a push.
const (
	Landed  PushOutcome = "landed"  // trunk moved, and every touched lane has a SHIP entry
	Nothing PushOutcome = "nothing" // trunk already has the commit
	Fenced  PushOutcome = "fenced"  // a lease is not the pusher's any more; trunk did not move
	Raced   PushOutcome = "raced"   // trunk moved on; take its commits in first
	Gated   PushOutcome = "gated"   // a gate refused what would have been pushed
)

// Reason classes of push.
const (
	ScopeEscape   = "SCOPE_ESCAPE" // a changed path lies in no held lane
	NotAhead      = "NOT_A_FAST_FORWARD"
	UnfitUnit     = "UNFIT_UNIT"      // the name of a unit cannot stand in a record
	NothingToShip = "NOTHING_TO_SHIP" // a unit was asked for, and no held lane has anything to record it with
)

// A PushVerdict answers push.
type PushVerdict struct {
	Outcome     PushOutcome `json:"outcome"`
	Ref         string      `json:"ref"`
	Old         string      `json:"old"`
	New         string      `json:"new"`
	Lanes       []string    `json:"lanes"`
	Units       []ShipUnit  `json:"units"`
	ReasonClass string      `json:"reason_class,omitempty"`
	Reason      string      `json:"reason"`
	Holder      *Holder     `json:"holder,omitempty"`
	Paths       []string    `json:"paths,omitempty"` // the first paths that escape
	Next        string      `json:"next,omitempty"`
}

var _ verdict.Verdict = PushVerdict{}

// ExitCode implements [verdict.Verdict].
func (v PushVerdict) ExitCode() int {
	switch v.Outcome {
	case Landed, Nothing:
		return verdict.Yes
	case Fenced, Raced:
		return verdict.FirstOwned
	case Gated:
		return 5
	}
	return verdict.NoVerdict
}

func (v PushVerdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", v.Outcome, strings.TrimPrefix(v.Ref, "refs/heads/"))
	if v.ReasonClass != "" {
		fmt.Fprintf(&b, " (%s)", v.ReasonClass)
	}
	fmt.Fprintf(&b, ": %s", v.Reason)
	for _, p := range v.Paths {
		fmt.Fprintf(&b, "\n  %q", p)
	}
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.Next)
	}
	return b.String()
}

// A Hold is a lease the pusher believes to have, and the lane as it is now.
type Hold struct {
	Lane     string
	Chain    string // where it stands, "" when nowhere
	Identity Identity
	Named    bool    // by the pusher, and not only remembered
	Current  *Record // nil when no chain holds the lane or last held it
	Gone     bool    // the process that the lease names has ended

	Granted *Granted // where the pusher's own node granted it; Current is then what the node has
}

// Granted is a lease that a node granted under its delegation of the lane, as it
// is now in the node's repository.
type Granted struct {
	Chain      string
	Current    *Record
	Order      Order // of the node's own admissions
	Delegation *Delegation
}

// A ridden lease is one that a push may go under.
type ridden struct {
	tree []string // what the pusher may change
	rec  Record   // the lease on the authority, which the push renews
	by   *ShippedUnder
}

// ride judges whether a push may go under a hold.
func (h Hold) ride(order Order) (ridden, Verdict, bool) {
	keep := KeepEvidence{Lane: h.Lane, Chain: h.Chain, Current: h.Current, Order: order, Identity: h.Identity}
	g := h.Granted
	if g == nil {
		cur, no, ok := keep.inUse(lane.Held)
		cur.Proc = cur.proc(h.Gone)
		return ridden{tree: cur.Tree, rec: cur}, no, ok
	}
	cur, no, ok := KeepEvidence{Lane: h.Lane, Chain: g.Chain, Current: g.Current, Order: g.Order, Identity: h.Identity, Delegation: g.Delegation}.fit()
	if !ok {
		return ridden{}, no, false
	}
	keep.Identity = Identity{Nonce: g.Delegation.Nonce}
	has, no, ok := keep.inUse(lane.Held)
	if !ok || !has.Delegate {
		no.Outcome, no.Lane, no.ReasonClass = LostLease, h.Lane, DelegationOver
		if no.Reason = "its node has not the lane on the remote any more: " + no.Reason; ok {
			no.Reason = "its node has parked the lane on the remote"
		}
		return ridden{}, no, false
	}
	return ridden{tree: cur.Tree, rec: has, by: &ShippedUnder{Gen: cur.Gen, Nonce: cur.Nonce, Holder: cur.Holder}}, no, true
}

// PushEvidence is everything DecidePush may know. Paths are the raw paths that
// differ between the branch as it is now and the commit to be pushed.
type PushEvidence struct {
	Ship    Ship
	Behind  bool // the branch has commits that the commit to be pushed lacks
	There   bool // the branch has the commit already: only the lanes lack it
	Unit    bool // the pusher named a unit to record
	Holds   []Hold
	Order   Order
	Paths   []string
	Algebra lane.Algebra
	Stamp   Stamp

	Recorded bool // with There: a held lease has shipped the named unit before
}

// maxNamed is how many escaping paths a verdict lists.
const maxNamed = 5

// DecidePush judges whether a commit may ride to its branch. Rungs, first that
// applies:
//
//  1. no lease is held: fenced
//  2. a lane the pusher named is not held and admitted for the pusher any more,
//     or no remembered one is: fenced, its holder named
//  3. the branch moved on: raced; or it has all there is: nothing, but gated
//     (NOTHING_TO_SHIP) when that leaves a named unit without a record
//  4. a changed path lies in no held tree: fenced when a remembered lane was
//     lost, else gated (SCOPE_ESCAPE)
//  5. a unit has a name that cannot be recorded: gated (UNFIT_UNIT)
//  6. landed: one SHIP entry for every lane whose tree holds a changed path
//
// The writes must move in one transaction with the branch. A SHIP renews its
// lease. A push under a lease that the pusher's node granted goes with a SHIP on
// what the node has of the lane; it was announced first, see [Announce].
func DecidePush(ev PushEvidence) (PushVerdict, []Write) {
	v := PushVerdict{Ref: ev.Ship.Ref, Old: ev.Ship.Old, New: ev.Ship.New, Lanes: []string{}, Units: ev.Ship.Units}
	if v.Units == nil {
		v.Units = []ShipUnit{}
	}
	if len(ev.Holds) == 0 {
		v.Outcome, v.ReasonClass, v.Reason = Fenced, NoLease, "no lane is held from this worktree"
		v.Next = "git dos lease acquire --lane LANE"
		return v, nil
	}
	var held []ridden
	var lost *Verdict
	for _, h := range ev.Holds {
		r, no, ok := h.ride(ev.Order)
		switch {
		case ok:
			held = append(held, r)
		case h.Named:
			return v.fenced(no), nil
		case lost == nil:
			lost = &no
		}
	}
	if len(held) == 0 {
		return v.fenced(*lost), nil
	}
	if ev.Behind {
		v.Outcome, v.ReasonClass = Raced, NotAhead
		v.Reason = fmt.Sprintf("%s moved on to %.12s, which %.12s does not contain", strings.TrimPrefix(v.Ref, "refs/heads/"), v.Old, v.New)
		return v, nil
	}
	if ev.There && len(ev.Paths) == 0 {
		return v.nothing(ev), nil
	}
	touched, escaped := ev.touched(held)
	if len(escaped) > 0 && lost != nil {
		return v.fenced(*lost), nil
	}
	if len(escaped) > 0 {
		v.Outcome, v.ReasonClass = Gated, ScopeEscape
		v.Reason = "1 changed path lies in no lane you hold"
		if len(escaped) > 1 {
			v.Reason = fmt.Sprintf("%d changed paths lie in no lane you hold", len(escaped))
		}
		v.Paths = escaped[:min(len(escaped), maxNamed)]
		v.Next = "take the lane of these paths too, or leave them out of the push"
		return v, nil
	}
	if err := ev.Ship.checkWords(); err != nil {
		v.Outcome, v.ReasonClass, v.Reason = Gated, UnfitUnit, err.Error()
		v.Next = "name the unit in other words, in the commit too, then git dos push again"
		return v, nil
	}
	var writes []Write
	for _, on := range touched {
		r, ship := on.rec, ev.Ship
		ship.Under = on.by
		r.Ship, r.Reason, r.RenewedAt = &ship, "", stampSeconds(ev.Stamp)
		writes = append(writes, laneWrite(OpShip, r))
		v.Lanes = append(v.Lanes, r.Lane)
	}
	v.Outcome = Landed
	v.Reason = fmt.Sprintf("%.12s under lane %s", v.New, strings.Join(v.Lanes, ", "))
	return v, writes
}

// nothing answers a push that has nothing to move and nothing to record.
func (v PushVerdict) nothing(ev PushEvidence) PushVerdict {
	v.Units = []ShipUnit{}
	v.Outcome, v.Reason = Nothing, fmt.Sprintf("nothing new on %s lies in a lane you hold", strings.TrimPrefix(v.Ref, "refs/heads/"))
	switch {
	case ev.Unit && ev.Recorded:
		v.Reason = "the unit is recorded already; " + v.Reason
	case ev.Unit:
		v.Outcome, v.ReasonClass = Gated, NothingToShip
		v.Reason = "the unit was not recorded: " + v.Reason
		v.Next = "commit the work under the lane, then git dos push again; or name the unit in a commit's Dos-Ship trailer"
	}
	return v
}

// Lost is what a push is answered whose lease turned out to be lost when it was
// announced.
func (v PushVerdict) Lost(no Verdict) PushVerdict {
	v.Lanes = []string{}
	return v.fenced(no)
}

func (v PushVerdict) fenced(no Verdict) PushVerdict {
	v.Outcome, v.ReasonClass, v.Holder, v.Next = Fenced, no.ReasonClass, no.Holder, no.Next
	v.Reason = fmt.Sprintf("lane %s: %s; %s did not move", no.Lane, no.Reason, strings.TrimPrefix(v.Ref, "refs/heads/"))
	return v
}

// touched splits the work: the held lanes whose trees hold a changed path, and
// the paths that no held tree holds. A push that changes no path rides on the
// first lane, so that it is fenced like any other.
func (ev PushEvidence) touched(held []ridden) (lanes []ridden, escaped []string) {
	hit := make([]bool, len(held))
	for _, p := range ev.Paths {
		inside := false
		for i, r := range held {
			if ev.Algebra.Contains(r.tree, p) {
				hit[i], inside = true, true
			}
		}
		if !inside {
			escaped = append(escaped, p)
		}
	}
	if len(ev.Paths) == 0 {
		hit[0] = true
	}
	for i, r := range held {
		if hit[i] {
			lanes = append(lanes, r)
		}
	}
	return lanes, escaped
}
