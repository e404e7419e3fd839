package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func superVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "super",
			Usage: "launch workers in waves, at a cadence, for as long as they ship",
			Description: "A dispatcher is whoever holds the reserved lane _dispatcher and beats; the gate asks for one before\n" +
				"anything is launched. A launch is not a ship: what shipped is what git bears out when a worker ends.",
			Subcommands: []*cli.Command{superGateCommand(), superStatusCommand(), superReportCommand(), superTickCommand(), superStopCommand(), superResumeCommand(), superInstallCommand()},
		},
		statuses: map[string][]status{
			"super gate": {
				{Code: verdict.Yes, Outcome: string(super.HandLaunch), Meaning: "nobody dispatches, or somebody attends and the override is journaled"},
				{Code: 3, Outcome: string(super.AlreadyGardening), Meaning: "a standing dispatcher does it: report, harvest, unblock one thing"},
				{Code: 4, Outcome: string(super.CronDown), Meaning: "there is one, and it does not get on: see to that"},
				{Code: 5, Outcome: string(super.Unreadable), Meaning: "what would tell cannot be read; nothing may be launched"},
			},
			"super tick": {
				{Code: verdict.Yes, Outcome: superTicked, Meaning: "the round is made; what was launched, and why not more, is said"},
				{Code: 3, Outcome: string(super.AlreadyGardening), Meaning: "another dispatches, or another tick is at it"},
				{Code: 4, Outcome: string(super.CronDown), Meaning: "another did, and does not get on"},
				{Code: 5, Outcome: string(super.Unreadable), Meaning: "who dispatches cannot be read"},
				{Code: 10, Outcome: string(super.OperatorStop), Meaning: "an operator has stopped it"},
				{Code: 11, Outcome: string(super.WeeklyCapped), Meaning: "every account is used up; the earliest reset is named"},
				{Code: 12, Outcome: string(super.ThroughputFlat), Meaning: "launches go on and ships do not"},
				{Code: 13, Outcome: string(super.BacklogDrained), Meaning: "all that is to be done was read, and there is nothing"},
				{Code: 14, Outcome: string(super.SpawnFailures), Meaning: "workers fail to start, or two waves in a row went wrong"},
				{Code: 15, Outcome: string(super.OverdueMarkers), Meaning: "spawns have not ended for 12 hours, and are not to be reclaimed"},
			},
			"super status":  {{Code: verdict.Yes, Meaning: "the card is printed"}},
			"super report":  {{Code: verdict.Yes, Meaning: "the report is printed"}},
			"super stop":    {{Code: verdict.Yes, Meaning: "no tick launches anything until super resume"}},
			"super resume":  {{Code: verdict.Yes, Meaning: "what stood is lifted, or nothing stood"}, {Code: 3, Outcome: superRefused, Meaning: "a worker asks, and this is for a person to decide"}},
			"super install": {{Code: verdict.Yes, Meaning: "what to install is printed; nothing was written"}},
		},
	}
}

// superPeriods is how many cadences the dispatcher's lease outlives its last tick.
const superPeriods = 3

func superOperatorFlag() cli.Flag {
	return &cli.StringFlag{Name: "operator", Usage: "who says so, by default this user: `NAME`"}
}

func superGateCommand() *cli.Command {
	return &cli.Command{
		Name: "gate", Usage: "does anybody dispatch already?",
		Description: "The first question of all, asked of the lease on lane _dispatcher and of the beat of whoever holds it.\n" +
			"super tick beats as dispatcher, and its cadence is a third of its lease; git dos supervise beats as\n" +
			"supervise. CRON_DOWN is a dispatcher that took the lane and lapsed, beats late or not at all, or has\n" +
			"nothing alive while units are ready and nothing has shipped within the hour.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "attended", Usage: "launch by hand all the same: an override, which is journaled"},
			superOperatorFlag(), pulseCached(),
		},
		Action: superGate,
	}
}

func superStatusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "one card: who dispatches, what ships, what is in the way",
		Description: "Names at most one thing to see to, with the command that goes at it. With --fast only what lies here\n" +
			"is read: not the remote, not the trunk and so not the backlog, and no account is probed.",
		Flags:  append(preflightFlags(), &cli.BoolFlag{Name: "fast", Aliases: []string{"cached"}, Usage: "read only what lies here"}),
		Action: superStatus,
	}
}

func superReportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "what the ticks came to: launches, witnessed ships, reclaimed, and why it ended",
		Description: "A line for each tick, with the workers that ended since the one before it, and the sums. What ended is\n" +
			"counted once. For how long it went on is no result.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only ticks of the last `DURATION`"},
			pulseCached(),
		},
		Action: superReport,
	}
}

func superStopCommand() *cli.Command {
	return &cli.Command{
		Name: "stop", Usage: "have no tick launch anything until super resume",
		Description: "A row in this node's journal, which every tick of the fleet reads. Workers that run go on; git dos halt\n" +
			"is for them.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "why: `TEXT`"}, superOperatorFlag()},
		Action: writes(superStop),
	}
}

func superResumeCommand() *cli.Command {
	return &cli.Command{
		Name: "resume", Usage: "lift a stop: an operator's, of a flat throughput, of spawn failures",
		Description: "For whoever has looked why it stopped. Windows and failures from before then count no more.",
		Flags:       []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "what was found: `TEXT`"}, superOperatorFlag()},
		Action:      writes(superResume),
	}
}

func superInstallCommand() *cli.Command {
	return &cli.Command{
		Name: "install", Usage: "print the timer units, or the crontab line, that have ticks come", ArgsUsage: "[-- CMD...]",
		Description: "Nothing is written or started. CMD is that of super tick; without one worker.command counts.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "print", Usage: "print; there is no other way"},
			&cli.BoolFlag{Name: "systemd", Usage: "units of the user's systemd; the default"},
			&cli.BoolFlag{Name: "cron", Usage: "a line for a crontab"},
			&cli.StringFlag{Name: "cadence", Usage: "how often a tick comes, by default 1h: `DURATION`"},
		},
		Action: superInstall,
	}
}
