package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of what the queue answers.
type Outcome string

// The outcomes.
const (
	Added      Outcome = "ADDED"
	AddedDraft Outcome = "ADDED_DRAFT" // without a done-condition
	Known      Outcome = "KNOWN"       // it stands already, and nothing is written
	Leaks      Outcome = "LEAK"        // the text gives something away
	Holding    Outcome = "HELD"
	Released   Outcome = "RELEASED"
	ClosedNow  Outcome = "CLOSED"
	Proposed   Outcome = "PROPOSED" // a human is asked, and the task is as it was
	Refused    Outcome = "REFUSED"
	Imports    Outcome = "IMPORTED"
	Unchanged  Outcome = "UNCHANGED"
	Incomplete Outcome = "INCOMPLETE" // what there was is taken over, and may not be all
	Listed     Outcome = "LISTED"
	Shown      Outcome = "SHOWN"
)

// exitRefused is the status of an answer after which the queue is not as it was
// asked to be.
const exitRefused = 3

func (o Outcome) exit() int {
	switch o {
	case Added, AddedDraft, Known, Holding, Released, ClosedNow, Imports, Unchanged, Listed, Shown:
		return verdict.Yes
	case Leaks, Proposed, Refused, Incomplete:
		return exitRefused
	}
	return verdict.NoVerdict
}

// A Verdict answers a change of one task.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	Task    *Task   `json:"task,omitempty"` // as it stands now
	Twins   []Twin  `json:"twins,omitempty"`
	Leaks   []Leak  `json:"leaks,omitempty"`
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements verdict.Verdict.
func (v Verdict) ExitCode() int { return v.Outcome.exit() }

// String implements verdict.Verdict.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", v.Outcome, v.Reason)
	for _, l := range v.Leaks {
		fmt.Fprintf(&b, "  %s in the %s, line %d\n", l.Rule, l.Where, l.Line)
	}
	for _, t := range v.Twins {
		fmt.Fprintf(&b, "  likely twin: %s %s\n", t.ID, verdict.Show(t.Title))
	}
	return b.String()
}

func refused(format string, args ...any) Verdict {
	return Verdict{Outcome: Refused, Reason: fmt.Sprintf(format, args...)}
}

// leaked is the refusal of a text with leaks.
func leaked(leaks []Leak) Verdict {
	return Verdict{Outcome: Leaks, Reason: "the queue is shared, and this text gives away what is this machine's", Leaks: leaks}
}

// ownerField is who did it. Most owners name a node, as every entry does, so
// that a host in one gives nothing away.
const ownerField = "owner"

// texts are the fields of a task that people write.
func (t Task) texts() [][2]string {
	all := [][2]string{{"title", t.Title}, {"body", t.Body}, {"reason", t.Why}, {ownerField, t.By}}
	if t.Until != nil {
		all = append(all, [2]string{"done-condition", t.Until.Text})
	}
	for _, l := range t.Labels {
		all = append(all, [2]string{"labels", l})
	}
	return all
}

func (m Machine) leaksOf(texts [][2]string) (all []Leak) {
	for _, text := range texts {
		leaks := m.Leaks(text[0], text[1])
		if text[0] == ownerField {
			leaks = slices.DeleteFunc(leaks, func(l Leak) bool { return l.Rule == HostName })
		}
		all = append(all, leaks...)
	}
	return all
}

// DecideAdd decides on a task that is to be added: its text leaks, the same is
// there already, or it is added, as a draft where nothing says when it is done.
// The task has an id that the queue does not; its state is decided here.
func DecideAdd(f *Fold, m Machine, t Task) (Verdict, []Entry, error) {
	if t.State = Open; t.Until.Empty() {
		t.State, t.Until = Draft, nil
	}
	if err := t.Check(); err != nil {
		return Verdict{}, nil, &RequestError{err.Error()}
	}
	if leaks := m.leaksOf(t.texts()); len(leaks) > 0 {
		return leaked(leaks), nil, nil
	}
	for _, id := range t.Deps {
		if _, ok := f.Task(id); !ok {
			return Verdict{}, nil, badRequest("dependency %s is not in the queue", id)
		}
	}
	twins := f.Twins(t)
	for _, w := range twins {
		if old, _ := f.Task(w.ID); sameAs(old, t) {
			return Verdict{Outcome: Known, Reason: "it stands already as " + old.ID, Task: &old}, nil, nil
		}
	}
	entries := []Entry{{Op: OpAdd, At: t.Created, By: t.By, Tasks: []Task{t}}}
	if err := f.fits(entries); err != nil {
		return Verdict{}, nil, err
	}
	v := Verdict{Outcome: Added, Reason: t.ID + " is added", Task: &t, Twins: twins}
	if t.State == Draft {
		v.Outcome, v.Reason = AddedDraft, t.ID+" is added as a draft: nothing says when it is done"
	}
	return v, entries, nil
}

// sameAs reports whether adding t again is what somebody does who does not know
// how the first try ended.
func sameAs(old, t Task) bool {
	same := func(u *Until) Until {
		if u == nil {
			return Until{}
		}
		return *u
	}
	return old.Title == t.Title && old.Body == t.Body && old.Kind == t.Kind && same(old.Until) == same(t.Until)
}

// A Change is what is asked of one task.
type Change struct {
	ID       string
	Op       string // OpHold, OpRelease or OpClose
	State    State  // that OpClose is to bring about
	Why, Of  string
	By       string
	Operator bool   // By is an operator, and says so
	Decision string // the id of the proposal that stands for closing it
	Stands   bool   // that proposal was made
	Until    *Until // that OpRelease states
	At       time.Time
}

// DecideChange decides on a change of one task. A task is closed, and opened
// again once it was, by an operator alone, and closed after a proposal only.
func DecideChange(f *Fold, m Machine, c Change) (Verdict, []Entry, error) {
	t, ok := f.Task(c.ID)
	if !ok {
		return Verdict{}, nil, badRequest("there is no task %s", verdict.Show(c.ID))
	}
	until := Until{}
	if c.Until != nil {
		until = *c.Until
	}
	if leaks := m.leaksOf([][2]string{{"reason", c.Why}, {"done-condition", until.Text}, {ownerField, c.By}}); len(leaks) > 0 {
		return leaked(leaks), nil, nil
	}
	v, no := c.judge(f, t)
	if no {
		v.Task = &t
		return v, nil, nil
	}
	e := Entry{Op: c.Op, At: c.At, By: c.By, ID: c.ID, Why: c.Why}
	switch c.Op {
	case OpClose:
		e.State, e.Of, e.Decision = c.State, c.Of, c.Decision
	case OpRelease:
		e.Until = c.Until
	}
	g := f.Clone()
	if err := g.Add(e); err != nil {
		return Verdict{}, nil, &RequestError{strings.TrimPrefix(err.Error(), ErrEntry.Error()+": ")}
	}
	now, _ := g.Task(c.ID)
	v.Task = &now
	return v, []Entry{e}, nil
}

// judge finds the answer; no is true where nothing is to be written.
func (c Change) judge(f *Fold, t Task) (v Verdict, no bool) {
	switch c.Op {
	case OpHold:
		return c.hold(t)
	case OpRelease:
		return c.release(t)
	}
	return c.close(f, t)
}

func (c Change) hold(t Task) (Verdict, bool) {
	switch {
	case t.State.Closed():
		return refused("%s is closed as %s", t.ID, t.State), true
	case t.State == Held && t.Why == c.Why:
		return Verdict{Outcome: Known, Reason: t.ID + " is held for that already"}, true
	}
	return Verdict{Outcome: Holding, Reason: fmt.Sprintf("%s is held: %s", t.ID, c.Why)}, false
}

func (c Change) release(t Task) (Verdict, bool) {
	changes := !c.Until.Empty() && (t.Until == nil || *c.Until != *t.Until)
	switch {
	case t.State.Closed() && !c.Operator:
		return refused("%s was closed as %s, and an operator alone opens it again", t.ID, t.State), true
	case t.Until.Empty() && c.Until.Empty():
		return refused("nothing says when %s is done: state it", t.ID), true
	case t.State == Open && !changes:
		return Verdict{Outcome: Known, Reason: t.ID + " is open already"}, true
	}
	return Verdict{Outcome: Released, Reason: t.ID + " is open"}, false
}

// standsFor reports whether a task is the one that another is a duplicate of, by
// way of others or not.
func (f *Fold) standsFor(id, other string) bool {
	for range f.tasks { // what others wrote may go in a circle
		if other == id {
			return true
		}
		other = f.tasks[other].Of
	}
	return false
}

func (c Change) close(f *Fold, t Task) (Verdict, bool) {
	_, there := f.Task(c.Of)
	switch {
	case c.State == Duplicate && (!there || c.Of == t.ID):
		return refused("%s is no other task of the queue", verdict.Show(c.Of)), true
	case c.State == Duplicate && f.standsFor(t.ID, c.Of):
		return refused("%s is closed as a duplicate of %s: open it first, or close it as one of another", c.Of, t.ID), true
	case t.State == c.State && t.Of == c.Of:
		return Verdict{Outcome: Known, Reason: fmt.Sprintf("%s is closed as %s already", t.ID, t.State)}, true
	case !c.Operator:
		return Verdict{Outcome: Proposed, Reason: fmt.Sprintf("an operator is asked to close %s as %s", t.ID, c.State)}, true
	case !c.Stands:
		return refused("nobody has proposed to close %s as %s: ask first, without --operator", t.ID, c.State), true
	}
	return Verdict{Outcome: ClosedNow, Reason: fmt.Sprintf("%s is closed as %s: %s", t.ID, c.State, c.Why)}, false
}
