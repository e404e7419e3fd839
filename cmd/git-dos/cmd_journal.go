package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
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
			Usage: "read what happened",
			Subcommands: []*cli.Command{{
				Name:  "tail",
				Usage: "show the newest entries of all lanes and journals, the newest last",
				Description: "Entries of one lane or journal stand in their true order. Between two of them the order is that\n" +
					"of the times their writers recorded, which is as good as the writers' clocks.",
				Flags: []cli.Flag{
					&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 20, Usage: "at most `N` entries"},
					&cli.StringFlag{Name: "lane", Usage: "only what is about this `LANE`"},
					&cli.StringFlag{Name: "run-id", Usage: "only what is about this `RUN`"},
					&cli.StringFlag{Name: "node", Usage: "only what this `NODE` holds or recorded"},
					&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old; by default it is at most [fleet] interval old"},
				},
				Action: journalTail,
			}},
		},
		statuses: map[string][]status{"journal tail": {{Code: verdict.Yes, Meaning: "the entries are printed"}}},
	}
}

func journalTail(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	limit := c.Int("limit")
	if limit < 1 || limit > maxTail {
		return usagef("--limit %d: want 1 to %d entries", limit, maxTail)
	}
	d, err := openDesk(c)
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
	if err := d.Journals(c.Context, t.visit); err != nil {
		return deskError(err)
	}
	t.merge()
	t.ref = "" // a lane has a chain on the remote and, under a delegation, one here
	if err := d.OwnChains(c.Context, t.visit); err != nil {
		return deskError(err)
	}
	return answerLines(c, t.lines())
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
	return t.merged
}
