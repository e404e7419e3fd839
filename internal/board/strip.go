package board

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"
)

// A strip is drawn on a sheet this wide and high, which is then stretched.
const (
	stripWidth  = 800
	stripHeight = 34
	glyphStep   = 9 // how far two marks are apart at least
)

// bands are where the blocks of a state stand, so that states differ by shape: from
// and to in a strip's height. A node's hold for its workers is two lines around theirs.
var bands = map[string][][2]int{
	Held: {{15, 31}}, Waiting: {{24, 31}}, Parked: {{19, 26}}, Delegated: {{12, 14}, {32, 34}}, Suspended: {{29, 31}}, Unreadable: {{11, 34}},
}

// glyphs are the marks of events, around the point 0,0 and four wide each way.
var glyphs = map[string]string{
	Ship:        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
	Refusal:     "m-4-3 1-1 3 3 3-3 1 1-3 3 3 3-1 1-3-3-3 3-1-1 3-3z",
	Unwitnessed: "m-4-3h8l-4 7z",
	Witnessed:   "m-4 0 1.2-1.2 2 2 3.6-4.3 1.4 1.1-4.9 5.9z",
	Question:    "m0-4 4 4-4 4-4-4z",
	Verdict:     "m-3-3h6v6h-6z",
	Launch:      "m0-4 4 7h-8z",
	Note:        "m-1-1h2v2h-2z",
}

// A shape is one path of a strip.
type shape struct {
	Class string // for the style
	D     string
}

// A scale places times on a strip.
type scale struct{ from, to time.Time }

func (s scale) x(t time.Time) float64 {
	whole := s.to.Sub(s.from)
	if whole <= 0 {
		return 0
	}
	return min(max(float64(t.Sub(s.from))/float64(whole), 0), 1) * stripWidth
}

// spanShapes draws spans: what is nearer than a point is one block.
func (s scale) spanShapes(spans []Span) (all []shape) {
	for _, state := range States {
		var d strings.Builder
		left, right := -1.0, -1.0
		flush := func() {
			for _, b := range bands[state] {
				if left >= 0 {
					fmt.Fprintf(&d, "M%.4g %dH%.4gV%dH%.4gz", left, b[0], right, b[1], left)
				}
			}
		}
		for _, p := range spans {
			if p.State != state {
				continue
			}
			from, to := s.x(p.From), s.x(until(p, s.to))
			to = max(to, from+1.5)
			if left >= 0 && from <= right+0.5 {
				right = max(right, to)
				continue
			}
			flush()
			left, right = from, to
		}
		flush()
		if d.Len() > 0 {
			all = append(all, shape{state, d.String()})
		}
	}
	return all
}

// eventShapes draws the marks of events: one for all that have no room beside each
// other, of the class that matters most.
func (s scale) eventShapes(events []Event) (all []shape) {
	first := map[int]int{} // by place: the class
	rank := map[string]int{}
	for i, c := range Classes {
		rank[c] = i
	}
	for _, e := range events {
		at := int(s.x(e.At) / glyphStep)
		if was, ok := first[at]; !ok || rank[e.Class] < was {
			first[at] = rank[e.Class]
		}
	}
	for i, c := range Classes {
		var d strings.Builder
		for at := range int(stripWidth/glyphStep) + 1 {
			if was, ok := first[at]; ok && was == i {
				fmt.Fprintf(&d, "M%.4g 5%s", (float64(at)+0.5)*glyphStep, glyphs[c])
			}
		}
		if d.Len() > 0 {
			all = append(all, shape{strings.ReplaceAll(c, " ", "-"), d.String()})
		}
	}
	return all
}

// barWidth is how wide a bar of many is.
const barWidth = 5

// bars draws how many there were: a bar's height grows with the logarithm, so that
// one among thousands is seen.
func (s scale) bars(events []Event) string {
	var counts [stripWidth/barWidth + 1]int
	most := 0
	for _, e := range events {
		i := int(s.x(e.At) / barWidth)
		counts[i]++
		most = max(most, counts[i])
	}
	var d strings.Builder
	for i, n := range counts {
		if n > 0 {
			h := 4 + 18*math.Log1p(float64(n))/math.Log1p(float64(max(most, 4)))
			fmt.Fprintf(&d, "M%d 24v-%.3gh%dV24z", i*barWidth, h, barWidth-1)
		}
	}
	return d.String()
}

// A tick is a mark on the axis of time.
type tick struct {
	At    template.HTMLAttr // as x="..%"
	Label string
}

var tickSteps = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour, 91 * 24 * time.Hour, 364 * 24 * time.Hour,
}

// ticks are at most six round times.
func (s scale) ticks() (all []tick) {
	whole := s.to.Sub(s.from)
	step := tickSteps[len(tickSteps)-1]
	for _, t := range tickSteps {
		if whole/t <= 6 {
			step = t
			break
		}
	}
	layout := "15:04"
	if step >= 24*time.Hour || whole > 48*time.Hour {
		layout = "2 Jan"
	}
	for t := s.from.UTC().Truncate(step).Add(step); t.Before(s.to) && len(all) < 100; t = t.Add(step) {
		x := s.x(t) / stripWidth * 100
		if x > 4 && x < 96 {
			all = append(all, tick{template.HTMLAttr(fmt.Sprintf(`x="%.2f%%"`, x)), t.Format(layout)})
		}
	}
	return all
}
