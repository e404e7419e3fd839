package main

import (
	"context"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/drive"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/beat"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
	"github.com/git-dos/git-dos/refstore"
)

// A superTicking is one tick under way.
type superTicking struct {
	c       *cli.Context
	desk    *admit.Desk
	cadence time.Duration
	lease   *lease.Record // on the dispatchers' lane; nil while it is not ours
	keep    *drive.Keeper
	last    string                     // wave that the ticks of this lease launched last
	told    map[string]supervise.Probe // what the probes of accounts said, each asked once
	answer  superTickAnswer
}

func superTick(c *cli.Context) error {
	cadence, err := superCadence(c)
	if err != nil {
		return err
	}
	if !canDetach {
		return usagef("super tick is not supported on this system").hint("start git dos dispatch-loop by a service manager, one for each lane")
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	if d.Repo.WorkTree == "" {
		return usagef("a bare repository has no files to work on").hint("run it in a clone")
	}
	req, err := waveAsked(c, d)
	if err != nil {
		return err
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	unlock, held, err := d.Repo.TryLock("super-tick.lock")
	switch {
	case err != nil:
		return environmentf("%w", err).hint("see git dos doctor")
	case held != nil:
		a := superTickAnswer{Outcome: string(super.AlreadyGardening), Reason: "another tick is at it in this clone"}
		return answer(c, a.sealed(now(c), cadence))
	}
	defer unlock()
	survivesHangup.Store(true)
	t := &superTicking{c: c, desk: d, cadence: cadence, answer: superTickAnswer{}.sealed(now(c), cadence)}
	t.answer.Rung = wave.State{Rung: wave.Canary}
	err = t.run(req)
	t.end()
	if err != nil {
		return err
	}
	return answer(c, t.answer)
}

// run goes through the steps: gate, reclaim, stop signals, preflight, plan, launch,
// harvest. What comes before the first effect fails the tick, and leaves nothing.
func (t *superTicking) run(req waveRequest) error {
	l, err := superAt(t.c, t.desk, true)
	if err != nil {
		return err
	}
	if passed, err := t.pass(l); err != nil || !passed {
		return err
	}
	if err := journalUnread(loopLedgers(l.book)); err != nil {
		return err
	}
	if hidden := l.doubted(); hidden != "" && l.word() == nil {
		return errorf(kindIndeterminate, "whether an operator has stopped the ticks cannot be told: %s", hidden).
			hint("git dos journal check names the entry; git dos super resume --operator NAME goes on, once somebody has looked")
	}
	if err := t.clean(); err != nil {
		return err
	}
	if stopped, err := t.stops(l); err != nil || stopped {
		return err
	}
	if err := t.hold(); err != nil || t.answer.Outcome != "" {
		return err
	}
	err = t.wave(req)
	switch {
	case err == nil || t.answer.Launches > 0: // what was started is on record, whatever came after it
		t.settle()
	case t.answer.Began: // nobody is to wait for a dispatcher that never got as far as a plan
		t.give()
	}
	return err
}

// superWorker marks the lease of a ticking dispatcher, beside its owner.
const superWorker = "super tick"

func superTicks(r lease.Record) bool { return r.Holder.Worker == superWorker || r.Rung != "" }

// pass is the gate: ours is the lane where this worktree took it for a tick before,
// and nobody has it since.
func (t *superTicking) pass(l *superLook) (bool, error) {
	h, err := t.desk.Recall(super.Lane)
	if err != nil {
		return false, environmentf("%w", err)
	}
	if h != nil && l.held != nil && len(l.gate.Unread) == 0 && l.held.Nonce == h.Nonce && superTicks(*l.held) && l.held.State == lane.Held {
		t.lease = l.held
		t.answer.Rung, t.last = rungOf(l.held.Rung)
		t.answer.Gate = super.GateVerdict{Outcome: super.HandLaunch, Found: super.HandLaunch, Reason: "this clone dispatches", Evidence: l.gate}
		return true, nil
	}
	v := l.verdict(false)
	t.answer.Gate = v
	if v.Outcome == super.HandLaunch {
		return true, nil
	}
	t.answer.Outcome, t.answer.Reason, t.answer.Next = string(v.Outcome), v.Reason, v.Next
	return false, nil
}

// clean is the first rung of reclaim: markers and files that can go.
func (t *superTicking) clean() error {
	r, err := reclaimOpen(t.c)
	if err != nil {
		return err
	}
	v, err := r.prune()
	if err != nil {
		return err
	}
	for _, m := range v.Markers {
		if m.Removed {
			t.answer.Reclaimed++
		}
	}
	t.answer.Files = 0
	for _, f := range v.Files {
		if f.Removed {
			t.answer.Files++
		}
	}
	return nil
}

// stops looks for a signal, and ends the tick where there is one. One that stays is
// recorded, for every later tick of the fleet.
func (t *superTicking) stops(l *superLook) (bool, error) {
	s, err := l.residue()
	if err != nil {
		return false, err
	}
	w, err := l.backlog()
	if err != nil {
		return false, err
	}
	t.answer.Backlog = &w
	l.lookAtAccounts(true)
	t.told = l.told
	h := super.Stop(l.stops(t.cadence, w, s.Overdue, supervise.WorkKind(t.c.String("work-kind"))))
	if h.Signal == "" {
		err = t.ramp(l)
		return t.answer.Outcome != "", err
	}
	return true, t.halt(l, h)
}

// halt ends the tick with a signal: the lane is given back, unless what it waits for
// comes by itself.
func (t *superTicking) halt(l *superLook, h super.Halt) error {
	t.answer.Stop = h
	t.answer.Outcome, t.answer.Reason, t.answer.Next = string(h.Signal), h.Reason, h.Next
	if w := l.word(); h.Signal.Stays() && (w == nil || w.Signal != h.Signal) {
		if err := t.desk.Journal(t.c.Context, *superWordRow(h.Signal, superWorker, h.Reason)); err != nil {
			return deskError(err)
		}
	}
	if h.Signal.Waits() {
		if err := t.hold(); err != nil {
			return err
		}
		t.answer.Outcome = string(h.Signal)
	} else if t.lease != nil {
		t.give()
		superEnd(t.c, t.desk)
	}
	t.settle()
	return nil
}

// hold takes the dispatchers' lane, or renews it, and keeps it for as long as the tick
// takes. It beats at once: whoever looks finds it at work.
func (t *superTicking) hold() error {
	c, d := t.c, t.desk
	from, began, ttl := d.Clock(), d.Now(), superPeriods*t.cadence
	var v lease.Verdict
	var err error
	if t.lease != nil && time.Duration(t.lease.TTL)*time.Second != ttl {
		t.give() // another cadence has another lease
	}
	if t.lease != nil {
		v, err = d.HeartbeatRung(c.Context, super.Lane, lease.Identity{Nonce: t.lease.Nonce}, "")
	} else if v, err = t.acquire(ttl); err == nil && v.Outcome == lease.Acquired {
		t.answer.Began = true
	}
	switch {
	case err != nil:
		return acquireError(err)
	case v.Lease == nil || v.Outcome != lease.Acquired && v.Outcome != lease.Renewed:
		t.lease = nil
		t.answer.Outcome, t.answer.Next = string(super.AlreadyGardening), "git dos super status"
		t.answer.Reason = "lane " + super.Lane + " is another's by now: " + v.Reason
		return nil
	}
	t.lease = v.Lease
	if err := d.Remember(*v.Lease); err != nil {
		return environmentf("the lease on lane %s cannot be remembered: %w", super.Lane, err)
	}
	t.answer.RunID, t.answer.Held = v.Lease.RunID, true
	left := ttl
	if v.WorkUntil != nil {
		left = v.WorkUntil.Sub(began)
	}
	held := drive.Held{Lane: super.Lane, Nonce: v.Lease.Nonce, TTL: ttl, Left: left, From: from}
	t.keep = drive.Keep(context.WithoutCancel(c.Context), held, d.Clock, t.reopened)
	t.beat()
	return nil
}

func (t *superTicking) acquire(ttl time.Duration) (lease.Verdict, error) {
	owner, err := ownerName(t.c, t.desk)
	if err != nil {
		return lease.Verdict{}, err
	}
	m, err := mintRun(now(t.c), lineage(t.c, "super"))
	if err != nil {
		return lease.Verdict{}, environmentf("mint a run id: %w", err)
	}
	if _, declared := t.desk.Rules.Policy.Heartbeats[beat.Dispatcher]; !declared {
		warn(t.c, "no cadence of dispatcher is declared: it beats at its own, every %s; [heartbeats] dispatcher = %q in dos.toml declares one", t.cadence, policy.ShowDuration(t.cadence))
	}
	// The nonce is on file before the admission that it is of: a tick that is killed
	// between the two has the lane all the same.
	nonce := admit.NewNonce()
	if err := t.desk.Remember(lease.Record{Lane: super.Lane, Nonce: nonce, RunID: m.RunID}); err != nil {
		return lease.Verdict{}, environmentf("the lease on lane %s cannot be remembered: %w", super.Lane, err)
	}
	v, err := t.desk.Acquire(t.c.Context, admit.Request{Lanes: []string{super.Lane}, Owner: owner, Worker: superWorker, RunID: m.RunID, TTL: ttl, Nonce: nonce})
	if err == nil && v.Outcome != lease.Acquired {
		err = t.desk.Forget(super.Lane, nonce)
	}
	return v, err
}

// reopened is the desk as the repository is now.
func (t *superTicking) reopened(ctx context.Context) (*admit.Desk, error) {
	repo, err := refstore.Open(ctx, t.desk.Repo.WorkTree)
	if err != nil {
		return nil, err
	}
	d, err := admit.Open(ctx, repo, func() time.Time { return now(t.c) })
	if err == nil {
		d.Node, d.Clock = t.desk.Node, t.desk.Clock
	}
	return d, err
}

func (t *superTicking) beat() {
	ctx, cancel := context.WithTimeout(t.c.Context, panelTime)
	defer cancel()
	name, _ := os.Hostname() // for people
	_, err := ledger.RecordBeat(ctx, t.desk.Repo, t.desk.Node, beat.Dispatcher, ledger.Beat{At: now(t.c), RunID: t.lease.RunID, Host: name, IntervalMS: t.cadence.Milliseconds()})
	if t.answer.Beat = err == nil; err != nil {
		warn(t.c, "this tick did not beat: %v", panelError(err))
	}
}

// give gives the lane back: this clone dispatches no more.
func (t *superTicking) give() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.c.Context), workerCleanup)
	defer cancel()
	v, err := t.desk.Release(ctx, super.Lane, lease.Identity{Nonce: t.lease.Nonce})
	if err != nil {
		warn(t.c, "lane %s is still held, and lapses by itself: %v", super.Lane, err)
	} else if v.ExitCode() != verdict.Yes {
		warn(t.c, "lane %s could not be given back: %s", super.Lane, v.Reason)
	} else if err := t.desk.Forget(super.Lane, t.lease.Nonce); err != nil {
		warn(t.c, "%v", err)
	}
	t.lease, t.answer.Held = nil, false
}

// end stops renewing. The lane is kept: the next tick goes on with it.
func (t *superTicking) end() {
	if t.keep != nil {
		t.keep.Stop()
	}
}

// isLost reports that another has the lane by now, so that nothing more is started.
func (t *superTicking) isLost() string {
	select {
	case <-t.keep.Lost():
		return "lane " + super.Lane + " is lost: " + t.keep.Why()
	default:
		return ""
	}
}

// choose finds the regime by what preflight says.
func (t *superTicking) choose(ready supervise.PreflightVerdict, l *superLook) {
	t.answer.Preflight = string(ready.Outcome)
	t.answer.Regime = super.Choose(super.RegimeEvidence{
		Preflight: ready.Outcome, Live: ready.Live, Marathon: true, Cold: l.cold(),
		Shipping: l.tally(l.at.Truncate(time.Hour).Add(-time.Hour), l.at.Add(time.Hour)).Ships > 0,
	})
}
