package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func attemptVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "attempt",
			Usage:     "record that a unit was tried, and how that ended",
			ArgsUsage: "UNIT | PLAN PHASE",
			Description: "Adds a row to this node's ledger, which git dos cooldown and git dos pickable read. How it ended is\n" +
				"the caller's word: shipped (there is nothing to wait for), drained (nothing to do), blocked\n" +
				"(something stood in the way), error (it could not be tried in earnest) or unknown. It takes no\n" +
				"unit off any list, whatever it says: only git dos verify tells what shipped. Record one for every\n" +
				"unit that was tried.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "outcome", Usage: "how it ended: `WORD` = " + strings.Join(pick.Ends(), ", ")},
				&cli.StringFlag{Name: "run-id", Usage: "the `RUN` that tried; by default that of GIT_DOS_RUN_ID, if any"},
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` it was tried on; by default that of the run's lease, where this worktree took it"},
			},
			Action: writes(attemptRecord),
		},
		statuses: map[string][]status{"attempt": {{Code: verdict.Yes, Meaning: "the attempt is on record"}}},
	}
}

// An attemptAnswer says what is on record.
type attemptAnswer struct {
	Recorded bool   `json:"recorded"`
	Unit     string `json:"unit"`
	Outcome  string `json:"outcome"`
	RunID    string `json:"run_id,omitempty"`
	Lane     string `json:"lane,omitempty"`
	Node     string `json:"node"` // in whose ledger
	Seq      uint64 `json:"seq"`  // its place there
}

func (attemptAnswer) ExitCode() int { return verdict.Yes }

func (a attemptAnswer) String() string {
	text := "attempt at " + a.Unit + " recorded: " + a.Outcome
	if a.RunID != "" {
		text += ", run " + a.RunID
	}
	if a.Lane != "" {
		text += ", lane " + a.Lane
	}
	return text
}

func attemptRecord(c *cli.Context) error {
	unit, err := attemptUnit(c)
	if err != nil {
		return err
	}
	word := strings.ToLower(strings.TrimSpace(c.String("outcome")))
	if !slices.Contains(pick.Ends(), word) {
		return usagef("--outcome %.40q is none of %s", c.String("outcome"), strings.Join(pick.Ends(), ", ")).hint("where nobody can tell it is unknown")
	}
	run, err := lifeStated(c)
	if err == nil {
		err = lifeMinted(c, run)
	}
	if err != nil {
		return err
	}
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	lane, err := attemptLane(c, d, run)
	if err != nil {
		return err
	}
	a := attemptAnswer{Recorded: true, Unit: unit, Outcome: word, RunID: run, Lane: lane, Node: d.Node}
	b := life.Book{Desk: d}
	seq, err := b.Record(c.Context, journal.Row{Op: journal.OpAttempt, Unit: unit, Outcome: word, RunID: run, Lane: lane})
	if err != nil {
		return lifeError(err)
	}
	if len(seq) == 1 {
		a.Seq = seq[0]
	}
	return answer(c, a)
}

// attemptUnit is the unit as it is recorded: one of a plan as PLAN/PHASE.
func attemptUnit(c *cli.Context) (string, error) {
	unit, err := pickUnit(c)
	if err != nil {
		return "", err
	}
	unit = reconcile.Spelled(unit)
	if printable(unit, false) != unit {
		return "", usagef("the unit %.60q has characters that do not print", unit)
	}
	return unit, nil
}

// attemptLane is the lane that is named, else that of the run's lease in this
// worktree, "" where there is none.
func attemptLane(c *cli.Context, d *admit.Desk, run string) (string, error) {
	if c.IsSet("lane") {
		return laneWord(d, c.String("lane"))
	}
	held, err := d.RecallAll()
	if err != nil {
		return "", environmentf("%w", err)
	}
	for _, h := range held {
		if run != "" && h.RunID == run {
			return h.Lane, nil
		}
	}
	return "", nil
}
