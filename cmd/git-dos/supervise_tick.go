package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A superviseTick is one tick: the plan, and what came of its rows.
type superviseTick struct {
	Tick       int                 `json:"tick"`
	At         time.Time           `json:"at"`
	Outcome    supervise.Outcome   `json:"verdict"` // of the plan, "" without one
	Reason     string              `json:"reason"`
	Alive      int                 `json:"alive"`
	Admissible int                 `json:"admissible"`
	Target     int                 `json:"target"`
	Rows       []superviseRow      `json:"rows"`
	Blockers   []supervise.Blocker `json:"blockers"`
	Fixes      []string            `json:"fixes,omitempty"`
	Beat       bool                `json:"beat"`
	Failed     string              `json:"failed,omitempty"` // why there is no plan, or why it ended early

	err error
}

// A superviseRow is a row of the plan, and what was done.
type superviseRow struct {
	Lane        string                `json:"lane"`
	Disposition supervise.Disposition `json:"disposition"`
	Result      string                `json:"result"`
	Reason      string                `json:"reason"`
	RunID       string                `json:"run_id,omitempty"`
	Gen         int                   `json:"gen,omitempty"`
	Nonce       string                `json:"nonce,omitempty"`
	Node        string                `json:"node,omitempty"`
	Resume      string                `json:"resume,omitempty"` // what git dos resume said
	PID         int64                 `json:"pid,omitempty"`
	Log         string                `json:"log,omitempty"`
}

// What came of a row.
const (
	didLaunch   = "LAUNCHED"
	didPark     = "PARKED"
	didScavenge = "SCAVENGED"
	didPropose  = "PROPOSED" // a HALT
	wasProposed = "ON_RECORD"
	wasLaunched = "ALREADY_LAUNCHED" // the same request was made before
	isShown     = "SHOWN"
	isWaiting   = "WAITS"     // for a scavenge that did not happen
	isLeft      = "LEFT"      // it could not be judged, or is not as it was judged
	isRefused   = "REFUSED"   // by preflight
	isStopped   = "NOT_BEGUN" // an interrupt, or the loss of the lane, came before
	hasFailed   = "FAILED"
)

func (s *supervising) row(r supervise.Row) superviseRow {
	out := superviseRow{Lane: r.Lane, Disposition: r.Disposition, Reason: r.Reason}
	if r.Lease != nil {
		out.RunID, out.Gen, out.Nonce, out.Node = r.RunID, r.Gen, r.Nonce, r.Lease.Node
	}
	return out
}

func (r superviseRow) came(result, format string, args ...any) superviseRow {
	r.Result, r.Reason = result, fmt.Sprintf(format, args...)
	return r
}

// tick looks at everything anew, does what the plan says, and beats.
func (s *supervising) tick() (t superviseTick) {
	t = superviseTick{Tick: s.ticks, At: now(s.c).Truncate(time.Second), Rows: []superviseRow{}, Blockers: []supervise.Blocker{}}
	fail := func(err error) superviseTick {
		t.err, t.Failed = err, err.Error()
		return t
	}
	b, err := loopRead(s.c)
	if err == nil {
		err = journalUnread(loopLedgers(b))
	}
	if err != nil {
		return fail(err)
	}
	b.Desk.Node = s.desk.Node
	plan, p, err := loopJudged(s.c, b, nil, false)
	if err != nil {
		return fail(err)
	}
	t.Outcome, t.Reason, t.Alive, t.Admissible, t.Target = plan.Outcome, plan.Reason, plan.Alive, plan.Admissible, plan.Target
	t.Blockers = plan.Blockers
	e := &enacting{supervising: s, book: b, policy: p, plan: plan, free: map[string]bool{}}
	if err := e.enact(&t); err != nil {
		return fail(err)
	}
	if plan.Outcome == supervise.TargetUnreachable {
		t.Fixes = []string{
			"declare more disjoint concurrent lanes in [lanes] of dos.toml",
			"set supervise.max_concurrency in dos.toml, or give --max-concurrency N: workers beyond the lanes then pick their own",
		}
	}
	if err := s.beat(b.Desk); err != nil {
		warn(s.c, "tick %d did not beat: %v", s.ticks, err)
	} else {
		t.Beat = true
	}
	s.publish(b.Desk)
	return t
}

// An enacting is one plan while its rows are done.
type enacting struct {
	*supervising
	book   *life.Book
	policy policy.Policy
	plan   supervise.PlanVerdict
	free   map[string]bool // lanes that were scavenged
	count  map[string]int  // spawns that were asked for, by lane
	apart  map[string]bool // runs that were launched, by id
	full   string          // why nothing more is started
}

// enact does the rows: first what frees lanes, then what takes them.
func (e *enacting) enact(t *superviseTick) error {
	e.count, e.apart = map[string]int{}, map[string]bool{}
	e.tidy()
	for _, r := range e.plan.Reap {
		t.Rows = append(t.Rows, e.unlessStopped(r, e.reap))
	}
	if e.plan.Outcome != supervise.TargetUnreachable {
		for _, r := range e.plan.Spawn {
			t.Rows = append(t.Rows, e.unlessStopped(r, e.spawn))
		}
	}
	spun := map[string]bool{}
	for _, r := range e.plan.Flag {
		if r.Lease != nil && e.spins(r.Lane) {
			spun[r.Nonce] = true
		}
		t.Rows = append(t.Rows, e.unlessStopped(r, e.flag))
	}
	for _, r := range e.plan.ProposedHalt {
		t.Rows = append(t.Rows, e.row(r).came(isShown, "%s", r.Reason))
	}
	e.flagged = spun
	return e.c.Context.Err()
}

func (e *enacting) unlessStopped(r supervise.Row, do func(supervise.Row) superviseRow) superviseRow {
	if e.stopped() {
		return e.row(r).came(isStopped, "the supervisor was stopped before it")
	}
	return do(r)
}

// beat records that this tick was reached.
func (s *supervising) beat(d *admit.Desk) error {
	ctx, cancel := context.WithTimeout(s.c.Context, panelTime)
	defer cancel()
	name, _ := os.Hostname() // for people
	_, err := ledger.RecordBeat(ctx, d.Repo, s.desk.Node, "supervise", ledger.Beat{At: now(s.c), RunID: s.lease.RunID, Host: name, IntervalMS: s.interval.Milliseconds()})
	return panelError(err)
}

// publish sends what this node has to tell to the fleet. What is not sent is sent by
// the next tick.
func (s *supervising) publish(d *admit.Desk) {
	if d.Remote() == "" || s.stopped() {
		return
	}
	report, err := d.Sync(s.c.Context, admit.SyncRequest{})
	switch {
	case err != nil:
		warn(s.c, "tick %d was not published: %v", s.ticks, deskError(err))
	case report.Outcome != admit.InSync:
		warn(s.c, "tick %d was not wholly published: git dos sync says why", s.ticks)
	}
}

// print writes the tick, as one line of JSON or as lines of text.
func (t superviseTick) print(c *cli.Context) error {
	if c.Bool("json") {
		return answerLines(c, []superviseTick{t})
	}
	return answerLines(c, t.lines())
}

// A superviseLine is a line of text.
type superviseLine string

func (l superviseLine) String() string { return string(l) }

func (t superviseTick) String() string { return string(t.lines()[0]) }

func (t superviseTick) lines() []superviseLine {
	head := fmt.Sprintf("tick %d  %s  %s", t.Tick, t.At.Format(time.RFC3339), t.Outcome)
	if t.Failed != "" {
		head = fmt.Sprintf("tick %d  %s  FAILED: %s", t.Tick, t.At.Format(time.RFC3339), t.Failed)
	} else if t.Reason != "" {
		head += ": " + t.Reason
	}
	lines := []superviseLine{superviseLine(head)}
	for _, r := range t.Rows {
		line := fmt.Sprintf("  %-12s %-10s %s: %s", r.Disposition, r.Result, verdict.Show(r.Lane), r.Reason)
		if r.RunID != "" {
			line += " (run " + verdict.Show(r.RunID) + ")"
		}
		lines = append(lines, superviseLine(line))
	}
	return lines
}
