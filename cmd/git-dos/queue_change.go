package main

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/reconcile"
)

// A queueAnswer answers a change of one task.
type queueAnswer struct {
	queue.Verdict
	Decision string `json:"decision,omitempty"` // the id of the proposal
	Next     string `json:"next,omitempty"`
}

func (a queueAnswer) String() string {
	text := a.Verdict.String()
	if a.Next != "" {
		text += "  next: " + a.Next + "\n"
	}
	return text
}

func queueHold(c *cli.Context) error {
	change, err := queueRequest(c, queue.OpHold)
	if err != nil {
		return err
	}
	if strings.TrimSpace(change.Why) == "" {
		return usagef("no --reason").hint("say what the task waits for, or why it is to be closed: --reason TEXT")
	}
	d, err := queueDesk(c, &change)
	if err != nil {
		return err
	}
	if change.Op == queue.OpClose {
		return queueClose(c, d, change)
	}
	v, err := queueEdit(c, d, change)
	if err != nil {
		return err
	}
	return answer(c, queueAnswer{Verdict: v})
}

func queueRelease(c *cli.Context) error {
	change, err := queueRequest(c, queue.OpRelease)
	if err != nil {
		return err
	}
	if change.Until, err = queueUntil(c); err != nil {
		return err
	}
	d, err := queueDesk(c, &change)
	if err != nil {
		return err
	}
	v, err := queueEdit(c, d, change)
	if err != nil {
		return err
	}
	a := queueAnswer{Verdict: v}
	if v.Outcome == queue.Refused && v.Task != nil && v.Task.Until.Empty() {
		a.Next = "git dos queue release " + change.ID + " --unit PLAN/PHASE, or --closes N, or --done TEXT"
	}
	return answer(c, a)
}

// queueRequest reads what hold and release have in common.
func queueRequest(c *cli.Context, op string) (queue.Change, error) {
	id, err := queueID(c)
	if err != nil {
		return queue.Change{}, err
	}
	if err := queueNotEmpty(c, "reason", "duplicate-of", "operator", "owner"); err != nil {
		return queue.Change{}, err
	}
	change := queue.Change{ID: id, Op: op, Why: c.String("reason"), At: queueNow(c)}
	change.By, change.Operator = c.String("operator"), c.String("operator") != ""
	of := strings.ToLower(c.String("duplicate-of"))
	switch {
	case of != "" && c.Bool("wontfix"):
		return change, usagef("--duplicate-of and --wontfix are two ways to close a task").hint("give one of them")
	case of != "" && !queue.ValidID(of):
		return change, usagef("--duplicate-of %q is no id of 12 hex digits", c.String("duplicate-of"))
	case of != "":
		change.Op, change.State, change.Of = queue.OpClose, queue.Duplicate, of
	case c.Bool("wontfix"):
		change.Op, change.State = queue.OpClose, queue.WontFix
	case op == queue.OpHold && change.Operator:
		return change, usagef("--operator goes with --duplicate-of or --wontfix").hint("anybody may hold a task")
	}
	return change, nil
}

// queueNotEmpty refuses flags that were given without a value.
func queueNotEmpty(c *cli.Context, names ...string) error {
	for _, name := range names {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return usagef("--%s is empty", name).hint("leave the flag out")
		}
	}
	return nil
}

// queueDesk opens the workspace to write, and fills in who does it.
func queueDesk(c *cli.Context, change *queue.Change) (*admit.Desk, error) {
	d, err := writingDesk(c)
	if err != nil || change.By != "" {
		return d, err
	}
	change.By, err = ownerName(c, d)
	return d, err
}

func queueEdit(c *cli.Context, d *admit.Desk, change queue.Change) (queue.Verdict, error) {
	machine := tasks.Machine(d.Repo)
	v, err := tasks.Edit(c.Context, d, func(f *queue.Fold) (queue.Verdict, []queue.Entry, error) {
		return queue.DecideChange(f, machine, change)
	})
	return v, queueError(err)
}

// queueUntil reads the done-condition, nil where there is none.
func queueUntil(c *cli.Context) (*queue.Until, error) {
	if err := queueNotEmpty(c, "unit", "done"); err != nil {
		return nil, err
	}
	if c.IsSet("closes") && c.Int("closes") < 1 {
		return nil, usagef("--closes %d is not the number of an issue", c.Int("closes"))
	}
	u := queue.Until{Unit: c.String("unit"), Issue: c.Int("closes"), Text: c.String("done")}
	stated := 0
	for _, name := range []string{"unit", "closes", "done"} {
		if c.IsSet(name) {
			stated++
		}
	}
	switch {
	case stated == 0:
		return nil, nil
	case stated > 1:
		return nil, usagef("--unit, --closes and --done are three ways to say when it is done").hint("give one of them")
	case u.Unit != "":
		if err := firstError(queue.CheckUnit(u.Unit), reconcile.CheckName(u.Unit)); err != nil {
			return nil, usagef("%w", err)
		}
	}
	return &u, nil
}

func queueNow(c *cli.Context) time.Time { return now(c).UTC().Truncate(time.Second) }
