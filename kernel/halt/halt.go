// Package halt says what becomes of the wish that a run be stopped.
//
// A wish is written into the ledger of whoever has it, once for each lease that it is
// about, reason and handle, until it is answered, and nobody is stopped by that:
// decisions shows it to a human. Where the run is to be gone on with, its lane is
// parked first and the run recorded as suspended, which needs a run that has declared
// what it is to do.
//
// A lease that is not the run's is never touched, whatever the wish says: whoever
// came after it may bear the same name.
package halt

// Outcome is the closed vocabulary of this verdict.
type Outcome string

const (
	Recorded    Outcome = "RECORDED"
	NotRecorded Outcome = "NOT_RECORDED"
)

// A Standing is how the lane stands that a wish is about.
type Standing string

const (
	Unheld  Standing = ""        // no lane is named, and the run has no lease
	Held    Standing = "held"    // by the worker that is to be stopped
	Free    Standing = "free"    // the lane that is named is nobody's
	Others  Standing = "others"  // it is another run's
	Granted Standing = "granted" // another node has it on the remote, for its own workers
)

// A Lease is what is known of the lane. Holder and RunID are whose it is, and Node is
// who grants it.
type Lease struct {
	Standing Standing
	Lane     string
	Holder   string
	RunID    string
	Node     string
}

// An Intent is what is known of what the run declared.
type Intent string

const (
	Undeclared Intent = ""
	Declared   Intent = "declared"
	Unreadable Intent = "unreadable" // or it contradicts itself
)

// A Parking is how an attempt to park the lane ended. Where there is no lease there
// is nothing to park, and none is Done.
type Parking struct {
	Done    bool
	Refused string // why it could not be parked, "" where it could
	Next    string // and what would help
}

// A Point is the commit that the run is to go on from.
type Point struct {
	Sha      string   // that is named, or that history says
	Named    bool     // by whoever has the wish
	OnRecord []string // those of the suspensions on record, last the one that counts
}

// Evidence is everything Decide may know.
type Evidence struct {
	RunID     string // "" when only a lane or a handle is named
	Handle    string
	Reason    string
	Lease     Lease
	Known     bool // a ledger has this wish about this lease, and it is not answered
	Resumable bool // the run is to be gone on with
	Intent    Intent
	Parking   *Parking // nil: it was not tried yet
	Point     Point    // of a resumable wish, once parking was tried
}
