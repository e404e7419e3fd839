package journal

import (
	"encoding/json"
	"slices"
	"time"
)

// AttemptsAt are the attempts at the units for which is holds, the newest last.
// Of attempts up to forgot, which is zero where none had to be dropped for want
// of room, there may be more.
func (v View) AttemptsAt(is func(unit string) bool) (all []Attempt, forgot time.Time) {
	v.slots(tableAttempt, func(key string, s *Slot) {
		var words []string
		if json.Unmarshal([]byte(key), &words) == nil && len(words) == 2 && is(words[0]) {
			all = append(all, Attempt{words[0], words[1], s.Last.At, s.Last.RunID, s.Last.From, s.Count})
		}
	})
	slices.SortStableFunc(all, func(a, b Attempt) int { return a.At.Compare(b.At) })
	return all, v.forgot(tableAttempt)
}
