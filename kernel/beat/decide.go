package beat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// MaxAheadMS is how far ahead of now a beat may be stamped and still be
	// used, as one of now.
	MaxAheadMS = 60_000

	maxIntervalMS = 10 * 366 * 24 * int64(time.Hour/time.Millisecond)
)

// Decide judges every name that has a cadence, and answers with the worst of
// them. In order, for each:
//
//  1. its newest usable beat is at most 1.5 intervals old: FRESH
//  2. it is at most 3 intervals old: LATE
//  3. MISSING
//
// Evidence without any cadence, or with one that is malformed, is no verdict:
// an empty panel must not look healthy.
func Decide(ev Evidence) Verdict {
	v := Verdict{Beats: []Member{}, Unread: slices.Sorted(slices.Values(ev.Unread))}
	if err := ev.check(); err != nil {
		v.Reason = err.Error()
		return v
	}
	cadences := slices.SortedFunc(slices.Values(ev.Cadences), byName)
	beats := ev.byName()
	v.Outcome = Fresh
	for _, c := range cadences {
		m := ev.member(c, beats[c.Name])
		v.Beats = append(v.Beats, m)
		v.Outcome = worse(v.Outcome, m.Outcome)
	}
	v.Reason = v.summary()
	return v
}

// check reports the field for which the evidence cannot be judged.
func (ev Evidence) check() error {
	switch {
	case ev.NowMS < 0:
		return fmt.Errorf("now_ms is negative: %d", ev.NowMS)
	case len(ev.Cadences) == 0:
		return errors.New("no beat is declared: name one with its interval in [heartbeats] of dos.toml")
	}
	seen := map[string]bool{}
	for _, c := range ev.Cadences {
		if err := CheckName(c.Name); err != nil {
			return err
		}
		switch {
		case c.IntervalMS <= 0 || c.IntervalMS > maxIntervalMS:
			return fmt.Errorf("interval_ms of beat %s is not between 1 and %d: %d", c.Name, maxIntervalMS, c.IntervalMS)
		case seen[c.Name]:
			return fmt.Errorf("beat %s is declared twice", c.Name)
		}
		seen[c.Name] = true
	}
	for _, b := range ev.Beats {
		if seen[b.Name] && b.AtMS < 0 {
			return fmt.Errorf("at_ms of beat %s of node %.80q is negative: %d", b.Name, b.Node, b.AtMS)
		}
	}
	return nil
}

// byName sorts the beats of each name, newest first.
func (ev Evidence) byName() map[string][]Beat {
	beats := map[string][]Beat{}
	for _, b := range ev.Beats {
		beats[b.Name] = append(beats[b.Name], b)
	}
	for _, list := range beats {
		slices.SortFunc(list, func(a, b Beat) int {
			return cmp.Or(cmp.Compare(b.AtMS, a.AtMS), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Host, b.Host), cmp.Compare(a.RunID, b.RunID))
		})
	}
	return beats
}

// member judges one name by its beats, newest first.
func (ev Evidence) member(c Cadence, beats []Beat) Member {
	m := Member{Name: c.Name, IntervalMS: c.IntervalMS, Outcome: Missing}
	usable := slices.IndexFunc(beats, func(b Beat) bool { return b.AtMS <= ev.NowMS || b.AtMS-ev.NowMS <= MaxAheadMS })
	if usable != 0 && len(beats) > 0 {
		m.ClockSkew, m.SkewedMS, m.SkewedNode = true, &beats[0].AtMS, beats[0].Node
	}
	if usable < 0 {
		m.NeverBeaten = len(beats) == 0 && len(ev.Unread) == 0
		m.Reason = ev.silence(m)
		return m
	}
	last := beats[usable]
	age := max(0, ev.NowMS-last.AtMS)
	m.LastMS, m.AgeMS, m.Node, m.Host, m.RunID = &last.AtMS, &age, last.Node, last.Host, last.RunID
	switch {
	case age <= c.IntervalMS+c.IntervalMS/2:
		m.Outcome = Fresh
	case age <= 3*c.IntervalMS:
		m.Outcome = Late
	}
	m.Reason = ev.silence(m)
	return m
}

func worse(a, b Outcome) Outcome {
	if order := []Outcome{Fresh, Late, Missing}; slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
