package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/queue"
)

// A queueImportAnswer answers queue import.
type queueImportAnswer struct {
	queue.Import
	DryRun bool `json:"dry_run,omitempty"`
}

func (a queueImportAnswer) String() string {
	text := a.Import.String()
	if a.DryRun {
		text += "  dry run: nothing was written\n"
	}
	return text
}

func queueImport(c *cli.Context) error {
	x, err := queueExport(c)
	if err != nil {
		return err
	}
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	if x.By, err = ownerName(c, d); err != nil {
		return err
	}
	p, err := queuePrepare(c, d, x)
	if err != nil {
		return err
	}
	a := queueImportAnswer{DryRun: c.Bool("dry-run")}
	decide := func(f *queue.Fold) (queue.Import, []queue.Entry, error) {
		v, entries, err := queue.DecideImport(f, p)
		if a.DryRun {
			entries = nil
		}
		return v, entries, err
	}
	if a.Import, err = tasks.Edit(c.Context, d, decide); err != nil {
		return queueError(err)
	}
	return answer(c, a)
}

// queueExport reads the flags and the file.
func queueExport(c *cli.Context) (queue.Export, error) {
	x := queue.Export{At: queueNow(c), Total: c.Int("total"), Limit: c.Int("limit")}
	switch from := c.String("from"); {
	case from != "json":
		return x, usagef("--from %q is not json", from).hint("git dos queue import --from json FILE")
	case c.NArg() != 1:
		return x, usagef("want one FILE, have %d arguments", c.NArg()).hint("- is standard input")
	case c.IsSet("total") && x.Total < 1, c.IsSet("limit") && x.Limit < 1:
		return x, usagef("--total and --limit are 1 or more").hint("leave out what is not known")
	}
	name := c.Args().First()
	data, err := queueFile(c, name, queue.MaxExport)
	if err != nil {
		return x, err
	}
	if x.Issues, x.Requests, err = queue.ReadIssues(data); err != nil {
		return x, usagef("%s: %w", name, err).hint("nothing was imported: gh issue list --json, or the REST answer of a forge, is what is read")
	}
	return x, nil
}

// queuePrepare makes tasks of the issues and guesses their lanes.
func queuePrepare(c *cli.Context, d *admit.Desk, x queue.Export) (queue.Prepared, error) {
	p, err := queue.Prepare(x, tasks.Machine(d.Repo))
	if err != nil {
		return p, usagef("%w", err)
	}
	router, has, err := tasks.Router(c.Context, d, p.Tasks)
	if err != nil {
		return p, queueError(err)
	}
	p.Route(router, has)
	return p, nil
}
