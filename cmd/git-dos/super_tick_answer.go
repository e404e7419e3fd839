package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

const superTicked = "TICKED"

// A superTickAnswer answers super tick.
type superTickAnswer struct {
	Outcome   string             `json:"outcome"` // TICKED, a stop signal, or the gate's word
	Reason    string             `json:"reason"`
	At        time.Time          `json:"at"`
	CadenceS  int64              `json:"cadence_s"`
	RunID     string             `json:"run_id,omitempty"`
	Held      bool               `json:"held"`  // it dispatches on until the next tick
	Began     bool               `json:"began"` // with this tick
	Beat      bool               `json:"beat"`
	Gate      super.GateVerdict  `json:"gate"`
	Reclaimed int                `json:"reclaimed"` // markers
	Files     int                `json:"files"`     // own old ones that went
	Stop      super.Halt         `json:"stop"`
	Backlog   *superBacklog      `json:"backlog"`
	Preflight string             `json:"preflight,omitempty"`
	Regime    super.Choice       `json:"regime"`
	Climb     *wave.Climb        `json:"climb"`
	Rung      wave.State         `json:"rung"`
	Launch    *waveLaunchAnswer  `json:"launch"`
	Launches  int                `json:"launches"`
	Harvest   *waveHarvestAnswer `json:"harvest"`
	Next      string             `json:"next,omitempty"`

	waits string
}

// sealed is the answer with what is known from the start.
func (a superTickAnswer) sealed(at time.Time, cadence time.Duration) superTickAnswer {
	a.At, a.CadenceS = at.UTC().Truncate(time.Second), int64(cadence/time.Second)
	a.Gate.Evidence.Unread = []string{}
	a.Regime.Evidence.Residue, a.Regime.Evidence.Cold = []string{}, []string{}
	return a
}

// ExitCode implements [verdict.Verdict].
func (a superTickAnswer) ExitCode() int {
	switch a.Outcome {
	case superTicked:
		return verdict.Yes
	case string(super.AlreadyGardening), string(super.CronDown), string(super.Unreadable):
		return super.GateVerdict{Outcome: super.Gating(a.Outcome)}.ExitCode()
	case "":
		return verdict.NoVerdict
	}
	return super.Signal(a.Outcome).ExitCode()
}

func (a superTickAnswer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", a.Outcome, a.Reason)
	if a.Regime.Regime != "" {
		fmt.Fprintf(&b, "\n  regime    %s: %s", a.Regime.Regime, a.Regime.Why)
	}
	if c := a.Climb; c != nil {
		fmt.Fprintf(&b, "\n  rung      %s, %s: %s", c.After.Rung, c.Move, c.Reason)
	}
	if a.Reclaimed+a.Files > 0 {
		fmt.Fprintf(&b, "\n  reclaimed %s, %s", verdict.Count(a.Reclaimed, "marker"), verdict.Count(a.Files, "file"))
	}
	if a.Launch != nil {
		for _, r := range a.Launch.Rows {
			fmt.Fprintf(&b, "\n  %-9s %s  lane %s", r.Result, verdict.Show(r.Unit), verdict.Show(r.Lane))
			if r.RunID != "" {
				fmt.Fprintf(&b, "  run %s", r.RunID)
			}
			if r.Reason != "" {
				fmt.Fprintf(&b, ": %s", r.Reason)
			}
		}
	}
	if h := a.Harvest; h != nil && len(h.Rows) > 0 {
		fmt.Fprintf(&b, "\n  harvest   %s: %s", h.Outcome, h.Reason)
	}
	if a.Next != "" {
		b.WriteString("\n  next      " + a.Next)
	}
	return b.String()
}

func superTickCommand() *cli.Command {
	return &cli.Command{
		Name: "tick", Usage: "one round of a marathon: gate, reclaim, preflight, plan, launch", ArgsUsage: "[-- CMD ARG...]",
		Description: "Asks the gate, prunes what rung 1 of git dos reclaim prunes, looks for a reason to stop, plans a wave as\n" +
			"git dos wave plan does, and launches what its rung lets: nothing while a worker of the last wave is on its\n" +
			"way, or, below FULL, has neither ended nor a commit that git bears out. The lane _dispatcher is kept for\n" +
			"three cadences, so that the next tick of this clone goes on with it, and the rung stands on its lease; a\n" +
			"tick of another clone is refused. A missed or extra tick changes nothing. Nobody is ever stopped.\n\n" +
			"Reasons to stop, the first that holds: an operator's word; every account used up, with the earliest reset;\n" +
			"launches that go on while ships do not, in two windows one after the other; a backlog that was read whole and\n" +
			"is empty; three workers in a row that never ran, or two waves in a row that went wrong; spawns that have not\n" +
			"ended for 12 hours. An operator's word, a flat throughput and failures stand until git dos super resume.",
		Flags:  waveFlags(&cli.StringFlag{Name: "cadence", Usage: "how often a tick comes, by default 1h: `DURATION`"}),
		Action: writes(superTick),
	}
}
