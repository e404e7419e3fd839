package loop

import (
	"fmt"
	"maps"
	"slices"
)

// A ReplanReport is what a replan says it did, in numbers. What it writes for
// people is not read.
type ReplanReport struct {
	Skipped bool             // there was nothing new, so it did nothing
	Counts  map[string]int64 // what it did, by kind; empty: it did not count
}

// Productivity is what the report comes to: productive where anything was
// counted, and where nothing was and it was not skipped. A count that cannot be
// is an error that names it.
func (r ReplanReport) Productivity() (Productivity, error) {
	did := len(r.Counts) == 0 && !r.Skipped
	for _, kind := range slices.Sorted(maps.Keys(r.Counts)) {
		if n := r.Counts[kind]; n < 0 {
			return "", fmt.Errorf("count of %.80q is negative: %d", kind, n)
		} else if n > 0 {
			did = true
		}
	}
	if did {
		return Productive, nil
	}
	return Unproductive, nil
}

// SkipReplan reports whether a replan can be skipped: nothing was found and
// nothing shipped since the last one.
func SkipReplan(findings, ships int64) bool { return findings <= 0 && ships <= 0 }
