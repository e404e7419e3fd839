package setup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// A Severity says how much a check matters.
type Severity string

// The severities. An Error keeps some verb from working or from being
// believed; a Warn is likely to, one day.
const (
	OK    Severity = "ok"
	Info  Severity = "info"
	Warn  Severity = "warn"
	Error Severity = "error"
)

// A Check is one thing that was looked at. An ID may occur several times, once
// per finding, and never changes its meaning; its Number is that of the catalogue.
type Check struct {
	Number   string   `json:"number"`
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Target   string   `json:"target,omitempty"` // the ref, file or setting it is about
	Line     int      `json:"line,omitempty"`   // in the file, from 1
	Detail   string   `json:"detail"`
	Remedy   string   `json:"remedy,omitempty"` // what to run or do
	Fixed    bool     `json:"fixed,omitempty"`  // it was put right just now
}

// An Examination answers doctor.
type Examination struct {
	Checks   []Check `json:"checks"`
	Errors   int     `json:"errors"`
	Warnings int     `json:"warnings"`
	Facts

	strict bool // an error is an answer of its own
}

// Strict returns the examination as a question: is there no error?
func (e Examination) Strict() Examination {
	e.strict = true
	return e
}

// ExitCode implements verdict.Verdict.
func (e Examination) ExitCode() int {
	switch {
	case len(e.Checks) == 0:
		return verdict.NoVerdict
	case e.strict && e.Errors > 0:
		return verdict.No
	}
	return verdict.Yes
}

func (e Examination) String() string {
	var b strings.Builder
	width := 0
	for _, c := range e.Checks {
		width = max(width, len(c.ID))
	}
	for _, c := range e.Checks {
		where := c.Target
		if c.Line > 0 {
			where += fmt.Sprintf(":%d", c.Line)
		}
		if where != "" {
			where += ": "
		}
		fmt.Fprintf(&b, "%-5s  %-4s %-*s  %s%s\n", c.Severity, c.Number, width, c.ID, where, oneLine(c.Detail))
		if c.Remedy != "" {
			fmt.Fprintf(&b, "%-5s  %-4s %-*s  -> %s\n", "", "", width, "", oneLine(c.Remedy))
		}
	}
	fmt.Fprintf(&b, "%s, %s", verdict.Count(e.Errors, "error"), verdict.Count(e.Warnings, "warning"))
	return b.String()
}

// oneLine keeps text from elsewhere from looking like a check of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// examiner collects checks.
type examiner struct {
	repo *refstore.Repo // nil until a repository was found
	now  func() time.Time
	Examination
}

// maxChecks bounds what a hostile repository can make us hold and print.
const maxChecks = 2000

func (x *examiner) add(c Check) {
	if len(x.Checks) >= maxChecks {
		return
	}
	c.Number = numbers()[c.ID]
	x.Checks = append(x.Checks, c)
	switch c.Severity {
	case Error:
		x.Errors++
	case Warn:
		x.Warnings++
	}
}

// unknown reports a check that could not be made. What is not known is an
// error: it is never passed over as in order.
func (x *examiner) unknown(id string, err error) {
	x.add(Check{ID: id, Severity: Error, Detail: "cannot be looked at: " + err.Error()})
}

// Examine looks at what git-dos needs of the machine and of the repository
// that contains dir. It reaches no remote, writes nothing unless it is let to by a
// repair, and fails only when ctx ends: whatever else goes wrong is a finding.
func Examine(ctx context.Context, dir string, now func() time.Time, repair *Repair) (Examination, error) {
	x := &examiner{now: now, Examination: Examination{Checks: []Check{}, Facts: Facts{AdmissionPredicates: predicates()}}}
	if x.git(ctx) && x.repository(ctx, dir) {
		if repair != nil {
			x.fix(ctx, *repair)
			if repo, err := refstore.Open(ctx, dir); err == nil { // which remembers settings
				x.repo = repo
			}
		}
		for _, check := range []func(context.Context){
			x.shape, x.identity, x.settings, x.policy, x.refs, x.packed, x.locks, x.scratches, x.node, x.held, x.hooks, x.disk,
		} {
			check(ctx)
		}
	}
	return x.Examination, context.Cause(ctx)
}
