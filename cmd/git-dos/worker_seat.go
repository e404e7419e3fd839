package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// acquireSeated asks for lanes with the first of these seats that nobody has by then,
// and leaves in req the seat that the answer is about. Without any seat it asks once.
func acquireSeated(ctx context.Context, d *admit.Desk, req *admit.Request, seats []string) (v lease.Verdict, err error) {
	if len(seats) == 0 {
		return d.Acquire(ctx, *req)
	}
	for _, req.Seat = range seats {
		if v, err = d.Acquire(ctx, *req); err != nil || v.ReasonClass != lease.SeatTaken {
			break
		}
	}
	return v, err
}

// has reports whether a seat is one that was asked for, but for the tier: whoever took
// the seat has chosen.
func (a accountAsk) has(p policy.Policy, seat string) bool {
	account := accountOf(p, seat)
	return account != nil && (a.only == "" || a.only == account.Name)
}

// met reports whether a lease with this seat has what was asked for.
func (a accountAsk) met(p policy.Policy, seat string) bool {
	return (a.seat == "" || a.seat == seat) && (!a.asks() || a.has(p, seat))
}

// bind gives the worker the seat of its lease, and the account that this belongs to.
func (w *workerRunning) bind(seat string) {
	w.job.req.Seat = seat
	w.account = accountOf(w.home.Rules.Policy, seat)
}

// accountBeside is the environment of an account and that which git dos gives a worker,
// which nothing overrides.
func accountBeside(a *policy.Account, own []string) []string {
	env := slices.DeleteFunc(accountEnv(a), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(env, own...)
}

// seatBusy refuses a second worker on a seat of an account, which several that ride
// one lease would be. Each has noted itself before it looks: of two that start at
// once, one at most goes on.
func (w *workerRunning) seatBusy() (*workerAnswer, error) {
	if w.account == nil {
		return nil, nil
	}
	spawns, unread, err := w.marks.List()
	if err == nil && len(unread) > 0 {
		err = fmt.Errorf("%s of a worker cannot be read: %s", verdict.Count(len(unread), "marker"), unread[0])
	}
	if err != nil {
		return nil, environmentf("whether seat %.60q is at work: %w", w.mark.Seat, err)
	}
	busy := func(m marker.Marker) bool {
		return m.RunID != w.run && !m.Launch && m.Nonce == w.mark.Nonce && m.Seat == w.mark.Seat && !m.Over(w.desk.Node)
	}
	if i := slices.IndexFunc(spawns, busy); i >= 0 {
		return refusedWorker(w.lease.Lane, "seat", fmt.Sprintf("run %s is at work on seat %s", verdict.Show(spawns[i].RunID), verdict.Show(w.mark.Seat)), "run it when that has ended", func(*workerAnswer) {}), nil
	}
	return nil, nil
}

// capAccount journals that the worker's account is used up.
func (w *workerRunning) capAccount() {
	until, why := accountCapUntil(w.c.Context, &life.Book{Desk: w.home}, *w.account)
	row := journal.Row{
		Op: journal.OpCap, Account: w.account.Name, Until: &until, Reason: why,
		Lane: w.lease.Lane, RunID: w.run, Gen: w.lease.Gen, Nonce: w.lease.Nonce, Seat: w.job.req.Seat,
	}
	if err := w.home.Journal(w.c.Context, row); err != nil {
		warn(w.c, "that account %s is capped was not journaled, and workers may start on it: %v", w.account.Name, err)
	} else if w.home.Remote() != "" && !tellAtOnce(w.c.Context, w.home) {
		warn(w.c, "that account %s is capped is not published yet, and other nodes may start workers on it: git dos sync tells them", w.account.Name)
	}
}
