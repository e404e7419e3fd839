package productivity

import (
	"fmt"
	"slices"
)

// A Trend is what the rounds of a loop come to.
type Trend string

const (
	Converging   Trend = "CONVERGING"   // less is left, or nothing
	Thrashing    Trend = "THRASHING"    // it goes up and down, and gets no lower
	Starved      Trend = "STARVED"      // the same is left after every round
	Insufficient Trend = "INSUFFICIENT" // the rounds are too few to tell
)

// Rounds says how many rounds are looked at.
type Rounds struct {
	Window           int `json:"window"`            // so many that left the same starve, or all if there are fewer; at least 2
	MaxNonconverging int `json:"max_nonconverging"` // one round more than this is needed to say anything bad, at least 1
}

// DefaultRounds looks at four rounds for either question.
func DefaultRounds() Rounds { return Rounds{Window: 4, MaxNonconverging: 3} }

// Converge reads how much was left after each round, oldest first. First that
// applies:
//
//  1. nothing was left after the last: CONVERGING
//  2. there are MaxNonconverging rounds or fewer: INSUFFICIENT
//  3. the last Window rounds are equal: STARVED
//  4. among the last MaxNonconverging+1 some round left more than the one
//     before it, and the last left no less than the best of the others: THRASHING
//  5. CONVERGING
func Converge(left []int64, by Rounds) (Trend, error) {
	switch {
	case by.Window < 2:
		return "", fmt.Errorf("window is less than 2: %d", by.Window)
	case by.MaxNonconverging < 1:
		return "", fmt.Errorf("max_nonconverging is less than 1: %d", by.MaxNonconverging)
	}
	if err := notNegative("residual", left); err != nil {
		return "", err
	}
	n := len(left)
	switch {
	case n > 0 && left[n-1] == 0:
		return Converging, nil
	case n <= by.MaxNonconverging:
		return Insufficient, nil
	case equal(left[max(0, n-by.Window):]):
		return Starved, nil
	case thrashes(left[n-1-by.MaxNonconverging:]):
		return Thrashing, nil
	}
	return Converging, nil
}

func equal(list []int64) bool { return slices.Min(list) == slices.Max(list) }

func thrashes(list []int64) bool {
	end, rises := len(list)-1, false
	for i := range end {
		rises = rises || list[i+1] > list[i]
	}
	return rises && list[end] >= slices.Min(list[:end])
}
