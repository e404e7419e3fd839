package pick

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// CooldownOutcome is the closed vocabulary of DecideCooldown.
type CooldownOutcome string

// The outcomes of a cooldown.
const (
	Clear             CooldownOutcome = "CLEAR"
	RecentlyAttempted CooldownOutcome = "RECENTLY_ATTEMPTED"
)

// A CooldownPolicy says how long a unit is left alone after an attempt.
type CooldownPolicy struct {
	WindowMS      int64 `json:"window_ms"`
	ErrorWindowMS int64 `json:"error_window_ms"` // after one that ended in error
}

// DefaultCooldown is six hours, and half an hour after an error.
func DefaultCooldown() CooldownPolicy {
	return CooldownPolicy{WindowMS: 6 * time.Hour.Milliseconds(), ErrorWindowMS: 30 * time.Minute.Milliseconds()}
}

// CooldownEvidence is everything DecideCooldown and DecidePriority may know.
type CooldownEvidence struct {
	Unit     string
	Attempts []Attempt // at the unit, in any order
	NowMS    int64
	Policy   CooldownPolicy
	Unknown  []string // why there may be more attempts than these
}

// CooldownVerdict answers "was this unit tried just now?".
type CooldownVerdict struct {
	Outcome CooldownOutcome `json:"state"`
	Unit    string          `json:"unit_id"`
	LastTS  string          `json:"last_ts"` // of the attempt that decided, "" without one
	LastEnd string          `json:"last_outcome,omitempty"`
	Count   int64           `json:"count"`
	UntilMS int64           `json:"until_ms"`           // 0 where it is clear
	AheadMS int64           `json:"ahead_ms,omitempty"` // how far the attempt is stamped ahead of this clock
	Reason  string          `json:"reason"`
}

var _ verdict.Verdict = CooldownVerdict{}

// DecideCooldown judges by the newest attempt; of several at one time by one
// that did not ship, then by the one with the longer window, then by the later
// record. An attempt that is stamped in the future counts as one of now. First
// that applies:
//
//  1. the evidence cannot be judged: no verdict
//  2. it did not ship, and its window is not over: RECENTLY_ATTEMPTED
//  3. there may be more attempts than are known: no verdict
//  4. CLEAR
func DecideCooldown(ev CooldownEvidence) CooldownVerdict {
	v := CooldownVerdict{Unit: ev.Unit}
	if err := ev.check(); err != nil {
		v.Reason = err.Error()
		return v
	}
	for _, a := range ev.Attempts {
		v.Count += a.Count
	}
	last, ok := ev.newest()
	if ok {
		v.LastTS, v.LastEnd = last.TS, last.End
		v.AheadMS = max(0, last.AtMS-ev.NowMS)
		if wall := ev.wall(last); last.End != EndShipped && ev.NowMS < wall {
			v.Outcome, v.UntilMS = RecentlyAttempted, wall
			v.Reason = fmt.Sprintf("the last attempt ended %s %s ago, and the unit is left alone for %s more", last.End, span(ev.NowMS-ev.at(last)), span(wall-ev.NowMS))
			if v.AheadMS > 0 {
				v.Reason += fmt.Sprintf("; it is stamped %s ahead of this clock", span(v.AheadMS))
			}
			return v
		}
	}
	switch {
	case len(ev.Unknown) > 0:
		return CooldownVerdict{Unit: ev.Unit, Reason: "there may be attempts that are not known: " + ev.Unknown[0]}
	case !ok:
		v.Reason = "no attempt is known"
	case last.End == EndShipped:
		v.Reason = "the last attempt ended shipped"
	default:
		v.Reason = fmt.Sprintf("the last attempt ended %s %s ago", last.End, span(ev.NowMS-ev.at(last)))
	}
	v.Outcome = Clear
	return v
}

func (ev CooldownEvidence) check() error {
	switch err := CheckUnit(ev.Unit); {
	case err != nil:
		return err
	case ev.Policy.WindowMS < 0:
		return fmt.Errorf("window_ms is negative: %d", ev.Policy.WindowMS)
	case ev.Policy.ErrorWindowMS < 0:
		return fmt.Errorf("error_window_ms is negative: %d", ev.Policy.ErrorWindowMS)
	case slices.ContainsFunc(ev.Attempts, func(a Attempt) bool { return a.Count < 1 }):
		return errors.New("an attempt counts for none")
	}
	return nil
}

// at is when an attempt was made, and not later than now.
func (ev CooldownEvidence) at(a Attempt) int64 { return min(a.AtMS, ev.NowMS) }

func (ev CooldownEvidence) window(a Attempt) int64 {
	if a.End == EndError {
		return ev.Policy.ErrorWindowMS
	}
	return ev.Policy.WindowMS
}

// wall is until when the attempt holds the unit.
func (ev CooldownEvidence) wall(a Attempt) int64 {
	at, window := ev.at(a), ev.window(a)
	if at > math.MaxInt64-window {
		return math.MaxInt64
	}
	return at + window
}

// newest is the attempt that decides.
func (ev CooldownEvidence) newest() (Attempt, bool) {
	if len(ev.Attempts) == 0 {
		return Attempt{}, false
	}
	open := func(a Attempt) int {
		if a.End == EndShipped {
			return 0
		}
		return 1
	}
	return slices.MaxFunc(ev.Attempts, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(ev.at(a), ev.at(b)), cmp.Compare(open(a), open(b)), cmp.Compare(ev.window(a), ev.window(b)),
			cmp.Compare(a.TS, b.TS), cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.End, b.End))
	}), true
}

// span is a time in words.
func span(ms int64) string {
	const most = math.MaxInt64 / int64(time.Millisecond)
	if ms > most || ms < -most {
		return "very long"
	}
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}

// ExitCode implements [verdict.Verdict].
func (v CooldownVerdict) ExitCode() int {
	switch v.Outcome {
	case Clear:
		return verdict.Yes
	case RecentlyAttempted:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v CooldownVerdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v CooldownVerdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	return string(v.Outcome) + " " + v.Unit + ": " + v.Reason
}
