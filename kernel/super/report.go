package super

import (
	"slices"
	"time"
)

// A Tick is what a tick did, as it was journaled.
type Tick struct {
	At        time.Time `json:"at"`
	Node      string    `json:"node"`
	RunID     string    `json:"run_id"` // of the dispatcher
	Outcome   string    `json:"outcome"`
	Rung      string    `json:"rung,omitempty"`
	Launches  int       `json:"launches"`
	Reclaimed int       `json:"reclaimed"`
	Signal    Signal    `json:"signal,omitempty"`
	Reason    string    `json:"reason"`
}

// An Ending is a worker that ended.
type Ending struct {
	At      time.Time
	Claimed bool // with status 0
	Shipped bool // by witness
}

// A TickLine is a tick, with what ended since the one before it.
type TickLine struct {
	Tick
	TickTally
}

// A Report is what a run of ticks came to. What ended after the last of them stands
// apart, so that everything is counted once. How long it took is no result, and no
// part of it.
type Report struct {
	Ticks     []TickLine `json:"ticks"`
	Launches  int        `json:"launches"`
	Ended     int        `json:"ended"`
	Claims    int        `json:"claims"`
	Ships     int        `json:"ships"`
	Reclaimed int        `json:"reclaimed"`
	Since     TickTally  `json:"since_last_tick"`
	Signal    Signal     `json:"signal"`                      // of the last tick, "" where it goes on
	Forgot    *time.Time `json:"incomplete_before,omitempty"` // from there back not everything is known any more
}

// A TickTally counts workers that ended.
type TickTally struct {
	Ended  int `json:"ended"`
	Claims int `json:"claims"`
	Ships  int `json:"ships"`
}

// ReportOf puts ticks and endings together. An ending belongs to the first tick at or
// after it; one before the first tick is of another time, and left out.
func ReportOf(ticks []Tick, ends []Ending, from, forgot time.Time) Report {
	r := Report{Ticks: []TickLine{}}
	if !forgot.IsZero() {
		f := forgot.UTC()
		r.Forgot = &f
	}
	ticks = slices.Clone(ticks)
	slices.SortStableFunc(ticks, func(a, b Tick) int { return a.At.Compare(b.At) })
	for _, t := range ticks {
		if t.At.Before(from) {
			continue
		}
		r.Ticks = append(r.Ticks, TickLine{Tick: t})
		r.Launches, r.Reclaimed, r.Signal = r.Launches+t.Launches, r.Reclaimed+t.Reclaimed, t.Signal
	}
	if len(r.Ticks) == 0 {
		return r
	}
	for _, e := range ends {
		if !e.At.Before(r.Ticks[0].At) {
			r.add(e)
		}
	}
	return r
}

func (r *Report) add(e Ending) {
	one := TickTally{Ended: 1}
	if e.Claimed {
		one.Claims = 1
	}
	if e.Shipped {
		one.Ships = 1
	}
	r.Ended, r.Claims, r.Ships = r.Ended+1, r.Claims+one.Claims, r.Ships+one.Ships
	to := &r.Since
	if i, _ := slices.BinarySearchFunc(r.Ticks, e.At, func(t TickLine, at time.Time) int { return t.At.Compare(at) }); i < len(r.Ticks) {
		to = &r.Ticks[i].TickTally
	}
	to.Ended, to.Claims, to.Ships = to.Ended+1, to.Claims+one.Claims, to.Ships+one.Ships
}
