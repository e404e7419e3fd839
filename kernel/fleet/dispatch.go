package fleet

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// DispatchOutcome is the closed vocabulary of a dispatch: the words of the gate
// where nothing was launched, else how its units stand.
type DispatchOutcome string

const (
	AllVerified  DispatchOutcome = "VERIFIED"         // every unit that was offered shipped
	Drained      DispatchOutcome = "DRAIN"            // there was nothing to launch, for want of work
	Unstamped    DispatchOutcome = "STALE-STAMP"      // nor was there, and plan documents do not say what shipped
	HeldBack     DispatchOutcome = "BLOCKED"          // nor might any be launched
	OtherRenders DispatchOutcome = "RACE"             // another process rendered the packet, twice
	NoLane       DispatchOutcome = "REFUSED"          // the lane, or this machine, was not to be had
	QuietLeft    DispatchOutcome = "QUIET_INCOMPLETE" // a worker says that its unit is done, and it is not
	PickFailed   DispatchOutcome = "PICK_FAILED"      // a unit was not claimed, or not even tried
)

// gateLive is the gate's word for a packet with something to launch.
const gateLive = "LIVE"

// States of a unit after its worker; those of a reconciled claim, and one where
// there is none.
const (
	Verified     = "VERIFIED"
	Quiet        = "QUIET_INCOMPLETE"
	HonestOpen   = "HONEST_OPEN"
	Undetermined = "INDETERMINATE"
)

// A PickRow is what came of one unit of a packet.
type PickRow struct {
	N       int           `json:"n"` // in the packet, from 1
	Unit    string        `json:"unit"`
	Title   string        `json:"title,omitempty"`
	Task    string        `json:"task,omitempty"`
	Started bool          `json:"started"`
	RunID   string        `json:"run_id,omitempty"` // of its worker
	Log     string        `json:"log,omitempty"`
	Worker  WorkerOutcome `json:"worker,omitempty"` // how that was graded
	End     End           `json:"end,omitempty"`
	Claimed bool          `json:"claimed"` // it ended with status 0, which says that the unit is done
	State   string        `json:"state"`   // the claim held against what shipped
	Sha     string        `json:"sha,omitempty"`
	Reason  string        `json:"reason"`
}

// A DispatchPrice is what a partition of the picks was priced at.
type DispatchPrice struct {
	Action              lane.PriceAction `json:"action"`
	CollisionsAvoided   int              `json:"collisions_avoided"`
	LanesUtilized       int              `json:"lanes_utilized"`
	SerializationWasted int              `json:"serialization_wasted"`
}

// stops reports whether nothing may be launched at that price.
func (p *DispatchPrice) stops() bool {
	return p != nil && p.Action != lane.LaunchAll && p.Action != lane.LaunchSafeSet
}

// DispatchEvidence is everything Dispatch may know.
type DispatchEvidence struct {
	Refused string // by which step, "" where the lane was had
	Why     string // of the refusal
	Gate    string // the verdict on the packet
	GateWhy string
	Price   *DispatchPrice // nil where nothing was priced
	Picks   []PickRow
	Stopped string // why not all picks were tried, "" where they were
}

// A DispatchVerdict answers "what came of the packet?".
type DispatchVerdict struct {
	Outcome    DispatchOutcome `json:"outcome"`
	Reason     string          `json:"reason"`
	Refused    string          `json:"refused,omitempty"` // by which step
	Gate       string          `json:"gate,omitempty"`
	Price      *DispatchPrice  `json:"price,omitempty"`
	Picks      []PickRow       `json:"picks"`
	Flags      []string        `json:"flags"`   // units claimed and not shipped
	Shipped    []string        `json:"shipped"` // units
	NotStarted []string        `json:"not_started"`
	StopReason string          `json:"stop_reason"` // why it ended before all was tried; "" where it did not
}

var _ verdict.Verdict = DispatchVerdict{}

// Dispatch judges a dispatch. First that applies:
//
//  1. the lane was not had: REFUSED
//  2. the gate found nothing to launch: its word
//  3. the price launches nobody: BLOCKED
//  4. a claim did not hold: QUIET_INCOMPLETE
//  5. a unit did not ship: PICK_FAILED
//  6. VERIFIED
func Dispatch(ev DispatchEvidence) DispatchVerdict {
	v := DispatchVerdict{Refused: ev.Refused, Gate: ev.Gate, Price: ev.Price, Picks: append([]PickRow{}, ev.Picks...), Flags: []string{}, Shipped: []string{}, NotStarted: []string{}, StopReason: ev.Stopped}
	for _, p := range ev.Picks {
		switch {
		case p.State == Verified:
			v.Shipped = append(v.Shipped, p.Unit)
		case p.State == Quiet:
			v.Flags = append(v.Flags, p.Unit)
		}
		if !p.Started {
			v.NotStarted = append(v.NotStarted, p.Unit)
		}
	}
	v.Outcome, v.Reason = ev.decide(v)
	if v.StopReason == "" && v.Outcome != AllVerified && v.Outcome != QuietLeft && v.Outcome != PickFailed {
		v.StopReason = string(v.Outcome)
	}
	return v
}

func (ev DispatchEvidence) decide(v DispatchVerdict) (DispatchOutcome, string) {
	switch {
	case ev.Refused != "":
		return NoLane, ev.Why
	case ev.Gate != gateLive:
		return gateWords[ev.Gate], ev.GateWhy
	case ev.Price.stops():
		return HeldBack, fmt.Sprintf("%s: no set of the %s can be launched", ev.Price.Action, verdict.Count(len(ev.Picks), "pick"))
	case len(ev.Picks) == 0:
		return "", "the gate says LIVE, and there is no pick"
	case len(v.Flags) > 0:
		return QuietLeft, fmt.Sprintf("%s claimed and not shipped, first %s", verdict.Count(len(v.Flags), "unit"), verdict.Show(v.Flags[0]))
	case len(v.Shipped) < len(ev.Picks):
		for _, p := range ev.Picks {
			if p.State != Verified {
				return PickFailed, fmt.Sprintf("unit %s: %s", verdict.Show(p.Unit), p.Reason)
			}
		}
	}
	return AllVerified, verdict.Count(len(ev.Picks), "unit") + " claimed, and git bears it out"
}

var gateWords = map[string]DispatchOutcome{
	"DRAIN": Drained, "STALE-STAMP": Unstamped, "BLOCKED": HeldBack, "RACE": OtherRenders,
}

// ExitCode implements [verdict.Verdict].
func (v DispatchVerdict) ExitCode() int {
	switch v.Outcome {
	case AllVerified:
		return verdict.Yes
	case Drained:
		return verdict.FirstOwned
	case Unstamped:
		return verdict.FirstOwned + 1
	case HeldBack:
		return verdict.FirstOwned + 2
	case OtherRenders:
		return verdict.FirstOwned + 3
	case NoLane:
		return verdict.FirstOwned + 4
	case QuietLeft:
		return verdict.FirstOwned + 5
	case PickFailed:
		return verdict.FirstOwned + 6
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v DispatchVerdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v DispatchVerdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	s := fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
	for _, p := range v.Picks {
		state := p.State
		if !p.Started {
			state = "not started"
		}
		s += fmt.Sprintf("\n  %d. %s  %s", p.N, verdict.Show(p.Unit), state)
		if p.State != Verified {
			s += ": " + p.Reason
		} else if p.Sha != "" {
			s += " by " + verdict.Short(p.Sha)
		}
	}
	return s
}
