package board

import (
	"slices"
	"time"
)

// A Step is one entry of a lane's chain: how the lane stood from then on.
type Step struct {
	At       time.Time
	Op       string
	Lane     string
	State    string // one of States, "" for a free lane
	Gen      uint64
	Owner    string
	Node     string
	RunID    string
	Unit     string
	Deadline time.Time // of a lease
}

// Timeline is what the steps of one chain come to, by lane: the oldest step comes
// first. Steps at or before since tell how the lane stood then. Where the chain
// cannot be read beyond its oldest step, what came before is a time of which nothing
// is known; lane names whose. A clock that went back ends nothing before it began.
func Timeline(steps []Step, since, now time.Time, broken bool, lane string) map[string][]Span {
	lanes := map[string][]Span{}
	if broken {
		first := now
		if len(steps) > 0 {
			first = steps[0].At
		}
		add(lanes, Step{Lane: lane, State: Unreadable, At: since}, first, "", since)
	}
	for i, s := range steps {
		if i+1 < len(steps) && same(s, steps[i+1]) {
			steps[i+1].At = s.At // it went on
			continue
		}
		switch {
		case s.State == "":
		case i+1 < len(steps):
			add(lanes, s, steps[i+1].At, steps[i+1].Op, since)
		default:
			last(lanes, s, since, now)
		}
	}
	return lanes
}

// Before adds an older step to steps of which the newest comes first, for whoever reads
// a chain from its end: one that the last of them only goes on with takes no room.
func Before(steps []Step, older Step) []Step {
	if n := len(steps); n > 0 && same(older, steps[n-1]) {
		steps[n-1].At = older.At
		return steps
	}
	return append(steps, older)
}

// last adds a span that lasts, in two parts where its lease is past its deadline.
func last(lanes map[string][]Span, s Step, since, now time.Time) {
	over := !s.Deadline.IsZero() && s.Deadline.Before(now) && (s.State == Held || s.State == Waiting || s.State == Delegated)
	if over {
		add(lanes, s, s.Deadline, "", since)
		s.State, s.At = Suspended, later(s.At, s.Deadline)
	}
	n := len(lanes[s.Lane])
	add(lanes, s, later(now, s.At), "", since)
	if all := lanes[s.Lane]; len(all) > n {
		all[n].To = nil
	}
}

// add adds a span, if any of it is of the time that is shown.
func add(lanes map[string][]Span, s Step, to time.Time, end string, since time.Time) {
	from := later(s.At, since)
	if to.Before(from) || to.Equal(since) && from.Equal(since) {
		return
	}
	to = to.UTC()
	lanes[s.Lane] = append(lanes[s.Lane], Span{
		From: from.UTC(), To: &to, State: s.State, Gen: s.Gen, Owner: s.Owner, Node: s.Node, RunID: s.RunID, Unit: s.Unit, End: end,
	})
}

// same reports whether a step only goes on with another.
func same(a, b Step) bool {
	return a.Lane == b.Lane && a.State == b.State && a.Gen == b.Gen && a.Owner == b.Owner && a.Node == b.Node && a.RunID == b.RunID && a.Unit == b.Unit
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// Order puts spans that come from several chains in order: the oldest first, and of
// those that begin together the longer.
func Order(spans []Span, now time.Time) {
	slices.SortStableFunc(spans, func(a, b Span) int {
		if c := a.From.Compare(b.From); c != 0 {
			return c
		}
		return until(b, now).Compare(until(a, now))
	})
}

func until(s Span, now time.Time) time.Time {
	if s.To == nil {
		return later(now, s.From)
	}
	return *s.To
}
