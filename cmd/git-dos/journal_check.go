package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func journalCheckCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "read every ledger and every node's record, and name what cannot be read",
		Description: "Reads each ledger from its first row on, in the chain and packed in checkpoints, and the newest\n" +
			"record of each node. What can be read is listed. What cannot is the error: its object, and the\n" +
			"newest entry below it that can be read, with what an operator can do. What this clone wrote under a\n" +
			"name that it gave up, and the remote's ledger of that node has not, is named as set aside. All other\n" +
			"nodes go on as before. Nothing is changed.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "node", Usage: "only this `NODE`"}, journalCached()},
		Action: journalCheck,
	}
}

// A journalChecked is a node of which everything could be read.
type journalChecked struct {
	Node        string `json:"node"`
	Seq         uint64 `json:"seq"` // of its newest row, 0 when it has no ledger
	Rows        uint64 `json:"rows"`
	Checkpoints int    `json:"checkpoints"` // 1 where the newest rows stand on one
	Tip         string `json:"tip,omitempty"`
	Record      string `json:"record,omitempty"` // the newest record of the node
}

// A journalReported answers journal check.
type journalReported struct {
	Nodes []*journalChecked `json:"nodes"` // those that can be read
	Bad   []journalBad      `json:"unreadable"`
	Aside []journalAside    `json:"aside,omitempty"`
	panelSeen
}

func (journalReported) ExitCode() int { return verdict.Yes }

func (r journalReported) String() string {
	lines := []string{}
	for _, n := range r.Nodes {
		lines = append(lines, fmt.Sprintf("%-24s %s", n.Node, verdict.Count(int(n.Rows), "row")))
	}
	if len(lines) == 0 {
		lines = append(lines, "there is no ledger")
		if len(r.Bad) > 0 {
			lines[0] = "no ledger can be read in full: " + strings.Join(journalBadNodes(r.Bad), ", ")
		}
	}
	for _, a := range r.Aside {
		lines = append(lines, a.String())
	}
	return strings.Join(lines, "\n") + r.line()
}

func journalCheck(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	d, err := viewingDesk(c)
	if err != nil {
		return err
	}
	k := journalChecker{nodes: map[string]*journalChecked{}}
	q := ledger.Query{}
	if err := journalNode(c, &q); err != nil {
		return err
	}
	if err := k.check(c, d, q); err != nil {
		return err
	}
	r := journalReported{Nodes: k.good(), Bad: []journalBad{}, Aside: k.aside, panelSeen: panelSeenAt(d, k.asOf)}
	for _, e := range k.bad {
		b, err := journalBadOf(c.Context, d, k.remotes, e)
		if err != nil {
			return err
		}
		r.Bad = append(r.Bad, b)
	}
	if len(q.Nodes) > 0 && len(k.nodes)+len(k.bad) == 0 {
		return usagef("nothing of node %s is known", q.Nodes[0]).hint("git dos journal check lists the nodes that have a ledger")
	}
	if err := answer(c, r); err != nil {
		return err
	}
	return journalFailure(k.bad, r.Bad)
}

// A journalChecker reads everything that nodes wrote.
type journalChecker struct {
	nodes   map[string]*journalChecked
	bad     []*ledger.NodeError
	aside   []journalAside
	remotes []*refstore.Remote
	asOf    time.Time
}

func (k *journalChecker) node(name string) *journalChecked {
	if k.nodes[name] == nil {
		k.nodes[name] = &journalChecked{Node: name}
	}
	return k.nodes[name]
}

func (k *journalChecker) check(c *cli.Context, d *admit.Desk, q ledger.Query) error {
	f := ledger.NewFiller(d.Repo)
	defer f.Close()
	var failed error
	above := map[string]uint64{}
	report, unread, err := journalReport(c, d, q, func(e ledger.Entry) bool {
		if e.Op == refstore.OpCheckpoint {
			k.node(e.Node).Checkpoints = 1
			failed = errors.Join(failed, k.state(c.Context, f, e, above[e.Node]))
		} else {
			above[e.Node]++
		}
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	k.bad, k.asOf = append(k.bad, unread...), report.AsOf
	for _, l := range report.Nodes {
		n := k.node(l.Node)
		n.Seq, n.Tip = l.Seq, string(l.Tip)
	}
	q.History = true
	if _, unread, err = journalReport(c, d, q, k.row); err != nil {
		return err
	}
	k.bad = append(k.bad, unread...)
	return k.records(c, d, q)
}

// state reads the state that a checkpoint with so many rows above it carries, with
// all of its parts.
func (k *journalChecker) state(ctx context.Context, f *ledger.Filler, e ledger.Entry, above uint64) error {
	s, err := journal.Restore(e.Node, e.Payload)
	switch {
	case errors.Is(err, journal.ErrNoState):
		return nil
	case err != nil:
		k.doubt(e, fmt.Errorf("it holds no state: %w", err))
		return nil
	}
	var bad *ledger.NodeError
	if err = f.Fill(ctx, s, e.ID, journal.Everything); errors.As(err, &bad) {
		bad.Rows = above
		k.bad = append(k.bad, bad)
		return nil
	}
	return err
}

// row reads a row as whoever folds it does.
func (k *journalChecker) row(e ledger.Entry) bool {
	k.node(e.Node).Rows++
	r, err := journal.Decode(e.Payload)
	if err == nil && r.Op != e.Op {
		err = fmt.Errorf("row of op %.40q in an entry of op %s", r.Op, e.Op)
	}
	if err != nil {
		k.doubt(e, err)
	}
	return true
}

func (k *journalChecker) doubt(e ledger.Entry, err error) {
	k.bad = append(k.bad, journalDoubt(e, err))
}

// journalDoubt is the error of an entry that stands where it should and says
// nothing.
func journalDoubt(e ledger.Entry, err error) *ledger.NodeError {
	return &ledger.NodeError{Node: e.Node, Ref: refstore.Ref("journal", e.Node), ID: e.ID, Err: &journalNoRow{fmt.Errorf("row %d: %w (entry %s)", e.Seq, err, e.ID)}}
}

// A journalNoRow is why an entry that can be read is no row.
type journalNoRow struct{ error }

func (e *journalNoRow) Unwrap() error { return e.error }

func journalWhole(e *ledger.NodeError) bool {
	var no *journalNoRow
	return errors.As(e.Err, &no)
}

func (k *journalChecker) records(c *cli.Context, d *admit.Desk, q ledger.Query) error {
	var err error
	if k.remotes, err = d.Mirrors(c.Context, true); err != nil {
		return deskError(err)
	}
	if k.aside, err = journalAsides(c.Context, d, q.Nodes, k.remotes); err != nil {
		return err
	}
	nodes, asOf, err := ledger.Nodes(c.Context, d.Repo, q.Nodes, k.remotes)
	var unread *ledger.UnreadError
	if errors.As(err, &unread) {
		k.bad, err = append(k.bad, unread.Nodes...), nil
	}
	if err != nil {
		return panelError(err)
	}
	for _, n := range nodes {
		k.node(n.Node).Record = string(n.Tip)
	}
	if asOf.Before(k.asOf) {
		k.asOf = asOf
	}
	return nil
}

// good are the nodes of which everything can be read, by name. What was found
// twice, above a checkpoint and below, is told once.
func (k *journalChecker) good() []*journalChecked {
	seen := map[string]bool{}
	k.bad = slices.DeleteFunc(k.bad, func(e *ledger.NodeError) bool {
		key := e.Ref + " " + string(e.ID)
		again := seen[key]
		seen[key] = true
		return again
	})
	for _, e := range k.bad {
		delete(k.nodes, e.Node)
	}
	all := []*journalChecked{}
	for _, name := range slices.Sorted(maps.Keys(k.nodes)) {
		all = append(all, k.nodes[name])
	}
	return all
}
