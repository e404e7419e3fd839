package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/resume"
	digest "github.com/git-dos/git-dos/kernel/status"
)

func statusVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "status",
			Usage:     "how is this run?",
			ArgsUsage: "[RUN]",
			Description: "One page: whether it gets on, which of its steps history has, where it may write, and, of a run\n" +
				"that is suspended or has stalled, whether it can be gone on with. Nothing on it is what a worker\n" +
				"says of itself. The exit status is that of git dos liveness.",
			Flags: lifeFlags(
				&cli.BoolFlag{Name: "stopped", Usage: "say in any case whether it can be gone on with"},
				&cli.BoolFlag{Name: "live", Usage: "do not say it in any case"},
			),
			Action: statusOf,
		},
		statuses: map[string][]status{"status": livenessStatuses()},
	}
}

// A statusAnswer is the page and, in a fleet, as of when.
type statusAnswer struct {
	digest.Verdict
	Suspended bool `json:"suspended,omitempty"` // it was halted to be gone on with
	Parked    bool `json:"parked,omitempty"`    // its lane is kept for it, and does not lapse
	lifeFinish
	lifeSeen
}

func (a statusAnswer) String() string {
	text := a.Verdict.String()
	switch {
	case a.Suspended && a.Parked:
		text += "\n  halted: the run is suspended, and its lane is parked"
	case a.Suspended:
		text += "\n  halted: the run is suspended"
	case a.Parked:
		text += "\n  parked: its lane is kept for it, until git dos lease unpark"
	}
	return text + a.text() + a.line()
}

func statusOf(c *cli.Context) error {
	show, err := statusShow(c)
	if err != nil {
		return err
	}
	b, err := lifeBook(c)
	if err != nil {
		return err
	}
	id, err := lifeArgument(c, b.Desk)
	if err != nil {
		return err
	}
	r, err := lifeKnown(c, b, id)
	if err == nil {
		err = lifeError(r.Known())
	}
	if err != nil {
		return err
	}
	ev, plan, err := statusEvidence(c, r, show)
	if err != nil {
		return err
	}
	v := digest.Decide(ev)
	if err := v.Err(); err != nil {
		return errorf(kindIndeterminate, "%w", err)
	}
	a := statusAnswer{Verdict: v, Suspended: r.Intent.Suspended(), Parked: r.Live && r.Lease.State == lane.Parked, lifeSeen: lifeSeenAs(b)}
	if a.lifeFinish, err = lifeFinishOf(c, r, plan); err != nil {
		return err
	}
	return answer(c, a)
}

// statusShow says whether the page is to tell how the run can be gone on with.
func statusShow(c *cli.Context) (digest.Show, error) {
	if err := lifeOne(c); err != nil {
		return "", err
	}
	switch {
	case c.Bool("stopped") && c.Bool("live"):
		return "", usagef("--stopped and --live contradict each other")
	case c.Bool("stopped"):
		return digest.Always, nil
	case c.Bool("live"):
		return digest.Never, nil
	}
	return digest.WhenStopped, nil
}

// statusEvidence judges everything that stands on the page, and says how far the run
// is by history.
func statusEvidence(c *cli.Context, r life.Run, show digest.Show) (digest.Evidence, *resume.Verdict, error) {
	ev := digest.Evidence{RunID: r.ID, Show: show, Suspended: r.Intent.Suspended(), HasIntent: r.Intent.HasIntent()}
	progress, err := lifeProgress(c, r)
	if err != nil {
		return ev, progress, err
	}
	if progress != nil {
		ev.Declared, ev.Verified = r.Intent.Declared(), progress.Verified
	}
	alive, err := livenessVerdict(c, r, life.Probe{}, progress)
	if err != nil {
		return ev, progress, err
	}
	ev.Liveness = statusLiveness(alive)
	switch {
	case r.Lease != nil && r.Live:
		ev.Region = r.Lease.Tree
	case r.Under != nil:
		ev.Region = r.Under.Tree
	}
	if r.Intent.Unreadable() {
		warn(c, "the ledger of run %s cannot be read in full or contradicts itself, so that none of its steps counts as done", r.ID)
	}
	if !ev.HasIntent || show == digest.Never {
		return ev, progress, nil
	}
	ev.Plan, err = statusPlan(c, r)
	return ev, progress, err
}

// statusPlan is whether the run can be gone on with, nil where that cannot be told.
func statusPlan(c *cli.Context, r life.Run) (*digest.Plan, error) {
	ev, err := r.Resume(c.Context, false)
	if err != nil {
		return nil, lifeError(err)
	}
	v := resume.Decide(ev)
	if v.Err() != nil {
		return nil, nil
	}
	return &digest.Plan{
		Verdict: string(v.Outcome), Reason: v.Reason, RunID: v.RunID, ResumeSha: v.ResumeSha, Residual: v.Residual,
		Verified: v.Verified, AlreadyProposed: v.AlreadyProposed, Command: v.ProposedCommand,
	}, nil
}

func statusLiveness(v liveness.Verdict) digest.Liveness {
	ev := v.Evidence
	return digest.Liveness{
		Verdict: string(v.Outcome), Class: string(v.Class), Reason: v.Reason, StartedMS: ev.StartedMS, NowMS: ev.NowMS,
		Commits: ev.Commits, Events: ev.Events, BeatAgeMS: ev.BeatAgeMS, ProcessAlive: ev.ProcessAlive,
	}
}
