package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Why picks are left after one that was tried.
const (
	stopLost        = "lease-lost"
	stopInterrupted = "interrupted"
)

// launch tries the picks of a packet, wave by wave and in each so many side by side
// as there may be, and fills in the evidence as far as it came.
func (s *dispatching) launch(p packet.Packet, tag string, a *dispatchAnswer, ev *supervise.DispatchEvidence) (err error) {
	waves := make([][]int, 1)
	for i := range p.Picks {
		ev.Picks, waves[0] = append(ev.Picks, notTried(p, i)), append(waves[0], i)
	}
	if len(p.Picks) > 1 {
		var priced [][]string
		if ev.Price, priced, err = s.price(p); err != nil {
			return err
		}
		if ev.Price.Action != lane.LaunchAll && ev.Price.Action != lane.LaunchSafeSet {
			return nil
		}
		waves = places(p, priced)
	}
	if p.Later > 0 {
		s.gap("value-ranking", "picks are in order by priority and by when they were tried; no value is weighed")
	}
	beside, err := s.room(min(s.jobs, len(p.Picks)))
	if err != nil {
		return err
	}
	for all := batches(waves, beside); len(all) > 0; all = append(s.alone(), all...) {
		batch := all[0]
		all = all[1:]
		if ev.Stopped != "" {
			for _, i := range batch {
				ev.Picks[i].Reason = "not started: " + ev.Stopped
			}
			continue
		}
		ev.Stopped, err = s.tryAll(p, batch, tag, a, ev.Picks)
		if err != nil {
			ev.Stopped = "error"
		}
		serr := s.settling(func() error { return s.strays(a) })
		if err != nil || serr != nil {
			return firstError(err, serr)
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// unfit is why a unit is not handed to a command, "" where it may be. Its name comes
// from whoever writes plan documents, and {unit} may be a word of the command.
func unfit(unit string) string {
	switch err := pick.CheckUnit(unit); {
	case err != nil:
		return err.Error()
	case strings.HasPrefix(unit, "-"):
		return "a command would take its name for a flag"
	case printable(unit, false) != unit:
		return "its name has characters that do not print"
	}
	if err := reconcile.CheckName(unit); err != nil {
		return err.Error()
	}
	return ""
}

// prompt writes what the worker of a pick reads.
func (s *dispatching) prompt(p packet.Packet, i int, tag string) (string, error) {
	leaf, err := lane.Leaf(s.run)
	if err != nil {
		return "", usagef("%w", err)
	}
	path, err := s.desk.Repo.SharedFile("logs", fmt.Sprintf("%s%s-%d.prompt", leaf, tag, i+1))
	if err != nil {
		return "", environmentf("%w", err)
	}
	_ = os.Remove(path) // of one that was killed: this is its iteration again
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(p.PromptUnder(s.lease.Lane, i))
		err = firstError(err, f.Close())
	}
	if err != nil {
		return "", environmentf("the prompt of %s: %w", verdict.Show(p.Picks[i].Unit()), err)
	}
	return path, nil
}

// reconciled holds a claim against what shipped.
func (s *dispatching) reconciled(u packet.Candidate, row *supervise.PickRow) error {
	if err := s.reopen(); err != nil {
		return err
	}
	s.claimed(u, row)
	truth, err := s.truth(u)
	if err != nil {
		row.State, row.Reason = supervise.Undetermined, verdict.Clip(err.Error())
		return nil
	}
	v := reconcile.Decide(reconcile.Evidence{Unit: u.Unit(), Claimed: row.Claimed, Ship: truth})
	row.State, row.Sha = string(v.State), v.Sha
	if v.State == "" {
		row.State = supervise.Undetermined
	}
	if v.State != reconcile.HonestOpen { // there the worker's end says more
		row.Reason = v.Reason
	}
	return nil
}

// truth is whether a unit shipped; of a task that no unit ships, whether the queue
// finds it done.
func (s *dispatching) truth(u packet.Candidate) (ship.Verdict, error) {
	if u.Until.Unit {
		q := &shipQuestion{repo: s.desk.Repo, req: facts.ShipRequest{Plan: u.Plan, Phase: u.Phase}}
		a, err := q.ask(s.c.Context)
		if err == nil && a.Outcome == ship.Indeterminate {
			err = reconcileUnknown(a)
		}
		return a.Verdict, err
	}
	if err := s.desk.Refresh(s.c.Context, true); err != nil {
		return ship.Verdict{}, deskError(err)
	}
	v, err := taskTruth(s.c.Context, s.desk, u.Task, "", false)
	v.Plan, v.Phase = u.Plan, u.Phase
	return v, err
}

// attempted records the attempt. A worker that was not served, or stopped from
// outside, has not tried the unit.
func (s *dispatching) attempted(row *supervise.PickRow, stopped bool) error {
	outcome := map[string]string{supervise.Verified: "shipped", supervise.Quiet: "unknown", supervise.Undetermined: "unknown"}[row.State]
	switch {
	case outcome != "":
	case row.End == supervise.EndOverloaded || stopped:
		return nil
	default:
		outcome = "error"
	}
	b := life.Book{Desk: s.desk}
	_, err := b.Record(s.c.Context, journal.Row{Op: journal.OpAttempt, Unit: reconcile.Spelled(row.Unit), Outcome: outcome, RunID: firstOf(row.RunID, s.run), Lane: s.lease.Lane})
	return lifeError(err)
}
