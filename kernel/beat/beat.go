// Package beat says whether what should run at intervals still does.
//
// A program beats under a name each time it has come round. Its interval is
// declared in the heartbeats table, and silence is held against it: late after
// one and a half intervals, missing after three, and missing from the start if
// it never beat. A beat proves that the program came round, and not that
// anything came of it.
//
// Every node keeps the newest beat of each name it knows, and the answer is
// folded over all of them: whoever beats under a name beats for the name. Two
// programs of one name are therefore seen to be silent only when both are.
//
// A beat from the future is not used, since it would be fresh for as long as
// some clock is wrong; an older one of the same name, of any node, is.
package beat

import (
	"slices"
	"time"
)

// Outcome is the closed vocabulary of this verdict, best first.
type Outcome string

const (
	Fresh   Outcome = "FRESH"   // at most one and a half intervals old
	Late    Outcome = "LATE"    // at most three intervals old
	Missing Outcome = "MISSING" // older, or there is none
)

// A Beat is one program that came round. Host and RunID are its own word.
type Beat struct {
	Name  string
	AtMS  int64 // Unix milliseconds
	Node  string
	Host  string
	RunID string

	IntervalMS int64 // at which it said that it comes round, 0 when it did not say
}

// A Cadence is how often a name should beat.
type Cadence struct {
	Name       string
	IntervalMS int64
}

// Evidence is everything Decide may know.
type Evidence struct {
	NowMS    int64
	Cadences []Cadence
	Beats    []Beat   // of all nodes, in any order; those of names without a cadence do not count
	Unread   []string // nodes whose beats could not be read
}

// The names of git-dos's own drivers may beat without being declared.
const (
	Supervise  = "supervise"
	Dispatcher = "dispatcher"
)

// Panel is what is to be watched: the names that are declared, and the drivers
// that are not, have beaten, and were not stopped since. Those are held to the
// interval that their newest beat states, else to that of drivers. ended has the
// newest time, in Unix milliseconds, at which a name was stopped.
func Panel(declared, drivers map[string]time.Duration, beats []Beat, ended map[string]int64) []Cadence {
	var panel []Cadence
	for name, interval := range declared {
		panel = append(panel, Cadence{name, interval.Milliseconds()})
	}
	for _, name := range []string{Supervise, Dispatcher} {
		usual, runs := drivers[name]
		_, stated := declared[name]
		last := newest(name, beats)
		if end, stopped := ended[name]; !runs || stated || last == nil || stopped && end >= last.AtMS {
			continue
		}
		panel = append(panel, Cadence{name, last.interval(usual)})
	}
	slices.SortFunc(panel, byName)
	return panel
}

// Interval is that at which a driver comes round which is not declared: what its newest
// beat states, else the usual one.
func Interval(name string, beats []Beat, usual time.Duration) time.Duration {
	last := newest(name, beats)
	if last == nil {
		return usual
	}
	return time.Duration(last.interval(usual)) * time.Millisecond
}

func newest(name string, beats []Beat) *Beat {
	var last *Beat
	for i, b := range beats {
		if b.Name == name && (last == nil || b.AtMS > last.AtMS) {
			last = &beats[i]
		}
	}
	return last
}

// interval is the one that the beat states, where that can be one.
func (b Beat) interval(usual time.Duration) int64 {
	if b.IntervalMS > 0 && b.IntervalMS <= maxIntervalMS {
		return b.IntervalMS
	}
	return usual.Milliseconds()
}
