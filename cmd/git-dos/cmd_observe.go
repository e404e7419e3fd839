package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// observeBy are the keys that recorded verdicts can be counted by.
var observeBy = []string{"verb", "verdict", "run_id", "lane", "source", "subject", "node"}

func observeVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "observe",
			Usage: "fold the verdicts that were recorded",
			Description: "Counts the VERDICT rows of all nodes' ledgers, from the first on, and shows the newest. A recorded\n" +
				"verdict is what a verb answered then; ask the verb for what holds now. A ledger that cannot be\n" +
				"read is named; where nothing was found and something could not be read there is no verdict.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "run-id", Aliases: []string{"run"}, Usage: "only verdicts about this `RUN`"},
				&cli.StringFlag{Name: "verb", Aliases: []string{"syscall"}, Usage: "only verdicts of this `VERB`"},
				&cli.StringFlag{Name: "by", Value: "verb", Usage: "count by `KEY`: " + strings.Join(observeBy, ", ") + " (syscall is verb)"},
				&cli.IntFlag{Name: "tail", Value: 10, Usage: "show the newest `N`, 0 for none"},
				pulseCached(),
			},
			Action: observe,
		},
		statuses: map[string][]status{"observe": {{Code: verdict.Yes, Meaning: "the counts are printed; they may be empty"}}},
	}
}

// Bounds of what observe holds.
const (
	maxObserveTail   = 10000
	maxObserveGroups = 10000
)

func observe(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	run, err := runFlag(c)
	if err != nil {
		return err
	}
	by := c.String("by")
	if by == "syscall" {
		by = "verb"
	}
	if !slices.Contains(observeBy, by) {
		return usagef("--by %q is none of %s", by, strings.Join(observeBy, ", "))
	}
	if c.IsSet("verb") && c.String("verb") == "" {
		return usagef("--verb is empty").hint("name a verb, or leave the flag out")
	}
	if n := c.Int("tail"); n < 0 || n > maxObserveTail {
		return usagef("--tail %d: want 0 to %d", n, maxObserveTail)
	}
	d, err := panelDesk(c)
	if err != nil {
		return err
	}
	o := observeFold{by: by, run: run, verb: c.String("verb"), most: c.Int("tail"), groups: map[string]*observeGroup{}}
	l, err := panelRows(c, d, o.visit)
	if err != nil {
		return err
	}
	a := o.answer()
	a.panelLedgers = l
	a.NotRows = o.doubts
	if a.Total == 0 && len(l.NotRead)+o.doubts > 0 {
		return panelNotRead("which verdicts were recorded cannot be told", l.NotRead)
	}
	return answer(c, a)
}

// An observeRow is one recorded verdict.
type observeRow struct {
	At      time.Time `json:"ts"`
	Node    string    `json:"node"`
	Seq     uint64    `json:"seq"`
	Verb    string    `json:"syscall"`
	Verdict string    `json:"verdict"`
	RunID   string    `json:"run_id"`
	Lane    string    `json:"lane"`
	Subject string    `json:"subject"`
	Detail  string    `json:"detail"`
	Source  string    `json:"source"`
}

func (r observeRow) key(by string) string {
	return map[string]string{
		"verb": r.Verb, "verdict": r.Verdict, "run_id": r.RunID, "lane": r.Lane, "source": r.Source, "subject": r.Subject, "node": r.Node,
	}[by]
}

// An observeGroup counts the verdicts of one key.
type observeGroup struct {
	Key      string            `json:"key"`
	Count    uint64            `json:"count"`
	Verdicts map[string]uint64 `json:"verdicts"`
	LastAt   time.Time         `json:"last_at"`
}

// An observeAnswer answers observe.
type observeAnswer struct {
	By      string          `json:"by"`
	Total   uint64          `json:"total"`
	Groups  []*observeGroup `json:"groups"`
	Rows    []observeRow    `json:"rows"`                  // the newest, the newest last
	More    uint64          `json:"more_groups,omitempty"` // verdicts of keys that there was no room for
	NotRows int             `json:"not_rows,omitempty"`    // entries that could not be read as rows
	panelLedgers
}

func (observeAnswer) ExitCode() int { return verdict.Yes }

func (a observeAnswer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s recorded", verdict.Count(int(min(a.Total, 1<<31)), "verdict"))
	for _, g := range a.Groups {
		words := []string{}
		for _, v := range slices.Sorted(maps.Keys(g.Verdicts)) {
			words = append(words, fmt.Sprintf("%s %d", verdict.Show(firstOf(v, "-")), g.Verdicts[v]))
		}
		fmt.Fprintf(&b, "\n%6d  %-20s  %s", g.Count, verdict.Show(firstOf(g.Key, "-")), strings.Join(words, ", "))
	}
	if a.More > 0 {
		fmt.Fprintf(&b, "\n%6d  of other keys", a.More)
	}
	for _, r := range a.Rows {
		words := []string{r.At.Format(time.RFC3339), r.Verb, r.Verdict}
		for _, w := range []string{r.Subject, r.Lane, r.RunID, r.Detail} {
			if w != "" {
				words = append(words, verdict.Show(w))
			}
		}
		b.WriteString("\n" + strings.Join(words, "  "))
	}
	if a.NotRows > 0 {
		fmt.Fprintf(&b, "\n%d entries are no rows that this version can read", a.NotRows)
	}
	return b.String() + a.text()
}

// An observeFold counts verdicts as they are visited, node by node, and holds
// the newest.
type observeFold struct {
	by, run, verb string
	most          int

	groups map[string]*observeGroup
	total  uint64
	more   uint64
	doubts int
	rows   []observeRow
}

func (o *observeFold) visit(e ledger.Entry) bool {
	if e.Op == refstore.OpCheckpoint {
		return true
	}
	r, err := journal.Decode(e.Payload)
	if err != nil {
		o.doubts++
		return true
	}
	if r.Op != journal.OpVerdict || o.run != "" && r.RunID != o.run || o.verb != "" && r.Verb != o.verb {
		return true
	}
	o.add(observeRow{r.At, e.Node, e.Seq, r.Verb, r.Verdict, r.RunID, r.Lane, r.Subject, r.Detail, firstOf(r.Source, "kernel")})
	return true
}

func (o *observeFold) add(r observeRow) {
	o.total++
	key := r.key(o.by)
	g := o.groups[key]
	switch {
	case g == nil && len(o.groups) >= maxObserveGroups:
		o.more++
	case g == nil:
		g = &observeGroup{Key: key, Verdicts: map[string]uint64{}}
		o.groups[key] = g
	}
	if g != nil {
		g.Count++
		if len(g.Verdicts) < 100 || g.Verdicts[r.Verdict] > 0 {
			g.Verdicts[r.Verdict]++
		}
		if r.At.After(g.LastAt) {
			g.LastAt = r.At
		}
	}
	if o.rows = append(o.rows, r); len(o.rows) >= 2*o.most+1000 {
		o.trim()
	}
}

// trim keeps the newest rows, in the order of their times.
func (o *observeFold) trim() {
	slices.SortStableFunc(o.rows, func(a, b observeRow) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Seq, b.Seq))
	})
	o.rows = slices.Clone(o.rows[max(0, len(o.rows)-o.most):])
}

func (o *observeFold) answer() observeAnswer {
	o.trim()
	a := observeAnswer{By: o.by, Total: o.total, Groups: []*observeGroup{}, Rows: append([]observeRow{}, o.rows...), More: o.more}
	for _, g := range o.groups {
		a.Groups = append(a.Groups, g)
	}
	slices.SortFunc(a.Groups, func(x, y *observeGroup) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Key, y.Key)) })
	return a
}
