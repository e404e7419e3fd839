package super

import (
	"testing"
	"time"
)

func TestThroughputIsFlatWhenLaunchesGoOnAndShipsDoNot(t *testing.T) {
	type w = Tally
	row := func(launches, ships int) w { return w{Launches: launches, Ships: ships} }
	for name, c := range map[string]struct {
		spans []Tally
		want  bool
	}{
		"nothing is known":                          {nil, false},
		"one window is none two":                    {[]w{row(9, 0)}, false},
		"two that ship nothing":                     {[]w{row(1, 0), row(1, 0)}, true},
		"two that ship nothing, after one that did": {[]w{row(3, 3), row(3, 0), row(3, 0)}, true},
		"only the newest ships nothing":             {[]w{row(3, 3), row(3, 3), row(3, 0)}, false},
		"only the one before":                       {[]w{row(3, 3), row(3, 0), row(3, 3)}, false},
		"more and more launches, the same ships":    {[]w{row(1, 1), row(3, 1), row(8, 1)}, true},
		"more and more launches, fewer ships":       {[]w{row(1, 3), row(3, 2), row(8, 1)}, true},
		"more launches, and more ships":             {[]w{row(1, 1), row(3, 2), row(8, 3)}, false},
		"launches rise once":                        {[]w{row(3, 1), row(3, 1), row(8, 1)}, false},
		"steady, and shipping":                      {[]w{row(3, 2), row(3, 2), row(3, 2)}, false},
		"nothing was launched":                      {[]w{row(0, 0), row(0, 0), row(0, 0)}, false},
		"a pause in between":                        {[]w{row(3, 0), row(0, 0), row(3, 0)}, false},
		"of two, a rise needs a window before":      {[]w{row(3, 1), row(8, 1)}, false},
	} {
		if got := Flat(c.spans); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// hours counts a launch in every hour, and a ship in every second one.
func hours(from, to time.Time) (t Tally) {
	claims := 0
	for h := from.Truncate(time.Hour); h.Before(to.Truncate(time.Hour)); h = h.Add(time.Hour) {
		t.Launches++
		claims++
		t.Ships += (h.Hour() + 1) % 2
	}
	t.Claims = &claims
	return t
}

func TestWindowsAreWholeHours(t *testing.T) {
	all := Throughput(noon, 0.4, hours)
	for i, want := range []int{2, 4, 7, 13, 25} { // with the hour under way
		w := all[i]
		if w.Hours != Hours[i] || w.Launches != want || *w.Claims != want || !w.From.Equal(noon.Truncate(time.Hour).Add(-time.Duration(w.Hours)*time.Hour)) {
			t.Errorf("%+v, want %d launches", w, want)
		}
	}
	if all[0].Grade != OnTrack || all[0].Ships != 1 {
		t.Errorf("%+v", all[0])
	}
	none := Throughput(noon, 10, func(_, _ time.Time) Tally { return Tally{} })
	if none[4].Grade != Idle {
		t.Errorf("%+v", none[4])
	}
	if low := Throughput(noon, 10, hours); low[4].Grade != BelowTarget {
		t.Errorf("%+v", low[4])
	}
}

func TestSpansEndBeforeTheHourUnderWay(t *testing.T) {
	var asked [][2]int
	count := func(from, to time.Time) Tally {
		asked = append(asked, [2]int{from.Hour(), to.Hour()})
		return Tally{}
	}
	for _, c := range []struct {
		cadence time.Duration
		since   time.Time
		want    [][2]int
	}{
		{time.Minute, time.Time{}, [][2]int{{9, 10}, {10, 11}, {11, 12}}},
		{time.Hour, time.Time{}, [][2]int{{9, 10}, {10, 11}, {11, 12}}},
		{90 * time.Minute, time.Time{}, [][2]int{{6, 8}, {8, 10}, {10, 12}}},
		{time.Hour, noon.Add(-2 * time.Hour), [][2]int{{11, 12}}},
		{time.Hour, noon, nil},
	} {
		asked = nil
		if n := len(Spans(noon, c.cadence, 3, c.since, count)); n != len(c.want) {
			t.Errorf("%v: %d spans", c, n)
		}
		for i, w := range c.want {
			if asked[i] != w {
				t.Errorf("%v: span %v, want %v", c.cadence, asked[i], w)
			}
		}
	}
}
