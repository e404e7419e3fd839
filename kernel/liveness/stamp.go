package liveness

import "time"

// Stamp reads the time of a journal entry: its own, or where it has none, that
// of the beat it carries. It is nil where there is no such time, or where it
// cannot be read; the second is not asked for the first's sake.
func Stamp(ts, beatAt string) *int64 {
	if ts == "" {
		ts = beatAt
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, ts); err == nil {
			ms := t.UnixMilli()
			return &ms
		}
	}
	return nil
}
