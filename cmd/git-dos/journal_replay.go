package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func journalReplayCommand() *cli.Command {
	return &cli.Command{
		Name:  "replay",
		Usage: "show what the rows of all ledgers come to",
		Description: "Folds each node's rows and puts the nodes together: what asked for attention, be it answered by now\n" +
			"or not, who was started, which accounts are used up, what was recorded last, and the runs that are\n" +
			"told of. What of it is still open is on the list of git dos decisions. Leases are on the lanes and\n" +
			"not in ledgers: git dos lease live. A ledger that cannot be read is an error after what the others\n" +
			"say.",
		Flags:  []cli.Flag{journalCached()},
		Action: journalReplay,
	}
}

// A journalAlert is what a ledger says again and again, told once.
type journalAlert struct {
	Op          string    `json:"op"`
	Node        string    `json:"node"`
	Kind        string    `json:"kind,omitempty"`
	Lane        string    `json:"lane,omitempty"`
	ReasonClass string    `json:"reason_class,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	RunID       string    `json:"run_id,omitempty"`
	Handle      string    `json:"handle,omitempty"`
	FirstAt     time.Time `json:"first_at"`
	At          time.Time `json:"at"`
	Seq         uint64    `json:"seq"`
	Count       uint64    `json:"count"`
	Answered    bool      `json:"answered,omitempty"`
	Acked       bool      `json:"acked,omitempty"`
}

// A journalState answers journal replay. Rows are as they stand in the ledgers.
type journalState struct {
	Nodes    map[string]uint64 `json:"nodes"` // the number of each one's newest row
	Alerts   []journalAlert    `json:"alerts"`
	Spawns   []json.RawMessage `json:"spawns"`
	Launches []json.RawMessage `json:"launches"`
	Exits    []json.RawMessage `json:"exits"`
	Caps     []json.RawMessage `json:"caps"`
	Gaps     []json.RawMessage `json:"gaps"`
	Verdicts []json.RawMessage `json:"verdicts"`
	Runs     []string          `json:"runs"`
	Doubts   []journal.Doubt   `json:"doubts"` // entries that are no rows
	lifeSeen
}

func (journalState) ExitCode() int { return verdict.Yes }

func (s journalState) String() string {
	var lines []string
	for _, node := range slices.Sorted(maps.Keys(s.Nodes)) {
		lines = append(lines, fmt.Sprintf("%-24s %s", node, verdict.Count(int(s.Nodes[node]), "row")))
	}
	for _, a := range s.Alerts {
		lines = append(lines, fmt.Sprintf("%s x%d, last at %s: %s%s", a.Op, a.Count, a.At.Format(time.RFC3339), strings.Join(journalWords(a), "  "), a.over()))
	}
	for _, part := range []struct {
		what string
		rows []json.RawMessage
	}{
		{"started, not ended", s.Spawns}, {"launched, not harvested", s.Launches}, {"ended", s.Exits}, {"accounts used up", s.Caps},
		{"gaps", s.Gaps}, {"recorded verdicts", s.Verdicts},
	} {
		if len(part.rows) > 0 {
			lines = append(lines, fmt.Sprintf("%-24s %d", part.what, len(part.rows)))
		}
	}
	for _, id := range s.Runs {
		lines = append(lines, "run "+printable(id, false))
	}
	for _, d := range s.Doubts {
		lines = append(lines, fmt.Sprintf("no row: %s, %d: %s", d.Node, d.Seq, strings.Join(strings.Fields(d.Why), " ")))
	}
	if len(lines) == 0 {
		lines = append(lines, "no ledger has a row")
	}
	return strings.Join(lines, "\n") + s.line()
}

// over says what became of an alert, "" where nothing did.
func (a journalAlert) over() string {
	switch {
	case a.Answered:
		return " (answered)"
	case a.Acked:
		return " (acknowledged)"
	}
	return ""
}

// journalWords are the words of an alert that are not empty.
func journalWords(a journalAlert) (words []string) {
	for _, w := range []string{a.Lane, a.RunID, a.Handle, a.ReasonClass, a.Reason} {
		if w != "" {
			words = append(words, printable(w, false))
		}
	}
	return words
}

func journalReplay(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	b, err := lifeBookBy(c, admit.OpenHub, life.AskEverything())
	if err != nil {
		return err
	}
	v, err := b.Everything(c.Context)
	if err != nil {
		return lifeError(err)
	}
	if err := answer(c, journalStateOf(b, v)); err != nil {
		return err
	}
	return journalUnread(b.Unread)
}

func journalStateOf(b *life.Book, v journal.View) journalState {
	s := journalState{
		Nodes: v.Nodes(), Alerts: []journalAlert{},
		Spawns: journalBodies(v.Spawns()), Launches: journalBodies(v.Launches()), Exits: journalBodies(v.Exits()),
		Caps: journalBodies(v.Caps()), Gaps: journalBodies(v.Gaps()), Verdicts: journalBodies(v.Verdicts()),
		Runs: append([]string{}, v.Runs()...), Doubts: append([]journal.Doubt{}, v.Doubts()...), lifeSeen: lifeSeenAs(b),
	}
	acks := v.Acks()
	for _, a := range v.Alerts() {
		seen, acked := acks[decisions.IDOf(decisions.Alert(a))]["journal/"+a.Node]
		s.Alerts = append(s.Alerts, journalAlert{
			Op: a.Op, Node: a.Node, Kind: a.Kind, Lane: a.Lane, ReasonClass: a.Class, Reason: a.Reason, RunID: a.RunID, Handle: a.Handle,
			FirstAt: a.FirstAt.UTC(), At: a.At.UTC(), Seq: a.Seq, Count: a.Count, Answered: a.Answered,
			Acked: acked && seen >= a.Seq,
		})
	}
	return s
}

func journalBodies(rows []journal.Row) []json.RawMessage {
	all := []json.RawMessage{}
	for _, r := range rows {
		all = append(all, r.Body())
	}
	return all
}
