package board

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
)

// A view is the data as the template takes it.
type view struct {
	Data
	Live   bool
	CSS    template.CSS
	JS     template.JS
	JSON   template.JS
	Policy string

	Words  []laneCount
	Rows   []laneView
	Ticks  []tick
	Rates  []rateView
	Kinds  []kindView
	Newest []Event // the newest events, newest first
	Older  int     // how many more there are
}

// A laneCount is how many lanes have a word.
type laneCount struct {
	Word string
	N    int
}

// A laneView is a lane with what is drawn of it.
type laneView struct {
	Lane
	Shapes []shape
	Says   string // the drawing in words
	Newest []spanView
	Older  int
}

// A spanView is a span as a row of a table.
type spanView struct {
	Span
	Lasted string
}

// A rateView is one measure over all windows.
type rateView struct {
	Name  string
	About string
	Sum   int
	Most  int
	D     string
}

// A kindView is one class of events over time.
type kindView struct {
	Class string
	Glyph string
	N     int
	D     string
}

func (v *view) fill() {
	s := scale{v.Since, v.At}
	v.Ticks = s.ticks()
	for word, n := range v.Chips {
		v.Words = append(v.Words, laneCount{fit(word, mostName), n})
	}
	slices.SortFunc(v.Words, func(a, b laneCount) int { return strings.Compare(a.Word, b.Word) })
	byLane, byClass := map[string][]Event{}, map[string][]Event{}
	for _, e := range v.Events {
		byLane[e.Lane] = append(byLane[e.Lane], e)
		byClass[e.Class] = append(byClass[e.Class], e)
	}
	for _, l := range v.Lanes {
		v.Rows = append(v.Rows, s.lane(l, byLane[l.Lane]))
	}
	for _, c := range Classes {
		v.Kinds = append(v.Kinds, kindView{Class: c, Glyph: "M8 8" + glyphs[c], N: len(byClass[c]), D: s.bars(byClass[c])})
	}
	v.rates()
	n := min(len(v.Events), mostEvents)
	v.Newest = slices.Clone(v.Events[len(v.Events)-n:])
	slices.Reverse(v.Newest)
	v.Older = len(v.Events) - n
}

// lane draws a lane.
func (s scale) lane(l Lane, events []Event) laneView {
	r := laneView{Lane: l, Shapes: append(s.spanShapes(l.Spans), s.eventShapes(events)...)}
	r.Says = fmt.Sprintf("%d times of having it, %d events", len(l.Spans), len(events))
	for _, p := range slices.Backward(l.Spans) {
		if len(r.Newest) == mostSpans {
			break
		}
		r.Newest = append(r.Newest, spanView{p, lasted(until(p, s.to).Sub(p.From))})
	}
	r.Older = len(l.Spans) - len(r.Newest)
	return r
}

// lasted is a duration in two units at most.
func lasted(d time.Duration) string {
	d = d.Round(time.Second)
	switch h := int(d.Hours()); {
	case h >= 48:
		return fmt.Sprintf("%dd %dh", h/24, h%24)
	case h >= 1:
		return fmt.Sprintf("%dh %dm", h, int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm %ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(d.Seconds()))
}

// rates draws the measures, each by its own scale.
func (v *view) rates() {
	for _, m := range []struct {
		name, about string
		of          func(Window) int
	}{
		{"launches", "workers started", func(w Window) int { return w.Launches }},
		{"claims", "workers that ended, with a claim that was graded", func(w Window) int { return w.Claims }},
		{"witnessed", "claims that history bears out", func(w Window) int { return w.Witnessed }},
		{"ships", "pushes under a lease", func(w Window) int { return w.Ships }},
		{"refusals", "leases that were refused", func(w Window) int { return w.Refusals }},
	} {
		r := rateView{Name: m.name, About: m.about}
		for _, w := range v.Windows {
			r.Sum += m.of(w)
			r.Most = max(r.Most, m.of(w))
		}
		var d strings.Builder
		for i, w := range v.Windows {
			if n := m.of(w); n > 0 {
				x, end := float64(i)*stripWidth/float64(len(v.Windows)), float64(i+1)*stripWidth/float64(len(v.Windows))
				fmt.Fprintf(&d, "M%.4g 48v-%.3gH%.4gV48z", x+0.5, max(2, 44*float64(n)/float64(r.Most)), max(end-0.5, x+1))
			}
		}
		r.D = d.String()
		v.Rates = append(v.Rates, r)
	}
}

// WindowWords says how long a window is.
func (v view) WindowWords() string {
	if v.WindowS <= 3600 {
		return "hour"
	}
	return fmt.Sprintf("%d hours", v.WindowS/3600)
}

// Busy are the windows in which something happened, the newest first.
func (v view) Busy() (all []Window) {
	for _, w := range slices.Backward(v.Windows) {
		if w != (Window{From: w.From}) {
			all = append(all, w)
		}
	}
	return all
}

// Tone is how a lane's word stands out.
func (v view) Tone(word string) string {
	switch word {
	case "ADVANCING":
		return "good"
	case "SPINNING", "SPAWNING", "WAITING", "UNKNOWN":
		return "warn"
	case "STALLED", "UNREADABLE":
		return "bad"
	}
	return "plain"
}
