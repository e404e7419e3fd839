package main

import (
	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func superviseVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "supervise",
			Usage: "keep as many workers alive as should be, tick by tick",
			Description: "Holds the reserved lane _dispatcher while it runs, so that there is one supervisor at a time. Each tick looks at\n" +
				"lanes, leases and workers anew, makes the plan of git dos loop and does what its rows say, and no more:\n" +
				"  SPAWN  after git dos preflight, one supervise.worker_launch_template on exactly that lane, its words split at\n" +
				"         blanks and run without a shell, in a session of its own; a SPAWN row comes first, so that the lane\n" +
				"         counts as pending. It sees what a worker sees of the environment, and GIT_DOS_RUN_ID\n" +
				"  REAP   a run that can go on, or beside which others went on, is parked, and git dos decisions shows it;\n" +
				"         one that is complete, or cannot be gone on with, is scavenged once its lease has lapsed. Both only\n" +
				"         while the lease is as it was judged. A spawn that waits for it waits for that\n" +
				"  FLAG   a worker that spins is shown, and a HALT is proposed once for each time it began to\n" +
				"Nobody is ever stopped. Then it beats as supervise, and sleeps. With more wanted than the lanes can hold nothing\n" +
				"is started, and it ends. A tick that fails starts nothing, and the next one looks again.\n\n" +
				"Killed at any point it leaves nothing to put right: the next start finds everything in refs and markers. What it\n" +
				"launched goes on without it. With --json each tick is one line.",
			Flags: append([]cli.Flag{
				&cli.IntFlag{Name: "target", Usage: "how many workers are to live, by default supervise.target: `N`"},
				&cli.IntFlag{Name: "max-concurrency", Usage: "the budget, in place of supervise.max_concurrency: `N`"},
				&cli.StringFlag{Name: "interval", Usage: "the time between two ticks, in place of supervise.interval: `DURATION`"},
				&cli.IntFlag{Name: "max-ticks", Usage: "end after `N` ticks; by default only an interrupt ends it"},
				&cli.StringFlag{Name: "owner", Usage: "who supervises, to people: `NAME`"},
				&cli.IntFlag{Name: launchedFlag, Hidden: true, Usage: "of a launch: wait on descriptor `FD` until it is noted"},
			}, preflightFlags()...),
			Action: writes(superviseAction),
		},
		statuses: map[string][]status{"supervise": {
			{Code: verdict.Yes, Outcome: superviseEnded, Meaning: "all its ticks are over"},
			{Code: 3, Outcome: superviseLive, Meaning: "another supervisor is live, or has taken over"},
			{Code: 4, Outcome: string(supervise.TargetUnreachable), Meaning: "the lanes cannot hold that many at once; the reason says what would help"},
		}},
	}
}

const (
	launchedFlag = "launched" // a descriptor on which a supervisor says that it has noted this process

	superviseEnded = "ENDED"
	superviseLive  = "ALREADY_LIVE"
)

// A superviseAnswer says how a supervisor ended.
type superviseAnswer struct {
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason"`
	Ticks   int      `json:"ticks"`
	Fixes   []string `json:"fixes,omitempty"` // what would help
	Next    string   `json:"next,omitempty"`
}

// ExitCode implements [verdict.Verdict].
func (a superviseAnswer) ExitCode() int {
	switch a.Outcome {
	case superviseEnded:
		return verdict.Yes
	case superviseLive:
		return verdict.FirstOwned
	case string(supervise.TargetUnreachable):
		return verdict.FirstOwned + 1
	}
	return verdict.NoVerdict
}

func (a superviseAnswer) String() string {
	text := a.Outcome + ": " + a.Reason
	for _, fix := range a.Fixes {
		text += "\n  fix       " + fix
	}
	if a.Next != "" {
		text += "\n  next      " + a.Next
	}
	return text
}
