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

// SetLookTime changes how long a look at a remote may take, until restore is
// called.
func SetLookTime(d time.Duration) (restore func()) {
	old := lookTime
	lookTime = d
	return func() { lookTime = old }
}

// MirrorMoved is how a fetch that failed beside another writer is told.
func (a *Remote) MirrorMoved(words string) bool { return a.mirrorMoved(words) }

// Abandon leaves a folder as a process that is killed does.
func (s *Scratch) Abandon() { _ = s.lock.Close() }
