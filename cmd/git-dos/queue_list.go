package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/refstore"
)

// A queueListAnswer answers queue list.
type queueListAnswer struct {
	queue.List
	panelSeen
}

func (a queueListAnswer) String() string { return strings.TrimRight(a.List.String(), "\n") + a.line() }

// A queuePageAnswer answers queue show.
type queuePageAnswer struct {
	queue.Page
	NotRead []string `json:"not_read,omitempty"`
	panelSeen
}

func (a queuePageAnswer) String() string { return strings.TrimRight(a.Page.String(), "\n") + a.line() }

func queueList(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	view := queue.View(c.String("view"))
	if c.IsSet("view") && !slices.Contains(queue.Views, view) {
		return usagef("--view %q is none of p0-p1, ready and all", view)
	}
	if c.IsSet("top") && c.Int("top") < 1 {
		return usagef("--top %d is not 1 or more", c.Int("top")).hint("leave the flag out for all")
	}
	ev, unread, seen, err := queueEvidence(c)
	if err != nil {
		return err
	}
	return answerPaged(c, queueListAnswer{queue.ListOf(ev, view, c.Int("top"), c.Bool("explain"), unread), seen})
}

func queueShow(c *cli.Context) error {
	id, err := queueID(c)
	if err != nil {
		return err
	}
	ev, unread, seen, err := queueEvidence(c)
	if err != nil {
		return err
	}
	p, err := queue.PageOf(ev, id)
	if err != nil {
		return queueError(err)
	}
	return answer(c, queuePageAnswer{p, unread, seen})
}

// queueEvidence reads the queue and what its order is found by.
func queueEvidence(c *cli.Context) (ev queue.Evidence, unread []string, seen panelSeen, err error) {
	d, err := openDesk(c)
	if err != nil {
		return ev, nil, seen, err
	}
	b, err := tasks.Read(c.Context, d, c.Bool("cached"))
	if err != nil {
		return ev, nil, seen, panelUnreached(queueError(err))
	}
	if b.Behind {
		warn(c, "this repository has a queue of its own, from before it belonged to the fleet: git log %s", tasks.Ref)
	}
	ev, unread, err = b.Evidence(c.Context, now(c))
	return ev, unread, panelSeenAt(d, b.AsOf), queueError(err)
}

// queueError gives an error of the queue its kind and hint.
func queueError(err error) error {
	var bad *queue.RequestError
	var outcome *refstore.OutcomeError
	switch {
	case err == nil, asCmdError(err) != nil:
		return err
	case errors.As(err, &bad):
		return usagef("%w", err).hint("git dos queue list --view all lists every task")
	case errors.As(err, &outcome) && (outcome.Outcome.Result == refstore.Lost || outcome.Outcome.Result == refstore.Unchanged):
		return errorf(kindConflict, "%w", err).hint("nothing was written: try again")
	}
	return verifyError(err)
}

// queueID is the one argument of a verb about one task.
func queueID(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", usagef("want one ID, have %d arguments", c.NArg()).hint("git dos queue list shows them")
	}
	id := strings.ToLower(c.Args().First())
	if !queue.ValidID(id) {
		return "", usagef("%q is no id of 12 hex digits", c.Args().First()).hint("git dos queue list shows them")
	}
	return id, nil
}
