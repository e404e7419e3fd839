package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// What an audit of receipts comes to.
const (
	auditGated   = "all_gated"
	auditUngated = "UNGATED"
	auditUnknown = "indeterminate"
)

func hooksAuditCommand() verb {
	return verb{
		command: &cli.Command{
			Name:      "audit",
			Usage:     "which commits of the trunk did no gate judge?",
			ArgsUsage: "[A..B]",
			Description: "A push that the gates let through leaves a receipt in its node's ledger. Lists the commits that none\n" +
				"of the ledgers known here has one of: pushed with --no-verify, by a client that runs no hooks, or made\n" +
				"on the host, as merges there are. Without a range it looks at the trunk, as long as gates have judged:\n" +
				"what the first receipts stand on was before. A receipt is its node's word: whoever may write to a ledger may forge one.",
			Flags:  []cli.Flag{journalCached()},
			Action: hooksAudit,
		},
		statuses: map[string][]status{"hooks audit": {
			{Code: verdict.Yes, Outcome: auditGated, Meaning: "each of them has a receipt"},
			{Code: verdict.FirstOwned, Outcome: auditUngated, Meaning: "some have none"},
			{Code: 4, Outcome: auditUnknown, Meaning: "some have none in the ledgers that can be read, and one cannot"},
		}},
	}
}

// An auditAnswer says which commits have no receipt.
type auditAnswer struct {
	Outcome  string          `json:"outcome"`
	From     []string        `json:"from"` // what these reach is left out
	To       string          `json:"to"`
	Ref      string          `json:"ref,omitempty"`
	Commits  int             `json:"commits"`
	Receipts int             `json:"receipts"`
	Ungated  []ungatedCommit `json:"ungated"` // the newest of them
	Total    int             `json:"ungated_total"`
	Unread   []string        `json:"unread,omitempty"`
	Reason   string          `json:"reason"`
	Next     string          `json:"next,omitempty"`
}

type ungatedCommit struct {
	Sha     string `json:"sha"`
	Subject string `json:"subject"`
}

// ExitCode implements [verdict.Verdict].
func (v auditAnswer) ExitCode() int {
	switch v.Outcome {
	case auditGated:
		return verdict.Yes
	case auditUngated:
		return verdict.FirstOwned
	case auditUnknown:
		return 4
	}
	return verdict.NoVerdict
}

func (v auditAnswer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.Outcome, v.Reason)
	for _, c := range v.Ungated {
		fmt.Fprintf(&b, "\n  %s %s", verdict.Short(c.Sha), printable(c.Subject, false))
	}
	if more := v.Total - len(v.Ungated); more > 0 {
		fmt.Fprintf(&b, "\n  and %d older ones", more)
	}
	for _, node := range v.Unread {
		fmt.Fprintf(&b, "\n  cannot be read: the ledger of %s", node)
	}
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.Next)
	}
	return b.String()
}

func hooksAudit(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("unexpected argument %q", c.Args().Get(1)).hint("name one range, A..B")
	}
	d, err := viewingDesk(c)
	if err != nil {
		return err
	}
	var r hookReceipts
	unread, err := journalRead(c, d, ledger.Query{History: true}, r.visit)
	if err != nil {
		return err
	}
	v := auditAnswer{From: []string{}, Ungated: []ungatedCommit{}, Receipts: len(r.all)}
	for _, n := range unread {
		v.Unread = append(v.Unread, n.Node)
	}
	var span *pushed.Span
	if c.NArg() == 1 {
		span, err = v.named(c, d, r)
	} else {
		span, err = v.trunk(c, d, r)
	}
	if err != nil {
		return err
	}
	if err := v.judge(c, d, span); err != nil {
		return deskError(err)
	}
	if err := answer(c, v); err != nil || len(unread) == 0 {
		return err
	}
	warn(c, "%v", life.Unreadable(unread))
	return nil
}

// named is the span that the caller names.
func (v *auditAnswer) named(c *cli.Context, d *admit.Desk, r hookReceipts) (*pushed.Span, error) {
	from, to, ok := strings.Cut(c.Args().First(), "..")
	if !ok || from == "" || to == "" || strings.HasPrefix(to, ".") {
		return nil, usagef("%q is no range", c.Args().First()).hint("write it as A..B, as in v1.0..origin/main")
	}
	var ends []refstore.OID
	for _, rev := range []string{from, to} {
		id, err := ancestry.Resolve(c.Context, d.Repo.Git, rev)
		if err != nil {
			return nil, auditError(err)
		}
		ends = append(ends, id)
	}
	s, err := v.span(c.Context, d, ends[1], ends[:1])
	if err == nil {
		err = auditError(r.cover(c.Context, s))
	}
	return s, err
}

// trunk is the trunk since gates began to judge.
func (v *auditAnswer) trunk(c *cli.Context, d *admit.Desk, r hookReceipts) (*pushed.Span, error) {
	trunk, err := auditTrunk(c.Context, d)
	if err != nil {
		return nil, deskError(err)
	}
	if trunk.ID == "" {
		return nil, environmentf("the trunk has no commit here").hint("name a range: git dos hooks audit A..B")
	}
	v.Ref = trunk.Ref
	s, err := pushed.ReadSpan(c.Context, d.Repo, trunk.ID, nil, pushed.MaxCommits)
	if err != nil {
		return nil, auditError(err)
	}
	if err := r.cover(c.Context, s); err != nil {
		return nil, auditError(err)
	}
	v.To, v.Commits = string(trunk.ID), s.Began(r.all)
	return s, nil
}

// auditTrunk is the trunk that gates judge by: in the hub its own branch.
func auditTrunk(ctx context.Context, d *admit.Desk) (facts.Trunk, error) {
	if d.InHub() {
		return d.Rules.Trunk, nil
	}
	rules, err := facts.LoadGatePolicy(ctx, d.Repo)
	return rules.Trunk, err
}

func (v *auditAnswer) span(ctx context.Context, d *admit.Desk, to refstore.OID, from []refstore.OID) (*pushed.Span, error) {
	v.To, v.From = string(to), append(v.From, hookStrings(from)...)
	s, err := pushed.ReadSpan(ctx, d.Repo, to, from, pushed.MaxCommits+1)
	if err == nil && s.Len() > pushed.MaxCommits {
		return nil, usagef("there are more than %d commits", pushed.MaxCommits).hint("name a shorter range: git dos hooks audit A..B")
	}
	if err == nil {
		v.Commits = s.Len()
	}
	return s, auditError(err)
}

// maxUngated bounds the commits that are listed.
const maxUngated = 100

func (v *auditAnswer) judge(c *cli.Context, d *admit.Desk, s *pushed.Span) error {
	left := s.Left()
	v.Total = len(left)
	for c, err := range ancestry.Read(c.Context, d.Repo.Git, left[:min(len(left), maxUngated)]) {
		if err != nil {
			return err
		}
		v.Ungated = append(v.Ungated, ungatedCommit{string(c.ID), c.Subject()})
	}
	counted := verdict.Count(v.Commits, "commit")
	switch {
	case len(left) == 0:
		v.Outcome, v.Reason = auditGated, fmt.Sprintf("each of %s has a receipt", counted)
	case len(v.Unread) > 0:
		v.Outcome, v.Reason = auditUnknown, fmt.Sprintf("%d of %s have no receipt in the ledgers that can be read", len(left), counted)
	default:
		v.Outcome, v.Reason = auditUngated, fmt.Sprintf("%d of %s have no receipt", len(left), counted)
	}
	if v.Receipts == 0 && len(left) > 0 {
		v.Reason += "; no ledger that is known here has any"
		v.Next = "git dos hooks status says whether pushes from here leave receipts"
	}
	return nil
}

func auditError(err error) error {
	if errors.Is(err, ancestry.ErrNoRevision) {
		return usagef("%w", err).hint("git branch --all lists the branches; git fetch brings a remote's")
	}
	return deskError(err)
}
