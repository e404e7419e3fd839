package main

import (
	"slices"
	"sync"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A trial is one pick while it is tried.
type trial struct {
	pick   int
	row    *supervise.PickRow
	worker *workerRunning // nil where none was started
	answer workerAnswer
	err    error
	stop   string // why no other should be tried after it
}

// batches is which picks run side by side, in order: those of one wave, at most so
// many at once.
func batches(waves [][]int, most int) (all [][]int) {
	for _, wave := range waves {
		for batch := range slices.Chunk(wave, max(1, most)) {
			all = append(all, batch)
		}
	}
	return all
}

// room is how many of so many picks this machine lets run side by side: the lane
// itself is counted as the first, and preflight is asked for each of the others.
func (s *dispatching) room(most int) (int, error) {
	if most < 2 {
		return 1, nil
	}
	b, err := loopRead(s.c)
	if err != nil {
		return 0, err
	}
	for n := 1; n < most; n++ {
		v, err := preflightOf(s.c, b, preflightSpawned{count: n - 1})
		if err != nil {
			return 0, err
		}
		if v.Outcome != supervise.SpawnOK {
			warn(s.c, "%s side by side, and no more: %s: %s", verdict.Count(n, "pick"), v.Outcome, v.Reason)
			return n, nil
		}
	}
	return most, nil
}

// tryAll runs the workers of picks side by side and settles one after the other what
// came of them. stop is why no other should be tried after them.
func (s *dispatching) tryAll(p packet.Packet, picks []int, tag string, a *dispatchAnswer, rows []supervise.PickRow) (stop string, err error) {
	trials := make([]trial, len(picks))
	for n, i := range picks {
		t := &trials[n]
		t.pick, t.row = i, &rows[i]
		if stop == "" && err == nil {
			s.board(p, t, tag, len(picks) > 1)
			stop, err = t.stop, t.err
		} else {
			t.row.Reason = "not started: " + firstOf(stop, "error")
		}
	}
	var running sync.WaitGroup
	for n := range trials {
		if t := &trials[n]; t.worker != nil {
			running.Go(func() { t.answer, t.err = t.worker.work() })
		}
	}
	running.Wait()
	for n := range trials {
		t := &trials[n]
		if t.worker != nil {
			s.settle(p, t, a)
		}
		if t.err != nil {
			t.stop, t.row.State, t.row.Reason = "error", supervise.Undetermined, verdict.Clip(t.err.Error())
		}
		stop, err = firstOf(stop, t.stop), firstError(err, t.err)
	}
	return stop, err
}

// board makes a worker for a pick, with its unit claimed. Beside others it has a
// worktree of its own, and its part of the lane's tree.
func (s *dispatching) board(p packet.Packet, t *trial, tag string, beside bool) {
	if why := unfit(t.row.Unit); why != "" {
		t.row.Reason = "not started: " + why
		return
	}
	w := s.worker()
	w.job.req.Lanes, w.job.req.Unit, w.job.req.Tree = nil, t.row.Unit, nil
	if beside {
		c := *s.c
		w.c, w.job.worktree, w.job.req.Tree, w.job.req.Worker = &c, true, p.Picks[t.pick].Tree, ""
		if w.home, t.err = openDesk(w.c); t.err != nil {
			return
		}
		w.home.Node = s.desk.Node
		w.desk = w.home
	}
	if w.job.prompt, t.err = s.prompt(p, t.pick, tag); t.err != nil {
		return
	}
	refused, err := w.ride(s.lease)
	switch {
	case err != nil:
		t.err = err
	case refused != nil:
		t.row.Worker, t.row.End, t.row.Reason = refused.Outcome, refused.End, "not started: "+refused.Reason
		if !othersHave(refused.Lease) {
			t.stop = string(refused.End)
		}
	default:
		t.worker = w
	}
}

// othersHave reports whether a pick was refused for what others have of it, so that
// the next may be had.
func othersHave(v *lease.Verdict) bool {
	return v != nil && slices.Contains([]string{lease.UnitClaimed, lease.SeatTaken, lane.Collision, lane.TreeOutsideLane}, v.ReasonClass)
}

// settle holds a worker's claim against what shipped and records the attempt.
func (s *dispatching) settle(p packet.Packet, t *trial, a *dispatchAnswer) {
	row, w := t.row, t.worker
	row.RunID, row.Log, row.Started = w.run, w.log, t.answer.Evidence.Exit.Started
	if t.err != nil {
		row.Started = true // how far it came is not known
		return
	}
	row.Worker, row.End, row.Claimed, row.Reason = t.answer.Outcome, t.answer.End, t.answer.End == supervise.EndClaim, t.answer.Reason
	if w.linked != nil {
		for _, path := range t.answer.Evidence.Stranded {
			a.Stranded = append(a.Stranded, dispatchStray{Path: path, State: "uncommitted", Why: "it is in the worktree of run " + w.run + ", which stays"})
		}
	}
	t.err = s.settling(func() error {
		if err := s.reconciled(p.Picks[t.pick], row); err != nil {
			return err
		}
		return s.attempted(row, t.answer.Evidence.Exit.Stopped || t.answer.Evidence.Exit.Lost)
	})
	switch {
	case t.err != nil:
	case t.answer.Evidence.Exit.Lost:
		t.stop = stopLost
	case s.c.Context.Err() != nil:
		t.stop = stopInterrupted
	case row.State == supervise.Verified || t.answer.End == supervise.EndClaim || t.answer.End == supervise.EndUnclear:
	default:
		t.stop = string(t.answer.End)
	}
}
