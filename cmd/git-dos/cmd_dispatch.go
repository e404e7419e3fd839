package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func dispatchVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "dispatch",
			Usage:     "carry one lane from its next packet to what shipped of it",
			ArgsUsage: "-- CMD ARG...",
			Description: "Preflight, then the lane, then what git dos next-up --scope LANE writes. When its gate is LIVE, CMD (by\n" +
				"default worker.command of dos.toml) is run once for each pick as git dos worker run does, under the\n" +
				"lane's lease, with the pick's prompt as standard input. A worker that ends with status 0 claims its\n" +
				"unit, and so does one that declares and claims it as a step of its run (git dos claim-step); each claim is held against what shipped, and an attempt at the unit is recorded. What a worker\n" +
				"leaves uncommitted in the lane is committed by its paths, unless a lease of somebody else covers them.\n\n" +
				"Without --lane a free one is picked, once. Where GIT_DOS_NONCE names a live lease on LANE, that is ridden:\n" +
				"it is neither renewed nor released. Refused, nothing is started. Any other gate ends it, but that a RACE\n" +
				"is rendered once more, and with --gate drive a STALE-STAMP is, after the plan documents that the lane\n" +
				"covers are stamped as git dos replan does.\n\n" +
				"One pick is offered, and with --limit more: they are priced as git dos price --lane does, by the trees\n" +
				"that their tasks state, and run wave by wave: one after the other, or with --jobs J so many side by side,\n" +
				"as far as preflight has room, each in a linked worktree of its own and with its unit and its tree claimed\n" +
				"inside the lane's lease. A price that launches no set ends it. What one leaves uncommitted in its worktree\n" +
				"stays there, and is told of.\n" +
				"A record of the run goes into paths.runs, and is committed where that is not ignored. In a fleet what it\n" +
				"committed itself is pushed to the trunk, under the lane's lease; where that is refused it is said, and the\n" +
				"commits stay here.\n\n" +
				"With --seat, --account or --work-kind the lane is taken with a seat of an account, as git dos worker run does\n" +
				"it, and picks run on that. Those that run beside it each claim a further seat of such accounts inside the\n" +
				"lease, and where there are too few fewer run side by side.",
			Flags: append(dispatchFlags(),
				&cli.StringFlag{Name: "leases", Usage: "live leases known besides, as `JSON` (what lease live --json prints), or - for standard input"},
				&cli.IntFlag{Name: "jobs", Value: 1, Usage: fmt.Sprintf("run up to `J` picks side by side, 1 to %d; --limit is J then where it is not given", nextUpMost)},
				&cli.IntFlag{Name: "limit", Value: 1, Usage: fmt.Sprintf("take at most `N` picks, 1 to %d", nextUpMost)}),
			Action: writes(dispatch),
		},
		statuses: map[string][]status{
			"dispatch": {
				{Code: verdict.Yes, Outcome: string(supervise.AllVerified), Meaning: "every unit that was picked shipped"},
				{Code: 3, Outcome: string(supervise.Drained), Meaning: "there is no work for the lane"},
				{Code: 4, Outcome: string(supervise.Unstamped), Meaning: "there is none, and plan documents do not say what shipped"},
				{Code: 5, Outcome: string(supervise.HeldBack), Meaning: "units are claimed, held or waiting, or their price launches nobody"},
				{Code: 6, Outcome: string(supervise.OtherRenders), Meaning: "another process renders a packet here"},
				{Code: 7, Outcome: string(supervise.NoLane), Meaning: "the lane, or this machine, was not to be had; nothing was started"},
				{Code: 8, Outcome: string(supervise.QuietLeft), Meaning: "a unit was claimed and did not ship"},
				{Code: 9, Outcome: string(supervise.PickFailed), Meaning: "a unit was not claimed, or not tried"},
			},
		},
	}
}

// dispatchFlags are those of the verbs that dispatch.
func dispatchFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "lane", Usage: "work in this `LANE`; without it, in a free one"},
		&cli.StringFlag{Name: "gate", Usage: "what a packet without work leads to, in place of loop.gate: `MODE` = hard, soft, drive"},
		&cli.StringFlag{Name: "owner", Usage: "who is at work, to people: `NAME`"},
		&cli.StringFlag{Name: "ttl", Usage: "how long the lease lives without being renewed: `DURATION`"},
		&cli.StringFlag{Name: "timeout", Usage: "the most that CMD may take for a pick, in place of worker.timeout: `DURATION`"},
	}, append(accountSeatFlags(), preflightFlags()...)...)
}

func dispatch(c *cli.Context) error {
	survivesHangup.Store(true)
	s, err := dispatchAsked(c)
	if err != nil {
		return err
	}
	if n := c.Int("limit"); n < 1 || n > nextUpMost {
		return usagef("--limit %d is not 1 to %d", n, nextUpMost)
	}
	if n := c.Int("jobs"); n < 1 || n > nextUpMost {
		return usagef("--jobs %d is not 1 to %d", n, nextUpMost)
	}
	s.limit, s.jobs = c.Int("limit"), c.Int("jobs")
	if !c.IsSet("limit") {
		s.limit = s.jobs
	}
	if refused, err := s.take("dispatch"); refused != nil || err != nil {
		if err != nil {
			return err
		}
		return answer(c, *refused)
	}
	a, err := s.once("")
	if err != nil {
		s.tellPicks(a)
	}
	if err = s.leave(err); err != nil {
		return err
	}
	if c.Context.Err() != nil { // it is told, and the status is that of an interrupt
		warn(c, "%s", firstLine(a.String()))
		return c.Context.Err()
	}
	return answer(c, a)
}

// tellPicks says of each pick how far it came, where an error takes the answer's
// place.
func (s *dispatching) tellPicks(a dispatchAnswer) {
	for _, p := range a.Picks {
		state := "not started"
		if p.Started {
			state = "started, run " + firstOf(p.RunID, "not known")
		}
		warn(s.c, "unit %s: %s; %s", verdict.Show(p.Unit), state, p.State)
	}
	if a.Archive != nil {
		warn(s.c, "the record is %s", verdict.Show(a.Archive.Path))
	}
}

// firstLine is what a text says first.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
