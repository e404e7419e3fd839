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
	if l.held != nil && l.held.Rung != "" {
		return time.Duration(l.held.TTL) * time.Second / superPeriods
	}
	return superUsual
}

// stops is what tells whether to stop, by what is in the ledgers. A backlog that was
// not looked at is not complete.
func (l *superLook) stops(cadence time.Duration, w superBacklog, overdue []super.Sign) super.StopEvidence {
	ev := super.StopEvidence{
		Now: l.at, Stands: l.word(), Accounts: l.accountCaps(), Open: w.Open, Complete: w.Complete,
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

// accountCaps are the accounts that workers may run on, and until when each is used up.
func (l *superLook) accountCaps() (all []super.Cap) {
	for _, a := range l.book.Desk.Rules.Policy.Accounts {
		if a.Kind != "worker" || a.SessionCap <= 0 {
			continue
		}
		all = append(all, super.Cap{Account: a.Name, Until: l.capped(a.Name)})
	}
	return all
}

// capped is until when an account is used up, nil where it is not.
func (l *superLook) capped(account string) *time.Time {
	for _, r := range l.caps {
		if r.Account == account && r.Until != nil && r.Until.After(l.at) {
			until := r.Until.UTC()
			return &until
		}
	}
	return nil
}
