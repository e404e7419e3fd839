package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func decisionsVerb() verb {
	all := &cli.BoolFlag{Name: "all", Usage: "also what clears without a human, is resolved or was acknowledged"}
	return verb{
		command: &cli.Command{
			Name:  "decisions",
			Usage: "what needs a human?",
			Description: "The list is projected anew each time, from the ledgers of all nodes, the beats that are late, and\n" +
				"the verdicts that packets were rendered with. The same thing said many times is one entry that\n" +
				"counts. An entry goes when what it asks for came about, when it is past its retention, or when it\n" +
				"was acknowledged, and comes back with newer evidence.",
			Subcommands: []*cli.Command{{
				Name:  "list",
				Usage: "list what is open; the subcommand when none is named",
				Description: "Nothing to decide is said only where everything was read that could hold an entry: with a ledger,\n" +
					"a lane or a file that cannot be read the list is what is known, and an empty one is no verdict.",
				Flags:  []cli.Flag{all, pulseCached()},
				Action: decisionsList,
			}, {
				Name:      "show",
				Usage:     "show one entry",
				ArgsUsage: "N | ID",
				Description: "N is a place on the list, from 1, as the same command with the same flags prints it: it changes as\n" +
					"entries come and go. ID does not, and is looked for among all entries.",
				Flags:  []cli.Flag{all, pulseCached()},
				Action: decisionsShow,
			}, {
				Name:      "add",
				Usage:     "ask for a decision",
				ArgsUsage: "TEXT",
				Description: "Records the question in this node's ledger, unless it stands open already: whoever asks each time\n" +
					"it looks has asked once. With --edge it is not asked again, not even after it was acknowledged,\n" +
					"until another EDGE raises it: the name of the change of state that it is about.",
				Flags:  decisionsAddFlags(),
				Action: writes(decisionsAdd),
			}, {
				Name:      "ack",
				Usage:     "take an entry off the list",
				ArgsUsage: "ID...",
				Description: "Hides the evidence that there is now, on every node once this one's ledger is published. The entry\n" +
					"comes back as soon as there is newer evidence for it. What it asks for is not done by this.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "reason", Usage: "`TEXT` for whoever reads the ledger"},
					&cli.StringFlag{Name: "owner", Usage: "who acknowledges, for people to read"},
					pulseCached(),
				},
				Action: writes(decisionsAck),
			}},
		},
		statuses: map[string][]status{
			"decisions list": {{Code: verdict.Yes, Meaning: "the list is printed; it may be empty"}},
			"decisions show": {
				{Code: verdict.Yes, Outcome: decisionShown, Meaning: "the entry is printed"},
				{Code: verdict.No, Outcome: decisionNothing, Meaning: "there is nothing to decide"},
			},
			"decisions add": {
				{Code: verdict.Yes, Outcome: decisionAdded, Meaning: "the question is recorded"},
				{Code: verdict.Yes, Outcome: decisionKnown, Meaning: "it stands already, and nothing was written"},
			},
			"decisions ack": {
				{Code: verdict.Yes, Outcome: decisionAcked, Meaning: "the entries are off the list"},
				{Code: verdict.Yes, Outcome: decisionKnown, Meaning: "they were already, and nothing was written"},
			},
		},
	}
}

// What the subcommands of decisions answer.
const (
	decisionShown   = "shown"
	decisionNothing = "nothing"
	decisionAdded   = "added"
	decisionAcked   = "acked"
	decisionKnown   = "known"
)

// A decisionsAnswer answers decisions list.
type decisionsAnswer struct {
	decisions.Verdict
	NotRead []panelUnread `json:"not_read,omitempty"` // the nodes of unread, and what of them can be read
	panelSeen
}

// String has what could not be read in full: which entry still can is what helps.
func (a decisionsAnswer) String() string {
	v := a.Verdict
	if v.Unread = nil; len(v.Entries) == 0 {
		v.Unread = a.Unread
	}
	lines := []string{v.String()}
	for _, u := range a.Unread[len(v.Unread):] {
		lines = append(lines, "not read: "+printable(u, false))
	}
	return strings.Join(lines, "\n") + a.line()
}

func decisionsList(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	l, err := decisionsLook(c, c.Bool("all"))
	if err != nil {
		return err
	}
	if l.ExitCode() == verdict.NoVerdict {
		return decisionsUnknown(l.Verdict)
	}
	return answerPaged(c, l.decisionsAnswer)
}

// decisionsUnknown is the error of a list that is empty because something could
// not be read.
func decisionsUnknown(v decisions.Verdict) error {
	words := strings.Join(v.Unread[:min(len(v.Unread), 20)], "; ")
	return errorf(kindStore, "whether there is something to decide cannot be told; not read: %s", words).
		hint("git dos journal check names what cannot be read, and the last entry that can")
}

// A decisionAnswer answers the subcommands that are about one entry or a few.
type decisionAnswer struct {
	Outcome  string           `json:"outcome"`
	Reason   string           `json:"reason"`
	IDs      []string         `json:"ids"`
	Decision *decisions.Entry `json:"decision,omitempty"`
	Node     string           `json:"node,omitempty"` // in whose ledger it was recorded
	Ack      string           `json:"ack_command,omitempty"`
	panelSeen
}

func (a decisionAnswer) ExitCode() int {
	if a.Outcome == decisionNothing {
		return verdict.No
	}
	return verdict.Yes
}

func (a decisionAnswer) String() string {
	e := a.Decision
	if e == nil {
		return a.Reason + a.line()
	}
	rows := [][2]string{
		{"kind", string(e.Kind)}, {"resolver", string(e.Resolver)}, {"lane", e.Lane}, {"run", e.RunID}, {"token", e.Token}, {"handle", e.Handle},
		{"text", e.Text}, {"count", strconv.FormatUint(e.Count, 10)}, {"evidence", strings.Join(e.Evidence, " ")}, {e.Label(), e.Command},
	}
	var b strings.Builder
	if a.Outcome != decisionShown {
		b.WriteString(a.Reason + "\n")
	}
	b.WriteString(e.String() + "\n")
	for _, r := range rows {
		if r[1] != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", r[0], verdict.Show(r[1]))
		}
	}
	if a.Ack != "" && a.Ack != e.Command {
		fmt.Fprintf(&b, "  %-9s %s\n", "ack", a.Ack)
	}
	return strings.TrimSuffix(b.String(), "\n") + a.line()
}

func decisionsShow(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("want N or ID, have %d arguments", c.NArg()).hint("git dos decisions lists them")
	}
	word := strings.ToLower(c.Args().First())
	n, notNumber := strconv.Atoi(word)
	byID := decisionsIsID(word)
	if notNumber != nil && !byID {
		return usagef("%q is neither a number nor an id of 12 hex digits", word).hint("git dos decisions lists both")
	}
	l, err := decisionsLook(c, byID || c.Bool("all"))
	if err != nil {
		return err
	}
	e, err := l.Show(n)
	if byID {
		e, err = l.byID(word)
	}
	switch {
	case err == nil:
		a := decisionAnswer{Outcome: decisionShown, Reason: e.Text, IDs: []string{e.ID}, Decision: &e, panelSeen: l.panelSeen}
		if !e.Acked {
			a.Ack = decisions.AckCommand(e.ID)
		}
		return answer(c, a)
	case l.ExitCode() == verdict.NoVerdict:
		return decisionsUnknown(l.Verdict)
	case len(l.Entries) == 0:
		return answer(c, decisionAnswer{Outcome: decisionNothing, Reason: decisions.ErrNothing.Error(), IDs: []string{}, panelSeen: l.panelSeen})
	}
	return decisionsNoSuch(err)
}

func decisionsNoSuch(err error) error {
	return usagef("%w", err).hint("git dos decisions --all lists them")
}

// decisionsIsID reports whether a word is an id and no place on the list.
func decisionsIsID(word string) bool {
	return len(word) == 12 && strings.Trim(word, "0123456789abcdef") == ""
}
