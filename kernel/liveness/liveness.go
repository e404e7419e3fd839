// Package liveness says whether a run gets on.
//
// A run shows two things: that it does something, by its commits and by what
// it does with its lease, and that it is there, by its beats. A run that only
// beats is spinning, and one that does not even beat has stalled. Progress
// outranks beats, and it grows old: what a run did before the progress window
// says nothing about it now.
//
// Evidence is what others can see. A worker's word that it works is not asked
// for, and a process that is known to live saves nobody: it may hang. One that
// is known to be gone ends a run that only beats.
//
// A stamp from the future proves that some clock is wrong, and nothing else.
// It never makes a run fresh, and it never makes one look dead either: such a
// run is spinning, for a person to look at, and its reason is SKEWED.
package liveness

import "time"

// Outcome is the closed vocabulary of this verdict.
type Outcome string

const (
	Advancing Outcome = "ADVANCING" // it gets on, or is too young to have to
	Spinning  Outcome = "SPINNING"  // it is there, and nothing comes of it
	Stalled   Outcome = "STALLED"   // nothing shows that it is there
)

// A Class is the kind of evidence that decided.
type Class string

const (
	Commits          Class = "COMMITS"           // ADVANCING: it made commits
	Events           Class = "EVENTS"            // ADVANCING: it took or gave back its lease
	Young            Class = "YOUNG"             // ADVANCING: it beats, and started a short while ago
	NoProgress       Class = "NO_PROGRESS"       // SPINNING: it beats, and that is all
	Skewed           Class = "SKEWED"            // SPINNING: a stamp of it lies in the future
	FinishedHolding  Class = "FINISHED_HOLDING"  // SPINNING or STALLED: its work is done, and it still has its lease
	Silent           Class = "SILENT"            // STALLED: its last beat is too old
	NeverBeat        Class = "NEVER_BEAT"        // STALLED: no beat of it is known
	ProcessGone      Class = "PROCESS_GONE"      // STALLED: it beat, and its process has ended
	WorkspaceMissing Class = "WORKSPACE_MISSING" // STALLED: the folder it worked in is not there any more
)

// A Policy holds the numbers of the liveness table, in milliseconds.
type Policy struct {
	GraceMS          int64 `json:"grace_ms"`           // a run younger than this need not have got on
	SpinMS           int64 `json:"spin_ms"`            // the oldest beat that shows that a run is there
	ProgressWindowMS int64 `json:"progress_window_ms"` // the oldest progress that counts
}

// DefaultPolicy is the policy of a repository that states none.
func DefaultPolicy() Policy {
	return Policy{
		GraceMS:          (30 * time.Minute).Milliseconds(),
		SpinMS:           (15 * time.Minute).Milliseconds(),
		ProgressWindowMS: time.Hour.Milliseconds(),
	}
}
