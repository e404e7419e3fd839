package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// journalNode narrows a query to the node that --node names.
func journalNode(c *cli.Context, q *ledger.Query) error {
	node := strings.ToLower(c.String("node"))
	switch {
	case node == "" && c.IsSet("node"):
		return usagef("--node is empty").hint("name a node, or leave the flag out")
	case node == "":
		return nil
	case !refstore.ValidLeaf(node):
		return usagef("--node %q: use lower-case letters, digits, dot, dash and underscore, at most 100", node)
	}
	q.Nodes = []string{node}
	return nil
}

// journalRead reads ledgers, those of a fleet as its mirror has them, and returns
// the nodes that cannot be read.
func journalRead(c *cli.Context, d *admit.Desk, q ledger.Query, visit func(ledger.Entry) bool) ([]*ledger.NodeError, error) {
	_, unread, err := journalReport(c, d, q, visit)
	return unread, err
}

func journalReport(c *cli.Context, d *admit.Desk, q ledger.Query, visit func(ledger.Entry) bool) (ledger.Report, []*ledger.NodeError, error) {
	var err error
	if q.Remotes, err = d.Mirrors(c.Context, c.Bool("cached")); err != nil {
		return ledger.Report{}, nil, deskError(err)
	}
	r, err := ledger.Read(c.Context, d.Repo, q, visit)
	var unread *ledger.UnreadError
	if errors.As(err, &unread) {
		return r, unread.Nodes, nil
	}
	return r, nil, panelError(err)
}

// journalUnread is the error of ledgers that cannot be read, nil without any.
func journalUnread(nodes []*ledger.NodeError) error {
	if len(nodes) == 0 {
		return nil
	}
	return deskError(life.Unreadable(nodes))
}

// journalFailed is panelError for an error that may name nodes.
func journalFailed(err error) error {
	var unread *ledger.UnreadError
	if errors.As(err, &unread) {
		return journalUnread(unread.Nodes)
	}
	return panelError(err)
}

// journalOwn is the id of this node, "" when it has none yet, or the one that
// --node names.
func journalOwn(c *cli.Context, d *admit.Desk) (string, error) {
	q := ledger.Query{}
	if err := journalNode(c, &q); err != nil || len(q.Nodes) > 0 {
		return strings.Join(q.Nodes, ""), err
	}
	n, err := d.LookNode(c.Context)
	switch {
	case err != nil:
		return "", deskError(err)
	case n.Copied || n.ID == "":
		return "", nil
	case !refstore.ValidLeaf(n.ID):
		return "", usagef("node id %q: use lower-case letters, digits, dot, dash and underscore, at most 100", n.ID)
	}
	return n.ID, nil
}

func journalSeqCommand() *cli.Command {
	return &cli.Command{
		Name:  "seq",
		Usage: "print the number of the newest row of this node's ledger",
		Description: "Rows are numbered from 1 on and no number comes twice: it is the row's place in the chain, and a\n" +
			"checkpoint carries it on. 0 is a ledger without rows.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "node", Usage: "of this `NODE` in place of this one"}, journalCached()},
		Action: journalSeq,
	}
}

// A journalPlace answers journal seq.
type journalPlace struct {
	Node string `json:"node"` // "" where this one has no id yet
	Ref  string `json:"ref,omitempty"`
	Seq  uint64 `json:"seq"`
	Tip  string `json:"tip,omitempty"`
}

func (journalPlace) ExitCode() int    { return verdict.Yes }
func (p journalPlace) String() string { return fmt.Sprint(p.Seq) }

func journalSeq(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	d, err := viewingDesk(c)
	if err != nil {
		return err
	}
	p := journalPlace{}
	if p.Node, err = journalOwn(c, d); err != nil {
		return err
	}
	if p.Node == "" {
		return answer(c, p)
	}
	p.Ref = refstore.Ref("journal", p.Node)
	report, unread, err := journalReport(c, d, ledger.Query{Nodes: []string{p.Node}}, func(ledger.Entry) bool { return false })
	if err == nil {
		err = journalUnread(unread)
	}
	if err != nil {
		return err
	}
	for _, l := range report.Nodes {
		p.Seq, p.Tip = l.Seq, string(l.Tip)
	}
	if len(report.Nodes) == 0 && c.IsSet("node") {
		return usagef("no ledger of node %s is known", p.Node).hint("git dos journal check lists the nodes that have one")
	}
	return answer(c, p)
}
