package main

import (
	"slices"
	"time"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/super"
)

// superSpans is by how many windows a flat throughput is told.
const superSpans = 3

// cadence is that of the dispatcher there is, else the usual one.
func (l *superLook) cadence() time.Duration {
	if l.held != nil && superTicks(*l.held) {
		return time.Duration(l.held.TTL) * time.Second / superPeriods
	}
	return superUsual
}

// stops is what tells whether to stop, by what is in the ledgers. A backlog that was
// not looked at is not complete.
func (l *superLook) stops(cadence time.Duration, w superBacklog, overdue []super.Sign, kind supervise.WorkKind) super.StopEvidence {
	ev := super.StopEvidence{
		Now: l.at, Stands: l.word(), Accounts: l.accountCaps(kind), Open: w.Open, Complete: w.Complete,
		Spans: super.Spans(l.at, cadence, superSpans, l.resumed(), l.tally), Failures: l.failures(),
	}
	for _, s := range overdue {
		ev.Overdue = append(ev.Overdue, s.What)
	}
	return ev
}

// failures counts the newest workers in a row that never ran, since somebody last
// looked.
func (l *superLook) failures() (n int) {
	ends := slices.SortedStableFunc(slices.Values(l.ends), func(a, b journal.Row) int { return b.At.Compare(a.At) })
	for _, r := range ends {
		if r.ReasonClass != string(supervise.EndLaunchFailed) || !r.At.After(l.resumed()) {
			return n
		}
		n++
	}
	return n
}

// lookAtAccounts finds how each account stands. The probes of those that are not known
// to be used up or full are asked where probe is set.
func (l *superLook) lookAtAccounts(probe bool) {
	base := accountEvidence(l.c, l.book)
	l.seats, l.accounts = base.Unread, []accountRow{}
	var undecided []string
	for _, a := range base.Accounts {
		ev := base
		ev.Only = a.Name
		undecided = append(undecided, ev.Undecided()...)
	}
	if probe {
		l.told = accountAskAll(l.c.Context, l.book, undecided)
		base.Probes = l.told
	}
	for _, a := range base.Accounts {
		ev := base
		ev.Only = a.Name
		l.accounts = append(l.accounts, accountEach{ev}.row())
	}
}

// accountCaps are the accounts that workers for a kind of work may run on, for any kind
// where it is empty, and which of them are used up.
func (l *superLook) accountCaps(kind supervise.WorkKind) (all []super.Cap) {
	for _, a := range l.accounts {
		if a.Kind != supervise.KindWorker || a.SessionCap <= 0 || kind == supervise.Engineering && a.Tier != 1 && !l.c.Bool("downshift") {
			continue
		}
		all = append(all, super.Cap{Account: a.Name, Spent: a.Why == supervise.DropCapped || a.Why == supervise.DropUnavailable, Until: a.Until})
	}
	return all
}
