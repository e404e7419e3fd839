package super

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Signal is why nothing more is launched; "" is no signal.
type Signal string

const (
	OperatorStop   Signal = "OPERATOR_STOP"
	WeeklyCapped   Signal = "WEEKLY_CAPPED"
	ThroughputFlat Signal = "THROUGHPUT_FLAT"
	BacklogDrained Signal = "BACKLOG_DRAINED"
	SpawnFailures  Signal = "SPAWN_FAILURES"
	OverdueMarkers Signal = "OVERDUE_MARKERS"
)

// Signals are all of them, in the order in which they are looked for.
var Signals = []Signal{OperatorStop, WeeklyCapped, ThroughputFlat, BacklogDrained, SpawnFailures, OverdueMarkers}

// Stays reports whether the signal stands until an operator lifts it: launching goes
// wrong by itself then, and goes wrong again.
func (s Signal) Stays() bool { return s == OperatorStop || s == ThroughputFlat || s == SpawnFailures }

// Waits reports whether the dispatcher stays in its place meanwhile: what it waits for
// comes by itself, or by a reclaim.
func (s Signal) Waits() bool { return s == WeeklyCapped || s == OverdueMarkers }

// A Word is what an operator said, or an earlier tick found, and stands.
type Word struct {
	Signal Signal    `json:"signal"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
}

// A Cap is an account that a worker may run on: whether it is used up and, where that
// is known, until when.
type Cap struct {
	Account string     `json:"account"`
	Spent   bool       `json:"spent"`
	Until   *time.Time `json:"until,omitempty"`
}

// away reports whether the account takes no worker yet.
func (c Cap) away(now time.Time) bool { return c.Spent && (c.Until == nil || c.Until.After(now)) }

// Reset is when the first of the accounts that are used up comes back, nil where none
// is, or nobody knows.
func Reset(now time.Time, accounts []Cap) (first *time.Time) {
	for _, a := range accounts {
		if a.away(now) && a.Until != nil && (first == nil || a.Until.Before(*first)) {
			first = a.Until
		}
	}
	return first
}

// MostFailures is how many workers in a row may fail to start.
const MostFailures = 3

// StopEvidence is everything Stop may know.
type StopEvidence struct {
	Now      time.Time
	Stands   *Word    // that nobody has lifted
	Accounts []Cap    // none where none is declared
	Spans    []Tally  // see [Spans]
	Open     int      // units that are to be done, ready or not
	Complete bool     // all of what is to be done could be read
	Failures int      // newest workers in a row that never ran
	Overdue  []string // spawns that are overdue, and not to be reclaimed
}

// A Halt is a signal, and what is to be said of it.
type Halt struct {
	Signal Signal     `json:"signal"`
	Reason string     `json:"reason"`
	Until  *time.Time `json:"until,omitempty"` // WEEKLY_CAPPED: the earliest reset
	Next   string     `json:"next,omitempty"`
}

// Stop finds the first signal of [Signals] that is up. One that an earlier tick found
// and that stays has the place of its kind.
func Stop(ev StopEvidence) Halt {
	for _, s := range Signals {
		if w := ev.Stands; w != nil && w.Signal == s {
			return w.halt()
		}
		if h := ev.look(s); h.Signal != "" {
			return h
		}
	}
	return Halt{}
}

func (ev StopEvidence) look(s Signal) Halt {
	h := Halt{Signal: s}
	switch s {
	case WeeklyCapped:
		if len(ev.Accounts) == 0 || slices.ContainsFunc(ev.Accounts, func(a Cap) bool { return !a.away(ev.Now) }) {
			return Halt{}
		}
		h.Reason = "every account is used up, and nobody knows until when"
		if h.Until = Reset(ev.Now, ev.Accounts); h.Until != nil {
			h.Reason = fmt.Sprintf("every account is used up; the first comes back at %s", h.Until.UTC().Format(time.RFC3339))
		}
		h.Next = "git dos account list"
	case ThroughputFlat:
		if !Flat(ev.Spans) {
			return Halt{}
		}
		last := ev.Spans[len(ev.Spans)-1]
		h.Reason = fmt.Sprintf("launches go on and ships do not, twice in a row: %s and %s in the last window",
			launches(last.Launches), verdict.Count(last.Ships, "ship"))
		h.Next = "git dos wave harvest; then " + liftCommand
	case BacklogDrained:
		if !ev.Complete || ev.Open > 0 {
			return Halt{}
		}
		h.Reason, h.Next = "all of the backlog was read, and nothing is left to do", "git dos super report"
	case SpawnFailures:
		if ev.Failures < MostFailures {
			return Halt{}
		}
		h.Reason, h.Next = fmt.Sprintf("the last %d workers never ran", ev.Failures), "git dos wave status; then "+liftCommand
	case OverdueMarkers:
		if len(ev.Overdue) == 0 {
			return Halt{}
		}
		h.Reason, h.Next = verdict.Show(ev.Overdue[0])+more(len(ev.Overdue)-1), "git dos reclaim --evidence"
	default:
		return Halt{}
	}
	return h
}

const liftCommand = "git dos super resume --operator NAME"

func launches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return fmt.Sprintf("%d launches", n)
}

func (w Word) halt() Halt {
	h := Halt{Signal: w.Signal, Reason: verdict.Show(w.Reason), Next: liftCommand}
	if w.Signal == OperatorStop && w.By != "" {
		h.Reason = fmt.Sprintf("%s stopped it at %s: %s", verdict.Show(w.By), w.At.UTC().Format(time.RFC3339), h.Reason)
	} else if !w.At.IsZero() {
		h.Reason = fmt.Sprintf("since %s: %s", w.At.UTC().Format(time.RFC3339), h.Reason)
	}
	return h
}

// firstSignal is the exit status of the first of [Signals]; the others follow.
const firstSignal = 10

// ExitCode is the status of a tick that ended with the signal.
func (s Signal) ExitCode() int {
	if s == "" {
		return verdict.Yes
	}
	if i := slices.Index(Signals, s); i >= 0 {
		return firstSignal + i
	}
	return verdict.NoVerdict
}
