package loop

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/productivity"
	"github.com/git-dos/git-dos/kernel/resume"
)

// Signals are what others judged for this iteration. What is empty or nil was
// not asked.
type Signals struct {
	Completion  resume.Completion
	Convergence productivity.Trend
	Liveness    liveness.Outcome
	Pick        *Pick
	Cooldown    *Cooldown
	Ratchet     improve.Outcome
	Descendant  Descendant
}

// A Pick says whether the next unit may be offered, and which hold keeps it.
type Pick struct {
	Held bool
	Hold Hold
}

// A Hold is why a unit may not be offered.
type Hold string

// Holds that no dispatch ends: what they wait for is done elsewhere.
const (
	DraftClass      Hold = "DRAFT_CLASS"
	OperatorGated   Hold = "OPERATOR_GATED"
	SoakOpen        Hold = "SOAK_OPEN"
	DependencyUnmet Hold = "DEPENDENCY_UNMET"
)

// holds lists them all, those that no dispatch ends first.
var holds = []Hold{
	DraftClass, OperatorGated, SoakOpen, DependencyUnmet,
	"SHIPPED", "UNPARSEABLE", "IN_FLIGHT", "SOFT_CLAIMED_ELSEWHERE", "STALE_CLAIM", "COOLDOWN",
}

// invariant reports whether no dispatch ends the hold.
func (h Hold) invariant() bool { return slices.Contains(holds[:4], h) }

// A Cooldown says whether the next unit was tried a short while ago.
type Cooldown struct {
	State CooldownState
	Unit  string
}

// A CooldownState is the cooldown's verdict.
type CooldownState string

const (
	Clear             CooldownState = "CLEAR"
	RecentlyAttempted CooldownState = "RECENTLY_ATTEMPTED"
)

// A Descendant is what the child of a parked parent does.
type Descendant string

const (
	ChildAdvancing Descendant = "advancing" // it made commits
	ChildDead      Descendant = "dead"
	ChildUnseen    Descendant = "none-observed" // or it only wrote to a log
)

// check reports the signal that is none of its list.
func (s Signals) check() error {
	return first(
		oneOf("completion", s.Completion, resume.Done, resume.Incomplete, resume.Underdeclared, resume.Indeterminate),
		oneOf("convergence", s.Convergence, productivity.Converging, productivity.Thrashing, productivity.Starved, productivity.Insufficient),
		oneOf("liveness", s.Liveness, liveness.Advancing, liveness.Spinning, liveness.Stalled),
		oneOf("ratchet", s.Ratchet, improve.Keep, improve.Revert, improve.Escalate),
		oneOf("descendant_progress", s.Descendant, ChildAdvancing, ChildDead, ChildUnseen),
		s.Pick.check(),
		s.Cooldown.check(),
	)
}

func (p *Pick) check() error {
	switch {
	case p == nil:
		return nil
	case p.Held && p.Hold == "":
		return errors.New("reason of pickability is missing, and the unit is held")
	case !p.Held && p.Hold != "":
		return fmt.Errorf("reason of pickability is %.80q, and the unit is not held", string(p.Hold))
	}
	return oneOf("reason of pickability", p.Hold, holds...)
}

func (c *Cooldown) check() error {
	switch {
	case c == nil:
		return nil
	case c.State == "":
		return errors.New("state of cooldown is missing")
	}
	return oneOf("state of cooldown", c.State, Clear, RecentlyAttempted)
}
