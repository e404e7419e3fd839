package main

import (
	"cmp"
	"context"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/ship"
)

// taskTruth is whether the queue finds a task done by what a ref shows, "" for the
// trunk: of whoever asks it, verb of the queue or grade of a worker, it is the same.
func taskTruth(ctx context.Context, d *admit.Desk, task, ref string, cached bool) (ship.Verdict, error) {
	list, err := tasks.Read(ctx, d, cached)
	if err != nil {
		return ship.Verdict{}, queueError(err)
	}
	p, err := list.Proof(ctx, task, ref)
	if err != nil {
		return ship.Verdict{}, queueError(err)
	}
	v := ship.Verdict{Outcome: ship.NotShipped, Reason: "nothing on the trunk shows that task " + task + " is done"}
	switch p.Done {
	case queue.Yes:
		v.Outcome, v.Sha, v.Reason = ship.Shipped, p.Commit, p.Reason
	case queue.No:
	default:
		return v, errorf(kindIndeterminate, "whether task %s is done cannot be told: %s", task, cmp.Or(p.Reason, "history was not asked"))
	}
	return v, nil
}
