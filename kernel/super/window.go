package super

import "time"

// A Counter counts what happened in the whole hours from one time to before
// another.
type Counter func(from, to time.Time) Tally

// A Tally is what happened in a time. Claims are workers that ended with status 0,
// nil where not all ends are known any more; ships are those that git bore out.
type Tally struct {
	Launches int  `json:"launches"`
	Claims   *int `json:"claims"`
	Ships    int  `json:"ships"`
}

// A Window is a tally of a time that ends now.
type Window struct {
	Hours int       `json:"hours"`
	From  time.Time `json:"from"`
	Tally
	ShipRate float64 `json:"ship_rate"` // an hour
	Grade    string  `json:"grade"`
}

// The grades of a window, by the rate that is aimed at.
const (
	OnTrack     = "ON_TRACK"
	BelowTarget = "BELOW_TARGET"
	Idle        = "IDLE" // nothing was launched, and nothing shipped
)

// Hours are the windows that are shown.
var Hours = []int{1, 3, 6, 12, 24}

// Throughput tells of the windows, each from a whole hour on and with the hour
// under way, so that nothing is counted that lies before it.
func Throughput(now time.Time, rate float64, count Counter) []Window {
	var all []Window
	for _, n := range Hours {
		from := now.UTC().Truncate(time.Hour).Add(-time.Duration(n) * time.Hour)
		w := Window{Hours: n, From: from, Tally: count(from, now.Add(time.Hour)), Grade: BelowTarget}
		w.ShipRate = float64(w.Ships) / now.Sub(from).Hours()
		switch {
		case w.Launches == 0 && w.Ships == 0:
			w.Grade = Idle
		case w.ShipRate >= rate:
			w.Grade = OnTrack
		}
		all = append(all, w)
	}
	return all
}

// Spans are the windows by which a flat throughput is told: n of them one after the
// other, the newest last, each as long as the cadence in whole hours. The hour under
// way is in none, and neither is what began before since.
func Spans(now time.Time, cadence time.Duration, n int, since time.Time, count Counter) []Tally {
	width := max(time.Hour, (cadence + time.Hour - 1).Truncate(time.Hour))
	end := now.UTC().Truncate(time.Hour)
	var spans []Tally
	for i := n; i > 0; i-- {
		from := end.Add(-time.Duration(i) * width)
		if !from.Before(since) {
			spans = append(spans, count(from, from.Add(width)))
		}
	}
	return spans
}

// Flat reports whether launches went on and ships did not, over the newest two
// windows one after the other. In such a window something was launched and nothing
// shipped, or more was launched than in the window before and no more shipped.
func Flat(spans []Tally) bool {
	n := len(spans)
	if n < 2 {
		return false
	}
	before := Tally{Launches: spans[n-2].Launches, Ships: spans[n-2].Ships} // of the first, nothing rose
	if n > 2 {
		before = spans[n-3]
	}
	return flat(before, spans[n-2]) && flat(spans[n-2], spans[n-1])
}

func flat(before, w Tally) bool {
	return w.Launches > 0 && (w.Ships == 0 || w.Launches > before.Launches && w.Ships <= before.Ships)
}
