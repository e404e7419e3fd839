package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// maxTail bounds what journal tail holds in memory.
const maxTail = 10000

func journalVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "journal",
			Usage: "read what happened, and keep the ledgers in order",
			Subcommands: []*cli.Command{
				{
					Name:  "tail",
					Usage: "show the newest entries of all lanes and ledgers, the newest last",
					Description: "Entries of one lane or ledger stand in their true order. Between two of them the order is that\n" +
						"of the times their writers recorded, which is as good as the writers' clocks, and within a second\n" +
						"that in which they can have come about: what was written under a lease stands between its\n" +
						"beginning and its end. A ledger that cannot be read is an error after the entries of all others;\n" +
						"--node looks at one node alone.",
					Flags: []cli.Flag{
						&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 20, Usage: "at most `N` entries"},
						&cli.StringFlag{Name: "lane", Usage: "only what is about this `LANE`"},
						&cli.StringFlag{Name: "run-id", Usage: "only what is about this `RUN`"},
						&cli.StringFlag{Name: "node", Usage: "only what this `NODE` holds or recorded"},
						journalCached(),
					},
					Action: journalTail,
				},
				journalReplayCommand(),
				journalSeqCommand(),
				journalCompactCommand(),
				journalCheckCommand(),
			},
		},
		statuses: map[string][]status{
			"journal tail":    {{Code: verdict.Yes, Meaning: "the entries are printed"}},
			"journal replay":  {{Code: verdict.Yes, Meaning: "what the rows come to is printed"}},
			"journal seq":     {{Code: verdict.Yes, Meaning: "the number of the newest row, 0 for none"}},
			"journal compact": {{Code: verdict.Yes, Meaning: "a checkpoint stands for all rows, or there is nothing above the last one"}},
			"journal check":   {{Code: verdict.Yes, Meaning: "everything can be read; what cannot is an error of kind store"}},
		},
	}
}

func journalCached() cli.Flag {
	return &cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old; by default it is at most [fleet] interval old"}
}

func journalTail(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	limit := c.Int("limit")
	if limit < 1 || limit > maxTail {
		return usagef("--limit %d: want 1 to %d entries", limit, maxTail)
	}
	d, err := viewingDesk(c)
	if err != nil {
		return err
	}
	want, err := wantedLines(c, d)
	if err != nil {
		return err
	}
	t := tail{limit: limit, want: want}
	if err := d.Chains(c.Context, c.Bool("cached"), t.visit); err != nil {
		return deskError(err)
	}
	unread, err := journalVisit(c, d, t.visit)
	if err != nil {
		return err
	}
	t.merge()
	t.ref = "" // a lane has a chain on the remote and, under a delegation, one here
	if err := d.OwnChains(c.Context, t.visit); err != nil {
		return deskError(err)
	}
	if err := linesPaged(c, t.lines()); err != nil {
		return err
	}
	return journalUnread(unread)
}

// journalVisit visits the ledgers of all nodes, or of the one that is asked for,
// the newest entry of each first, and returns those that cannot be read.
func journalVisit(c *cli.Context, d *admit.Desk, visit func(refstore.Tip) bool) ([]*ledger.NodeError, error) {
	q := ledger.Query{History: true}
	if err := journalNode(c, &q); err != nil {
		return nil, err
	}
	return journalRead(c, d, q, func(e ledger.Entry) bool {
		return visit(refstore.Tip{Ref: refstore.Ref("journal", e.Node), ID: e.ID, Entry: refstore.Entry{Op: e.Op, At: e.At, Payload: e.Payload}})
	})
}

// wantedLines makes the filter of the flags. A lane may be named by an alias.
func wantedLines(c *cli.Context, d *admit.Desk) (func(subject) bool, error) {
	node, name := c.String("node"), c.String("lane")
	run, err := runFlag(c)
	if err != nil {
		return nil, err
	}
	if name != "" {
		if name, err = d.CanonicalLane(name); err != nil {
			return nil, usagef("--lane: %w", err)
		}
	}
	return func(s subject) bool {
		if name != "" {
			if about, err := lane.Canonical(s.lane); err != nil || about != name {
				return false
			}
		}
		return (run == "" || s.run == run) && (node == "" || s.node == strings.ToLower(node))
	}, nil
}

// A tail keeps the newest lines of many chains, each visited from its newest
// entry back. It never holds more than twice its limit.
type tail struct {
	limit int
	want  func(subject) bool

	merged []logLine // of the chains before this one, oldest first
	chain  []logLine // of this one, newest first
	ref    string    // this one
}

// visit reports whether older entries of the same chain are still of use.
func (t *tail) visit(tip refstore.Tip) bool {
	if tip.Ref != t.ref {
		t.merge()
		t.ref = tip.Ref
	}
	if l := lineOf(tip); t.want(l.about) {
		t.chain = append(t.chain, l)
	}
	return len(t.chain) < t.limit
}

// merge moves the lines of the chain that was visited among the others by
// time, without changing the order of either.
func (t *tail) merge() {
	old, all := t.merged, make([]logLine, 0, len(t.merged)+len(t.chain))
	for i := len(t.chain) - 1; i >= 0; i-- {
		for len(old) > 0 && !old[0].At.After(t.chain[i].At) {
			all, old = append(all, old[0]), old[1:]
		}
		all = append(all, t.chain[i])
	}
	all = append(all, old...)
	t.merged, t.chain = all[max(0, len(all)-t.limit):], nil
}

// lines are the newest lines, oldest first.
func (t *tail) lines() []logLine {
	t.merge()
	storyOrder(t.merged, func(l logLine) storyPoint { return storyPointOf(l.At, l.Ref, l.Op, l.Gen, l.Payload) })
	return t.merged
}
