package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/beat"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func beatVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "beat",
			Usage:     "say that something which runs at intervals has come round, or see whether it still does",
			ArgsUsage: "NAME",
			Description: "Records a beat of NAME in this node's record, refs/dos/node/<node>, which git dos sync publishes\n" +
				"in a fleet. Whoever beats under a name beats for the name, on whatever node. How often a name\n" +
				"should beat is declared in [heartbeats] of dos.toml; a name that is not declared there is\n" +
				"refused, since nobody would miss it. Only supervise and dispatcher, git-dos's own drivers, may\n" +
				"beat undeclared.\n\n" +
				"With --check nothing is recorded: the status says whether NAME still beats, and without NAME\n" +
				"whether everything does, as git dos pulse.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "run-id", Usage: "the `RUN` that beats, by default that of GIT_DOS_RUN_ID; for people"},
				&cli.BoolFlag{Name: "check", Usage: "record nothing, and answer whether it still beats"},
				pulseCached(),
			},
			Action: beatAction,
		},
		statuses: map[string][]status{
			"beat": {
				{Code: verdict.Yes, Meaning: "the beat is recorded"},
				{Code: verdict.Yes, Outcome: string(beat.Fresh), Meaning: "with --check: the newest beat is at most 1.5 intervals old"},
				{Code: 3, Outcome: string(beat.Late), Meaning: "with --check: it is at most 3 intervals old"},
				{Code: 4, Outcome: string(beat.Missing), Meaning: "with --check: it is older, or there is none"},
			},
		},
	}
}

func beatAction(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("want one NAME, have %d arguments", c.NArg())
	}
	if c.Bool("check") {
		if c.IsSet("run-id") {
			return usagef("--check asks about a name, whichever run beats for it").hint("leave --run-id out")
		}
		return pulseOf(c, c.Args().Slice()...)
	}
	if c.NArg() == 0 {
		return usagef("want a NAME").hint("git dos pulse shows the names that are declared")
	}
	if c.Bool("cached") {
		return usagef("--cached goes with --check")
	}
	return writes(beatRecord)(c)
}

// A beatAnswer answers beat.
type beatAnswer struct {
	Beat     string `json:"beat"`
	Node     string `json:"node"`
	AtMS     int64  `json:"at_ms"`
	Host     string `json:"host"`
	RunID    string `json:"run_id"`
	Recorded bool   `json:"recorded"` // false: a beat that is as new stands already
}

func (beatAnswer) ExitCode() int { return verdict.Yes }

func (a beatAnswer) String() string {
	text := fmt.Sprintf("%s beat at %s on node %s", a.Beat, time.UnixMilli(a.AtMS).UTC().Format(time.RFC3339), a.Node)
	if !a.Recorded {
		return text + "; one that is as new stands already"
	}
	return text
}

func beatRecord(c *cli.Context) error {
	run, err := runFlag(c)
	if err != nil {
		return err
	}
	if !c.IsSet("run-id") {
		run = firstEnv("GIT_DOS_RUN_ID", "CID_RUN_ID")
		if err := checkRun("GIT_DOS_RUN_ID", run); err != nil {
			return err
		}
	}
	if len(run) > beatMaxRun {
		return usagef("run id of %d bytes, at most %d", len(run), beatMaxRun).hint("git dos run-id mint NAME makes one")
	}
	if err := lifeMinted(c, run); err != nil {
		return err
	}
	name := c.Args().First()
	if err := beat.CheckName(name); err != nil {
		return usagef("%w", err)
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	if err := beatAllowed(name, d.Rules.Policy); err != nil {
		return err
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	host, _ := os.Hostname() // for people
	a := beatAnswer{Beat: name, Node: d.Node, AtMS: now(c).UnixMilli(), Host: host, RunID: run}
	ctx, cancel := context.WithTimeout(c.Context, panelTime)
	defer cancel()
	a.Recorded, err = ledger.RecordBeat(ctx, d.Repo, d.Node, name, ledger.Beat{At: time.UnixMilli(a.AtMS), RunID: run, Host: host})
	if err != nil {
		return panelError(err)
	}
	return answer(c, a)
}

// beatMaxRun bounds the run id in a record that every node reads.
const beatMaxRun = 200

// beatAllowed refuses a name that nobody would miss.
func beatAllowed(name string, p policy.Policy) error {
	err := beat.Allowed(name, p.Heartbeats)
	switch {
	case errors.Is(err, beat.ErrUndeclared):
		return usagef("%w", err).hint("declare it in dos.toml, as in [heartbeats] %s = \"5m\", or correct the name", name)
	case err != nil:
		return usagef("%w", err)
	}
	return nil
}
