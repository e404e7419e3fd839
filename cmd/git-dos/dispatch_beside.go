package main

import (
	"slices"
	"sync"

	"github.com/git-dos/git-dos/internal/life"
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

// alone are the picks that others had the seats of, to be tried next, each by itself.
func (s *dispatching) alone() (all [][]int) {
	for _, i := range s.again {
		all = append(all, []int{i})
	}
	s.again = nil
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
	seats, why := s.furtherSeats(b)
	if why != "" {
		warn(s.c, "1 pick side by side, and no more: %s", why)
		return 1, nil
	}
	for n := 1; n < most; n++ {
		v, err := preflightOf(s.c, b, preflightSpawned{count: n - 1, seats: seats})
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

// furtherSeats looks for seats for the picks beside the first, which has that of the
// lease: one seat bears one worker at a time. nil where the lease has no seat of an
// account. why is set where no further one may be looked for.
func (s *dispatching) furtherSeats(b *life.Book) (seats *accountSeats, why string) {
	if accountOf(s.desk.Rules.Policy, s.lease.Seat) == nil {
		return nil, ""
	}
	if ask := s.job.ask; ask.seat != "" || !ask.asks() {
		return nil, "they would share seat " + verdict.Show(s.lease.Seat) + "; --account and --work-kind look for a seat for each"
	}
	seats = accountLook(s.c, b, s.job.ask)
	s.seats = seats.names()
	return seats, ""
}

// tryAll runs the workers of picks side by side and settles one after the other what
// came of them. stop is why no other should be tried after them.
func (s *dispatching) tryAll(p packet.Packet, picks []int, tag string, a *dispatchAnswer, rows []supervise.PickRow) (stop string, err error) {
	trials := make([]trial, len(picks))
	for n, i := range picks {
		t := &trials[n]
		t.pick, t.row = i, &rows[i]
		if stop == "" && err == nil {
			s.board(p, t, tag, n, len(picks) > 1)
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

// board makes a worker for a pick, the nth of those that run at once, with its unit
// claimed. Beside others it has a worktree of its own, its part of the lane's tree and,
// where the lane has a seat of an account, a further one unless it is the first.
func (s *dispatching) board(p packet.Packet, t *trial, tag string, n int, beside bool) {
	if why := unfit(t.row.Unit); why != "" {
		t.row.Reason = "not started: " + why
		return
	}
	w := s.worker()
	w.job.req.Lanes, w.job.req.Unit, w.job.req.Tree, w.job.seats = nil, t.row.Unit, nil, nil
	if n > 0 && len(s.seats) > 0 {
		w.job.further, w.job.seats = true, s.seats
	}
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
		switch {
		case w.job.further && refused.Lease != nil && refused.Lease.ReasonClass == lease.SeatTaken:
			s.again = append(s.again, t.pick)
		case !othersHave(refused.Lease):
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
