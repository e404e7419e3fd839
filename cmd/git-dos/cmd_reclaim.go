package main

import (
	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func reclaimVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "reclaim",
			Usage: "see what workers left on this machine, remove what can go, have a process ended",
			Description: "There are three rungs. The first looks at markers, the files by which this node knows what it started,\n" +
				"and at own files that git ignores: logs of workers, and what is below .dos but the run records. What can go\n" +
				"is listed, and removed with --live: markers whose processes have ended, that are 12 hours old and whose\n" +
				"lease has lapsed or ended, and files that are 7 days old and that no marker names. No state of git's, no\n" +
				"worktree and no file that git tracks or shows is ever touched; a marker that cannot be read is named and stays.\n\n" +
				"With --evidence it tells of each process that is ours, by the run and the nonce in its environment, what is\n" +
				"known of its worker, and what may be done.\n\n" +
				"With --enact PID --operator NAME one process is ended: TERM, after worker.grace KILL, to its whole group where\n" +
				"it leads one that was made for its worker. It must have outlived its worker, or be of a worker that ended\n" +
				"without a word, or of one that does not get on and of which git bears out nothing. Beside a lease that stands\n" +
				"a commit within liveness.progress_window is at work, and refuses. It is held on to and its start and boot are\n" +
				"compared right before the signal. An OVERRIDE row comes first. A run never has another ended: where\n" +
				"GIT_DOS_RUN_ID is set, --enact refuses. Afterwards git dos preflight says whether a worker may start.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "live", Usage: "remove what can go"},
				&cli.BoolFlag{Name: "evidence", Usage: "tell of each process of ours"},
				&cli.Int64Flag{Name: "enact", Usage: "end the process of this number: `PID`"},
				&cli.StringFlag{Name: "operator", Usage: "with --enact: `NAME` of the person who decided that"},
				journalCached(),
			},
			Action: reclaim,
		},
		statuses: map[string][]status{"reclaim": {
			{Code: verdict.Yes, Outcome: string(supervise.ReclaimNothing), Meaning: "nothing is left over"},
			{Code: verdict.Yes, Outcome: string(supervise.ReclaimDone), Meaning: "with --live: what can go went; with --enact: the process has ended"},
			{Code: 3, Outcome: string(supervise.ReclaimFlagged), Meaning: "something can go, may be ended, must be looked at or could not be read"},
			{Code: 3, Outcome: string(supervise.ReclaimRefused), Meaning: "with --enact: that process is not to be ended so"},
		}},
	}
}

// A reclaimAnswer answers reclaim.
type reclaimAnswer struct {
	supervise.ReclaimVerdict
	lifeSeen
}

func (a reclaimAnswer) String() string { return a.ReclaimVerdict.String() + a.line() }

func reclaim(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if err := reclaimFlags(c); err != nil {
		return err
	}
	switch {
	case c.IsSet("enact"):
		return writes(reclaimEnact)(c)
	case c.Bool("live"):
		return writes(reclaimLive)(c)
	case c.Bool("evidence"):
		return reclaimWith(c, (*reclaiming).remnants)
	}
	return reclaimWith(c, (*reclaiming).leftovers)
}

// reclaimFlags refuses what cannot be meant.
func reclaimFlags(c *cli.Context) error {
	rungs := 0
	for _, name := range []string{"live", "evidence", "enact"} {
		if c.IsSet(name) {
			rungs++
		}
	}
	switch operator := c.String("operator"); {
	case rungs > 1:
		return usagef("--live, --evidence and --enact are three rungs").hint("take one at a time, in that order")
	case c.IsSet("enact") && c.Int64("enact") <= 0:
		return usagef("--enact %d is no process number", c.Int64("enact")).hint("git dos reclaim --evidence lists those that may be ended")
	case c.IsSet("enact") != (operator != ""):
		return usagef("ending a process needs a number and an operator's word").hint("git dos reclaim --enact PID --operator NAME")
	default:
		if err := lease.CheckWord("operator", operator); err != nil {
			return usagef("%w", err)
		}
	}
	return nil
}

// reclaimWith judges what one rung gathers.
func reclaimWith(c *cli.Context, gather func(*reclaiming) error) error {
	r, err := reclaimOpen(c)
	if err != nil {
		return err
	}
	if err := gather(r); err != nil {
		return err
	}
	return r.answer(supervise.Reclaim(r.ev))
}
