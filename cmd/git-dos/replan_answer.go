package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/replan"
	look "github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// replanListed bounds the lists of an answer.
const replanListed = 100

// A replanAnswer is what a look comes to, and what was found.
type replanAnswer struct {
	look.Verdict
	Ref      string       `json:"ref"`
	RefID    string       `json:"ref_id,omitempty"`
	Scope    []string     `json:"scope"`
	DryRun   bool         `json:"dry_run"`
	Skipped  bool         `json:"skipped"`
	LookedAt *time.Time   `json:"looked_at,omitempty"` // when what was skipped was looked at
	Closed   []replanUnit `json:"closed"`
	Reopened []replanUnit `json:"reopened"`
	Later    int          `json:"later"`
	Quiet    int          `json:"quiet_total"`
	Stamps   []replanPage `json:"stamps"`
	Unknown  []replanUnit `json:"unknown"`
	Doubts   int          `json:"unknown_total"`
	Outside  int          `json:"outside"`
	Lines    int          `json:"unread_total"`
	Operator []replanItem `json:"operator"`
	More     int          `json:"operator_more"`
	Recorded []uint64     `json:"recorded,omitempty"`
	lifeSeen
}

// A replanUnit is a unit of a list.
type replanUnit struct {
	Unit   string   `json:"unit"`
	Title  string   `json:"title,omitempty"`
	Lane   string   `json:"lane,omitempty"`
	Task   string   `json:"task,omitempty"`
	Sha    string   `json:"sha,omitempty"`
	Claims []string `json:"claims,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// A replanPage is a plan document with rows that say something else than history.
type replanPage struct {
	File   string      `json:"file"`
	Lane   string      `json:"lane,omitempty"`
	Commit string      `json:"commit,omitempty"`
	Why    string      `json:"why,omitempty"`
	Rows   []replanRow `json:"rows"`
}

// A replanRow is one such row.
type replanRow struct {
	Line    int    `json:"line"`
	Unit    string `json:"unit"`
	Shipped bool   `json:"shipped"` // what it is to say
	Why     string `json:"why,omitempty"`
}

func replanAnswerOf(r replanned, v look.Verdict, pages []replan.Page) replanAnswer {
	a := replanAnswer{
		Verdict: v, Ref: r.look.Ref, RefID: r.look.RefID, Scope: r.look.Scope, Closed: replanUnits(r.found.Closed), Reopened: replanUnits(r.found.Reopened),
		Later: r.later, Quiet: len(r.found.Quiet), Stamps: []replanPage{}, Unknown: replanUnits(r.found.Unknown), Doubts: len(r.found.Unknown),
		Outside: r.found.Outside, Lines: r.look.Lines, lifeSeen: lifeSeenAs(r.book),
	}
	for _, p := range pages {
		own := replanPage{p.File, p.Lane, p.Commit, p.Why, []replanRow{}}
		for _, m := range p.Rows[:min(len(p.Rows), replanListed)] {
			own.Rows = append(own.Rows, replanRow{m.Line, m.Plan + "/" + m.Phase, m.Shipped, m.Why})
		}
		a.Stamps = append(a.Stamps, own)
	}
	a.Operator, a.More = r.operator(pages)
	if a.Operator == nil {
		a.Operator = []replanItem{}
	}
	return a
}

func replanUnits(list []look.Unit) []replanUnit {
	all := []replanUnit{}
	for _, u := range list[:min(len(list), replanListed)] {
		own := replanUnit{Unit: u.Name, Title: u.Title, Lane: u.Lane, Task: u.Task, Sha: u.Sha, Claims: u.Claims}
		if u.Truth != look.Shipped {
			own.Sha, own.Reason = "", u.Reason
		}
		all = append(all, own)
	}
	return all
}

func (a replanAnswer) String() string {
	var b strings.Builder
	b.WriteString(a.Verdict.String())
	if a.DryRun {
		b.WriteString("; a dry run: nothing was written")
	}
	row := func(format string, args ...any) { fmt.Fprintf(&b, "\n  "+format, args...) }
	for _, u := range a.Closed {
		row("closed: %s by %s", verdict.Show(u.Unit), verdict.Short(u.Sha))
	}
	for _, u := range a.Reopened {
		row("re-opened: %s %s: %s", verdict.Show(u.Unit), look.QuietIncomplete, verdict.Show(strings.Join(u.Claims, "; ")))
	}
	if known := a.Quiet - len(a.Reopened); known > 0 {
		row("%s claimed and not shipped, on record already or left for the next look", verdict.Count(known, "more unit"))
	}
	for _, p := range a.Stamps {
		a.page(row, p)
	}
	for _, u := range a.Unknown {
		row("cannot be told: %s: %s", verdict.Show(u.Unit), verdict.Show(u.Reason))
	}
	if a.Outside > 0 {
		row("%s outside the scope", verdict.Count(a.Outside, "more unit"))
	}
	if a.Lines > 0 {
		row("%s of plan documents may be a phase and cannot be read: git dos plan lists them", verdict.Count(a.Lines, "line"))
	}
	for _, i := range a.Operator {
		row("for an operator: %s %s: %s\n    next: %s", i.Kind, verdict.Show(i.Subject), verdict.Show(i.Reason), i.Command)
	}
	if a.More > 0 {
		row("and %d more: git dos decisions, and above", a.More)
	}
	return b.String() + a.line()
}

func (a replanAnswer) page(row func(string, ...any), p replanPage) {
	switch {
	case p.Why != "":
		row("not stamped: %s: %s", verdict.Show(p.File), verdict.Show(p.Why))
	case a.DryRun:
		row("to be stamped under lane %s: %s", p.Lane, verdict.Show(p.File))
	default:
		row("stamped under lane %s: %s by %s", p.Lane, verdict.Show(p.File), verdict.Short(p.Commit))
	}
	for _, r := range p.Rows {
		says := "SHIPPED"
		if !r.Shipped {
			says = "not SHIPPED"
		}
		if r.Why != "" {
			says += ", left as it is: " + r.Why
		}
		row("  line %d: %s %s", r.Line, verdict.Show(r.Unit), says)
	}
}
