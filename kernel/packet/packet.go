// Package packet puts together what is to be done next.
//
// [Decide] is told of every unit of work what keeps it from being offered, and
// says which of them go into a packet, in which order. A packet is written as
// three files: Markdown for people, the prompts that workers are started with,
// and the sidecar that package pick's gate judges.
//
// Titles, plan documents and tasks are written by anybody. In what is made of
// them here nothing prints that is not seen, and no text ends the place it is
// quoted in.
package packet

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Ship is how a unit shipped.
type Ship struct {
	Via       string // the rung it was found by
	Sha       string
	Unstamped bool // a plan document lists it and does not say so
}

// A Place is a line of a plan document.
type Place struct {
	File string
	Line int
}

// A Candidate is a unit that a packet may offer.
type Candidate struct {
	Plan  string // with the phase the unit as pick knows it
	Phase string
	Title string
	Task  string // the id of its task in the queue, "" where it has none
	Tier  int    // of its priority: less goes first
	Lane  string // where it is to be done, "" unrouted

	Ship   *Ship                // nil for one that has not shipped
	Screen pick.PickableVerdict // what keeps it; nothing where it has shipped
	Tried  pick.PriorityVerdict // when it was tried last

	Places []Place
	Files  []string // that its text names
	Tree   []string // that its task states
	About  string   // what is written about it
	Until  Until
}

// An Until is what shows that a unit is done, beside the unit itself.
type Until struct {
	Unit  bool   // a commit ships it
	Issue int    // a commit closes the issue
	Text  string // in words
}

// Unit is the unit's name.
func (c Candidate) Unit() string { return c.Plan + "/" + c.Phase }

// Evidence is everything Decide may know.
type Evidence struct {
	Ref, RefID string // of what shipped and of the plan documents
	Branch     string // its name for people
	Scope      []string
	Limit      int // of units that are offered, at least 1
	Candidates []Candidate
	Unread     int // lines of plan documents that look like phases and are none
}

// A Packet is what is offered, and what became of all else.
type Packet struct {
	Tag        string
	At         time.Time
	Ref, RefID string
	Branch     string
	Scope      []string
	Picks      []Candidate // offered, in order
	Later      int         // could be offered too, and are more than were asked for
	Held       []Candidate
	Unknown    []Candidate // what keeps them could not be told, so they are not offered
	Shipped    []Candidate
	Unrouted   int // candidates that have not shipped and have no lane
	Outside    int // candidates that have not shipped and have a lane outside the scope
	Unread     int
}

// An UnknownError means that nothing is offered, and that something may have to
// be: what keeps a unit could not be told.
type UnknownError struct {
	Unit, Why string
	N         int // of such units
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("nothing is known to be free, and of %s that cannot be told; %s: %s", verdict.Count(e.N, "unit"), verdict.Show(e.Unit), e.Why)
}

// Decide puts a packet together. A unit is offered when its screen says
// OFFERABLE and it lies in the scope, which without lanes is everything. Offered
// units are in order: by tier, then what was never tried, then what was tried
// least recently, then as the candidates stand. Where none is offered, and what
// keeps one cannot be told, there is no packet.
func Decide(ev Evidence) (Packet, error) {
	p := Packet{Ref: ev.Ref, RefID: ev.RefID, Branch: ev.Branch, Scope: ev.Scope, Unread: ev.Unread}
	var free []Candidate
	for _, c := range ev.Candidates {
		if c.Ship == nil && c.Lane == "" {
			p.Unrouted++
		}
		switch {
		case len(ev.Scope) > 0 && !slices.Contains(ev.Scope, c.Lane):
			if c.Ship == nil && c.Lane != "" {
				p.Outside++
			}
		case c.Ship != nil:
			p.Shipped = append(p.Shipped, c)
		case c.Screen.Err() != nil:
			p.Unknown = append(p.Unknown, c)
		case c.Screen.Outcome == pick.Offerable:
			free = append(free, c)
		default:
			p.Held = append(p.Held, c)
		}
	}
	if len(free) == 0 && len(p.Unknown) > 0 {
		return Packet{}, &UnknownError{p.Unknown[0].Unit(), p.Unknown[0].Screen.Detail, len(p.Unknown)}
	}
	slices.SortStableFunc(free, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), slices.Compare(a.Tried.SortKey[:], b.Tried.SortKey[:]))
	})
	most := min(len(free), max(ev.Limit, 1))
	p.Picks, p.Later = free[:most:most], len(free)-most
	return p, nil
}
