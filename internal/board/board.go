// Package board makes one page of what a fleet did: who had which lane and for
// how long, what was judged, what waits for a person, how much got done.
//
// It is handed plain data and returns bytes, the same ones for the same data. The
// page needs nothing beside itself. Names and words on it come from refs that
// anybody may have written: they are shown, never obeyed.
package board

import "time"

// Data is everything that is on the page.
type Data struct {
	At        time.Time      `json:"at"`
	Since     time.Time      `json:"since"`
	AsOf      *time.Time     `json:"as_of,omitempty"` // in a fleet: when its remote was last seen
	Lanes     []Lane         `json:"lanes"`
	Chips     map[string]int `json:"chips"`          // lanes by their word
	Open      int            `json:"open_decisions"` // those for no person too
	Decisions []Decision     `json:"decisions"`
	WindowS   int64          `json:"window_s"` // how long a window is, in seconds
	Windows   []Window       `json:"windows"`
	Events    []Event        `json:"events"` // oldest first
	Cut       bool           `json:"cut,omitempty"`
	CutLanes  int            `json:"cut_lanes,omitempty"` // lanes of which not all entries of the time were read
	Unread    []string       `json:"unread"`
}

// A Lane is one lane: how it stands now, and who had it.
type Lane struct {
	Lane   string `json:"lane"`
	Chip   string `json:"chip"` // its word, as in top
	Reason string `json:"reason"`
	Owner  string `json:"owner,omitempty"`
	Node   string `json:"node,omitempty"`
	RunID  string `json:"run_id,omitempty"`
	Unit   string `json:"unit,omitempty"`
	Spans  []Span `json:"spans"`
}

// A Span is a time for which a lane stood in one way for one holder.
type Span struct {
	From  time.Time  `json:"from"`
	To    *time.Time `json:"to"`    // null where it lasts
	State string     `json:"state"` // one of States
	Gen   uint64     `json:"gen,omitempty"`
	Owner string     `json:"owner,omitempty"`
	Node  string     `json:"node,omitempty"`
	RunID string     `json:"run_id,omitempty"`
	Unit  string     `json:"unit,omitempty"`
	End   string     `json:"end,omitempty"` // the op that ended it
}

// States are the states of spans; unreadable is a time of which nothing is known.
var States = []string{Held, Waiting, Parked, Delegated, Suspended, Unreadable}

// The states of spans.
const (
	Held       = "held"
	Waiting    = "waiting"
	Parked     = "parked"
	Delegated  = "delegated" // a node had it, for its workers
	Suspended  = "suspended" // past the deadline of a lease that nobody took
	Unreadable = "unreadable"
)

// An Event is one thing that was recorded.
type Event struct {
	At    time.Time `json:"at"`
	Class string    `json:"class"` // one of Classes
	Op    string    `json:"op"`
	Word  string    `json:"word,omitempty"` // the verdict or the outcome
	Lane  string    `json:"lane,omitempty"`
	RunID string    `json:"run_id,omitempty"`
	Node  string    `json:"node,omitempty"`
	Text  string    `json:"text,omitempty"`
	Ref   string    `json:"ref"`
	ID    string    `json:"id"`
}

// A Decision is what waits for a person, and how it is answered.
type Decision struct {
	ID      string     `json:"id"`
	Kind    string     `json:"kind"`
	Lane    string     `json:"lane,omitempty"`
	RunID   string     `json:"run_id,omitempty"`
	Text    string     `json:"reason_text"`
	At      *time.Time `json:"run_ts"`
	Count   uint64     `json:"dup_count"`
	Label   string     `json:"label"`            // what the command is: a row's word, or this program's
	Command string     `json:"proposed_command"` // "" for none
	Ack     string     `json:"ack_command"`      // takes it off the list
}

// A Window counts what happened from a time on, for as long as windows are.
type Window struct {
	From      time.Time `json:"from"`
	Launches  int       `json:"launches"`  // SPAWN and LAUNCH rows
	Claims    int       `json:"claims"`    // EXIT rows: workers that ended, each with a claim that was graded
	Witnessed int       `json:"witnessed"` // of them those that history bears out
	Ships     int       `json:"ships"`     // pushes that a SHIP entry of a lane records
	Refusals  int       `json:"refusals"`  // REFUSE rows
}
