package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/drive"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// superviseLane is the reserved lane of whoever starts workers on their own.
const superviseLane = "_dispatcher"

// superviseMost is the largest number of workers that a plan is made for.
const superviseMost = 10000

// A supervising is a supervisor while it holds its lane. What a tick knows is of that
// tick alone.
type supervising struct {
	c        *cli.Context
	desk     *admit.Desk
	lease    lease.Record
	keep     *drive.Keeper
	interval time.Duration
	most     int // ticks, 0 for no bound
	ticks    int
	flagged  map[string]bool // leases that spun at the last tick, by nonce
}

func superviseAction(c *cli.Context) error {
	if c.IsSet(launchedFlag) {
		return superviseLaunched(c)
	}
	if err := noArguments(c); err != nil {
		return err
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	s := &supervising{c: c, desk: d, interval: d.Rules.Policy.Supervise.Interval, flagged: map[string]bool{}}
	if err := s.asked(); err != nil {
		return err
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	refused, err := s.admit()
	if err != nil {
		return err
	}
	if refused != nil {
		return answer(c, *refused)
	}
	s.tellCadence()
	a, err := s.run()
	s.end()
	switch {
	case err != nil:
		return err
	case c.Bool("json") && a.Outcome != superviseLive:
		return superviseStatus(a) // each tick was a line
	}
	return answer(c, a)
}

func superviseStatus(a superviseAnswer) error {
	if code := a.ExitCode(); code != verdict.Yes {
		return answered(code)
	}
	return nil
}

// asked reads the flags. What it refuses has started nothing, and nothing is held.
func (s *supervising) asked() error {
	c, p := s.c, s.desk.Rules.Policy
	if !canDetach {
		return usagef("supervise is not supported on this system").hint("start git dos dispatch-loop by a service manager, one for each lane")
	}
	if s.desk.Repo.WorkTree == "" {
		return usagef("a bare repository has no files to work on").hint("run it in a clone")
	}
	for _, x := range []struct {
		name        string
		least, most int
	}{
		{"target", 0, superviseMost}, {"max-concurrency", 1, superviseMost}, {"max-workers", 0, superviseMost},
		{"host-cap", 0, superviseMost}, {"max-ticks", 1, math.MaxInt},
	} {
		if n := c.Int(x.name); c.IsSet(x.name) && (n < x.least || n > x.most) {
			return usagef("--%s %d is not between %d and %d", x.name, n, x.least, x.most)
		}
	}
	if c.IsSet("owner") && c.String("owner") == "" {
		return usagef("--owner is empty").hint("name one, or leave the flag out")
	}
	s.most = c.Int("max-ticks")
	if c.IsSet("interval") {
		var err error
		if s.interval, err = policy.ParseDuration(c.String("interval")); err != nil || s.interval <= 0 {
			return usagef("--interval %q is no duration above 0", c.String("interval")).hint("write it like 30s, 5m or 1h")
		}
	}
	template := loopTemplate(p)
	if template == "" {
		return usagef("no command to start workers with").hint("set supervise.worker_launch_template in dos.toml to one, with {lane} where the lane goes")
	}
	if err := worker.Find(loopWords(template, supervise.Row{Lane: "lane"}), s.desk.Repo.WorkTree); err != nil {
		return usagef("supervise.worker_launch_template: %w", err).hint("name a program that is in PATH, or one by its path")
	}
	return nil
}

// admit takes the supervisors' lane. The process is named with the lease, so that it
// lapses with it.
func (s *supervising) admit() (*superviseAnswer, error) {
	c, d := s.c, s.desk
	owner, err := ownerName(c, d)
	if err != nil {
		return nil, err
	}
	m, err := mintRun(now(c), lineage(c, "supervise"))
	if err != nil {
		return nil, environmentf("mint a run id: %w", err)
	}
	req := admit.Request{Lanes: []string{superviseLane}, Owner: owner, RunID: m.RunID, TTL: d.Rules.Policy.Lease.TTL}
	if p, err := host.Process(int64(os.Getpid())); err == nil {
		req.Proc = &lease.Proc{PID: p.PID, Start: p.Start, Boot: p.Boot, PIDNS: p.PIDNS}
	}
	from, began := d.Clock(), d.Now()
	v, err := d.Acquire(c.Context, req)
	if err != nil {
		return nil, acquireError(err)
	}
	warnUnwatched(c, d)
	if v.Outcome != lease.Acquired || v.Lease == nil {
		if v.Outcome == lease.Waits && v.Lease != nil {
			s.lease = *v.Lease
			s.release()
		}
		return &superviseAnswer{Outcome: superviseLive, Reason: superviseTaken(v), Next: "git dos lease show --lane " + superviseLane}, nil
	}
	s.lease = *v.Lease
	left := req.TTL
	if v.WorkUntil != nil {
		left = v.WorkUntil.Sub(began)
	}
	held := drive.Held{Lane: superviseLane, Nonce: s.lease.Nonce, TTL: req.TTL, Left: left, From: from}
	s.keep = drive.Keep(context.WithoutCancel(c.Context), held, d.Clock, s.reopened)
	return nil, nil
}

func superviseTaken(v lease.Verdict) string {
	if v.Holder == nil {
		return v.Reason
	}
	return fmt.Sprintf("%s supervises: %s", *v.Holder, v.Reason)
}

// reopened is the desk as the repository is now.
func (s *supervising) reopened(ctx context.Context) (*admit.Desk, error) {
	repo, err := refstore.Open(ctx, s.desk.Repo.WorkTree)
	if err != nil {
		return nil, err
	}
	d, err := admit.Open(ctx, repo, func() time.Time { return now(s.c) })
	if err == nil {
		d.Node, d.Clock = s.desk.Node, s.desk.Clock
	}
	return d, err
}

// end stops renewing, and gives the lane back: also after an interrupt.
func (s *supervising) end() {
	s.keep.Stop()
	s.release()
}

func (s *supervising) release() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.c.Context), workerCleanup)
	defer cancel()
	if _, err := s.desk.Release(ctx, superviseLane, lease.Identity{Nonce: s.lease.Nonce}); err != nil {
		warn(s.c, "lane %s is still held, and lapses by itself: %v", superviseLane, err)
	}
}

// tellCadence says once by what cadence it is missed.
func (s *supervising) tellCadence() {
	if _, ok := s.desk.Rules.Policy.Heartbeats["supervise"]; !ok {
		warn(s.c, "no cadence of supervise is declared: it beats at its interval, every %s; [heartbeats] supervise = %q in dos.toml declares one", s.interval, policy.ShowDuration(s.interval))
	}
}

// run ticks until its ticks are over, its lane is lost, or it is interrupted. The
// first tick must go through, and so must the last of a bounded run.
func (s *supervising) run() (superviseAnswer, error) {
	for {
		if s.keep.Over() {
			return s.lost(), nil
		}
		s.ticks++
		t := s.tick()
		if err := s.c.Context.Err(); err != nil {
			return superviseAnswer{}, err
		}
		over := s.ticks == s.most
		if t.err != nil && (s.ticks == 1 || over) {
			return superviseAnswer{}, t.err
		}
		if err := t.print(s.c); err != nil {
			return superviseAnswer{}, err
		}
		switch {
		case t.Outcome == supervise.TargetUnreachable:
			return superviseAnswer{Outcome: string(t.Outcome), Reason: t.Reason, Ticks: s.ticks, Fixes: t.Fixes}, nil
		case over:
			return superviseAnswer{Outcome: superviseEnded, Reason: verdict.Count(s.ticks, "tick"), Ticks: s.ticks}, nil
		}
		if err := s.sleep(); err != nil {
			return superviseAnswer{}, err
		}
	}
}

func (s *supervising) sleep() error {
	next := time.NewTimer(s.interval)
	defer next.Stop()
	select {
	case <-next.C:
		return nil
	case <-s.keep.Lost():
		return nil // the next tick does nothing
	case <-s.c.Context.Done():
		return s.c.Context.Err()
	}
}

func (s *supervising) lost() superviseAnswer {
	why := "it was not renewed in time"
	select {
	case <-s.keep.Lost():
		why = s.keep.Why()
	default: // its keeper has not found that yet
	}
	return superviseAnswer{Outcome: superviseLive, Reason: "lane " + superviseLane + " is lost: " + why, Ticks: s.ticks, Next: "git dos lease show --lane " + superviseLane}
}

// stopped reports whether nothing more may be done.
func (s *supervising) stopped() bool { return s.c.Context.Err() != nil || s.keep.Over() }

// superviseLaunched is the process of a launch, until it has been noted: then it
// becomes the command. When whoever launches it ends before that, so does it.
func superviseLaunched(c *cli.Context) error {
	words := c.Args().Slice()
	f := os.NewFile(uintptr(c.Int(launchedFlag)), "noted")
	if f == nil || len(words) == 0 {
		return usagef("--%s is for git-dos itself", launchedFlag)
	}
	keepFromChildren(c.Int(launchedFlag))
	if n, err := f.Read(make([]byte, 1)); n == 0 {
		return environmentf("whoever launches this has ended: %v", err)
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return environmentf("%w", err)
	}
	return environmentf("%s: %w", path, becomes(path, slices.Clone(words)))
}
