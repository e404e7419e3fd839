package closes

import (
	"fmt"
	"slices"
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
		v.Outcome, v.Reason = NotClosed, fmt.Sprintf("%d of %d %s not closed", v.Other, len(v.Issues), are(v.Other))
	case v.History == ship.Missing:
		v.Outcome, v.Reason = Unknown, "history is not all readable here: "+ev.Gap
	case v.Unknown > 0:
		v.Outcome, v.Reason = Unknown, fmt.Sprintf("%d of %d cannot be told here", v.Unknown, len(v.Issues))
	case asked:
		v.Outcome, v.Reason = AllClosed, "every one is closed by a commit that stands"
	case v.History == ship.Shallow:
		v.Outcome, v.Reason = Unknown, "history is cut short, so the list may lack some: run git fetch --unshallow"
	default:
		v.Outcome, v.Reason = Listed, v.listed()
	}
	return v
}

// listed counts a list in the words of its keys.
func (v Verdict) listed() string {
	text := fmt.Sprintf("%d %s closed", v.Closed, are(v.Closed))
	if v.ClosedByData > 0 {
		text += fmt.Sprintf(", %d by data alone", v.ClosedByData)
	}
	return text + fmt.Sprintf(", and %d %s only said to be", v.Other, are(v.Other))
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Unseen is the answer where the trunk may have moved on since it was last seen,
// and could not be looked at: nothing is certain. What was found stays in the
// reasons.
func (v Verdict) Unseen(why string) Verdict {
	v.Outcome, v.Reason = Unknown, why
	v.Closed, v.ClosedByData, v.Other, v.Unknown = 0, 0, 0, len(v.Issues)
	v.Issues = slices.Clone(v.Issues)
	for n := range v.Issues {
		if i := &v.Issues[n]; i.State != Indeterminate {
			i.Reason = fmt.Sprintf("%s when the trunk was last seen: %s", i.State, i.Reason)
			i.State = Indeterminate
		}
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
