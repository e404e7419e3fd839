package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// An accountAsk says of which accounts a verb wants a seat; the zero value wants none.
type accountAsk struct {
	kind      supervise.WorkKind // "" for a seat whose account is named
	downshift bool
	only      string                     // the one account
	most      int                        // seats that are looked for, 0 for as many as one worker tries
	seat      string                     // the one seat; no account is declared that it belongs to while only is ""
	told      map[string]supervise.Probe // probes that were asked already, and are not again
	sentence  string                     // why the seat is not one that its account has, "" where it is
}

// asks reports whether a seat of an account is wanted.
func (a accountAsk) asks() bool { return a.kind != "" || a.only != "" }

// accountFlags say of which accounts a seat is wanted.
func accountFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "account", Usage: "a free seat of this account: its `NAME`"},
		&cli.StringFlag{Name: "work-kind", Usage: "a free seat of an account for this work: `KIND` = engineering (accounts of tier 1) or gardening (2, else 1)"},
		&cli.BoolFlag{Name: "downshift", Usage: "with --work-kind engineering: accounts of tier 2 will do, too"},
	}
}

// accountSeatFlags are those, and that of one seat.
func accountSeatFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "seat", Usage: "a `SEAT` that one lease has at a time; where dos.toml declares accounts, one of theirs, as in NAME/0"},
	}, accountFlags()...)
}

// accountAsked reads those flags. Without accounts a seat is any word.
func accountAsked(c *cli.Context, p policy.Policy) (a accountAsk, err error) {
	for _, name := range []string{"seat", "account", "work-kind"} {
		if c.IsSet(name) && c.String(name) == "" {
			return a, usagef("--%s is empty", name).hint("name one, or leave the flag out")
		}
	}
	a = accountAsk{kind: supervise.WorkKind(c.String("work-kind")), downshift: c.Bool("downshift"), only: c.String("account"), seat: c.String("seat")}
	switch {
	case a.kind != "" && !a.kind.Known():
		return a, usagef("--work-kind %.40q is neither engineering nor gardening", string(a.kind))
	case a.downshift && a.kind != supervise.Engineering:
		return a, usagef("--downshift goes with --work-kind engineering")
	case a.seat != "" && (a.only != "" || a.kind != ""):
		return a, usagef("--seat names a seat, and --account and --work-kind look for one").hint("leave out one or the other")
	case len(p.Accounts) == 0 && a.only != "":
		return a, usagef("dos.toml declares no account, and --account %.60q names one", a.only).hint("declare it as [[account]], or leave the flag out")
	case len(p.Accounts) == 0:
		return accountAsk{seat: a.seat}, nil
	case a.only != "" && accountNamed(p, a.only) < 0:
		return a, usagef("--account %.60q is none that dos.toml declares", a.only).hint("git dos account list names them")
	case a.seat != "":
		return a.bound(p)
	}
	return a, nil
}

// bound finds the account that the seat belongs to.
func (a accountAsk) bound(p policy.Policy) (accountAsk, error) {
	i, k, ok := supervise.SeatOf(accountsDeclared(p), a.seat)
	if !ok {
		return a, usagef("--seat %.60q belongs to no account that dos.toml declares", a.seat).hint("seats are named NAME/0, NAME/1 and so on; git dos account list names the accounts")
	}
	a.only = p.Accounts[i].Name
	if seats := p.Accounts[i].SessionCap; k >= seats {
		a.sentence = fmt.Sprintf("account %s has %s, counted from 0, and %s is none of them", verdict.Show(a.only), verdict.Count(seats, "seat"), verdict.Show(a.seat))
	}
	return a, nil
}

// accountNamed is the place of an account, -1 where there is none of that name.
func accountNamed(p policy.Policy, name string) int {
	return slices.IndexFunc(p.Accounts, func(a policy.Account) bool { return a.Name == name })
}

// accountOf is the account that a seat belongs to, nil where it is nobody's.
func accountOf(p policy.Policy, seat string) *policy.Account {
	i, k, ok := supervise.SeatOf(accountsDeclared(p), seat)
	if !ok || k >= p.Accounts[i].SessionCap {
		return nil
	}
	return &p.Accounts[i]
}

// accountsDeclared are the accounts as the kernel knows them: without what is secret.
func accountsDeclared(p policy.Policy) []supervise.Account {
	all := make([]supervise.Account, 0, len(p.Accounts))
	for _, a := range p.Accounts {
		all = append(all, supervise.Account{Name: a.Name, Tier: a.Tier, SessionCap: a.SessionCap, Kind: a.Kind, Probed: len(a.Probe) > 0})
	}
	return all
}
