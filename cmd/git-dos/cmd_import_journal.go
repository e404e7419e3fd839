package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/oldledger"
	"github.com/git-dos/git-dos/kernel/oldjournal"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// The outcomes of import-journal.
const (
	importDone  = "IMPORTED"
	importSame  = "ALREADY_IMPORTED"
	importWould = "WOULD_IMPORT"
	importLive  = "LEASES_MAY_LIVE"
)

func importJournalVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "import-journal",
			Usage:     "bring the older tool's journal into this node's ledger, once",
			ArgsUsage: "PATH",
			Description: "PATH is a lane journal of the older tool, or the folder whose .dos/ has one. Every row is kept as it\n" +
				"stood, one of more than 16 KiB by its key alone; attempts, halts, spawns, refusals\n" +
				"and denials that may still matter become rows of the same meaning. Rows that were brought over before are not brought over again, so it can be run at any\n" +
				"time, also while the journal grows. The file itself is left alone.\n\n" +
				"No lease is taken over: the older tool's workers do not know git-dos. Leases of it behind which\n" +
				"somebody may still be at work are listed, and the status says so: let them end, or keep others off\n" +
				"their lanes with the git dos lease acquire that stands under each. A lane that dos.toml does not\n" +
				"declare is asked for with its tree.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "host-id", Usage: "what the older tool called this machine, by default DISPATCH_HOST_ID or the host's `NAME`"},
				&cli.BoolFlag{Name: "dry-run", Usage: "read and tell, and write nothing"},
			},
			Action: writes(importJournal),
		},
		statuses: map[string][]status{
			"import-journal": {
				{Code: verdict.Yes, Outcome: importDone, Meaning: "its rows are in the ledger, and none of its leases lives"},
				{Code: verdict.Yes, Outcome: importSame, Meaning: "they were already"},
				{Code: verdict.Yes, Outcome: importWould, Meaning: "dry run: what would be brought over"},
				{Code: verdict.FirstOwned, Outcome: importLive, Meaning: "the same, and leases of the older tool may still live, which git-dos does not know"},
			},
		},
	}
}

// An importAnswer answers import-journal.
type importAnswer struct {
	Outcome string            `json:"outcome"`
	Path    string            `json:"path"`
	Node    string            `json:"node"`
	Rows    int               `json:"rows"`      // of the old journal
	Before  int               `json:"already"`   // of them, brought over earlier
	Now     int               `json:"imported"`  // now, or with --dry-run to be brought over
	Own     map[string]int    `json:"by_op"`     // of them, by the op they have now
	Corrupt int               `json:"corrupt"`   // lines that are no JSON
	Foreign int               `json:"left_out"`  // rows of another family
	First   uint64            `json:"first_seq"` // their places in the ledger, 0 for none
	Last    uint64            `json:"last_seq"`
	Live    []oldledger.Lease `json:"live"`           // may still be at work
	Doubts  []string          `json:"doubts"`         // why there may be more of them
	Next    []string          `json:"next,omitempty"` // keeps others off the lane of each that may be at work
	DryRun  bool              `json:"dry_run,omitempty"`
}

func (a importAnswer) ExitCode() int {
	if a.Outcome == importLive {
		return verdict.FirstOwned
	}
	return verdict.Yes
}

func (a importAnswer) String() string {
	verb := "brought over now"
	if a.DryRun {
		verb = "to be brought over"
	}
	lines := []string{fmt.Sprintf("%s: %s of %s, %d %s, %d before", a.Outcome, verdict.Count(a.Rows, "row"), a.Path, a.Now, verb, a.Before)}
	if a.Corrupt+a.Foreign > 0 {
		lines = append(lines, fmt.Sprintf("lines that are no JSON: %d; rows of another family, which were left out: %d", a.Corrupt, a.Foreign))
	}
	for _, l := range a.Live {
		lines = append(lines, importLease(l))
	}
	for _, command := range a.Next {
		lines = append(lines, "  next: "+command)
	}
	for _, d := range a.Doubts {
		lines = append(lines, "and there may be more: "+d)
	}
	return strings.Join(lines, "\n")
}

func importJournal(c *cli.Context) error {
	if c.NArg() != 1 || c.Args().First() == "" {
		return usagef("want one PATH, have %d arguments", c.NArg()).hint("git dos import-journal . takes .dos/lane-journal.jsonl here")
	}
	book, err := importRead(c.Args().First())
	if err != nil {
		return err
	}
	dry := c.Bool("dry-run")
	d, err := openDesk(c)
	if err == nil {
		err = importNode(c, d, dry)
	}
	if err != nil {
		return err
	}
	unlock, err := d.Repo.LockShared(c.Context, "import.lock") // two at once would both bring it over
	if err != nil {
		return environmentf("%w", err).hint("see git dos doctor")
	}
	defer unlock()
	have, err := importHave(c.Context, d)
	if err != nil {
		return err
	}
	a := importAnswer{Outcome: importDone, Path: book.Path, Node: d.Node, Rows: book.Rows(), Own: map[string]int{}, Corrupt: book.Corrupt, Foreign: book.Foreign, DryRun: dry}
	if err := a.add(c, d, book.Convert(have, now(c))); err != nil {
		return err
	}
	a.Before = a.Rows - a.Now
	a.Live, a.Doubts = book.Leases(now(c), importHost(c), importAlive), append([]string{}, book.Doubts()...)
	a.Next = importKeep(d.Declared(), a.Live)
	switch {
	case len(a.Live)+len(a.Doubts) > 0:
		a.Outcome = importLive
	case dry:
		a.Outcome = importWould
	case a.Now == 0:
		a.Outcome = importSame
	}
	return answer(c, a)
}

// importRead reads the journal that a path names.
func importRead(path string) (*oldledger.Book, error) {
	file, err := oldledger.Find(path)
	var book *oldledger.Book
	if err == nil {
		book, err = oldledger.Read(file)
	}
	var at *fs.PathError
	switch {
	case err == nil:
		return book, nil
	case errors.Is(err, oldledger.ErrNewer):
		return nil, errorf(kindIndeterminate, "%w", err).hint("nothing was brought over: what a later version says is not guessed")
	case errors.Is(err, oldjournal.ErrTooLarge):
		return nil, usagef("%s: %w", path, err).hint("have the older tool compact it, then bring it over")
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, oldledger.ErrNone):
		return nil, usagef("PATH: %w", err).hint("name the older tool's lane-journal.jsonl, or the folder whose .dos/ has it")
	case errors.As(err, &at):
		return nil, environmentf("PATH: %w", err)
	}
	return nil, usagef("PATH: %w", err)
}

// importNode sets the node to whose ledger the rows go. A dry run makes no id.
func importNode(c *cli.Context, d *admit.Desk, dry bool) (err error) {
	if !dry {
		return deskError(d.EnsureNode(c.Context))
	}
	d.Node, err = journalOwn(c, d)
	return err
}

// importHave are the keys of the old rows that this node's ledger has.
func importHave(ctx context.Context, d *admit.Desk) (map[string]bool, error) {
	have := map[string]bool{}
	if d.Node == "" {
		return have, nil
	}
	_, err := ledger.Read(ctx, d.Repo, ledger.Query{Nodes: []string{d.Node}, History: true}, func(e ledger.Entry) bool {
		for _, key := range oldledger.Imported(e.Payload) {
			have[key] = true
		}
		return true
	})
	if err != nil {
		return nil, journalFailed(err)
	}
	return have, nil
}

// add appends rows, or with a dry run counts them.
func (a *importAnswer) add(c *cli.Context, d *admit.Desk, rows []oldledger.Row) error {
	all := make([]ledger.Row, 0, len(rows))
	for _, r := range rows {
		a.Now += r.Old
		a.Own[r.Op] += r.Old
		all = append(all, ledger.JSON(r.JSON))
	}
	if a.DryRun {
		return nil
	}
	done, err := ledger.Record(c.Context, d.Repo, d.Node, d.Rules.Policy.Retention, now(c), all...)
	a.First, a.Last = done.First, done.Last
	if err != nil && done.Last > 0 {
		e := asCmdError(panelError(err))
		return e.hint("rows up to %d are in; run it again, and the others follow", done.Last)
	}
	return panelError(err)
}

// importHost is what the older tool called this machine.
func importHost(c *cli.Context) string {
	name, _ := os.Hostname()
	return firstOf(c.String("host-id"), firstEnv("DISPATCH_HOST_ID"), name)
}

// importAlive says whether a process of this machine runs, nil where that cannot
// be told.
func importAlive(pid int64) *bool {
	_, err := host.Process(pid)
	yes, no := true, false
	switch {
	case err == nil:
		return &yes
	case errors.Is(err, host.ErrNoProcess):
		return &no
	}
	return nil
}
