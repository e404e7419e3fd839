// Package replan decides what a look back at the plans comes to: what was
// closed by history, what was claimed and is not so, and which rows of plan
// documents say something else than history.
//
// Nothing is closed or opened by a word here: a unit is done when its commit is
// on the trunk. What is counted is what nobody had counted before.
package replan

import (
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Truth is what history says of a unit.
type Truth string

// The truths; any other is taken for Unknown.
const (
	Shipped    Truth = "SHIPPED"
	NotShipped Truth = "NOT_SHIPPED"
	Unknown    Truth = "INDETERMINATE"
)

// QuietIncomplete is a unit that somebody says is done and that history does not
// bear out.
const QuietIncomplete = "QUIET_INCOMPLETE"

// A Row is a line of a plan document that lists a unit.
type Row struct {
	File    string
	Line    int
	Shipped bool // it says so
}

// A Unit is one that a plan document or a task names.
type Unit struct {
	Name  string // PLAN/PHASE
	Plan  string
	Phase string
	Title string
	Task  string // "" where it has none
	Lane  string // "" unrouted
	Rows  []Row

	Truth  Truth
	Sha    string // that it shipped by
	Reason string
	Fresh  bool // it was not known as shipped when this node last looked

	// Claims say who says that it is done, and Recorded what of that was on record
	// already, "" for nothing.
	Claims   []string
	Recorded string
}

// Claimed is who says that the unit is done, in one line.
func (u Unit) Claimed() string { return strings.Join(u.Claims, "; ") }

// drifts reports whether a row of it says something else than history.
func (u Unit) drifts() bool {
	return (u.Truth == Shipped || u.Truth == NotShipped) &&
		slices.ContainsFunc(u.Rows, func(r Row) bool { return r.Shipped != (u.Truth == Shipped) })
}

// Evidence is everything Decide may know.
type Evidence struct {
	Units []Unit
	Scope []string // lanes; none is everything

	// Forgot says that some of what was recorded may be gone, so that a claim
	// without a record may have had one.
	Forgot bool
}

// A Finding is what the evidence comes to.
type Finding struct {
	Closed   []Unit // shipped, and counted by nobody before
	Reopened []Unit // claimed and not shipped, by claims that are not on record
	Quiet    []Unit // all that are claimed and have not shipped
	Drift    []Unit // with a row that says something else
	Unknown  []Unit // of which history says neither
	Outside  int    // that any of this would hold of, and are not in the scope
}

// Decide sorts the units; one may be in several lists.
func Decide(ev Evidence) Finding {
	var f Finding
	for _, u := range ev.Units {
		unknown := u.Truth != Shipped && u.Truth != NotShipped
		closed := u.Truth == Shipped && u.Fresh
		quiet := u.Truth == NotShipped && len(u.Claims) > 0
		if !unknown && !closed && !quiet && !u.drifts() {
			continue
		}
		if len(ev.Scope) > 0 && !slices.Contains(ev.Scope, u.Lane) {
			f.Outside++
			continue
		}
		if unknown {
			f.Unknown = append(f.Unknown, u)
		}
		if closed {
			f.Closed = append(f.Closed, u)
		}
		if quiet {
			f.Quiet = append(f.Quiet, u)
			if u.Claimed() != u.Recorded && (u.Recorded != "" || !ev.Forgot) {
				f.Reopened = append(f.Reopened, u)
			}
		}
		if u.drifts() {
			f.Drift = append(f.Drift, u)
		}
	}
	return f
}

// Counts are what a replan did, in numbers.
type Counts struct {
	Closed   int64 `json:"closed"`
	Reopened int64 `json:"reopened"`
	Stamped  int64 `json:"stamped"` // rows
}

// Verdict answers "did the look back change what there is to do?".
type Verdict struct {
	Outcome loop.Productivity `json:"verdict"`
	Reason  string            `json:"reason"`
	Counts  Counts            `json:"counts"`
}

var _ verdict.Verdict = Verdict{}

// Judge is what a finding comes to once so many rows were stamped. Where nothing
// was done, and of some unit it cannot be told what history says, there is no
// verdict.
func (f Finding) Judge(stamped int) Verdict {
	v := Verdict{Counts: Counts{int64(len(f.Closed)), int64(len(f.Reopened)), int64(stamped)}}
	v.Reason = verdict.Count(len(f.Closed), "unit") + " closed, " + verdict.Count(len(f.Reopened), "unit") + " re-opened, " + verdict.Count(stamped, "row") + " stamped"
	outcome, err := loop.ReplanReport{Counts: v.Counts.byKind()}.Productivity()
	switch {
	case err != nil:
		v.Reason = err.Error()
		return v
	case outcome == loop.Unproductive && len(f.Unknown) > 0:
		u := f.Unknown[0]
		v.Reason = "nothing is known to be new, and of " + verdict.Count(len(f.Unknown), "unit") + " it cannot be told; " + verdict.Show(u.Name) + ": " + u.Reason
		return v
	}
	v.Outcome = outcome
	return v
}

// Skip is what a look comes to that is not made, because nothing that it would
// go by has moved since one that found nothing.
func Skip(since time.Time) Verdict {
	v := Verdict{Reason: "skipped: nothing has moved since the look of " + since.UTC().Format(time.RFC3339) + ", which found nothing; --force looks again"}
	outcome, err := loop.ReplanReport{Skipped: true}.Productivity()
	if err != nil {
		v.Reason = err.Error()
	}
	v.Outcome = outcome
	return v
}

func (c Counts) byKind() map[string]int64 {
	return map[string]int64{"closed": c.Closed, "reopened": c.Reopened, "stamped": c.Stamped}
}

const exitUnproductive = verdict.FirstOwned

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case loop.Productive:
		return verdict.Yes
	case loop.Unproductive:
		return exitUnproductive
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v Verdict) String() string { return string(v.Outcome) + ": " + v.Reason }
