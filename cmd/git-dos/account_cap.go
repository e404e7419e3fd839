package main

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// An accountCapAnswer answers account cap and account uncap.
type accountCapAnswer struct {
	Outcome string     `json:"outcome"`
	Account string     `json:"account"`
	Until   *time.Time `json:"until,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Owner   string     `json:"owner,omitempty"`
	Node    string     `json:"node"`          // in whose ledger
	Seq     uint64     `json:"seq,omitempty"` // its place there
	Told    bool       `json:"published"`     // in a fleet: the others can read it
	Next    string     `json:"next,omitempty"`
}

func (a accountCapAnswer) ExitCode() int {
	if a.Outcome == accountNotSo {
		return verdict.FirstOwned
	}
	return verdict.Yes
}

func (a accountCapAnswer) String() string {
	s := fmt.Sprintf("%s: account %s", a.Outcome, verdict.Show(a.Account))
	switch a.Outcome {
	case accountCapped:
		s += " gives no seat until " + a.Until.Format(time.RFC3339)
	case accountOpened:
		s += " gives seats again"
	default:
		s += " was not capped"
	}
	if a.Next != "" {
		s += "\nnext      " + a.Next
	}
	return s
}

func accountCap(c *cli.Context) error {
	return accountSay(c, func(d *admit.Desk, a *accountCapAnswer) error {
		until, err := accountUntil(c, d.Now())
		a.Outcome, a.Until = accountCapped, &until
		if err == nil && a.Reason == "" {
			err = usagef("no reason is given").hint("say with --reason TEXT why the account is used up")
		}
		return err
	})
}

func accountUncap(c *cli.Context) error {
	return accountSay(c, func(d *admit.Desk, a *accountCapAnswer) error {
		a.Outcome = accountOpened
		b, err := life.Open(c.Context, d, false, life.AskCaps())
		if err != nil {
			return lifeError(err)
		}
		rows, unknown, err := b.Caps(c.Context)
		if err != nil {
			return lifeError(err)
		}
		ev := supervise.AllocateEvidence{Now: d.Now(), Caps: accountCaps(rows)}
		if len(unknown) == 0 && ev.Cap(a.Account) == nil {
			a.Outcome = accountNotSo
		}
		return nil
	})
}

// accountSay adds what fill makes of an answer to this node's ledger.
func accountSay(c *cli.Context, fill func(*admit.Desk, *accountCapAnswer) error) error {
	if c.NArg() != 1 || c.Args().First() == "" {
		return usagef("want one NAME of an account, have %d arguments", c.NArg()).hint("git dos account list names them")
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	a := accountCapAnswer{Account: c.Args().First(), Reason: c.String("reason")}
	if accountNamed(d.Rules.Policy, a.Account) < 0 {
		return usagef("account %.60q is none that dos.toml declares", a.Account).hint("git dos account list names them")
	}
	if len(a.Reason) > 300 || !utf8.ValidString(a.Reason) || printable(a.Reason, false) != a.Reason {
		return usagef("--reason is longer than 300 bytes, or has characters that do not print")
	}
	operator := c.String("operator")
	if err := lease.CheckWord("operator", operator); err != nil {
		return usagef("%w", err)
	}
	if err := fill(d, &a); err != nil {
		return err
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	if a.Node = d.Node; a.Outcome == accountNotSo {
		return answer(c, a)
	}
	if a.Owner, err = ownerName(c, d); err != nil {
		return err
	}
	row := journal.Row{Op: journal.OpCap, Account: a.Account, Until: a.Until, Reason: a.Reason, Owner: a.Owner, Operator: operator}
	if a.Outcome == accountOpened {
		row.Outcome = journal.Uncapped
	}
	b := life.Book{Desk: d}
	seq, err := b.Record(c.Context, row)
	if err != nil {
		return lifeError(err)
	}
	if len(seq) == 1 {
		a.Seq = seq[0]
	}
	if a.Told = tellAtOnce(c.Context, d); !a.Told && d.Remote() != "" {
		warn(c, "not published yet: other nodes may start workers on account %s", verdict.Show(a.Account))
		a.Next = "git dos sync"
	}
	return answer(c, a)
}

// accountUntil is until when an account is to be capped.
func accountUntil(c *cli.Context, now time.Time) (time.Time, error) {
	until := now.Add(accountHold)
	switch {
	case c.IsSet("until") && c.IsSet("for"):
		return until, usagef("--until and --for both say how long").hint("leave one of them out")
	case c.IsSet("until"):
		at, err := time.Parse(time.RFC3339, c.String("until"))
		if err != nil {
			return until, usagef("--until %.40q is no time", c.String("until")).hint("write it like 2026-01-02T15:04:05Z")
		}
		until = at
	case c.IsSet("for"):
		d, err := policy.ParseDuration(c.String("for"))
		if err != nil {
			return until, usagef("--for: %w", err)
		}
		until = now.Add(d)
	}
	until = until.UTC().Truncate(time.Second)
	switch {
	case !until.After(now):
		return until, usagef("%s is over", until.Format(time.RFC3339)).hint("git dos account uncap takes a cap back")
	case until.Sub(now) > journal.MaxCap:
		return until, usagef("%s is more than 31 days ahead", until.Format(time.RFC3339)).hint("an account that is not to be used has kind = \"excluded\" in dos.toml")
	}
	return until, nil
}
