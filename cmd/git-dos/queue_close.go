package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Kinds of the questions by which an operator is asked to close a task.
var queueAsks = map[queue.State]string{queue.Duplicate: "QUEUE_DUPLICATE", queue.WontFix: "QUEUE_WONTFIX"}

// queueClose closes a task in an operator's name, where that was proposed, or
// proposes it.
func queueClose(c *cli.Context, d *admit.Desk, change queue.Change) error {
	l, err := decisionsLook(c, true)
	if err != nil {
		return err
	}
	row := queueProposal(change)
	id, stands := queueProposed(l.evidence.Alerts, row)
	change.Stands, change.Decision = stands, id
	v, err := queueEdit(c, d, change)
	if err != nil {
		return err
	}
	a := queueAnswer{Verdict: v, Decision: id}
	switch v.Outcome {
	case queue.Proposed:
		a.Next = row.Command
		if a.Decision, err = queuePropose(c, l, row); err != nil {
			return err
		}
	case queue.ClosedNow:
		if err := queueAck(c, d, l, id, change.By); err != nil {
			warn(c, "the task is closed, and its proposal %s stays on the list: %v", id, err)
		}
	}
	return answer(c, a)
}

// queueProposal is the question to the operator.
func queueProposal(change queue.Change) journal.Row {
	command := "git dos queue hold " + change.ID + " --wontfix"
	handle := change.ID
	if change.Of != "" {
		command = "git dos queue hold " + change.ID + " --duplicate-of " + change.Of
		handle += "/" + change.Of
	}
	return journal.Row{
		Op: journal.OpDecision, Kind: queueAsks[change.State], Handle: handle,
		Reason:  fmt.Sprintf("close task %s as %s? %s", change.ID, change.State, change.Why),
		Command: command + " --reason " + verdict.ShellWord(change.Why) + " --operator NAME",
	}
}

// queueProposed finds the question in what was asked.
func queueProposed(alerts []decisions.Alert, row journal.Row) (id string, stands bool) {
	i := slices.IndexFunc(alerts, func(a decisions.Alert) bool {
		return a.Op == row.Op && a.Kind == row.Kind && a.Handle == row.Handle
	})
	if i < 0 {
		return "", false
	}
	return decisions.IDOf(alerts[i]), true
}

// queuePropose asks, unless the question stands open already.
func queuePropose(c *cli.Context, l decisionsView, row journal.Row) (string, error) {
	id := decisions.IDOf(decisions.Alert{Op: row.Op, Kind: row.Kind, Reason: row.Reason, Handle: row.Handle})
	if known, stands := queueProposed(l.evidence.Alerts, row); stands {
		if e, err := l.byID(known); err == nil && !e.Acked {
			return known, nil
		}
	}
	var err error
	if err = panelCheck(c, row); err != nil {
		return "", err
	}
	if row.Owner, err = panelOwner(c, l.desk); err != nil {
		return "", err
	}
	_, err = panelAppend(c, l.desk, row)
	return id, err
}

// queueAck takes a question that was followed off the list.
func queueAck(c *cli.Context, d *admit.Desk, l decisionsView, id, by string) error {
	e, err := l.byID(id)
	if err != nil || e.Acked {
		return err
	}
	_, err = panelAppend(c, d, journal.Row{Op: journal.OpAck, ID: id, Seen: e.Seen, Owner: by, Reason: "followed"})
	return err
}
