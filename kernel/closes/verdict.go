package closes

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of the whole answer.
type Outcome string

// The outcomes.
const (
	Listed    Outcome = "LISTED"     // nothing in particular was asked
	AllClosed Outcome = "ALL_CLOSED" // every issue asked about is closed
	NotClosed Outcome = "NOT_CLOSED" // at least one is not
	Unknown   Outcome = "INDETERMINATE"
)

const (
	exitNotClosed = 3 // the status of NotClosed
	exitUnknown   = 4 // the status of Unknown
)

// Verdict answers "which issues does this history close?".
type Verdict struct {
	Outcome      Outcome      `json:"outcome"`
	Ref          string       `json:"ref"`
	RefID        string       `json:"ref_id,omitempty"`
	History      ship.History `json:"history"`
	Closed       int          `json:"closed"`
	ClosedByData int          `json:"closed_by_data"`
	Other        int          `json:"not_closed"`
	Unknown      int          `json:"indeterminate"`
	Issues       []Issue      `json:"issues"`
	Reason       string       `json:"reason"`
}

var _ verdict.Verdict = Verdict{}

// Decide judges every issue that was asked about, or all that commits say they
// close. In order:
//
//  1. one asked about is not closed: NOT_CLOSED;
//  2. one cannot be told, or the list may lack some: INDETERMINATE;
//  3. all asked about are closed: ALL_CLOSED, and LISTED without a question.
func Decide(ev Evidence) Verdict {
	if ev.Ref == "" {
		return Verdict{}
	}
	asked := len(ev.Asked) > 0
	v := Verdict{Ref: ev.Ref, RefID: ev.RefID, History: ev.History}
	if v.History != ship.Complete && v.History != ship.Shallow {
		v.History = ship.Missing
	}
	v.Issues = ev.judge()
	for _, i := range v.Issues {
		switch {
		case i.State == Closed:
			v.Closed++
		case i.State == ClosedByData:
			v.ClosedByData++
		case i.State == Indeterminate:
			v.Unknown++
		default:
			v.Other++
		}
	}
	switch {
	case asked && v.Other > 0:
		v.Outcome, v.Reason = NotClosed, fmt.Sprintf("%d of %d are not closed", v.Other, len(v.Issues))
	case v.History == ship.Missing:
		v.Outcome, v.Reason = Unknown, "history is not all readable here: "+ev.Gap
	case v.Unknown > 0:
		v.Outcome, v.Reason = Unknown, fmt.Sprintf("%d of %d cannot be told here", v.Unknown, len(v.Issues))
	case asked:
		v.Outcome, v.Reason = AllClosed, "every one is closed by a commit that stands"
	case v.History == ship.Shallow:
		v.Outcome, v.Reason = Unknown, "history is cut short, so the list may lack some: run git fetch --unshallow"
	default:
		v.Outcome, v.Reason = Listed, fmt.Sprintf("%d are closed and %d are only said to be", v.Closed+v.ClosedByData, v.Other)
	}
	return v
}

// ExitCode implements [verdict.Verdict]. The zero Verdict is no verdict.
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Listed, AllClosed:
		return verdict.Yes
	case NotClosed:
		return exitNotClosed
	case Unknown:
		return exitUnknown
	}
	return verdict.NoVerdict
}

// String is a line for the whole and one for each issue.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s\n", v.Outcome, v.Ref, v.Reason)
	for _, i := range v.Issues {
		fmt.Fprintf(&b, "  #%d %s: %s\n", i.Number, i.State, i.Reason)
	}
	return b.String()
}
