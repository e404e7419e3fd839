package pick

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Hold is the closed vocabulary of DecidePickable: what keeps a unit from being
// offered, or that nothing does.
type Hold string

// The holds, in the order in which they are looked for.
const (
	Shipped     Hold = "SHIPPED"                // it is done
	Unparseable Hold = "UNPARSEABLE"            // what stands about it cannot be understood
	InFlight    Hold = "IN_FLIGHT"              // somebody has a lease for it
	SoftClaimed Hold = "SOFT_CLAIMED_ELSEWHERE" // somebody is about to have one
	StaleClaim  Hold = "STALE_CLAIM"            // the lease for it has lapsed and was not given back
	DraftClass  Hold = "DRAFT_CLASS"            // its plan is a draft
	Gated       Hold = "OPERATOR_GATED"         // it waits for an operator's word
	SoakOpen    Hold = "SOAK_OPEN"              // it waits for a time to pass
	Dependency  Hold = "DEPENDENCY_UNMET"       // it waits for another unit
	Cooling     Hold = "COOLDOWN"               // it was tried just now
	Offerable   Hold = "OFFERABLE"              // nothing holds it
)

// draft is the class of a plan whose units are not offered.
const draft = "DRAFT"

// A State is what is known of a unit. The zero State is of one that nothing
// holds.
type State struct {
	Shipped         bool   `json:"shipped"`
	Unparseable     bool   `json:"unparseable"`
	InFlight        bool   `json:"in_flight"`
	SoftClaimed     bool   `json:"soft_claimed_elsewhere"`
	StaleClaim      bool   `json:"stale_claim"`
	PlanClass       string `json:"plan_class"`
	Gated           bool   `json:"operator_gated"`
	SoakOpen        bool   `json:"soak_open"`
	Dependency      bool   `json:"dependency_unmet"`
	CooldownUntilMS int64  `json:"cooldown_until_ms"`
}

// A Finding is what a part of a state rests on, for people; with OFFERABLE, what
// else is worth knowing of a unit that nothing holds.
type Finding struct {
	Hold   Hold   `json:"hold"`
	Detail string `json:"detail"`
}

// PickableEvidence is everything DecidePickable may know.
type PickableEvidence struct {
	Unit    string
	State   State
	NowMS   int64
	Given   bool      // the state is the caller's word
	Found   []Finding // what the state rests on
	Unknown []Finding // what could not be told
}

// Seen is the evidence of a verdict, as it is answered.
type Seen struct {
	State
	NowMS   int64     `json:"now_ms"`
	Source  string    `json:"source"`            // state, the caller's word, or refs
	Found   []Finding `json:"found,omitempty"`   // what it rests on
	Unknown []Finding `json:"unknown,omitempty"` // what could not be told, and did not matter
}

// PickableVerdict answers "may this unit be offered now?".
type PickableVerdict struct {
	Outcome   Hold    `json:"verdict"`
	Held      bool    `json:"held"`
	Hold      *Hold   `json:"reason"`               // null where nothing holds it
	Invariant bool    `json:"redispatch_invariant"` // to offer it again changes nothing
	Next      *string `json:"next_action"`          // null where nothing holds it
	Category  string  `json:"category,omitempty"`   // what an audit calls it
	Detail    string  `json:"detail"`
	Unit      string  `json:"unit"`
	Evidence  Seen    `json:"evidence"`
}

var _ verdict.Verdict = PickableVerdict{}

// A rule is one rung of DecidePickable.
type rule struct {
	hold      Hold
	exit      int
	invariant bool
	category  string
	next      string
	holds     func(PickableEvidence) bool
}

// The categories of an audit.
const (
	trueDrain    = "TRUE_DRAIN"
	staleClaim   = "STALE_CLAIM"
	operatorGate = "OPERATOR_GATE"
	unclassified = "UNCLASSIFIED"
)

// ladder is in the order of the rungs.
var ladder = []rule{
	{Shipped, 25, false, trueDrain, "drop it from the list", func(ev PickableEvidence) bool { return ev.State.Shipped }},
	{Unparseable, 24, false, unclassified, "inspect what stands about it, and correct that", func(ev PickableEvidence) bool { return ev.State.Unparseable }},
	{InFlight, 20, false, staleClaim, "wait for its worker", func(ev PickableEvidence) bool { return ev.State.InFlight }},
	{SoftClaimed, 21, false, staleClaim, "wait for whoever is about to start", func(ev PickableEvidence) bool { return ev.State.SoftClaimed }},
	{StaleClaim, 22, false, staleClaim, "reclaim it: end the lapsed lease", func(ev PickableEvidence) bool { return ev.State.StaleClaim }},
	{DraftClass, 10, true, operatorGate, "promote the plan", PickableEvidence.draft},
	{Gated, 11, true, operatorGate, "escalate: an operator must decide", func(ev PickableEvidence) bool { return ev.State.Gated }},
	{SoakOpen, 12, true, operatorGate, "wait until the soak is over; replanning does not help", func(ev PickableEvidence) bool { return ev.State.SoakOpen }},
	{Dependency, 13, true, operatorGate, "ship what it depends on first", func(ev PickableEvidence) bool { return ev.State.Dependency }},
	{Cooling, 23, false, staleClaim, "wait until the cooldown is over", PickableEvidence.cooling},
}

func (ev PickableEvidence) draft() bool {
	return strings.EqualFold(strings.TrimSpace(ev.State.PlanClass), draft)
}

func (ev PickableEvidence) cooling() bool {
	return ev.State.CooldownUntilMS > 0 && ev.NowMS < ev.State.CooldownUntilMS
}

// DecidePickable judges a unit: the first hold of the ladder that is known to
// stand, in the order of the constants. Where none does it is OFFERABLE, unless
// something could not be told: then there is no verdict.
func DecidePickable(ev PickableEvidence) PickableVerdict {
	if err := CheckUnit(ev.Unit); err != nil {
		return PickableVerdict{Detail: err.Error()}
	}
	v := PickableVerdict{Unit: ev.Unit, Evidence: Seen{State: ev.State, NowMS: ev.NowMS, Source: "refs", Found: ev.Found, Unknown: ev.Unknown}}
	if ev.Given {
		v.Evidence.Source = "state"
	}
	for _, r := range ladder {
		if r.holds(ev) {
			v.Outcome, v.Held, v.Hold, v.Invariant, v.Category, v.Next = r.hold, true, &r.hold, r.invariant, r.category, &r.next
			v.Detail = ev.detail(r.hold)
			return v
		}
	}
	if len(ev.Unknown) > 0 {
		u := ev.Unknown[0]
		return PickableVerdict{Unit: ev.Unit, Detail: fmt.Sprintf("whether it is %s cannot be told: %s", u.Hold, u.Detail)}
	}
	v.Outcome, v.Detail = Offerable, "nothing holds it"
	for _, f := range ev.Found {
		if f.Hold == Offerable && f.Detail != "" {
			v.Detail += "; " + f.Detail
		}
	}
	return v
}

// detail is what a hold rests on.
func (ev PickableEvidence) detail(h Hold) string {
	for _, f := range ev.Found {
		if f.Hold == h && f.Detail != "" {
			return f.Detail
		}
	}
	if ev.Given {
		return "as the given state says"
	}
	return "as refs and history say"
}

// CheckUnit says what is wrong with the name of a unit.
func CheckUnit(unit string) error {
	switch {
	case blank(unit):
		return errors.New("the unit is empty")
	case len(unit) > maxWord:
		return fmt.Errorf("the unit has %d bytes, at most %d", len(unit), maxWord)
	case strings.ToValidUTF8(unit, "") != unit:
		return errors.New("the unit is not UTF-8")
	}
	return nil
}

// ExitCode implements [verdict.Verdict].
func (v PickableVerdict) ExitCode() int {
	if v.Outcome == Offerable {
		return verdict.Yes
	}
	for _, r := range ladder {
		if r.hold == v.Outcome {
			return r.exit
		}
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v PickableVerdict) Err() error { return verdict.Err(v.Outcome, v.Detail) }

func (v PickableVerdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	s := string(v.Outcome) + " " + v.Unit + ": " + v.Detail
	if v.Next != nil {
		s += "\n  next: " + *v.Next
	}
	return s
}
