// Package closes judges which issues the history of a trunk closes.
//
// A commit closes an issue when its message says so with a closing verb, the
// trunk reaches it, its audit finds that the diff carries what its subject
// claims, and nothing on the trunk has reverted it since. That a forge shows an
// issue as closed is no evidence, and neither is a number without a verb.
//
// An issue that is not closed by what can be read, in a history that cannot all
// be read, is INDETERMINATE.
package closes

import (
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// State is the closed vocabulary for one issue, the strongest first.
type State string

// The states.
const (
	Closed        State = "CLOSED"         // by a commit whose diff carries its claim
	ClosedByData  State = "CLOSED_BY_DATA" // by one whose diff is data or configuration alone
	Indeterminate State = "INDETERMINATE"  // something that could decide is out of sight
	Reverted      State = "REVERTED"       // by one that was taken back
	Unwitnessed   State = "UNWITNESSED"    // by one whose claim its diff does not carry
	Mentioned     State = "MENTIONED"      // named, with no verb that closes it
	NotNamed      State = "NOT_NAMED"      // no commit names it
)

// closes reports whether a state is one of a closed issue.
func (s State) closes() bool { return s == Closed || s == ClosedByData }

// ranking orders the states: the best commit speaks for an issue.
var ranking = []State{Closed, ClosedByData, Indeterminate, Reverted, Unwitnessed, Mentioned, NotNamed}

// Evidence is everything Decide may know.
type Evidence struct {
	Ref     string // the ref that was walked, in full
	RefID   string // the commit it named, "" when its branch has none yet
	History ship.History
	Gap     string // what is missing, for people

	// Asked are the issues asked about; empty means all that a commit says it
	// closes.
	Asked   []int
	Closers []Closer // commits that say they close an issue, newest first
	Mention map[int]string
	Reverts []ship.Revert // what takes back one of these or one another
}

// A Closer is a commit the ref reaches that says it closes issues.
type Closer struct {
	ID     string
	Issues []int

	// Audit is what the audit of the commit found; nil where its diff cannot be
	// read here.
	Audit *audit.Finding

	// Whole says that every edge of a shallow history is an ancestor, so that
	// no revert of this commit can lie beyond one.
	Whole ship.Fact
}

// An Issue is what is known of one issue. Commit is the one that speaks for it.
type Issue struct {
	Number     int           `json:"issue"`
	State      State         `json:"state"`
	Commit     string        `json:"sha,omitempty"`
	Witness    audit.Witness `json:"witness,omitempty"`
	RevertedBy string        `json:"reverted_by,omitempty"`
	Reason     string        `json:"reason"`
}

// judge finds what the history says of each issue.
func (ev Evidence) judge() []Issue {
	best := map[int]Issue{}
	for _, c := range ev.Closers {
		found := ev.grade(c)
		for _, n := range c.Issues {
			if old, ok := best[n]; !ok || found.before(old) {
				found.Number = n
				best[n] = found
			}
		}
	}
	if len(ev.Asked) == 0 {
		for n := range best {
			ev.Asked = append(ev.Asked, n)
		}
	}
	slices.Sort(ev.Asked)
	list := []Issue{}
	for _, n := range slices.Compact(ev.Asked) {
		issue, ok := best[n]
		if !ok {
			issue = ev.unclosed(n)
		}
		list = append(list, ev.inSight(issue))
	}
	return list
}

func (i Issue) before(j Issue) bool {
	return slices.Index(ranking, i.State) < slices.Index(ranking, j.State)
}

// grade judges a closing commit, in this order: reverted for certain, not
// carried by its diff, something out of sight, and else closed.
func (ev Evidence) grade(c Closer) Issue {
	undone, by := ship.Undone(ev.Reverts, c.ID)
	i := Issue{Commit: c.ID}
	if c.Audit != nil {
		i.Witness = c.Audit.Witness
	}
	switch {
	case undone == ship.Yes:
		i.State, i.RevertedBy = Reverted, by
		i.Reason = fmt.Sprintf("%s says so and was reverted by %s", verdict.Short(c.ID), verdict.Short(by))
	case c.Audit == nil:
		i.State, i.Reason = Indeterminate, fmt.Sprintf("what %s changed cannot be read here", verdict.Short(c.ID))
	case c.Audit.Outcome != audit.OK:
		i.State = Unwitnessed
		i.Reason = fmt.Sprintf("%s says so, and commit-audit finds %s: %s", verdict.Short(c.ID), c.Audit.Outcome, c.Audit.Reason)
	case undone != ship.No:
		i.State, i.RevertedBy = Indeterminate, by
		i.Reason = fmt.Sprintf("whether %s still reverts %s cannot be read here", verdict.Short(by), verdict.Short(c.ID))
	case ev.History == ship.Shallow && c.Whole != ship.Yes:
		i.State, i.Reason = Indeterminate, fmt.Sprintf("a revert of %s may lie beyond the shallow edge: run git fetch --unshallow", verdict.Short(c.ID))
	case c.Audit.Witness == audit.ByDiff:
		i.State, i.Reason = Closed, fmt.Sprintf("%s says so, its diff carries its claim, and it stands", verdict.Short(c.ID))
	case c.Audit.Witness == audit.ByData:
		i.State, i.Reason = ClosedByData, fmt.Sprintf("%s says so, its diff is data alone, and it stands", verdict.Short(c.ID))
	default:
		i.State, i.Reason = Unwitnessed, fmt.Sprintf("%s says so on the witness %s", verdict.Short(c.ID), c.Audit.Witness)
	}
	return i
}

// unclosed is an issue that no commit says it closes.
func (ev Evidence) unclosed(n int) Issue {
	if id, ok := ev.Mention[n]; ok {
		return Issue{Number: n, State: Mentioned, Commit: id, Reason: fmt.Sprintf("%s names it without closing it", verdict.Short(id))}
	}
	return Issue{Number: n, State: NotNamed, Reason: "no commit names it"}
}

// inSight turns what is not closed into what cannot be told, where history is
// not all here, and what is closed too, where objects are missing.
func (ev Evidence) inSight(i Issue) Issue {
	switch {
	case i.State == Indeterminate, ev.History == ship.Complete:
	case ev.History != ship.Shallow:
		i.State, i.Reason = Indeterminate, "history is not all readable here"
	case !i.State.closes():
		i.State, i.Reason = Indeterminate, i.Reason+", and history is cut short: run git fetch --unshallow"
	}
	return i
}
