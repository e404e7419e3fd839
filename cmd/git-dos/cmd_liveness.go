package main

import (
	"errors"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func livenessVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "liveness",
			Usage:     "does this run get on?",
			ArgsUsage: "[RUN]",
			Description: "Finds the run's lease by its id, and with it the lane, the commit it started from and its beats.\n" +
				"Progress is commits after the start that bear the run's trailer Dos-Run, or that change the\n" +
				"lane's tree under its lease, in the worktree that took it, and name no run; the newest must be\n" +
				"younger than [liveness] progress_window. Renewals of the lease and named beats of the run are beats, and a run that only\n" +
				"beats is SPINNING once it is older than [liveness] grace. What the worker says of itself is not\n" +
				"asked for.",
			Flags: lifeFlags(
				&cli.StringFlag{Name: "start-sha", Usage: "count commits after this `COMMIT` instead of the run's start"},
				&cli.StringFlag{Name: "last-heartbeat-age-ms", Usage: "take the last beat to be `N` milliseconds old, whatever is on record"},
				&cli.StringFlag{Name: "pid", Usage: "the worker's process is number `N`; by default the one its lease names"},
				&cli.StringFlag{Name: "host-id", Usage: "of the machine `NAME`: of another than this one nothing is known"},
				&cli.BoolFlag{Name: "no-proc", Usage: "do not look at processes"},
			),
			Action: livenessOf,
		},
		statuses: map[string][]status{"liveness": livenessStatuses()},
	}
}

func livenessStatuses() []status {
	return []status{
		{Code: verdict.Yes, Outcome: string(liveness.Advancing), Meaning: "it gets on, or is too young to have to"},
		{Code: 3, Outcome: string(liveness.Spinning), Meaning: "it is there, and nothing comes of it"},
		{Code: 4, Outcome: string(liveness.Stalled), Meaning: "nothing shows that it is there"},
	}
}

// A livenessAnswer is the verdict on a run, with what its id led to.
type livenessAnswer struct {
	liveness.Verdict
	RunID    string `json:"run_id"`
	Lane     string `json:"lane,omitempty"`
	Node     string `json:"node,omitempty"` // of its lease
	Gen      uint64 `json:"gen,omitempty"`
	Nonce    string `json:"nonce,omitempty"`
	StartSha string `json:"start_sha,omitempty"`
	lifeSeen
}

func (a livenessAnswer) String() string {
	text := string(a.Outcome) + " " + a.RunID + ": " + a.Reason
	if a.Lane != "" {
		text += "\n  lane      " + a.Lane
	}
	return text + a.line()
}

func livenessOf(c *cli.Context) error {
	if err := lifeOne(c); err != nil {
		return err
	}
	probe, err := livenessProbe(c)
	if err != nil {
		return err
	}
	b, err := lifeBook(c)
	if err != nil {
		return err
	}
	if err := livenessStart(c, b, &probe); err != nil {
		return err
	}
	id, err := lifeArgument(c, b.Desk)
	if err != nil {
		return err
	}
	r, err := lifeKnown(c, b, id)
	if err != nil {
		return err
	}
	plan, err := lifeProgress(c, r)
	if err != nil {
		return err
	}
	v, err := livenessVerdict(c, r, probe, plan)
	if err != nil {
		return err
	}
	a := livenessAnswer{Verdict: v, RunID: r.ID, Lane: r.Lane, StartSha: string(r.Start), lifeSeen: lifeSeenAs(b)}
	if probe.Start != "" {
		a.StartSha = string(probe.Start)
	}
	if r.Lease != nil {
		a.Node, a.Gen, a.Nonce = r.Lease.Holder.Node, r.Lease.Gen, r.Lease.Nonce
	}
	return answer(c, a)
}

// livenessVerdict judges a run. What the caller said of it and cannot be judged is
// the caller's fault.
func livenessVerdict(c *cli.Context, r life.Run, probe life.Probe, plan *resume.Verdict) (liveness.Verdict, error) {
	ev, err := r.Liveness(c.Context, probe, plan)
	if err != nil {
		return liveness.Verdict{}, lifeError(err)
	}
	v := liveness.Decide(ev)
	if err := v.Err(); err != nil {
		return v, usagef("%w", err)
	}
	return v, nil
}

// lifeProgress is how far a run is by history, nil where it declared no steps. It says
// nothing of what others did.
func lifeProgress(c *cli.Context, r life.Run) (*resume.Verdict, error) {
	if len(r.Intent.Declared()) == 0 {
		return nil, nil
	}
	ev, err := r.Progress(c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	v := resume.Decide(ev)
	return &v, nil
}

// livenessStart resolves --start-sha.
func livenessStart(c *cli.Context, b *life.Book, probe *life.Probe) error {
	if !c.IsSet("start-sha") {
		return nil
	}
	var err error
	probe.Start, err = ancestry.Resolve(c.Context, b.Desk.Repo.Git, c.String("start-sha"))
	switch {
	case errors.Is(err, ancestry.ErrNoRevision), errors.Is(err, ancestry.ErrUnborn):
		return usagef("--start-sha: %w", err)
	case err != nil:
		return environmentf("--start-sha: %w", err)
	}
	return nil
}

// livenessProbe reads what the caller knows of the run.
func livenessProbe(c *cli.Context) (life.Probe, error) {
	probe := life.Probe{NoProc: c.Bool("no-proc")}
	if c.IsSet("start-sha") && c.String("start-sha") == "" {
		return probe, usagef("--start-sha is empty").hint("name a commit, or leave the flag out")
	}
	age, err := lifeWhole(c, "last-heartbeat-age-ms", 0)
	if err != nil {
		return probe, err
	}
	pid, err := lifeWhole(c, "pid", 1)
	if err != nil {
		return probe, err
	}
	probe.BeatAge = age
	switch name := c.String("host-id"); {
	case c.IsSet("host-id") && name == "":
		return probe, usagef("--host-id is empty").hint("name a machine, or leave the flag out")
	case c.IsSet("host-id") && pid == nil:
		return probe, usagef("--host-id says where a process is, and --pid names none")
	case pid == nil:
	case name != "" && !livenessHere(name):
		probe.NoProc = true
	default:
		probe.Process = livenessRunning(*pid)
	}
	return probe, nil
}

// livenessHere reports whether a name is that of this machine.
func livenessHere(name string) bool {
	host, err := os.Hostname()
	return err == nil && name == host || name == firstEnv("GIT_DOS_NODE", "DISPATCH_HOST_ID")
}

// livenessRunning says whether a process of this machine is there, nil where that cannot be
// told.
func livenessRunning(pid int64) *bool {
	there := true
	_, err := host.Process(pid)
	switch {
	case errors.Is(err, host.ErrNoProcess):
		there = false
	case err != nil:
		return nil
	}
	return &there
}

// lifeWhole is a whole number of at least least, nil where the flag is not given.
func lifeWhole(c *cli.Context, name string, least int64) (*int64, error) {
	if !c.IsSet(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(c.String(name), 10, 64)
	if err != nil || n < least {
		return nil, usagef("--%s %.40q is no whole number of at least %d", name, c.String(name), least)
	}
	return &n, nil
}
