package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/drive"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// A dispatching is one lane while it is worked on: had, or ridden, from take to
// leave.
type dispatching struct {
	c     *cli.Context
	desk  *admit.Desk
	job   workerJob // of each pick, but for its unit and prompt
	lanes []string  // that was asked for; none for any
	gate  loop.GateMode
	limit int
	jobs  int // how many picks may run side by side

	run      string
	goesOn   bool   // the run began in a process that died
	adopt    string // the nonce of a lease that a dead process of the same run left here
	lease    lease.Record
	ridden   bool
	keeper   *drive.Keeper
	telling  *telling
	scope    []string
	strayed  []dispatchStray // what the dead process left uncommitted
	tookOver bool            // what earlier runs did not push is in own
	own      []refstore.OID  // commits of its own that the trunk of the fleet has not, oldest first
	earlier  []refstore.OID  // those of them that earlier runs made
	gaps     map[string]bool // that were told of

	seats []string // free ones, for picks beside the first
	again []int    // picks whose seat was had by others, to be tried alone
}

// dispatchAsked reads what the flags ask for. What it refuses was not started.
func dispatchAsked(c *cli.Context) (*dispatching, error) {
	for _, name := range []string{"lane", "owner"} {
		if c.IsSet(name) && c.String(name) == "" {
			return nil, usagef("--%s is empty", name).hint("name one, or leave the flag out")
		}
	}
	d, err := openDesk(c)
	if err != nil {
		return nil, err
	}
	p := d.Rules.Policy
	s := &dispatching{c: c, desk: d, gate: loop.GateMode(p.Loop.Gate), limit: 1, jobs: 1, gaps: map[string]bool{}}
	if c.IsSet("gate") {
		s.gate = loop.GateMode(c.String("gate"))
	}
	if !slices.Contains([]loop.GateMode{loop.Hard, loop.Soft, loop.Drive}, s.gate) {
		return nil, usagef("--gate %.40q is none of hard, soft, drive", string(s.gate))
	}
	if s.job, err = workerCommand(c, d); err != nil {
		return nil, err
	}
	if err := worker.Find(s.job.filled("", ""), s.job.dir); err != nil {
		return nil, usagef("%w", err).hint("name a program that is in PATH, or one by its path")
	}
	if c.IsSet("lane") {
		if s.scope, err = nextUpLanes(d, []string{c.String("lane")}); err != nil {
			e := asCmdError(err)
			if e != nil && e.Kind == kindUsage && len(e.Message) > len("--scope: ") {
				e.Message = "--lane" + e.Message[len("--scope"):]
			}
			return nil, err
		}
		s.lanes = slices.Clone(s.scope)
	}
	if s.job.ask, err = accountAsked(c, p); err != nil {
		return nil, err
	}
	s.job.req = admit.Request{Lanes: s.lanes, Seat: s.job.ask.seat, Owner: statedOwner(c), Worker: firstEnv("FLEET_WORKER_ID")}
	if s.job.req.Leases, _, err = leasesFlag(c); err != nil {
		return nil, err
	}
	if s.job.req.TTL, err = ttlFlag(c, p.Lease.TTL); err != nil {
		return nil, err
	}
	if err := d.Check(s.job.req); err != nil {
		return nil, usagef("%w", err)
	}
	return s, nil
}

// take asks this machine and then for the lane. Nothing is held when it returns an
// answer or an error.
func (s *dispatching) take(process string) (*dispatchAnswer, error) {
	if refused, err := s.ready(); refused != nil || err != nil {
		return refused, err
	}
	if err := deskError(s.desk.EnsureNode(s.c.Context)); err != nil {
		return nil, err
	}
	if s.run == "" {
		m, err := mintRun(now(s.c), lineage(s.c, process))
		if err != nil {
			return nil, environmentf("mint a run id: %w", err)
		}
		s.run = m.RunID
	}
	if refused, err := s.admit(); refused != nil || err != nil {
		return refused, err
	}
	refused, err := s.begin()
	if refused != nil || err != nil {
		err = s.leave(err)
	}
	return refused, err
}

// ready asks preflight. A lease that is ridden or taken up is counted already, and so
// is its seat.
func (s *dispatching) ready() (*dispatchAnswer, error) {
	name := s.c.String("lane")
	if s.job.ask.sentence != "" {
		return refusedDispatch(name, "seat", s.job.ask.sentence, "git dos account list"), nil
	}
	b, err := preflightRead(s.c)
	if err != nil {
		return nil, err
	}
	var ridden *lease.Record
	if name != "" {
		if ridden, err = riddenLease(s.c, s.desk, name); err != nil {
			return nil, err
		}
	}
	var own preflightSpawned
	if ridden == nil && !s.stands(b) {
		own.seats = accountLook(s.c, b, s.job.ask)
		if s.job.seats = own.seats.names(); s.job.ask.seat != "" {
			s.job.seats = []string{s.job.ask.seat}
		}
	}
	v, err := preflightOf(s.c, b, own)
	if err != nil || v.Outcome == supervise.SpawnOK || v.Outcome == supervise.RefuseAtCap && (s.adopt != "" || ridden != nil) {
		return nil, err
	}
	a := refusedDispatch(name, "preflight", string(v.Outcome)+": "+v.Reason, v.Next)
	a.Preflight = &v
	return a, nil
}

// stands reports whether the lease that is taken up is there still, or whether that
// cannot be told.
func (s *dispatching) stands(b *life.Book) bool {
	if s.adopt == "" {
		return false
	}
	reading, err := b.Leases(s.c.Context)
	return err != nil || slices.ContainsFunc(reading.Lanes, func(r lease.Record) bool { return r.Nonce == s.adopt && r.State != lane.Free })
}

// admit takes the lane, or rides the lease on it that GIT_DOS_NONCE names.
func (s *dispatching) admit() (_ *dispatchAnswer, err error) {
	c, d, name := s.c, s.desk, s.c.String("lane")
	if name != "" {
		ridden, err := riddenLease(c, d, name)
		if err != nil {
			return nil, err
		}
		if ridden != nil {
			if refused := s.seatless(*ridden); refused != nil {
				return refused, nil
			}
			s.lease, s.ridden = *ridden, true
			s.keep(d.Clock(), d.Left(*ridden))
			return nil, nil
		}
	}
	req := s.job.req
	req.RunID, req.Identity.Nonce = s.run, s.adopt
	if req.Owner, err = ownerName(c, d); err != nil {
		return nil, err
	}
	from, began := d.Clock(), d.Now()
	v, err := acquireSeated(c.Context, d, &req, s.job.seats)
	if err != nil {
		return nil, acquireError(err)
	}
	warnUnwatched(c, d)
	if v.Outcome == lease.Waits {
		s.lease = *v.Lease
		a := refusedDispatch(s.lease.Lane, "lease", "lane "+s.lease.Lane+" waits for others to end: "+v.Reason, "git dos lease await --lane "+verdict.ShellWord(s.lease.Lane)+" shows when it can be had")
		a.Lease = &v
		return a, s.release()
	}
	if v.Outcome != lease.Acquired || v.Lease == nil {
		journalAcquire(c, d, refusal(req, explained(d, v)))
		a := refusedDispatch(firstOf(name, v.Lane), "lease", v.Reason, v.Next)
		a.Lease = &v
		return a, nil
	}
	s.lease = *v.Lease
	if refused := s.seatless(s.lease); refused != nil {
		return refused, s.release()
	}
	left := req.TTL
	if v.WorkUntil != nil {
		left = v.WorkUntil.Sub(began)
	}
	if err := d.Remember(s.lease); err != nil {
		return nil, errors.Join(environmentf("the lease cannot be noted: %w", err), s.release())
	}
	s.keep(from, left)
	return nil, nil
}

// seatless refuses a lease that was there before and has another seat than is asked
// for.
func (s *dispatching) seatless(r lease.Record) *dispatchAnswer {
	if s.job.ask.met(s.desk.Rules.Policy, r.Seat) {
		return nil
	}
	return refusedDispatch(r.Lane, "lease", "its lease does not have such a seat", "release it and take the lane with that seat, or leave the flag out")
}

// keep renews the lease from now on, or watches the one that is ridden, and has the
// fleet told of what is done under it.
func (s *dispatching) keep(from lease.Instant, left time.Duration) {
	held := drive.Held{Lane: s.lease.Lane, Nonce: s.lease.Nonce, TTL: time.Duration(s.lease.TTL) * time.Second, Left: left, From: from}
	keep := drive.Keep
	if s.ridden {
		keep = drive.Watch
	}
	w := &workerRunning{c: s.c, home: s.desk, desk: s.desk, dir: s.job.dir}
	s.keeper = keep(context.WithoutCancel(s.c.Context), held, s.desk.Clock, w.reopened)
	s.telling = tellFleet(s.c, s.desk, w.reopened)
}

// lost says why the lease is lost, "" while it is not.
func (s *dispatching) lost() string {
	select {
	case <-s.keeper.Lost():
		return s.keeper.Why()
	default:
		return ""
	}
}

// begin looks at the lane that was had: units may belong to it, and nothing of it
// is uncommitted that could not be told from a worker's. What stands there under the
// lease that was taken up is of the dead process's worker.
func (s *dispatching) begin() (*dispatchAnswer, error) {
	scope, err := nextUpLanes(s.desk, []string{s.lease.Lane})
	if err != nil {
		return nil, err
	}
	s.scope = scope
	if s.adopt != "" || s.ridden { // what a dead process's workers claimed would keep their units from being offered
		if _, err := s.worker().leftClaims(); err != nil {
			return nil, err
		}
	}
	if s.adopt != "" && s.lease.Nonce == s.adopt {
		var a dispatchAnswer
		if err := s.strays(&a); err != nil {
			return nil, err
		}
		s.strayed = a.Stranded
	}
	refused, err := s.worker().dirty()
	if refused == nil || err != nil {
		return nil, err
	}
	return refusedDispatch(s.lease.Lane, refused.Refused, refused.Reason, "commit it with git dos commit, or stash it, then run this again"), nil
}

// worker is one that works under the lease, not started.
func (s *dispatching) worker() *workerRunning {
	return &workerRunning{c: s.c, home: s.desk, desk: s.desk, job: s.job, lease: s.lease, dir: s.job.dir, keeper: s.keeper}
}

// leave ends the keeping and gives the lane back; one that is ridden or lost stays
// as it is. err is what went wrong before.
func (s *dispatching) leave(err error) error {
	if s.keeper == nil {
		return err
	}
	defer s.telling.stop()
	lost := s.lost() != ""
	s.keeper.Stop()
	if s.ridden || lost {
		if !s.ridden {
			_ = s.desk.Forget(s.lease.Lane, s.lease.Nonce)
		}
		return err
	}
	return errors.Join(err, s.release())
}

func (s *dispatching) release() error {
	w := s.worker()
	w.noted = true
	return w.giveBack()
}

// settling is for what is done after an interrupt too: f finishes with a context
// that is not done.
func (s *dispatching) settling(f func() error) error {
	interrupted := s.c.Context
	ctx, cancel := context.WithTimeout(context.WithoutCancel(interrupted), workerCleanup)
	defer cancel()
	s.c.Context = ctx
	defer func() { s.c.Context = interrupted }()
	return f()
}

// gap tells, once for a run, of something that would apply here and is not done.
func (s *dispatching) gap(class, reason string) {
	if s.gaps[class] {
		return
	}
	s.gaps[class] = true
	warn(s.c, "not done here: %s: %s", class, reason)
	s.journal(journal.Row{Op: journal.OpGap, ReasonClass: class, Reason: reason})
}

// journal adds a row about this run to the ledger. What it tells of stands without it.
func (s *dispatching) journal(row journal.Row) {
	row.RunID, row.Lane = firstOf(row.RunID, s.run), s.lease.Lane
	if err := s.desk.Journal(s.c.Context, row); err != nil {
		warn(s.c, "%s of run %s was not journaled: %v", row.Op, row.RunID, err)
	}
}
