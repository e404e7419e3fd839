package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/journal"
)

// loopOver are the launches of this node, by run, that have ended and left no process
// that might become a worker. One that is not known to have is none of them, and
// those of other nodes never are.
func loopOver(c *cli.Context, b *life.Book, spawns []journal.Row) map[string]bool {
	since := now(c).Add(-b.Desk.Rules.Policy.Supervise.PendingWindow)
	young := map[string]bool{}
	for _, row := range spawns {
		if row.RunID != "" && row.At.After(since) {
			young[row.RunID] = true
		}
	}
	node, err := journalOwn(c, b.Desk)
	if len(young) == 0 || err != nil {
		return nil
	}
	f, err := marker.In(b.Desk.Repo)
	if err != nil {
		return nil
	}
	marks, _, err := f.List()
	if err != nil {
		return nil
	}
	over := map[string]bool{}
	for _, m := range marks {
		if m.Launch && young[m.RunID] && m.Over(node) {
			over[m.RunID] = true
		}
	}
	if len(over) == 0 {
		return nil
	}
	view, err := machine.Look(c.Context, node, marks)
	if err != nil {
		return nil
	}
	for _, o := range view.Own {
		delete(over, o.RunID)
	}
	return over
}
