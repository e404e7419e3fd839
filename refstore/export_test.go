package refstore

import "time"

// SetLockPatience changes when a lock counts as left behind, until restore is
// called.
func SetLockPatience(d time.Duration) (restore func()) {
	old := lockPatience
	lockPatience = d
	return func() { lockPatience = old }
}

// Rejection is what a refusal is said to be for, out of git's words.
var Rejection = rejection
