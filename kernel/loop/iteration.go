package loop

import (
	"errors"
	"fmt"
)

// A Kind is what an iteration came to.
type Kind string

const (
	Shipped      Kind = "SHIPPED"       // it dispatched, and says that it shipped
	Gate         Kind = "GATE"          // its packet did not pass the gate, or was not worth a dispatch
	ReplanDone   Kind = "REPLAN_DONE"   // it replanned
	Unclear      Kind = "UNCLEAR"       // it crashed, was killed or left nothing to read
	RateLimited  Kind = "RATE_LIMITED"  // a quota is used up
	Overloaded   Kind = "OVERLOADED"    // the service was overloaded
	LaunchFailed Kind = "LAUNCH_FAILED" // it was never started
)

// A Judged is the gate's verdict on a packet.
type Judged string

const (
	Live       Judged = "LIVE"        // there is something to dispatch
	Drain      Judged = "DRAIN"       // there is nothing left
	StaleStamp Judged = "STALE-STAMP" // something shipped, and its plan does not say so
	Blocked    Judged = "BLOCKED"     // what there is cannot be had
	Race       Judged = "RACE"        // another made the packet at the same time
)

// A Productivity says whether a replan found or tidied anything.
type Productivity string

const (
	Productive   Productivity = "PRODUCTIVE"
	Unproductive Productivity = "UNPRODUCTIVE"
)

// A PacketJudge is what was measured of an iteration that says it shipped.
type PacketJudge string

const (
	ShippedClean   PacketJudge = "SHIPPED-CLEAN"
	ShippedDirty   PacketJudge = "SHIPPED-DIRTY"
	PacketStalled  PacketJudge = "STALLED"
	BlockedOutcome PacketJudge = "BLOCKED-OUTCOME"
)

// An Iteration is what one iteration came to. What is empty or nil was not
// stated; most of it may be stated of one kind alone.
type Iteration struct {
	Kind         Kind
	Gate         Judged       // of GATE, and then always
	Productivity Productivity // of REPLAN_DONE; empty: productive
	Judge        PacketJudge  // of SHIPPED, together with Ships
	Ships        *int64       // commits by which units shipped
	Measured     bool         // of SHIPPED: the ships were to be counted
	BlockedCause *string      // of GATE with BLOCKED
}

// dirtyZero reports whether what says that it shipped was measured, and did
// not.
func (it Iteration) dirtyZero() bool {
	switch it.Judge {
	case "":
		return false
	case PacketStalled, BlockedOutcome:
		return true
	}
	return *it.Ships <= 0
}

// check reports what cannot be, or not together.
func (it Iteration) check() error {
	if it.Kind == "" {
		return errors.New("kind is missing")
	}
	return first(
		oneOf("kind", it.Kind, Shipped, Gate, ReplanDone, Unclear, RateLimited, Overloaded, LaunchFailed),
		oneOf("verdict", it.Gate, Live, Drain, StaleStamp, Blocked, Race),
		oneOf("replan_productivity", it.Productivity, Productive, Unproductive),
		oneOf("packet_judge", it.Judge, ShippedClean, ShippedDirty, PacketStalled, BlockedOutcome),
		it.together(),
	)
}

func (it Iteration) together() error {
	switch {
	case it.Kind == Gate && it.Gate == "":
		return errors.New("verdict is missing, and a GATE has one")
	case it.Kind != Gate && it.Gate != "":
		return fmt.Errorf("verdict is of GATE alone, not of %s", it.Kind)
	case it.Kind != ReplanDone && it.Productivity != "":
		return fmt.Errorf("replan_productivity is of REPLAN_DONE alone, not of %s", it.Kind)
	case it.Kind != Shipped && (it.Judge != "" || it.Ships != nil || it.Measured):
		return fmt.Errorf("packet_judge, ship_count and measurement_expected are of SHIPPED alone, not of %s", it.Kind)
	case (it.Judge != "") != (it.Ships != nil):
		return errors.New("packet_judge and ship_count go together")
	case it.Ships != nil && *it.Ships < 0:
		return fmt.Errorf("ship_count is negative: %d", *it.Ships)
	case it.BlockedCause != nil && it.Gate != Blocked:
		return errors.New("blocked_cause is of a GATE with verdict BLOCKED alone")
	}
	return nil
}
