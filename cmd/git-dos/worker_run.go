package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/drive"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// A workerAnswer answers worker run.
type workerAnswer struct {
	supervise.Grade
	Lane      string                      `json:"lane"`
	RunID     string                      `json:"run_id,omitempty"`
	Gen       uint64                      `json:"gen,omitempty"`
	PID       int64                       `json:"pid,omitempty"`
	Dir       string                      `json:"dir,omitempty"`
	Log       string                      `json:"log,omitempty"`
	Ridden    bool                        `json:"ridden,omitempty"`    // it works under another's lease
	Refused   string                      `json:"refused,omitempty"`   // by which step
	Preflight *supervise.PreflightVerdict `json:"preflight,omitempty"` // where it refused
	Lease     *lease.Verdict              `json:"lease,omitempty"`     // where it refused, or was not released
	Next      string                      `json:"next,omitempty"`
}

// ExitCode is that of the grade, and 0 of a worker that was started.
func (a workerAnswer) ExitCode() int {
	if string(a.Outcome) == workerStarted {
		return verdict.Yes
	}
	return a.Grade.ExitCode()
}

func (a workerAnswer) String() string {
	s := a.Grade.String()
	if a.Log != "" {
		s += "\nlog       " + a.Log
	}
	if a.Next != "" {
		s += "\nnext      " + a.Next
	}
	return s
}

// survivesHangup is set by a verb that a terminal's end does not stop.
var survivesHangup atomic.Bool

// atOnce is what a second interrupt does before it ends the process: a worker that
// is being given its grace has nobody to look after it then.
var atOnce atomic.Pointer[func()]

// looked are the workers that this process looks after now.
var looked struct {
	sync.Mutex
	after map[*worker.Run]bool
}

// killAtOnce has a second interrupt kill a worker too, until it is over.
func killAtOnce(run *worker.Run) (over func()) {
	looked.Lock()
	defer looked.Unlock()
	if looked.after == nil {
		looked.after = map[*worker.Run]bool{}
	}
	looked.after[run] = true
	kill := func() {
		looked.Lock()
		defer looked.Unlock()
		for run := range looked.after {
			run.Kill()
		}
	}
	atOnce.Store(&kill)
	return func() {
		looked.Lock()
		defer looked.Unlock()
		delete(looked.after, run)
	}
}

func workerRun(c *cli.Context) error {
	survivesHangup.Store(true)
	if c.IsSet(detachFlag) {
		keepFromChildren(c.Int(detachFlag))
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	job, err := workerAsked(c, d)
	if err != nil {
		return err
	}
	if c.Bool("detach") {
		return workerDetach(c)
	}
	if refused, err := workerPreflight(c, &job); refused != nil || err != nil {
		if err != nil {
			return err
		}
		return answer(c, *refused)
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	w := &workerRunning{c: c, home: d, desk: d, job: job}
	if refused, err := w.admit(); refused != nil || err != nil {
		if err != nil {
			return err
		}
		return answer(c, *refused)
	}
	if refused, err := w.enlist(); refused != nil || err != nil {
		if err != nil {
			return err
		}
		return answer(c, *refused)
	}
	telling := tellFleet(c, d, w.asked())
	a, err := w.work()
	telling.stop()
	if err != nil {
		return err
	}
	if c.Context.Err() != nil { // it is told, and the status is that of an interrupt
		warn(c, "%s", a)
		return c.Context.Err()
	}
	return answer(c, a)
}

// workerPreflight asks this machine and, where a seat is wanted, the accounts. Who
// rides a lease has that lease's seat, where it is one that was asked for.
func workerPreflight(c *cli.Context, job *workerJob) (*workerAnswer, error) {
	name := c.String("lane")
	if job.ask.sentence != "" {
		return refusedWorker(name, "seat", job.ask.sentence, "git dos account list", func(*workerAnswer) {}), nil
	}
	b, err := preflightRead(c)
	if err != nil {
		return nil, err
	}
	ridden, err := riddenLease(c, b.Desk, name)
	if err != nil {
		return nil, err
	}
	var own preflightSpawned
	if ridden == nil || !job.ask.met(b.Desk.Rules.Policy, ridden.Seat) {
		own.seats = accountLook(c, b, job.ask)
		if job.seats = own.seats.names(); job.ask.seat != "" {
			job.seats = []string{job.ask.seat}
		}
	}
	v, err := preflightOf(c, b, own)
	switch {
	case err != nil || v.Outcome == supervise.SpawnOK:
		return nil, err
	case v.Outcome == supervise.RefuseAtCap && ridden != nil:
		return nil, nil // the lease that it rides is counted, and it adds none
	}
	return refusedWorker(name, "preflight", fmt.Sprintf("%s: %s", v.Outcome, v.Reason), v.Next, func(a *workerAnswer) { a.Preflight = &v }), nil
}

func refusedWorker(name, step, reason, next string, also func(*workerAnswer)) *workerAnswer {
	a := &workerAnswer{Lane: name, Refused: step, Next: next}
	a.Grade = supervise.Grade{
		Outcome: supervise.NotAdmitted, Claim: supervise.ClaimNoCommit, End: supervise.EndLaunchFailed, Reason: reason,
		Evidence: supervise.GradeEvidence{Commits: []supervise.OwnCommit{}, Stranded: []string{}, Survivors: []supervise.Process{}},
	}
	also(a)
	return a
}

// A workerRunning is one worker from its admission to its end.
type workerRunning struct {
	c    *cli.Context
	home *admit.Desk // where it was asked from
	desk *admit.Desk // where it works
	job  workerJob

	began   time.Time
	from    lease.Instant // before the admission
	left    time.Duration // from then on, until it must stop
	lease   lease.Record
	run     string         // its own, which is the lease's unless it rides that
	ridden  bool           // the lease is another's: it is neither renewed nor released here
	noted   bool           // the worktree remembers the lease for this worker's sake
	claims  []lease.Record // what it has inside the lease that it rides
	claimed *claimKeeping  // renews them; nil where there are none
	keeper  *drive.Keeper  // of the lease: its own, or that of the holder who runs this worker
	kept    bool           // by itself
	base    refstore.OID   // where its work begins
	trunk   facts.Trunk    // as it was then, where it was asked from
	dir     string
	log     string
	linked  *workerTree // nil in the worktree that was there
	marks   marker.Folder
	mark    marker.Marker

	account *policy.Account // that its seat belongs to, nil of none; its environment is told nowhere
}

// work starts the command and looks after it to its end.
func (w *workerRunning) work() (workerAnswer, error) {
	keeper, err := host.Process(int64(os.Getpid()))
	if err != nil {
		keeper = host.Proc{PID: int64(os.Getpid())}
	}
	w.mark = marker.Marker{
		Node: w.desk.Node, RunID: w.run, Lane: w.lease.Lane, Unit: w.job.req.Unit, Seat: w.job.req.Seat,
		Gen: w.lease.Gen, Nonce: w.lease.Nonce, Keeper: marker.Of(keeper), Dir: w.dir, Log: w.log, Started: w.began.UTC(),
	}
	if w.keeper.Over() {
		return *refusedWorker(w.lease.Lane, "lease", "its lease was lost before anything was started", "run it again", func(*workerAnswer) {}), w.giveBack()
	}
	if w.claimed.over() {
		return *refusedWorker(w.lease.Lane, "lease", "what it claimed inside the lease was lost before anything was started", "run it again", func(*workerAnswer) {}), w.giveBack()
	}
	if err := w.marks.Put(w.mark); err != nil {
		return workerAnswer{}, errors.Join(environmentf("%w", err), w.giveBack())
	}
	if refused, err := w.seatBusy(); refused != nil || err != nil {
		_ = w.marks.Remove(w.run)
		if refused != nil {
			return *refused, w.giveBack()
		}
		return workerAnswer{}, errors.Join(err, w.giveBack())
	}
	words := w.job.filled(w.lease.Lane, w.run)
	run, err := worker.Start(worker.Spec{
		Command: words, Dir: w.dir, Env: w.environ(), Prompt: w.job.prompt, Log: w.log, Grace: w.job.grace,
	}, w.header(words))
	if err != nil {
		return w.finish(supervise.Exit{}, err)
	}
	if run.Proc.PID > 0 {
		proc := marker.Of(run.Proc)
		w.mark.Worker = &proc
		if err := w.marks.Put(w.mark); err != nil {
			warn(w.c, "the marker of run %s does not name its process: %v", w.run, err)
		}
	}
	w.tellStarted(run.PID())
	return w.finish(w.watch(run), nil)
}

// watch waits for the first end: the worker's own, its lease's, its time's, or an
// interrupt's.
func (w *workerRunning) watch(run *worker.Run) supervise.Exit {
	ctx := context.WithoutCancel(w.c.Context)
	defer killAtOnce(run)()
	var over <-chan time.Time
	if w.job.timeout > 0 {
		t := time.NewTimer(w.job.timeout)
		defer t.Stop()
		over = t.C
	}
	exit := supervise.Exit{Started: true}
	select {
	case <-run.Ended():
	case <-w.keeper.Lost():
		exit.Lost = true
		warn(w.c, "the lease on lane %s is lost: %s; the worker is stopped", w.lease.Lane, w.keeper.Why())
	case <-w.claimed.gone():
		exit.Lost = true
		warn(w.c, "what it claimed inside lane %s is lost: %s; the worker is stopped", w.lease.Lane, w.claimed.why)
	case <-over:
		exit.TimedOut = true
	case <-w.c.Context.Done():
		exit.Stopped = true
	}
	end := run.End(ctx)
	exit.Status, exit.Signal, exit.Output = end.Status, end.Signal, end.Output
	return exit
}

// reopened is the worker's desk as the repository is now: where it was asked from,
// once the worktree that was made for it is gone.
func (w *workerRunning) reopened(ctx context.Context) (*admit.Desk, error) {
	dir := w.dir
	if w.linked.gone() {
		dir = w.job.dir
	}
	repo, err := refstore.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	d, err := admit.Open(ctx, repo, func() time.Time { return now(w.c) })
	if err == nil {
		d.Node, d.Clock = w.desk.Node, w.desk.Clock
	}
	return d, err
}

// environ is what the command sees.
func (w *workerRunning) environ() []string {
	own := []string{
		"FLEET_WORKER_ID=" + firstOf(w.job.req.Worker, w.run),
		"GIT_DOS_RUN_ID=" + w.run,
		"GIT_DOS_LEASE=" + w.token(),
		"GIT_DOS_NONCE=" + w.lease.Nonce,
		"GIT_DOS_OWNER=" + w.lease.Holder.Owner,
	}
	return worker.Environ(os.Environ(), w.desk.Rules.Policy.Worker.EnvPass, accountBeside(w.account, own))
}

// token is the lease as a Dos-Lease trailer names it.
func (w *workerRunning) token() string {
	if w.lease.Under != "" {
		return fmt.Sprintf("%s@%d.%d", w.lease.Lane, w.lease.UnderGen, w.lease.Gen)
	}
	return fmt.Sprintf("%s@%d", w.lease.Lane, w.lease.Gen)
}

// header begins the log. It is no output of the worker's.
func (w *workerRunning) header(words []string) string {
	return fmt.Sprintf("# git-dos worker %s lane=%s gen=%d run=%s argv0=%q\n",
		w.began.UTC().Format(time.RFC3339), w.lease.Lane, w.lease.Gen, w.run, filepath.Base(words[0]))
}
