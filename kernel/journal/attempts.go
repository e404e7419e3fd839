package journal

import (
	"encoding/json"
	"slices"
	"time"
)

// Attempts are the attempts at all units, the newest last. Of those up to forgot,
// which is zero where none had to be dropped for want of room, there may be more.
func (v View) Attempts() (all []Attempt, forgot time.Time) {
	v.slots(tableAttempt, func(key string, s *Slot) {
		var words []string
		if json.Unmarshal([]byte(key), &words) == nil && len(words) == 2 {
			all = append(all, Attempt{words[0], words[1], s.Last.At, s.Last.RunID, s.Last.From, s.Count})
		}
	})
	slices.SortStableFunc(all, func(a, b Attempt) int { return a.At.Compare(b.At) })
	return all, v.forgot(tableAttempt)
}
