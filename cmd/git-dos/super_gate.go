package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/nextup"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/super"
)

// A superGateAnswer answers super gate.
type superGateAnswer struct {
	super.GateVerdict
	lifeSeen
}

func (a superGateAnswer) String() string { return a.GateVerdict.String() + a.line() }

func superGate(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("attended") {
		return writes(superAttend)(c)
	}
	if c.IsSet("operator") {
		return usagef("--operator names who attends").hint("give --attended too")
	}
	l, err := superRead(c)
	if err != nil {
		return err
	}
	return answer(c, superGateAnswer{l.verdict(false), lifeSeenAs(l.book)})
}

// superAttend is the gate for somebody who attends, and journals what is overridden.
func superAttend(c *cli.Context) error {
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	l, err := superAt(c, d, false)
	if err != nil {
		return err
	}
	v, err := l.attended()
	if err != nil {
		return err
	}
	return answer(c, superGateAnswer{v, lifeSeenAs(l.book)})
}

// attended is the verdict for somebody who attends. Where it goes against what was
// found it is journaled first.
func (l *superLook) attended() (super.GateVerdict, error) {
	v := l.verdict(true)
	if !v.Overridden {
		return v, nil
	}
	who, err := superOperator(l.c, l.book.Desk)
	if err != nil {
		return v, err
	}
	_, err = l.book.Record(l.c.Context, journal.Row{
		Op: journal.OpOverride, Lane: super.Lane, Operator: who, Verb: "super gate", ReasonClass: string(v.Found), Reason: v.Reason,
	})
	return v, lifeError(err)
}

// verdict judges. What is ready is read only where the answer hangs on it.
func (l *superLook) verdict(attended bool) super.GateVerdict {
	ev := l.gate
	ev.Attended = attended
	if ev.Lease == super.Live && ev.Beat == super.Fresh && ev.Alive == 0 && ev.Shipped == 0 {
		w, err := l.backlog()
		if err != nil {
			ev.Unread = append(ev.Unread, fmt.Sprintf("what is to be done: %v", err))
		}
		ev.Ready = w.Ready
	}
	return super.Gate(ev)
}

// A superBacklog is what is to be done.
type superBacklog struct {
	Open     int    `json:"open"`     // that has not shipped
	Ready    int    `json:"ready"`    // of it, what could be dispatched now
	Complete bool   `json:"complete"` // all of it could be read
	Why      string `json:"why,omitempty"`
}

// backlog asks of every unit of the plans and of the queue whether it has shipped, and
// what keeps it.
func (l *superLook) backlog() (w superBacklog, err error) {
	list, err := tasks.Read(l.c.Context, l.book.Desk, l.c.Bool("cached"))
	if err != nil {
		return w, queueError(err)
	}
	if err := l.book.Read(l.c.Context, life.AskAttempts()); err != nil {
		return w, lifeError(err)
	}
	ev, unread, err := nextup.Gather(l.c.Context, l.book, list)
	if err != nil {
		return w, nextUpError(err)
	}
	imported := list.Fold.Imported()
	switch {
	case len(unread) > 0:
		w.Why = "not read: " + unread[0]
	case ev.Unread > 0:
		w.Why = fmt.Sprintf("%d lines of plan documents look like phases and are none", ev.Unread)
	case imported != nil && !imported.Complete:
		w.Why = "the last import of the queue is incomplete: " + imported.Why
	case list.Behind:
		w.Why = "this repository has a queue of its own, from before it belonged to the fleet"
	}
	w.Complete = w.Why == ""
	for _, u := range ev.Candidates {
		if u.Ship != nil {
			continue
		}
		w.Open++
		if u.Screen.Err() == nil && u.Screen.Outcome == pick.Offerable && u.Lane != "" {
			w.Ready++
		}
	}
	return w, nil
}
