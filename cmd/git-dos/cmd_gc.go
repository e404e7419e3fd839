package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func gcVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "gc",
			Usage: "compact this node's ledger where that is due, and pack loose objects",
			Description: "A checkpoint of this node's ledger, and of the chain of its record, is made where [retention] says\n" +
				"that one is due; then git maintenance puts loose objects into packs. No row is lost, no entry is\n" +
				"dropped and no ref of another node is moved. It may run at any time beside working lanes. What\n" +
				"git-dos leaves to you is printed as advice.",
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "say what is due, and change nothing"}},
			Action: writes(gcAction),
		},
		statuses: map[string][]status{"gc": {{Code: verdict.Yes, Meaning: "it is tidied, or with --dry-run: what is due"}}},
	}
}

// A gcDue says why a checkpoint of the ledger is due.
type gcDue struct {
	Rows   uint64     `json:"rows"` // above the last checkpoint
	Since  *time.Time `json:"since,omitempty"`
	Reason string     `json:"reason"` // entries or age, "" when none is due
}

// gcObjects is what git counts in the repository.
type gcObjects struct {
	Loose    int64 `json:"loose"`
	LooseKiB int64 `json:"loose_kib"`
	Packs    int64 `json:"packs"`
	PacksKiB int64 `json:"packs_kib"`
}

// A gcAnswer answers gc.
type gcAnswer struct {
	Node       string    `json:"node"` // "" where this one has no id yet
	Due        gcDue     `json:"due"`
	Checkpoint string    `json:"checkpoint,omitempty"` // of the ledger
	Record     string    `json:"record,omitempty"`     // the checkpoint of the record's chain
	Before     gcObjects `json:"before"`
	After      gcObjects `json:"after"`
	Advice     []string  `json:"advice"`
	DryRun     bool      `json:"dry_run,omitempty"`
}

func (gcAnswer) ExitCode() int { return verdict.Yes }

func (a gcAnswer) String() string {
	lines := []string{fmt.Sprintf("%s above the last checkpoint", verdict.Count(int(a.Due.Rows), "row"))}
	switch {
	case a.Checkpoint != "":
		lines[0] += ": checkpoint " + verdict.Short(a.Checkpoint) + " stands for them now"
	case a.Due.Reason != "" && a.DryRun:
		lines[0] += ": a checkpoint is due, by " + a.Due.Reason
	default:
		lines[0] += ": none is due"
	}
	if a.Record != "" {
		lines = append(lines, "record of this node: checkpoint "+verdict.Short(a.Record))
	}
	if a.DryRun {
		lines = append(lines, "objects: "+a.Before.String())
	} else {
		lines = append(lines, fmt.Sprintf("objects: %s, before %s", a.After, a.Before))
	}
	for _, text := range a.Advice {
		lines = append(lines, "advice: "+text)
	}
	return strings.Join(lines, "\n")
}

func (o gcObjects) String() string {
	return fmt.Sprintf("%d loose (%d KiB), %s (%d KiB)", o.Loose, o.LooseKiB, verdict.Count(int(o.Packs), "pack"), o.PacksKiB)
}

func gcAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	req := ledger.GcRequest{Keep: d.Rules.Policy.Retention, Now: now(c), DryRun: c.Bool("dry-run")}
	if req.Node, err = journalOwn(c, d); err != nil {
		return err
	}
	req.Fold = ledger.StateFold(c.Context, d.Repo, req.Node, req.Now)
	done, err := ledger.Gc(c.Context, d.Repo, req)
	if err != nil {
		return journalFailed(err)
	}
	return answer(c, gcAnswerOf(req, done))
}

func gcAnswerOf(req ledger.GcRequest, done ledger.Tidied) gcAnswer {
	a := gcAnswer{
		Node: req.Node, Due: gcDue{Rows: done.Due.Rows, Reason: done.Due.Reason}, Checkpoint: string(done.Journal), Record: string(done.Node),
		Before: gcObjects(done.Before), After: gcObjects(done.After), Advice: append([]string{}, done.Advice...), DryRun: req.DryRun,
	}
	if !done.Due.Since.IsZero() {
		since := done.Due.Since.UTC()
		a.Due.Since = &since
	}
	return a
}
