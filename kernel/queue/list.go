package queue

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// View is a part of the queue to look at, in the one order.
type View string

// The views. None has what is done or closed.
const (
	Whole  View = ""
	Urgent View = "p0-p1"
	Ready  View = "ready" // what may be dispatched now
	All    View = "all"   // which has
)

// Views are all that can be asked for by name.
var Views = []View{Urgent, Ready, All}

// has reports whether an item belongs to the view.
func (v View) has(i Item) bool {
	over := i.Status == Done || i.State.Closed()
	switch v {
	case All:
		return true
	case Urgent:
		return !over && (i.Priority == "P0" || i.Priority == "P1")
	case Ready:
		return i.Ready
	}
	return !over
}

// unroutedMost is the share of tasks without a lane above which that is a
// finding about the lanes and no longer one about tasks.
const unroutedMost = 0.25

// A List answers what is in the queue.
type List struct {
	Outcome Outcome        `json:"outcome"`
	Reason  string         `json:"reason"`
	View    string         `json:"view"`
	Total   int            `json:"total"` // in the view
	Counts  map[Status]int `json:"counts"`
	Ready   int            `json:"ready"`

	// Unrouted are the tasks, of those that are not over, which no lane could be
	// guessed for.
	Unrouted int     `json:"unrouted"`
	Share    float64 `json:"unrouted_share"`
	Finding  bool    `json:"unrouted_finding"` // there are too many

	// Drained says that nothing is left to do, which is only said when all was
	// read and the last import, if any, was complete.
	Drained bool `json:"drained"`

	Imported *Imported `json:"imported,omitempty"`
	NotRead  []string  `json:"not_read,omitempty"`
	Items    []Item    `json:"tasks"`

	explain bool
	now     time.Time
}

var _ verdict.Verdict = List{}

// ListOf is the answer to a view of ranked items: the first top of them, 0 for
// all. unread is what could not be read that bears on them.
func ListOf(ev Evidence, view View, top int, explain bool, unread []string) List {
	l := List{Outcome: Listed, View: string(view), Counts: map[Status]int{}, Items: []Item{}, Imported: ev.Queue.Imported(), NotRead: unread, explain: explain, now: ev.Now}
	open := 0
	for _, i := range Rank(ev) {
		l.Counts[i.Status]++
		if i.Status != Done && !i.State.Closed() {
			open++
			if i.In == "" {
				l.Unrouted++
			}
		}
		if i.Ready {
			l.Ready++
		}
		if !view.has(i) {
			continue
		}
		if l.Total++; top > 0 && l.Total > top {
			continue
		}
		if !explain {
			i.Terms = nil
		}
		l.Items = append(l.Items, i)
	}
	if open > 0 {
		l.Share = float64(l.Unrouted) / float64(open)
		l.Finding = l.Share > unroutedMost
	}
	l.Drained = open == 0 && len(unread) == 0 && (l.Imported == nil || l.Imported.Complete)
	l.Reason = fmt.Sprintf("%s in the queue, %d ready", verdict.Count(open, "task"), l.Ready)
	return l
}

// ExitCode implements verdict.Verdict.
func (l List) ExitCode() int { return l.Outcome.exit() }

// String implements verdict.Verdict.
func (l List) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", l.Outcome, l.Reason)
	for _, i := range l.Items {
		b.WriteString(i.line())
		if l.explain {
			b.WriteString(i.explained())
		}
	}
	if more := l.Total - len(l.Items); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	if l.Finding {
		fmt.Fprintf(&b, "finding: %.0f %% of the tasks are unrouted; aliases and trees of dos.toml say what belongs where\n", 100*l.Share)
	}
	if m := l.Imported; m != nil && !m.Complete {
		fmt.Fprintf(&b, "the import of %s is incomplete: %s\n", m.At.Format(time.RFC3339), verdict.Show(m.Why))
	}
	for _, u := range l.NotRead {
		fmt.Fprintf(&b, "not read: %s\n", verdict.Show(u))
	}
	return b.String()
}

// line is an item on one line.
func (i Item) line() string {
	where := i.In
	if where == "" {
		where = "UNROUTED"
	}
	text := fmt.Sprintf("%s %5d  %-2s %-8s %-12s %s", i.ID, i.Score, i.Priority, i.Status, where, verdict.Show(i.Title))
	if len(i.Waits) > 0 && i.Status != Claimed {
		text += "  (waits: " + i.Waits[0].String() + ")"
	}
	return strings.TrimRight(text, " ") + "\n"
}

// explained are the terms of an item's score, and all that it waits for.
func (i Item) explained() string {
	var b strings.Builder
	for _, t := range i.Terms {
		fmt.Fprintf(&b, "    %+5d  %-9s %s\n", t.Points, t.Name, t.Why)
	}
	for _, w := range i.Waits {
		fmt.Fprintf(&b, "    waits  %s\n", w)
	}
	return b.String()
}

func (w Wait) String() string {
	text := string(w.For)
	if w.Other != "" {
		text += " " + w.Other
	}
	return text + ": " + verdict.Show(w.What)
}

// A Page answers what one task is.
type Page struct {
	Outcome Outcome `json:"outcome"`
	Item
	Twins []Twin `json:"twins"`
}

var _ verdict.Verdict = Page{}

// PageOf is the answer about one task, with its score explained.
func PageOf(ev Evidence, id string) (Page, error) {
	t, ok := ev.Queue.Task(id)
	if !ok {
		return Page{}, badRequest("there is no task %s", verdict.Show(id))
	}
	for _, i := range Rank(ev) {
		if i.ID == id {
			return Page{Shown, i, ev.Queue.Twins(t)}, nil
		}
	}
	return Page{}, badRequest("there is no task %s", verdict.Show(id))
}

// ExitCode implements verdict.Verdict.
func (p Page) ExitCode() int { return p.Outcome.exit() }

// String implements verdict.Verdict.
func (p Page) String() string {
	var b strings.Builder
	b.WriteString(p.line())
	for _, row := range p.rows() {
		if row[1] != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", row[0], verdict.Show(row[1]))
		}
	}
	b.WriteString(p.explained())
	for _, t := range p.Twins {
		fmt.Fprintf(&b, "  likely twin: %s %s\n", t.ID, verdict.Show(t.Title))
	}
	if p.Body != "" {
		b.WriteString("\n")
		for line := range strings.SplitSeq(strings.TrimRight(p.Body, "\n"), "\n") {
			b.WriteString("  | " + strings.TrimRight(line, "\r") + "\n")
		}
	}
	return b.String()
}

func (p Page) rows() [][2]string {
	rows := [][2]string{
		{"kind", string(p.Kind)}, {"done when", p.Until.String()}, {"why", p.Why}, {"by", p.By}, {"duplicate", p.Of},
		{"proof", p.Proof}, {"claimed by", ""}, {"tree", strings.Join(p.Tree, " ")}, {"after", strings.Join(p.Deps, " ")},
		{"labels", strings.Join(p.Labels, ", ")}, {"claim as", p.Unit}, {"withheld", words(p.Withheld)},
	}
	if p.Held != nil {
		rows[6][1] = p.Held.Owner + " on lane " + p.Held.Lane
	}
	if g := p.Guess; g != nil {
		rows = append(rows, [2]string{"guess", fmt.Sprintf("%s by %s: %s", g.Lane, g.Rung, g.Found)})
		rows = append(rows, [2]string{"conflict", strings.Join(g.Conflict, ", ")})
	}
	if s := p.Source; s != nil {
		rows = append(rows, [2]string{"issue", s.URL})
	}
	return rows
}
