package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/machine"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
)

// reclaimEnact has one process ended, by a person's word.
func reclaimEnact(c *cli.Context) error {
	r, err := reclaimOpen(c)
	if err != nil {
		return err
	}
	if err := r.remnants(); err != nil {
		return err
	}
	pid := c.Int64("enact")
	row, v := supervise.Reclaim(r.ev).Enact(pid, firstEnv(runVariables...))
	if v.Outcome != supervise.ReclaimDone {
		return r.answer(v)
	}
	for _, o := range r.view.Own {
		if o.PID == pid {
			return r.end(o, row, v)
		}
	}
	return environmentf("process %d is not among those that were looked at", pid)
}

// end writes the row, and ends the process. Without the row nothing is signalled.
func (r *reclaiming) end(o machine.Owned, row supervise.RemnantRow, v supervise.ReclaimVerdict) error {
	c, d := r.c, r.book.Desk
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	owner, err := ownerName(c, d)
	if err != nil {
		return err
	}
	operator := c.String("operator")
	err = d.Journal(c.Context, reclaimRow(now(c), string(supervise.ReclaimDone), fmt.Sprintf("process %d of run %s", o.PID, o.RunID)), journal.Row{
		Op: journal.OpOverride, Verb: "reclaim", Owner: owner, Operator: operator, Lane: o.Lane, RunID: o.RunID,
		Gen: o.Spawn.Gen, Nonce: o.Spawn.Nonce, Node: d.Node, Unit: o.Spawn.Unit, PID: o.PID, Start: o.Start, BootID: o.Proc.Boot,
		Reason: fmt.Sprintf("operator %s has process %d of it ended: %s", operator, o.PID, row.Why),
	})
	if err != nil {
		return deskError(fmt.Errorf("no signal was sent, since it cannot be journaled: %w", err))
	}
	ending, err := machine.End(c.Context, o, d.Rules.Policy.Worker.Grace)
	switch {
	case errors.Is(err, machine.ErrUnnamed):
		return environmentf("process %d: %w", o.PID, err)
	case err != nil:
		return environmentf("process %d was to be ended: %w", o.PID, err).hint("git dos reclaim --evidence shows what is there")
	}
	return r.answer(v.ByEnding(ending))
}
