package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func preflightVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "preflight",
			Usage: "may one more worker start on this machine now?",
			Description: "Looks at the workers that live, at what this machine bears and at the processes that this node's\n" +
				"workers left behind, and answers in one order: what could not be looked at, this machine, the cap.\n" +
				"The cap is the least of super.max_workers, supervise.target where dos.toml states it, and what the\n" +
				"machine bears: a worker for each 2 cores, 1500 MiB of free memory and 200 threads, and never less\n" +
				"than one, and with --work-kind the seats there are. --host-cap says it in place of that estimate.\n" +
				"Workers are counted by their leases and by the processes that this node started; the larger number\n" +
				"counts, and with a target it is that of the whole fleet.\n\n" +
				"A process of ours that has more than 2000 threads, or outlived its worker, refuses; git dos reclaim\n" +
				"says what can be done. Of others it is told, and no more. Nothing is started, stopped or written.\n\n" +
				"With --work-kind or --account, where dos.toml declares accounts, it also answers whether an account has a\n" +
				"seat for the worker: by the leases of the whole fleet, by caps, and by the accounts' probes, which it runs.\n" +
				"Without either it does not ask.",
			Flags: append(append(preflightFlags(), accountFlags()...), journalCached()),
			Action: func(c *cli.Context) error {
				if err := noArguments(c); err != nil {
					return err
				}
				b, err := preflightRead(c)
				if err != nil {
					return err
				}
				ask, err := accountAsked(c, b.Desk.Rules.Policy)
				if err != nil {
					return err
				}
				lifeWarn(c, b)
				v, err := preflightOf(c, b, preflightSpawned{seats: accountLook(c, b, ask)})
				if err != nil {
					return err
				}
				return answer(c, preflightAnswer{v, lifeSeenAs(b)})
			},
		},
		statuses: map[string][]status{
			"preflight": {
				{Code: verdict.Yes, Outcome: string(supervise.SpawnOK), Meaning: "one worker more may start"},
				{Code: 3, Outcome: string(supervise.RefuseAtCap), Meaning: "as many live as may; the binding term is named"},
				{Code: 4, Outcome: string(supervise.RefuseNoSeat), Meaning: "every seat is taken"},
				{Code: 5, Outcome: string(supervise.RefuseNoAccount), Meaning: "no account takes a worker now"},
				{Code: 6, Outcome: string(supervise.RefuseHost), Meaning: "a process of ours is out of order, or the disk is nearly full"},
				{Code: 7, Outcome: string(supervise.RefuseInspect), Meaning: "what must be looked at could not be"},
			},
		},
	}
}

// preflightFlags are those of every verb that starts workers.
func preflightFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "max-workers", Usage: "at most `N` workers on this machine, in place of super.max_workers"},
		&cli.IntFlag{Name: "host-cap", Usage: "this machine bears `N` workers, in place of an estimate"},
	}
}

// A preflightAnswer answers preflight.
type preflightAnswer struct {
	supervise.PreflightVerdict
	lifeSeen
}

func (a preflightAnswer) String() string { return a.PreflightVerdict.String() + a.line() }

// preflightRead is loopRead for whoever asks preflight alone: leases that cannot be
// read are part of its answer.
func preflightRead(c *cli.Context) (*life.Book, error) {
	b, err := lifeBook(c, life.AskSpawns(), life.AskCaps())
	if err != nil {
		return nil, err
	}
	reading, err := b.Leases(c.Context)
	var store *admit.StoreError
	if errors.As(err, &store) {
		return b, nil
	}
	if err != nil {
		return nil, lifeError(err)
	}
	return b, loopRuns(c, b, reading)
}

// A preflightSpawned is what a caller has started since the leases were read. Those
// whose markers are there by run count as spawned, and not as started too.
type preflightSpawned struct {
	count int
	runs  map[string]bool
	alive *int          // workers that the plan of those leases counts, where it is made already
	wave  bool          // --max-workers is the size of a wave, and bounds no machine
	seats *accountSeats // nil where none is wanted
}

// preflightOf gathers each part by itself, and judges.
func preflightOf(c *cli.Context, b *life.Book, own preflightSpawned) (supervise.PreflightVerdict, error) {
	p := b.Desk.Rules.Policy
	ev := supervise.PreflightEvidence{MaxWorkers: p.Super.MaxWorkers}
	ev.Live.Spawned = own.count
	if c.IsSet("max-workers") && !own.wave {
		ev.MaxWorkers = c.Int("max-workers")
	}
	switch {
	case c.IsSet("target"):
		ev.Target = c.Int("target")
	case p.Stated("supervise.target"):
		ev.Target = p.Supervise.Target
	}
	unread := func(what string, err error) { ev.Unread = append(ev.Unread, fmt.Sprintf("%s: %v", what, err)) }
	node, err := journalOwn(c, b.Desk)
	if err != nil {
		return supervise.PreflightVerdict{}, err
	}
	spawns, err := preflightSpawns(b)
	var view machine.View
	if err == nil {
		view, err = preflightLook(c, node, spawns, own.runs)
	}
	if err != nil {
		unread("this machine's processes", err)
	}
	if _, torn := errors.AsType[*markerUnreadError](err); torn {
		ev.Inspect = "git dos reclaim"
	}
	if ev.Target > 0 && own.alive != nil {
		ev.Live.Leases = *own.alive
	} else if ev.Live.Leases, err = preflightAlive(c, b, node, spawns, ev.Target > 0); err != nil {
		unread("the workers that live", err)
	}
	ev.Live.Started, ev.Processes = view.Started, view.Odd
	ev.Host = machine.Capacity(c.Context, b.Desk.Repo.CommonDir, view.Threads)
	if c.IsSet("host-cap") {
		n := c.Int("host-cap")
		ev.Host.Cap = &n
	}
	if testHost != nil {
		testHost(&ev.Host)
	}
	if s := own.seats; s != nil {
		if ev.Seats, ev.Accounts = s.allocation.Preflight(); s.unread != "" {
			ev.Unread = append(ev.Unread, s.unread)
		}
		ev.Seats.Leased = min(ev.Seats.Total, ev.Seats.Leased+own.count)
	}
	v := supervise.Preflight(ev)
	if err := v.Err(); err != nil {
		return v, usagef("%w", err)
	}
	return v, nil
}

// testHost lets a test binary have another machine. It is nil in the product.
var testHost func(*supervise.Host)

// preflightAlive counts the workers that live by their leases: of the whole
// fleet where a target bounds them, else this node's. Not counted is one whose
// worker has provably ended.
func preflightAlive(c *cli.Context, b *life.Book, node string, spawns []marker.Marker, all bool) (int, error) {
	if err := journalUnread(loopLedgers(b)); err != nil {
		return 0, err
	}
	reading, err := b.Leases(c.Context)
	if err != nil {
		return 0, lifeError(err)
	}
	if n := len(reading.Unread); n > 0 {
		return 0, fmt.Errorf("%d of the lanes cannot be read, first %s", n, lease.ChainName(reading.Unread[0].Chain))
	}
	if all {
		v, _, err := loopJudged(c, b, nil, false)
		return v.Alive, err
	}
	n := 0
	for _, r := range reading.Lanes {
		ours := r.Holder.Node == node && !r.Delegate && !lane.Reserved(r.Lane)
		if ours && (r.State == lane.Held || r.State == lane.Waiting) && !marker.Ended(spawns, node, r.RunID, r.Nonce) {
			n++
		}
	}
	return n, nil
}

// preflightSpawns are the workers that this node has started, as their markers say.
func preflightSpawns(b *life.Book) ([]marker.Marker, error) {
	f, err := marker.In(b.Desk.Repo)
	if err != nil {
		return nil, err
	}
	spawns, unread, err := f.List()
	if err != nil {
		return nil, err
	}
	if len(unread) > 0 {
		return nil, &markerUnreadError{unread}
	}
	return spawns, nil
}

// A markerUnreadError names the markers of workers that cannot be read.
type markerUnreadError struct{ unread []string }

func (e *markerUnreadError) Error() string {
	return fmt.Sprintf("%s of a worker cannot be read: %s", verdict.Count(len(e.unread), "marker"), e.unread[0])
}

// preflightLook looks at the processes. Launches of the runs that are named are not
// among those that count as started, nor is what works on their lanes by now: they
// were free, so it is what those launches started.
func preflightLook(c *cli.Context, node string, spawns []marker.Marker, but map[string]bool) (machine.View, error) {
	view, err := machine.Look(c.Context, node, spawns)
	if err == nil && len(but) > 0 {
		view.Started = machine.Started(node, preflightRest(spawns, but))
	}
	return view, err
}

func preflightRest(spawns []marker.Marker, but map[string]bool) []marker.Marker {
	lanes := map[string]bool{}
	for _, m := range spawns {
		if but[m.RunID] && m.Lane != "" {
			lanes[m.Lane] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(spawns), func(m marker.Marker) bool { return but[m.RunID] || lanes[m.Lane] })
}
