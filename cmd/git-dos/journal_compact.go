package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func journalCompactCommand() *cli.Command {
	return &cli.Command{
		Name:  "compact",
		Usage: "add a checkpoint to this node's ledger, so that reading it stays cheap",
		Description: "The checkpoint holds what the rows come to and, packed, the rows themselves: no row is lost, and\n" +
			"every later answer is the same. Whoever asks about the present reads on from it. Verbs that\n" +
			"add rows make one after retention.journal_max_entries of them, and git dos gc where one is due.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "say what there is to do, and change nothing"}},
		Action: writes(journalCompact),
	}
}

// A journalCompacted answers journal compact.
type journalCompacted struct {
	Node       string `json:"node"`
	Ref        string `json:"ref"`
	Before     uint64 `json:"entries_before"` // that a reader of the present goes through
	After      uint64 `json:"entries_after"`
	Seq        uint64 `json:"seq"`
	Checkpoint string `json:"checkpoint,omitempty"` // "" when there is nothing above the last one
	DryRun     bool   `json:"dry_run,omitempty"`

	rows uint64 // above the last checkpoint
}

func (journalCompacted) ExitCode() int { return verdict.Yes }

func (j journalCompacted) String() string {
	switch {
	case j.DryRun && j.rows > 0:
		return fmt.Sprintf("%s: a checkpoint would stand for %s", j.Ref, verdict.Count(int(j.Seq), "row"))
	case j.Checkpoint == "":
		return fmt.Sprintf("%s: nothing stands above the last checkpoint", j.Ref)
	}
	return fmt.Sprintf("%s: checkpoint %s stands for %s", j.Ref, verdict.Short(j.Checkpoint), verdict.Count(int(j.Seq), "row"))
}

func journalCompact(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	j := journalCompacted{Node: d.Node, Ref: refstore.Ref("journal", d.Node), DryRun: c.Bool("dry-run")}
	report, err := ledger.Read(c.Context, d.Repo, ledger.Query{Nodes: []string{d.Node}}, func(e ledger.Entry) bool {
		j.Before++
		if e.Op != refstore.OpCheckpoint {
			j.rows++
		}
		return true
	})
	if err != nil {
		return journalFailed(err)
	}
	for _, l := range report.Nodes {
		j.Seq = l.Seq
	}
	j.After = j.Before
	if j.rows > 0 {
		j.After = 1
	}
	if j.rows > 0 && !j.DryRun {
		at := now(c)
		id, err := ledger.Compact(c.Context, d.Repo, d.Node, at, ledger.StateFold(c.Context, d.Repo, d.Node, at))
		if err != nil {
			return panelError(err)
		}
		j.Checkpoint = string(id)
	}
	return answer(c, j)
}
