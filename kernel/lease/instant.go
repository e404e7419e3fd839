package lease

import "time"

// An Instant is a reading of a machine's clock that runs on while the machine
// is suspended. Readings compare within one boot only.
type Instant struct {
	Boot string `json:"boot"`
	At   int64  `json:"at_ns"`
}

// Since is the time from an earlier reading to this one. It is not ok when
// they are of different boots, of none, or in the wrong order: nothing is known
// then of the time between.
func (i Instant) Since(earlier Instant) (d time.Duration, ok bool) {
	if i.Boot == "" || i.Boot != earlier.Boot || i.At < earlier.At {
		return 0, false
	}
	return time.Duration(i.At - earlier.At), true
}
