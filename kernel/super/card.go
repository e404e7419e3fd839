package super

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/fleet"
)

// A State is the word of a card.
type State string

const (
	StateUnread    State = "UNREADABLE"
	StateStopped   State = "STOPPED" // by an operator, or until one has looked
	StateHost      State = "HOST_FLAGGED"
	StateInspect   State = "INSPECT"
	StateCapped    State = "WEEKLY_CAPPED"
	StateNoSeat    State = "BLOCKED_ON_SEAT"
	StateNoAccount State = "BLOCKED_ON_ACCOUNT"
	StateAtCap     State = "AT_CAP"
	StateGrow      State = "READY_TO_GROW"
)

// A Sign is something that stands in the way, and the command that goes at it.
type Sign struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// CardEvidence is everything a card is made of.
type CardEvidence struct {
	Unread    []string // what could not be read
	Gate      GateVerdict
	Preflight fleet.PreflightVerdict
	Halt      Halt   // as a tick would find it
	Silent    []Sign // workers that ended without a word
	Orphans   []Sign // leases of this node whose worker has ended
	Overdue   []Sign // spawns of this node that have not ended for too long
}

// A Card is the word, and the one thing to see to first, nil where there is none.
type Card struct {
	State   State  `json:"state"`
	Reason  string `json:"reason"`
	Blocker *Sign  `json:"blocker"`
}

// Judge finds the word of a card. Every word of preflight has one of its own: a
// refusal that nobody foresaw is never room to grow.
func (ev CardEvidence) Judge() Card {
	c := Card{Blocker: ev.blocker()}
	switch {
	case len(ev.Unread) > 0:
		c.State, c.Reason = StateUnread, ev.Unread[0]+more(len(ev.Unread)-1)
	case ev.Halt.Signal.Stays():
		c.State, c.Reason = StateStopped, fmt.Sprintf("%s: %s", ev.Halt.Signal, ev.Halt.Reason)
	case ev.Halt.Signal == WeeklyCapped && ev.Preflight.Outcome != fleet.RefuseHost && ev.Preflight.Outcome != fleet.RefuseInspect:
		c.State, c.Reason = StateCapped, ev.Halt.Reason
	default:
		c.State, c.Reason = stateOf(ev.Preflight.Outcome), ev.Preflight.Reason
	}
	return c
}

func stateOf(r fleet.Readiness) State {
	switch r {
	case fleet.SpawnOK:
		return StateGrow
	case fleet.RefuseAtCap:
		return StateAtCap
	case fleet.RefuseNoSeat:
		return StateNoSeat
	case fleet.RefuseNoAccount:
		return StateNoAccount
	case fleet.RefuseHost:
		return StateHost
	}
	return StateInspect
}

// blocker is the first thing in the way, of all that are.
func (ev CardEvidence) blocker() *Sign {
	first := func(all []Sign) *Sign {
		s := all[0]
		s.What += more(len(all) - 1)
		return &s
	}
	switch r := ev.Preflight.Outcome; {
	case len(ev.Unread) > 0:
		return &Sign{ev.Unread[0] + more(len(ev.Unread)-1), "git dos doctor"}
	case ev.Halt.Signal.Stays():
		return &Sign{fmt.Sprintf("%s: %s", ev.Halt.Signal, ev.Halt.Reason), ev.Halt.Next}
	case r == fleet.RefuseHost || stateOf(r) == StateInspect:
		return &Sign{fmt.Sprintf("%s: %s", r, ev.Preflight.Reason), orElse(ev.Preflight.Next, "git dos preflight")}
	case len(ev.Orphans) > 0: // before whoever left it, of whom there may be nothing to be done
		return first(ev.Orphans)
	case len(ev.Silent) > 0:
		return first(ev.Silent)
	case len(ev.Overdue) > 0:
		return first(ev.Overdue)
	case ev.Halt.Signal == WeeklyCapped:
		return &Sign{ev.Halt.Reason, ev.Halt.Next}
	case r == fleet.RefuseNoAccount || r == fleet.RefuseNoSeat:
		return &Sign{fmt.Sprintf("%s: %s", r, ev.Preflight.Reason), "git dos account list"}
	case ev.Gate.Found == CronDown:
		return &Sign{ev.Gate.Reason, ev.Gate.Next}
	}
	return nil
}

func orElse(word, other string) string {
	if word == "" {
		return other
	}
	return word
}
