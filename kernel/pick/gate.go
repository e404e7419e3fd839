package pick

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// GateOutcome is the closed vocabulary of DecideGate.
type GateOutcome string

// The outcomes of a gate.
const (
	Live       GateOutcome = "LIVE"        // there is something to launch
	Drain      GateOutcome = "DRAIN"       // there is not, for want of work
	StaleStamp GateOutcome = "STALE-STAMP" // there is not, and plan documents do not say what shipped
	Blocked    GateOutcome = "BLOCKED"     // there is not, since others claim it or none may be started
	Raced      GateOutcome = "RACE"        // another renderer had the lock: this packet says nothing
)

const (
	exitDrain      = verdict.FirstOwned
	exitStaleStamp = exitDrain + 1
	exitBlocked    = exitDrain + 2
	exitRace       = exitDrain + 3
)

// GateEvidence is everything DecideGate may know.
type GateEvidence struct {
	Dispositions []Disposition
	GeneratedAt  time.Time // of the packet, zero where it does not say
	Fault        error     // why there are no dispositions to judge; then only a race decides
	Race         *Race     // nil where there is no race file
}

// A Pick is a unit that decided a gate.
type Pick struct {
	Series     string `json:"series"`
	Phase      string `json:"phase"`
	Live       bool   `json:"live"`
	DropReason string `json:"drop_reason"`
}

// GateVerdict answers "what did the packet contain?".
type GateVerdict struct {
	Outcome        GateOutcome `json:"verdict"`
	Reason         string      `json:"reason"`
	FalseDrain     bool        `json:"false_drain"` // nothing to launch, and not for want of work
	Evidence       []Pick      `json:"evidence"`    // what decided, in the order of the packet
	Race           *Race       `json:"race,omitempty"`
	Interpretation string      `json:"interpretation,omitempty"` // what to do about it, where that was asked for
}

var _ verdict.Verdict = GateVerdict{}

// DecideGate judges a packet. First that applies:
//
//  1. there is a race that the packet is not known to be newer than: RACE
//  2. the packet cannot be read: no verdict
//  3. a unit is live: LIVE
//  4. one shipped by a commit of its own, and its plan document does not say
//     so: STALE-STAMP
//  5. one is claimed, or none may be started for it: BLOCKED
//  6. DRAIN
func DecideGate(ev GateEvidence) GateVerdict {
	if ev.Race != nil && !ev.newer() {
		return GateVerdict{Outcome: Raced, Reason: ev.Race.says(), FalseDrain: true, Evidence: []Pick{}, Race: ev.Race}
	}
	if ev.Fault != nil {
		return GateVerdict{Reason: ev.Fault.Error()}
	}
	for _, rung := range []struct {
		outcome GateOutcome
		counts  func(Disposition) bool
		says    string
	}{
		{Live, func(d Disposition) bool { return d.Live }, "to launch"},
		{StaleStamp, Disposition.stale, "shipped, and the plan document does not say so"},
		{Blocked, Disposition.blocked, "claimed by others, or nobody may be started"},
	} {
		if picks := picked(ev.Dispositions, rung.counts); len(picks) > 0 {
			return GateVerdict{Outcome: rung.outcome, Reason: named(picks) + " " + rung.says, FalseDrain: rung.outcome != Live, Evidence: picks}
		}
	}
	reason := "the packet is empty"
	if n := len(ev.Dispositions); n > 0 {
		reason = fmt.Sprintf("all of %s shipped", verdict.Count(n, "unit"))
	}
	return GateVerdict{Outcome: Drain, Reason: reason, Evidence: []Pick{}}
}

// newer reports whether the packet can be read and is known to be of after the
// race.
func (ev GateEvidence) newer() bool {
	at := ev.Race.AttemptedAt
	return ev.Fault == nil && at != nil && !ev.GeneratedAt.IsZero() && ev.GeneratedAt.After(*at)
}

func (r Race) says() string {
	s := "another renderer had the lock of this packet"
	if r.BlockedByPID > 0 {
		s += fmt.Sprintf(", process %d", r.BlockedByPID)
	}
	if r.AttemptedAt != nil {
		s += ", at " + r.AttemptedAt.Format(time.RFC3339)
	}
	return s
}

func (d Disposition) stale() bool {
	return d.DropReason == DropShipped && d.ShipVia == viaDirect && d.Unstamped
}

func (d Disposition) blocked() bool {
	return d.DropReason == DropClaimed || d.DropReason == DropQuota
}

func picked(list []Disposition, counts func(Disposition) bool) (picks []Pick) {
	for _, d := range list {
		if counts(d) {
			picks = append(picks, Pick{d.Series, d.Phase, d.Live, d.DropReason})
		}
	}
	return picks
}

// maxNamed bounds what a line for people lists.
const maxNamed = 5

func named(picks []Pick) string {
	var words []string
	for _, p := range picks[:min(len(picks), maxNamed)] {
		words = append(words, verdict.Show(p.Phase))
	}
	s := strings.Join(words, ", ")
	if more := len(picks) - maxNamed; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// Explain is the verdict with what to do about it.
func (v GateVerdict) Explain() GateVerdict {
	v.Interpretation = map[GateOutcome]string{
		Live:       "launch what is live",
		Drain:      "launch nothing: the backlog is empty as far as this packet shows; replan",
		StaleStamp: "launch nothing: stamp the plan documents, then render again; this is no empty backlog",
		Blocked:    "launch nothing: look at who claims the units, or wait; this is no empty backlog",
		Raced:      "render again, once; a second race in a row is unclear, and no empty backlog",
	}[v.Outcome]
	return v
}

// ExitCode implements [verdict.Verdict].
func (v GateVerdict) ExitCode() int {
	switch v.Outcome {
	case Live:
		return verdict.Yes
	case Drain:
		return exitDrain
	case StaleStamp:
		return exitStaleStamp
	case Blocked:
		return exitBlocked
	case Raced:
		return exitRace
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v GateVerdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v GateVerdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	s := string(v.Outcome) + ": " + v.Reason
	if v.Interpretation != "" {
		s += "\n  next: " + v.Interpretation
	}
	return s
}
