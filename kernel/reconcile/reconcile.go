// Package reconcile holds a claim of finished work against the truth.
//
// The claim is only ever repeated: it never moves the answer from "not
// shipped" to "shipped". The truth is the verdict of package ship on the very
// plan and phase that the unit names, so that a ship of one unit cannot settle
// another. What ship could not tell is no verdict here, and a unit without one
// stays in the residual, which is the work that is still to be done.
package reconcile

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of this verdict.
type Outcome string

// The outcomes of reconcile.
const (
	Verified        Outcome = "VERIFIED"         // it shipped, whatever was claimed
	QuietIncomplete Outcome = "QUIET_INCOMPLETE" // claimed and not shipped
	HonestOpen      Outcome = "HONEST_OPEN"      // not shipped, and nobody says so
)

const (
	exitQuiet  = 3 // the status of QuietIncomplete
	exitHonest = 4 // the status of HonestOpen
)

// sourceGiven is the source of a replayed truth.
const sourceGiven = "given"

// Evidence is everything Decide may know.
type Evidence struct {
	Unit    string
	Claimed bool // what the worker says

	// Ship is the verdict on the unit's plan and phase. With Replay it is not
	// looked at: Given, the caller's word, stands in for it.
	Ship   ship.Verdict
	Replay bool
	Given  bool
}

// Verdict answers "does this unit leave the residual?". Rung, Source, Witness
// and Sha are those of the ship verdict.
type Verdict struct {
	State           Outcome      `json:"state"`
	Unit            string       `json:"unit"`
	Claimed         bool         `json:"claimed"`
	OracleShipped   bool         `json:"oracle_shipped"`
	KeepsInResidual bool         `json:"keeps_in_residual"`
	Flag            Outcome      `json:"flag"` // QuietIncomplete, or empty
	Plan            string       `json:"plan,omitempty"`
	Phase           string       `json:"phase,omitempty"`
	Rung            ship.Rung    `json:"rung,omitempty"`
	Source          ship.Source  `json:"source"`
	Witness         ship.Witness `json:"witness,omitempty"`
	Floor           ship.Witness `json:"floor,omitempty"`
	Sha             string       `json:"sha,omitempty"`
	Ref             string       `json:"ref,omitempty"`
	RefID           string       `json:"ref_id,omitempty"`
	RevertedBy      string       `json:"reverted_by,omitempty"`
	Replay          bool         `json:"replay,omitempty"` // the truth is the caller's word
	Reason          string       `json:"reason"`
	Next            string       `json:"next,omitempty"`
}

var _ verdict.Verdict = Verdict{}

// Decide judges the claim. In order:
//
//  1. no truth, because ship did not decide or could not tell: no verdict;
//  2. shipped: VERIFIED;
//  3. claimed: QUIET_INCOMPLETE;
//  4. HONEST_OPEN.
func Decide(ev Evidence) Verdict {
	v := Verdict{Unit: ev.Unit, Claimed: ev.Claimed, KeepsInResidual: true}
	why := ev.truth(&v)
	switch {
	case why == "":
		return Verdict{}
	case v.OracleShipped:
		v.State, v.KeepsInResidual, v.Reason = Verified, false, why
	case ev.Claimed:
		v.State, v.Flag, v.Reason = QuietIncomplete, QuietIncomplete, "claimed done, and it is not: "+why
		v.Next = "git dos verify --explain shows what was found of it"
		if unit := v.Plan + "/" + v.Phase; strings.Trim(unit, plain) == "" && unit[0] != '-' {
			v.Next = "git dos verify " + unit + " --explain"
		}
	default:
		v.State, v.Reason = HonestOpen, why
		v.Next = "it is open work: ship it, then ask again"
	}
	if v.Replay {
		v.Next = ""
	}
	return v
}

// plain are the bytes that no shell takes apart.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"

// truth fills in whether the unit shipped and on what evidence, and returns
// the reason; "" when neither can be said.
func (ev Evidence) truth(v *Verdict) string {
	if ev.Replay {
		v.Replay, v.Source, v.OracleShipped = true, sourceGiven, ev.Given
		return "replayed on the caller's word; no history was read"
	}
	s := ev.Ship
	if s.Outcome != ship.Shipped && s.Outcome != ship.NotShipped {
		return ""
	}
	v.OracleShipped = s.Outcome == ship.Shipped
	v.Plan, v.Phase, v.Rung, v.Source, v.Witness, v.Floor = s.Plan, s.Phase, s.Rung, s.Source, s.Witness, s.Floor
	v.Sha, v.Ref, v.RefID, v.RevertedBy = s.Sha, s.Ref, s.RefID, s.RevertedBy
	if s.Reason == "" {
		return "ship gave no reason"
	}
	return s.Reason
}

// ExitCode implements [verdict.Verdict]. The zero Verdict is no verdict.
func (v Verdict) ExitCode() int {
	switch v.State {
	case Verified:
		return verdict.Yes
	case QuietIncomplete:
		return exitQuiet
	case HonestOpen:
		return exitHonest
	}
	return verdict.NoVerdict
}

// String is the state, the unit, the evidence and the reason in one line, and
// what to do next in another.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (via %s", v.State, v.Unit, v.Source)
	if v.Witness != "" {
		fmt.Fprintf(&b, ", witness %s", v.Witness)
	}
	b.WriteByte(')')
	if v.Ref != "" {
		fmt.Fprintf(&b, " on %s", v.Ref)
	}
	b.WriteString(": " + v.Reason)
	if v.Next != "" {
		b.WriteString("\n  next: " + v.Next)
	}
	return b.String()
}
