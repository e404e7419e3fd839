package main

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// lifeBook reads what is known of runs and nodes for a verb that writes nothing,
// and what it is going to be asked for.
func lifeBook(c *cli.Context, asks ...life.Ask) (*life.Book, error) {
	return lifeBookBy(c, admit.Open, asks...)
}

func lifeBookBy(c *cli.Context, open deskOpener, asks ...life.Ask) (*life.Book, error) {
	d, err := lifeDesk(c, open)
	if err != nil {
		return nil, err
	}
	b, err := life.Open(c.Context, d, c.Bool("cached"), asks...)
	return b, lifeError(err)
}

// lifeWrite calls action with what is known of runs, for a verb that adds to one.
// In this repository one such verb at a time reads and writes. Of a fleet it goes by
// what was last seen, unless fresh is set.
func lifeWrite(c *cli.Context, fresh bool, action func(*life.Book) error) error {
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	unlock, err := d.Repo.LockShared(c.Context, "runs.lock")
	if err != nil {
		return environmentf("%w", err).hint("see git dos doctor")
	}
	defer unlock()
	b, err := life.Open(c.Context, d, !fresh)
	if err != nil {
		return lifeError(err)
	}
	return action(b)
}

// lifeError gives an error of package life its kind and hint.
func lifeError(err error) error {
	var unknown *life.UnknownRunError
	var row *life.RowError
	var mint *life.MintError
	var unseen *life.UnseenError
	switch {
	case errors.As(err, &unknown):
		return usagef("%w", err).hint("git dos lease live lists the runs at work; git dos intent --run-id %s --goal GOAL declares one", verdict.ShellWord(unknown.ID))
	case errors.As(err, &unseen):
		return errorf(kindIndeterminate, "%w", err).hint("git fetch --unshallow brings all of it")
	case errors.As(err, &row):
		return usagef("%w", err)
	case errors.As(err, &mint):
		return usagef("%w", err).hint("check the clocks; git dos run-id decode tells when an id was made")
	}
	return deskError(err)
}

// runVariables name the run a process belongs to, strongest first.
var runVariables = []string{"GIT_DOS_RUN_ID", "DISPATCH_RUN_ID", "CID_RUN_ID"}

// lifeRun is the run a verb is about: the flag, the environment, else that of the
// only lease this worktree took.
func lifeRun(c *cli.Context, d *admit.Desk) (string, error) {
	id, err := lifeStated(c)
	if err != nil || id != "" {
		return id, err
	}
	held, err := d.RecallAll()
	if err != nil {
		return "", environmentf("%w", err)
	}
	var runs []string
	for _, h := range held {
		if h.RunID != "" && !slices.Contains(runs, h.RunID) {
			runs = append(runs, h.RunID)
		}
	}
	if len(runs) == 1 {
		return runs[0], nil
	}
	return "", usagef("--run-id is missing").hint("name a run, or set GIT_DOS_RUN_ID; git dos lease live --json lists the runs at work, git dos journal replay all that are told of")
}

// lifeOne refuses arguments that name no run, or name it twice.
func lifeOne(c *cli.Context) error {
	switch {
	case c.NArg() > 1:
		return usagef("want one RUN, have %d arguments", c.NArg())
	case c.NArg() == 1 && c.Args().First() == "":
		return usagef("RUN is empty")
	case c.NArg() == 1 && c.IsSet("run-id"):
		return usagef("RUN and --run-id both name a run").hint("name it once")
	}
	return nil
}

// lifeArgument is the run that the argument names, else that of lifeRun.
func lifeArgument(c *cli.Context, d *admit.Desk) (string, error) {
	if id := c.Args().First(); id != "" {
		return id, lifeWord("RUN", id, checkRun("RUN", id))
	}
	return lifeRun(c, d)
}

// lifeStated is the run that the flag or the environment names, "" for none.
func lifeStated(c *cli.Context) (string, error) {
	id, err := runFlag(c)
	if err != nil || id != "" {
		return id, lifeWord("--run-id", id, err)
	}
	for _, name := range runVariables {
		if id := os.Getenv(name); id != "" {
			return id, lifeWord(name, id, checkRun(name, id))
		}
	}
	return "", nil
}

// maxRunWord bounds a run's id: rows hold it.
const maxRunWord = 256

// lifeWord wants the id of a run to fit into a row.
func lifeWord(what, id string, err error) error {
	if err == nil && (len(id) > maxRunWord || printable(id, false) != id || strings.HasPrefix(id, "-")) {
		return usagef("%s %.60q is no run id: at most %d printable characters", what, id, maxRunWord)
	}
	return err
}

// lifeMinted refuses to write for a run whose id says that it starts in the future:
// nobody could judge it before then. What is there under such an id can be asked
// about, halted and ended.
func lifeMinted(c *cli.Context, id string) error {
	ms, ok := runid.Decode(id)
	if !ok {
		return nil
	}
	at := now(c)
	if _, err := liveness.Started(ms, at.UnixMilli()); err == nil {
		return nil
	}
	minted := time.UnixMilli(ms).UTC()
	ahead := "more than 290 years" // beyond what a duration holds
	if d := minted.Sub(at); d < math.MaxInt64 {
		ahead = d.Round(time.Second).String()
	}
	return usagef("run %s was minted at %s, which is %s ahead of this clock", id, minted.Format(time.RFC3339), ahead).
		hint("check the clocks; git dos run-id mint NAME names a run that starts now")
}

// lifeKnown looks a run up for a verb that asks about it, and tells beside the
// answer which nodes could not be read.
func lifeKnown(c *cli.Context, b *life.Book, id string) (life.Run, error) {
	r, err := b.Run(c.Context, id)
	if err != nil {
		return r, lifeError(err)
	}
	lifeWarn(c, b, r)
	return r, nil
}

// lifeWarn tells which nodes and which rows could not be read, and for which of the
// runs that a verb is about the rows count.
func lifeWarn(c *cli.Context, b *life.Book, about ...life.Run) {
	for _, e := range b.Unread {
		warn(c, "%v", e)
	}
	for _, h := range b.Hidden() {
		counts := "it counts for nothing here"
		for _, r := range about {
			if r.Doubts(h.Node) {
				counts = "it may be about run " + r.ID
			}
		}
		warn(c, "%v; %s; git dos journal check names the entry", life.RowsError(h), counts)
	}
}

// lifeSeen is the part of an answer about a fleet that says as of when it holds.
type lifeSeen struct {
	AsOf *time.Time `json:"as_of,omitempty"`

	from string
}

func lifeSeenAs(b *life.Book) lifeSeen {
	if b.Desk.Remote() == "" {
		return lifeSeen{}
	}
	return lifeSeen{AsOf: &b.AsOf, from: b.Desk.Remote()}
}

// line is the last line of the text, "" outside a fleet.
func (s lifeSeen) line() string {
	if s.from == "" {
		return ""
	}
	return seenAs(*s.AsOf, s.from)
}

// lifeFlags are the flags of verbs that read what is known of a run.
func lifeFlags(own ...cli.Flag) []cli.Flag {
	return append(own,
		&cli.StringFlag{Name: "run-id", Usage: "`RUN`; by default GIT_DOS_RUN_ID, else the run of the lease this worktree took"},
		&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old; by default it is at most [fleet] interval old"},
	)
}
