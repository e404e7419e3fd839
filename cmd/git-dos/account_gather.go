package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/probe"
	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// accountTries bounds the seats that one worker asks the authority for.
const accountTries = 64

// accountEvidence is what the leases and the ledgers tell of accounts; what cannot be
// told makes all of it unknown.
func accountEvidence(c *cli.Context, b *life.Book) supervise.AllocateEvidence {
	p := b.Desk.Rules.Policy
	ev := supervise.AllocateEvidence{Now: b.Desk.Now(), Accounts: accountsDeclared(p), Requested: accountTries}
	var unread []string
	reading, err := b.Leases(c.Context)
	switch n := len(reading.Unread); {
	case err != nil:
		unread = append(unread, "who has which seat: "+lifeError(err).Error())
	case n > 0:
		unread = append(unread, fmt.Sprintf("who has which seat: %d of the lanes cannot be read, first %s", n, lease.ChainName(reading.Unread[0].Chain)))
	}
	for _, s := range reading.Seats {
		by := "an admission that has not landed"
		if len(s.By) > 0 {
			by = fmt.Sprintf("%s on lane %s", s.By[0].Holder, s.By[0].Lane)
		}
		ev.Taken = append(ev.Taken, supervise.TakenSeat{Seat: s.Seat, By: by})
	}
	rows, unknown, err := b.Caps(c.Context)
	if err != nil {
		unknown = append(unknown, lifeError(err).Error())
	}
	for _, why := range unknown {
		unread = append(unread, "which accounts are capped: "+why)
	}
	ev.Caps, ev.Unread = accountCaps(rows), strings.Join(unread, "; ")
	return ev
}

// accountCaps are the caps that rows tell of. No row caps an account for longer than
// rows may.
func accountCaps(rows []journal.Row) (caps []supervise.Cap) {
	for _, r := range rows {
		if r.Outcome == journal.Uncapped {
			continue
		}
		until := r.Until
		if most := r.At.Add(journal.MaxCap); until != nil && until.After(most) {
			until = &most
		}
		caps = append(caps, supervise.Cap{Account: r.Account, Until: until, Reason: verdict.Clip(r.Reason)})
	}
	return caps
}

// accountAllocation finds seats. The probes of accounts that would give one are asked,
// and no others.
func accountAllocation(c *cli.Context, b *life.Book, ask accountAsk) (supervise.AllocateEvidence, supervise.Allocation) {
	ev := accountEvidence(c, b)
	ev.Kind, ev.Downshift, ev.Only = ask.kind, ask.downshift, ask.only
	if ask.most > 0 {
		ev.Requested = ask.most
	}
	if ask.seat != "" {
		ev.Taken = nil // whether that one seat is free, the authority says
	}
	accountProbes(c.Context, b, &ev, ask.told)
	return ev, supervise.Allocate(ev)
}

// accountProbes asks the probes that decide something and have not told yet.
func accountProbes(ctx context.Context, b *life.Book, ev *supervise.AllocateEvidence, told map[string]supervise.Probe) {
	asked := func(name string) bool { _, has := told[name]; return has }
	ev.Probes = accountAskAll(ctx, b, slices.DeleteFunc(ev.Undecided(), asked))
	maps.Copy(ev.Probes, told)
}

func accountAskAll(ctx context.Context, b *life.Book, names []string) map[string]supervise.Probe {
	p := b.Desk.Rules.Policy
	var asks []probe.Ask
	for _, name := range names {
		if i := accountNamed(p, name); i >= 0 {
			asks = append(asks, accountProbe(b, p.Accounts[i]))
		}
	}
	return accountProbed(ctx, b, asks)
}

func accountProbed(ctx context.Context, b *life.Book, asks []probe.Ask) map[string]supervise.Probe {
	limit := probe.Limit
	if testPause != nil {
		limit = testPause(limit)
	}
	return probe.All(ctx, asks, b.Desk.Now, limit)
}

func accountProbe(b *life.Book, a policy.Account) probe.Ask {
	return probe.Ask{Account: a.Name, Command: a.Probe, Dir: b.Desk.Repo.WorkTree, Env: worker.Environ(os.Environ(), b.Desk.Rules.Policy.Worker.EnvPass, accountEnv(&a))}
}

// accountEnv is the environment of an account, in the order of its names; nil of none.
func accountEnv(a *policy.Account) (env []string) {
	if a == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		env = append(env, name+"="+a.Env[name])
	}
	return env
}

// An accountSeats is what preflight is told of accounts.
type accountSeats struct {
	unread     string
	allocation supervise.Allocation
}

func accountLook(c *cli.Context, b *life.Book, ask accountAsk) *accountSeats {
	if !ask.asks() {
		return nil
	}
	ev, a := accountAllocation(c, b, ask)
	return &accountSeats{ev.Unread, a}
}

// names are the seats that may be asked for, in order.
func (s *accountSeats) names() (names []string) {
	if s == nil {
		return nil
	}
	for _, g := range s.allocation.Granted {
		names = append(names, g.Name)
	}
	return names
}

// capUntil is until when an account is capped whose worker was just rate-limited:
// as its probe says, else for the time that most limits last.
func accountCapUntil(ctx context.Context, b *life.Book, a policy.Account) (time.Time, string) {
	now := b.Desk.Now()
	if len(a.Probe) > 0 {
		if told := accountProbed(ctx, b, []probe.Ask{accountProbe(b, a)})[a.Name]; told.Until != nil {
			return *told.Until, "a worker was rate-limited; " + told.Reason
		}
	}
	return now.Add(accountHold).UTC().Truncate(time.Second), "a worker was rate-limited, and nothing says until when"
}

// accountHold is for how long an account is capped when nobody says until when.
const accountHold = time.Hour
