package policy

import (
	"math"
	"strconv"
	"time"
)

// units are the suffixes of a duration, longest first.
var units = []struct {
	suffix byte
	length time.Duration
}{
	{'d', 24 * time.Hour},
	{'h', time.Hour},
	{'m', time.Minute},
	{'s', time.Second},
}

const durationHint = `write whole seconds, or a number with one of the suffixes s, m, h, d as in "15m"`

// duration is whole seconds or "<n>s|m|h|d", from lo up to ten years.
func duration(lo time.Duration) kind[time.Duration] {
	return kind[time.Duration]{
		name: "duration", want: "a duration",
		read: func(n *node) (time.Duration, *fault) {
			d, f := readDuration(n)
			if f == nil && d < lo {
				f = faultf("must be at least %s, not %s", ShowDuration(lo), ShowDuration(d))
			}
			return d, f
		},
		show: func(d time.Duration) string {
			if d == 0 {
				return "0"
			}
			return tomlString(ShowDuration(d))
		},
	}
}

func readDuration(n *node) (time.Duration, *fault) {
	switch n.kind {
	case intKind:
		return scaled(n.num, time.Second)
	case stringKind:
		for _, u := range units {
			if end := len(n.text) - 1; end > 0 && n.text[end] == u.suffix && digitsOnly(n.text[:end]) {
				v, err := strconv.ParseInt(n.text[:end], 10, 64)
				if err != nil {
					v = math.MaxInt64
				}
				return scaled(v, u.length)
			}
		}
		return 0, &fault{message: "is not a duration: " + quoted(n.text), hint: durationHint}
	}
	f := mistyped(n, "a duration")
	f.hint = durationHint
	return 0, f
}

// scaled is v units as a duration, refused below zero and above ten years.
func scaled(v int64, unit time.Duration) (time.Duration, *fault) {
	switch {
	case v < 0:
		return 0, faultf("must not be negative")
	case v > int64(maxDuration/unit):
		return 0, faultf("must be at most %s", ShowDuration(maxDuration))
	}
	return time.Duration(v) * unit, nil
}

// inUnits is a duration stated as a plain number of units. Fractions are
// scaled before they are cut, so half an hour is not none.
func inUnits(unit time.Duration, fractions bool) kind[time.Duration] {
	k := kind[time.Duration]{name: "int", want: "an integer"}
	if fractions {
		k.name, k.want = "number", "a number"
	}
	k.read = func(n *node) (time.Duration, *fault) {
		if n.kind == intKind {
			return scaled(n.num, unit)
		}
		if n.kind != floatKind || !fractions {
			return 0, mistyped(n, k.want)
		}
		v := n.real * float64(unit)
		if !(v >= 0 && v <= float64(maxDuration)) {
			return 0, faultf("must be from 0 to %s, not %s", ShowDuration(maxDuration), strconv.FormatFloat(n.real, 'g', -1, 64))
		}
		return time.Duration(v), nil
	}
	k.show = func(d time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)
	}
	return k
}

// ShowDuration spells a duration as the file would, and [ParseDuration] reads it, in the
// longest unit that divides it.
func ShowDuration(d time.Duration) string {
	for _, u := range units {
		if d != 0 && d%u.length == 0 {
			return strconv.FormatInt(int64(d/u.length), 10) + string(u.suffix)
		}
	}
	return d.String()
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
