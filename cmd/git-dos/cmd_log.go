package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func logVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "log",
			Usage:     "tell the story of a lane or of a run, across all refs",
			ArgsUsage: "--lane LANE | --run-id RUN",
			Description: "Lists what the chains of lanes and the ledgers of all nodes have about it, of a run also the\n" +
				"commits that name it in a Dos-Run trailer, the oldest first. Entries of one ref stand in their\n" +
				"true order; between two refs the order is that of the times their writers recorded, which is as\n" +
				"good as the writers' clocks, and within a second that in which they can have come about: a commit\n" +
				"stands before what names it, and what was written under a lease between its beginning and its end.\n" +
				"What a ledger says of steps is what somebody said: git dos status looks at git.\n\n" +
				"A ref that cannot be read is named on standard error, and the story is told without it; where\n" +
				"nothing is left of it then, there is no answer.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the story of this `LANE`"},
				&cli.StringFlag{Name: "run-id", Usage: "the story of this `RUN`"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 1000, Usage: "at most the newest `N` entries"},
				pulseCached(),
			},
			Action: logStory,
		},
		statuses: map[string][]status{"log": {{Code: verdict.Yes, Meaning: "the story is told; that of a lane nobody ever had is empty"}}},
	}
}

// maxLog bounds what log holds in memory.
const maxLog = 100000

func logStory(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	run, err := runFlag(c)
	switch {
	case err != nil:
		return err
	case c.IsSet("lane") == c.IsSet("run-id"):
		return usagef("want --lane or --run-id, and one of them").hint("git dos lease live lists lanes with their leases, git dos top with their runs; git dos journal tail shows all lanes")
	case c.IsSet("lane") && c.String("lane") == "":
		return usagef("--lane is empty").hint("name a lane")
	}
	limit := c.Int("limit")
	if limit < 1 || limit > maxLog {
		return usagef("--limit %d: want 1 to %d entries", limit, maxLog)
	}
	d, err := panelDesk(c)
	if err != nil {
		return err
	}
	s := logTale{about: logAbout{run: run}, limit: limit}
	if run == "" {
		if s.about.lane, err = logLane(d, c.String("lane")); err != nil {
			return err
		}
	}
	if err := s.gather(c, d); err != nil {
		return err
	}
	if len(s.entries) == 0 {
		return s.empty(d)
	}
	for _, u := range s.notRead {
		warn(c, "not read: %s", u)
	}
	if s.cut {
		warn(c, "only the newest %d entries are shown; --limit takes up to %d", limit, maxLog)
	}
	return linesPaged(c, s.entries)
}

// logLane folds a word that names a lane, be it an alias or a lane of a slot
// that is free again.
func logLane(d *admit.Desk, word string) (string, error) {
	name, err := canonicalLane(d, word)
	if err != nil {
		return "", err
	}
	return laneWord(d, name)
}

// empty is the answer of a story without an entry.
func (s logTale) empty(d *admit.Desk) error {
	what := "the run " + verdict.Show(s.about.run)
	if s.about.run == "" {
		what = "the lane " + verdict.Show(s.about.lane)
	}
	for _, name := range d.Declared() {
		if name == s.about.lane && len(s.notRead) == 0 {
			return nil // nobody ever had it
		}
	}
	if len(s.notRead) > 0 {
		return errorf(kindStore, "what happened to %s cannot be told; not read: %s", what, strings.Join(s.notRead[:min(len(s.notRead), 20)], "; ")).
			hint("git dos journal check names what cannot be read, and the last entry that can")
	}
	return usagef("no ref names %s", what).hint("git dos journal tail shows what happened last, to all lanes")
}

// A logEntry is one entry of a story.
type logEntry struct {
	At      time.Time       `json:"at"`
	Ref     string          `json:"ref"` // "" for a commit
	Op      string          `json:"op"`  // COMMIT for a commit
	ID      string          `json:"id"`
	Gen     uint64          `json:"gen,omitempty"` // of the lane
	Seq     uint64          `json:"seq,omitempty"` // in the ledger
	Node    string          `json:"node,omitempty"`
	Lane    string          `json:"lane,omitempty"`
	RunID   string          `json:"run_id,omitempty"`
	Text    string          `json:"text"`
	Payload json.RawMessage `json:"payload,omitempty"` // as it stands in the ref
}

func (e logEntry) String() string {
	words := []string{e.At.Format(time.RFC3339), fmt.Sprintf("%-15s", e.Op)}
	where := e.Lane
	if e.Gen > 0 {
		where += fmt.Sprintf(" g%d", e.Gen)
	}
	for _, w := range []string{where, e.RunID, e.Text} {
		if w != "" {
			words = append(words, verdict.Show(w))
		}
	}
	return strings.Join(words, "  ")
}
