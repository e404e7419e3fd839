// Package queue keeps and orders the work that is to be done.
//
// The queue is a chain of entries ([Entry]): each adds tasks, takes over issues
// of a forge, or changes the state of one task. [State] folds them. What is
// asked of the queue is decided on a fold and comes back as the entries to
// write, so that two who decide at once never overwrite each other.
//
// A task is done when evidence says so ([Proof]), and by nothing that anybody
// writes here: no entry has that state. There is one order of the queue
// ([Rank]), whatever it is looked at for.
package queue

import (
	"fmt"
	"time"
)

// Version is the version of the entries this package reads and writes.
const Version = 1

// Bounds of a task, and of all of them together, as written.
const (
	MaxTitle  = 200
	MaxBody   = 4000
	maxWord   = 200
	maxText   = 500
	maxList   = 50
	maxSteps  = 1000
	maxTasks  = 50_000
	maxState  = 14 << 20 // what a checkpoint holds; an entry may have 16 MiB
	maxNumber = 999_999_999
)

// State is what the entries make of a task.
type State string

// The states.
const (
	Open      State = "open"
	Draft     State = "draft"     // nothing says when it is done
	Held      State = "held"      // Why names what it waits for
	Duplicate State = "duplicate" // closed by an operator
	WontFix   State = "wontfix"   // closed by an operator
)

// Closed reports whether an operator has closed the task. Done is no state: see
// [Proof].
func (s State) Closed() bool { return s == Duplicate || s == WontFix }

func (s State) known() bool { return s == Open || s == Draft || s == Held || s.Closed() }

// Kind is what sort of work a task is.
type Kind string

// The kinds.
const (
	Work     Kind = "task"
	Bug      Kind = "bug"
	Feature  Kind = "feature"
	Docs     Kind = "docs"
	Question Kind = "question"
	Chore    Kind = "chore"
	Epic     Kind = "epic" // to be split, never to be dispatched
)

// Kinds are all of them.
var Kinds = []Kind{Work, Bug, Feature, Docs, Question, Chore, Epic}

// Priorities are the words for a priority, the most urgent first. A task may
// have none.
var Priorities = []string{"P0", "P1", "P2", "P3"}

// A Task is one piece of work.
type Task struct {
	ID       string    `json:"id"` // 12 hex digits
	Title    string    `json:"title"`
	Body     string    `json:"body,omitempty"`
	Cut      bool      `json:"body_cut,omitempty"` // the source has more
	Withheld []Rule    `json:"withheld,omitempty"` // why text of the source is left out
	Kind     Kind      `json:"kind"`
	Priority string    `json:"priority,omitempty"`
	Steps    int       `json:"steps,omitempty"` // how many it is thought to take, 0 unknown
	Labels   []string  `json:"labels,omitempty"`
	Deps     []string  `json:"deps,omitempty"` // ids of tasks that are to be done first
	Lane     string    `json:"lane,omitempty"` // as whoever added it stated
	Tree     []string  `json:"tree,omitempty"` // likewise
	Guess    *Route    `json:"guess,omitempty"`
	Until    *Until    `json:"done_when,omitempty"`
	State    State     `json:"state"`
	Why      string    `json:"why,omitempty"`          // it is in this state
	Of       string    `json:"duplicate_of,omitempty"` // the task that stands for it
	By       string    `json:"by,omitempty"`           // who brought it into this state
	Source   *Source   `json:"issue,omitempty"`
	Created  time.Time `json:"created_at"`
	Updated  time.Time `json:"updated_at"`
}

// Until is a done-condition: what of history would show that the task is done.
// Beside any of them a commit that carries the task's id in a trailer counts.
type Until struct {
	Unit  string `json:"unit,omitempty"`   // PLAN/PHASE, which ships
	Issue int    `json:"closes,omitempty"` // a number that a commit of the trunk closes
	Text  string `json:"text,omitempty"`   // in words; then the trailer alone shows it
}

// Empty reports whether nothing is stated.
func (u *Until) Empty() bool { return u == nil || *u == Until{} }

func (u *Until) String() string {
	switch {
	case u.Empty():
		return "nothing says when it is done"
	case u.Unit != "":
		return "unit " + u.Unit + " ships"
	case u.Issue > 0:
		return fmt.Sprintf("a commit closes #%d", u.Issue)
	}
	return u.Text
}

// A Source is the issue of a forge that a task was made of.
type Source struct {
	URL      string `json:"url"`
	Number   int    `json:"number,omitempty"`
	Closed   bool   `json:"closed,omitempty"` // the forge says so, which closes nothing here
	Assigned bool   `json:"assigned,omitempty"`
	Rev      string `json:"rev,omitempty"` // when the forge last changed it, as the forge says
}

// Claim is the unit that an admission names to have the task.
func (t Task) Claim() string {
	if t.Until != nil && t.Until.Unit != "" {
		return t.Until.Unit
	}
	return "task/" + t.ID
}

// ValidID reports whether s is the id of a task.
func ValidID(s string) bool { return len(s) == 12 && hexDigits(s) }

func hexDigits(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// A RequestError is a request that does not fit the queue, such as an id that
// it does not have. Nothing was decided.
type RequestError struct{ What string }

func (e *RequestError) Error() string { return e.What }

func badRequest(format string, args ...any) error {
	return &RequestError{fmt.Sprintf(format, args...)}
}
