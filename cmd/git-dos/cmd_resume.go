package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func resumeVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "resume",
			Usage:     "can this run be gone on with, and from where?",
			ArgsUsage: "[RUN]",
			Description: "Reads what the run declared, and history for every step anew: what is done counts up to the first\n" +
				"step that is not, and the run goes on from its commit. DIVERGED means that others went on after\n" +
				"that commit on the lane's tree: commits there without this run's trailer Dos-Run. Nothing is\n" +
				"executed. That a run can be resumed is recorded once for each commit and what is left, and that it\n" +
				"diverged once too, so that git dos decisions shows it; git dos intent --run-id RUN takes the run\n" +
				"up. While its lease stands and its worker is at work, that is told with the lease's deadline.\n\n" +
				"RESUMABLE and COMPLETE have one exit status: branch on the word.",
			Flags: lifeFlags(
				&cli.BoolFlag{Name: "diverged", Usage: "take it that others went on where the run was at work"},
				&cli.BoolFlag{Name: "no-record", Usage: "ask only, and record nothing"},
			),
			Action: resumeRun,
		},
		statuses: map[string][]status{"resume": {
			{Code: verdict.Yes, Outcome: string(resume.Resumable), Meaning: "there is work left, and nothing stands in the way"},
			{Code: verdict.Yes, Outcome: string(resume.Complete), Meaning: "every declared step is in history"},
			{Code: 3, Outcome: string(resume.Diverged), Meaning: "there is work left, and others went on where it is to be done"},
			{Code: 4, Outcome: string(resume.Unresumable), Meaning: "its ledger does not say what it was to do"},
		}},
	}
}

// A resumeAnswer is a plan and, in a fleet, as of when.
type resumeAnswer struct {
	resume.Verdict
	LeaseUntil *time.Time `json:"lease_until,omitempty"`  // of a run whose worker is at work
	Recorded   bool       `json:"recorded_now,omitempty"` // that it diverged, by this call
	lifeSeen
}

func (a resumeAnswer) String() string {
	text := a.Verdict.String()
	if a.LeaseUntil != nil && (a.Outcome == resume.Resumable || a.Outcome == resume.Diverged) {
		text += "\n  live: its worker is at work, and its lease stands until " + a.LeaseUntil.Format(time.RFC3339) + ": two would work on one run"
	}
	return text + a.line()
}

func resumeRun(c *cli.Context) error {
	if err := lifeOne(c); err != nil {
		return err
	}
	if c.Bool("no-record") {
		b, err := lifeBook(c)
		if err != nil {
			return err
		}
		return resumeAnswered(c, b, false)
	}
	return writes(func(c *cli.Context) error {
		return lifeWrite(c, !c.Bool("cached"), func(b *life.Book) error { return resumeAnswered(c, b, true) })
	})(c)
}

func resumeAnswered(c *cli.Context, b *life.Book, record bool) error {
	r, v, err := resumePlan(c, b, c.Bool("diverged"))
	if err == nil && record {
		err = lifeMinted(c, r.ID)
	}
	if err != nil {
		return err
	}
	a := resumeAnswer{Verdict: v, lifeSeen: lifeSeenAs(b)}
	if a.LeaseUntil, err = resumeLive(c, r); err != nil {
		return err
	}
	if record {
		if err := a.record(c, b, r); err != nil {
			return err
		}
	}
	return answer(c, a)
}

// resumePlan makes the plan of the run that a verb is about.
func resumePlan(c *cli.Context, b *life.Book, diverged bool) (life.Run, resume.Verdict, error) {
	id, err := lifeArgument(c, b.Desk)
	if err != nil {
		return life.Run{}, resume.Verdict{}, err
	}
	r, err := lifeKnown(c, b, id)
	if err == nil {
		err = lifeError(r.Sure())
	}
	if err != nil {
		return r, resume.Verdict{}, err
	}
	ev, err := r.Resume(c.Context, diverged)
	if err != nil {
		return r, resume.Verdict{}, lifeError(err)
	}
	v := resume.Decide(ev)
	if err := v.Err(); err != nil {
		return r, v, errorf(kindIndeterminate, "%w", err).hint("git fetch --unshallow where history is cut off; --diverged answers as if others had gone on")
	}
	return r, v, nil
}
