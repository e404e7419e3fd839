package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func decisionsAddFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "kind", Usage: "what it is about, one word: a `KIND` of the list, or any other, which is listed as DECISION"},
		&cli.StringFlag{Name: "lane", Usage: "the `LANE` that it is about"},
		&cli.StringFlag{Name: "run-id", Usage: "the `RUN` that it is about"},
		&cli.StringFlag{Name: "handle", Usage: "the `HANDLE` of what it is about, for instance a unit"},
		&cli.StringFlag{Name: "reason-class", Usage: "the `TOKEN` that says why, for instance OPERATOR_GATED"},
		&cli.StringFlag{Name: "command", Usage: "the `COMMAND` that is proposed; nobody runs it"},
		&cli.StringFlag{Name: "edge", Usage: "the change of state that raised it: not asked again for the same `EDGE`"},
		&cli.StringFlag{Name: "owner", Usage: "who asks, for people to read"},
		pulseCached(),
	}
}

func decisionsAdd(c *cli.Context) error {
	if c.NArg() == 1 && strings.TrimSpace(c.Args().First()) == "" {
		return usagef("TEXT is empty").hint("ask something")
	}
	if c.NArg() != 1 {
		return usagef("want the question as one TEXT, have %d arguments", c.NArg()).hint(`put it in quotes: git dos decisions add "may it go on?"`)
	}
	row, err := decisionsRow(c)
	if err != nil {
		return err
	}
	l, err := decisionsLook(c, true)
	if err != nil {
		return err
	}
	if row.Lane != "" {
		if row.Lane, err = canonicalLane(l.desk, row.Lane); err != nil {
			return err
		}
	}
	asked := decisions.Alert{Op: row.Op, Kind: row.Kind, Lane: row.Lane, Class: row.ReasonClass, Reason: row.Reason, RunID: row.RunID, Handle: row.Handle, Edge: row.Edge}
	id := decisions.IDOf(asked)
	a := decisionAnswer{Outcome: decisionKnown, Reason: "it was asked already: " + id, IDs: []string{id}, panelSeen: l.panelSeen}
	if e, err := l.byID(id); err == nil {
		a.Decision = &e
	}
	open := a.Decision != nil && !a.Decision.Acked && !a.Decision.Resolved
	if open && row.Edge == "" || row.Edge != "" && !decisions.Fresh(l.evidence.Alerts, asked) {
		return answer(c, a)
	}
	if row.Owner, err = panelOwner(c, l.desk); err != nil {
		return err
	}
	if a.Node, err = panelAppend(c, l.desk, row); err != nil {
		return err
	}
	a.Outcome, a.Reason, a.Decision = decisionAdded, "recorded as "+id, nil
	return answer(c, a)
}

// decisionsRow reads the row of the flags.
func decisionsRow(c *cli.Context) (journal.Row, error) {
	run, err := runFlag(c)
	if err == nil {
		err = lifeMinted(c, run)
	}
	if err != nil {
		return journal.Row{}, err
	}
	for _, name := range []string{"kind", "lane", "handle", "reason-class", "command", "edge"} {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return journal.Row{}, usagef("--%s is empty", name).hint("leave the flag out")
		}
	}
	kind := firstOf(c.String("kind"), string(decisions.Asked))
	if strings.ContainsAny(kind, " \t\n") {
		return journal.Row{}, usagef("--kind %q is not one word", kind)
	}
	row := journal.Row{
		Op: journal.OpDecision, Kind: kind, Lane: c.String("lane"), RunID: run, Handle: c.String("handle"),
		ReasonClass: c.String("reason-class"), Reason: c.Args().First(), Command: c.String("command"), Edge: c.String("edge"),
	}
	return row, panelCheck(c, row)
}

func decisionsAck(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("want an ID").hint("git dos decisions lists them")
	}
	var ids []string
	for _, word := range c.Args().Slice() {
		if word = strings.ToLower(word); !decisionsIsID(word) {
			return usagef("%q is no id of 12 hex digits", word).hint("git dos decisions lists them; a place on the list names another entry tomorrow")
		}
		if !slices.Contains(ids, word) {
			ids = append(ids, word)
		}
	}
	l, err := decisionsLook(c, true)
	if err != nil {
		return err
	}
	owner, err := panelOwner(c, l.desk)
	if err != nil {
		return err
	}
	a := decisionAnswer{Outcome: decisionKnown, Reason: "acknowledged already", IDs: ids, panelSeen: l.panelSeen}
	var rows []journal.Row
	for _, id := range ids {
		e, err := l.byID(id)
		if err != nil {
			return decisionsNoSuch(err)
		}
		if e.Acked {
			continue
		}
		row := journal.Row{Op: journal.OpAck, ID: id, Seen: e.Seen, Owner: owner, Reason: c.String("reason")}
		if err := panelCheck(c, row); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return answer(c, a)
	}
	if a.Node, err = panelAppend(c, l.desk, rows...); err != nil {
		return err
	}
	a.Outcome, a.Reason = decisionAcked, fmt.Sprintf("%s acknowledged", verdict.Count(len(rows), "entry"))
	if len(rows) > 1 {
		a.Reason = fmt.Sprintf("%d entries acknowledged", len(rows))
	}
	return answer(c, a)
}

// panelCheck refuses a row that no reader would take.
func panelCheck(c *cli.Context, row journal.Row) error {
	row.At, row.Seq = now(c), 1
	if _, err := journal.Decode(row.Encode()); err != nil {
		return usagef("%w", err)
	}
	return nil
}

// panelOwner is who writes, on this node, which gets its id if it has none.
func panelOwner(c *cli.Context, d *admit.Desk) (string, error) {
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return "", err
	}
	return ownerName(c, d)
}

// panelAppend adds rows to this node's ledger, and says which node that is.
func panelAppend(c *cli.Context, d *admit.Desk, rows ...journal.Row) (string, error) {
	return d.Node, panelError(d.Journal(c.Context, rows...))
}
