package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// An accountsAnswer answers account list.
type accountsAnswer struct {
	Outcome  string       `json:"outcome"`
	Reason   string       `json:"reason"`
	Accounts []accountRow `json:"accounts"` // in the order of dos.toml
	Earliest *time.Time   `json:"earliest_reset,omitempty"`
	Unread   string       `json:"unread,omitempty"` // why nothing is known of seats and caps
	lifeSeen
}

// An accountRow is one account. Nothing of its environment or its probe's words is
// in it.
type accountRow struct {
	supervise.Account
	Available bool                  `json:"available"`
	Taken     []supervise.TakenSeat `json:"taken"`
	Capped    *supervise.Cap        `json:"cap,omitempty"`
	Probe     *supervise.Probe      `json:"probe,omitempty"` // where it was asked
	Why       supervise.DropReason  `json:"why,omitempty"`
	Detail    string                `json:"detail,omitempty"`
	Until     *time.Time            `json:"until,omitempty"`
	Next      string                `json:"next,omitempty"`
}

func (a accountsAnswer) ExitCode() int {
	if a.Outcome == accountSome {
		return verdict.Yes
	}
	return verdict.FirstOwned
}

func (a accountsAnswer) String() string {
	s := a.Outcome + ": " + a.Reason
	for _, r := range a.Accounts {
		state := "available"
		if !r.Available {
			state = fmt.Sprintf("%s: %s", r.Why, r.Detail)
		}
		s += fmt.Sprintf("\n%s (%s, tier %d, %d of %s taken)  %s", verdict.Show(r.Name), r.Kind, r.Tier, len(r.Taken), verdict.Count(r.SessionCap, "seat"), state)
		for _, t := range r.Taken {
			s += fmt.Sprintf("\n  %s  %s", verdict.Show(t.Seat), t.By)
		}
		if r.Next != "" {
			s += "\n  next  " + r.Next
		}
	}
	return s + a.line()
}

func accountList(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	b, err := lifeBook(c, life.AskCaps())
	if err != nil {
		return err
	}
	lifeWarn(c, b)
	a := accountsAnswer{Accounts: []accountRow{}, lifeSeen: lifeSeenAs(b)}
	base := accountEvidence(c, b)
	a.Unread = base.Unread
	rows := make([]accountEach, len(base.Accounts))
	var undecided []string
	for i, acc := range base.Accounts {
		ev := base
		ev.Only = acc.Name
		rows[i].ev = ev
		undecided = append(undecided, ev.Undecided()...)
	}
	if !c.Bool("no-probe") {
		probes := accountAskAll(c.Context, b, undecided)
		for i := range rows {
			rows[i].ev.Probes = probes
		}
	}
	for _, r := range rows {
		row := r.row()
		if row.Until != nil && (a.Earliest == nil || row.Until.Before(*a.Earliest)) {
			a.Earliest = row.Until
		}
		a.Accounts = append(a.Accounts, row)
	}
	a.conclude()
	return answer(c, a)
}

func (a *accountsAnswer) conclude() {
	n := 0
	for _, r := range a.Accounts {
		if r.Available {
			n++
		}
	}
	switch {
	case n > 0:
		a.Outcome, a.Reason = accountSome, fmt.Sprintf("%d of %s with a seat for a worker", n, verdict.Count(len(a.Accounts), "account"))
	case len(a.Accounts) == 0:
		a.Outcome, a.Reason = accountNone, "dos.toml declares no account"
	default:
		a.Outcome, a.Reason = accountNone, fmt.Sprintf("none of %s has a seat for a worker", verdict.Count(len(a.Accounts), "account"))
		if a.Earliest != nil {
			a.Reason += "; the first comes back at " + a.Earliest.UTC().Format(time.RFC3339)
		}
	}
}

// An accountEach is one account's evidence.
type accountEach struct{ ev supervise.AllocateEvidence }

func (e accountEach) row() accountRow {
	i := slices.IndexFunc(e.ev.Accounts, func(a supervise.Account) bool { return a.Name == e.ev.Only })
	r := accountRow{Account: e.ev.Accounts[i], Available: true, Taken: []supervise.TakenSeat{}}
	for _, t := range e.ev.Taken {
		if at, k, ok := supervise.SeatOf(e.ev.Accounts, t.Seat); ok && at == i && k < r.SessionCap {
			r.Taken = append(r.Taken, t)
		}
	}
	r.Capped = e.ev.Cap(r.Name)
	if p, ok := e.ev.Probes[r.Name]; ok {
		r.Probe = &p
	}
	for _, d := range supervise.Allocate(e.ev).Dropped {
		r.Available, r.Why, r.Detail, r.Until = false, d.Why, d.Detail, d.Until
	}
	r.Next = accountNext(r)
	return r
}

// accountNext is the command that follows from how an account stands.
func accountNext(r accountRow) string {
	name := verdict.ShellWord(r.Name)
	switch r.Why {
	case "":
		return "git dos worker run --account " + name + " --lane LANE -- CMD"
	case supervise.DropCapped:
		return "git dos account uncap " + name
	case supervise.DropFull:
		if r.SessionCap > 0 {
			return "git dos lease live"
		}
	case supervise.DropUnread:
		return "git dos doctor"
	case supervise.DropUnavailable, supervise.DropUnreadable:
		return "git dos account list"
	}
	return ""
}
