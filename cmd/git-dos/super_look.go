package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/beat"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/refstore"
)

// A superLook is what is known of the dispatcher of the fleet and of what it does.
type superLook struct {
	c    *cli.Context
	book *life.Book
	at   time.Time
	held *lease.Record // of the dispatchers' lane, nil where nobody has it
	gate super.GateEvidence

	count func(what string, from, to time.Time) uint64
	ends  []journal.Row
	lost  time.Time // up to when ends had to be forgotten
	rows  []journal.Row
	past  time.Time // up to when rows had to be forgotten

	accounts []accountRow               // see lookAtAccounts
	seats    string                     // why nothing is known of them, "" where it is
	told     map[string]supervise.Probe // what their probes said
}

// superAsks is what a look reads of the ledgers.
func superAsks() []life.Ask {
	return []life.Ask{life.AskSpawns(), life.AskLaunches(), life.AskAnswers(), life.AskCounts(), life.AskCaps()}
}

// superRead looks at leases, beats and ledgers for a verb that writes nothing.
func superRead(c *cli.Context) (*superLook, error) {
	d, err := lifeDesk(c, admit.Open)
	if err != nil {
		return nil, err
	}
	return superAt(c, d, false)
}

// superAt looks at the fleet as it is now, and where it is asked for at the trunk; with
// --cached as it was last seen. The error says that nothing is known. What of the
// dispatcher cannot be read is in the evidence of the gate, and so is a remote that
// cannot be asked: what was last seen of it may tell of nobody.
func superAt(c *cli.Context, d *admit.Desk, trunk bool) (*superLook, error) {
	var away error
	if !c.Bool("cached") {
		away = d.RefreshFleet(c.Context, trunk, tasks.Kind)
		if away != nil && !admit.Unreachable(away) {
			return nil, deskError(away)
		}
	}
	b, err := life.Open(c.Context, d, true, superAsks()...)
	if err != nil {
		return nil, panelError(err)
	}
	l, err := superOf(c, b)
	if err == nil && away != nil {
		l.unread("%s could not be asked: %s", d.Remote(), panelWords(away))
	}
	return l, err
}

func superOf(c *cli.Context, b *life.Book) (l *superLook, err error) {
	l = &superLook{c: c, book: b, at: now(c)}
	if l.count, err = b.Counts(c.Context); err != nil {
		return nil, lifeError(err)
	}
	if l.ends, l.lost, err = b.Ended(c.Context); err != nil {
		return nil, lifeError(err)
	}
	if l.rows, _, l.past, err = b.Answers(c.Context); err != nil {
		return nil, lifeError(err)
	}
	return l, l.gather()
}

// unread notes something without which nobody can tell who dispatches.
func (l *superLook) unread(format string, args ...any) {
	l.gate.Unread = append(l.gate.Unread, fmt.Sprintf(format, args...))
}

// gather looks at the dispatcher's lease, its beat and who lives. What is ready is
// asked only where it matters: see [superLook.backlog].
func (l *superLook) gather() error {
	c, b := l.c, l.book
	reading, err := b.Leases(c.Context)
	if err != nil {
		return lifeError(err)
	}
	for _, u := range reading.Unread {
		if u.Lane == "" || lane.CanonicalOr(u.Lane) == super.Lane {
			l.unread("%s", lease.ChainName(u.Chain))
		}
	}
	for i, r := range reading.Lanes {
		if r.Lane == super.Lane && r.State != lane.Free {
			l.held = &reading.Lanes[i]
		}
	}
	l.gate.Lease = super.NotTaken
	if l.held != nil {
		if err := l.standing(); err != nil {
			return err
		}
	}
	if l.gate.Lease != super.Live {
		return nil
	}
	l.beats()
	if err := l.alive(reading.Lanes); err != nil {
		return err
	}
	l.gate.Shipped = l.tally(l.at.Truncate(journal.Window).Add(-journal.Window), l.at.Add(journal.Window)).Ships
	return nil
}

// standing tells whether the dispatcher renews in time.
func (l *superLook) standing() error {
	r := *l.held
	l.gate.Lease, l.gate.Holder = super.Live, r.Holder.String()
	if l.gate.BeatName = beat.Supervise; superTicks(r) {
		l.gate.BeatName = beat.Dispatcher
	}
	over, err := l.book.Lapsed(l.c.Context)
	switch {
	case err != nil:
		l.unread("whether the lease on lane %s has lapsed: %v", super.Lane, err)
	case over[r.Nonce] != "" || r.Lapsed(l.at) || r.State == lane.Parked:
		l.gate.Lease = super.Lapsed
	}
	return l.c.Context.Err()
}

// beats tells whether it comes round: at the cadence that is declared, else at that by
// which it keeps its lease.
func (l *superLook) beats() {
	d, name := l.book.Desk, l.gate.BeatName
	latest := l.at.Add(beat.MaxAheadMS * time.Millisecond)
	ev := beat.Evidence{NowMS: l.at.UnixMilli()}
	for _, n := range l.book.Nodes {
		beats, err := pulseBeats(l.c.Context, d.Repo, n, latest)
		if err != nil {
			ev.Unread = append(ev.Unread, n.Node)
		}
		ev.Beats = append(ev.Beats, beats...)
	}
	for _, e := range l.book.Unread {
		if at, _ := refstore.SplitRef(e.Ref); at.Kind == "node" {
			ev.Unread = append(ev.Unread, e.Node)
		}
	}
	every, declared := d.Rules.Policy.Heartbeats[name]
	switch {
	case declared:
	case name == beat.Dispatcher:
		every = time.Duration(l.held.TTL) * time.Second / superPeriods
	default:
		every = beat.Interval(name, ev.Beats, d.Rules.Policy.Supervise.Interval)
	}
	ev.Cadences = []beat.Cadence{{Name: name, IntervalMS: max(1, every.Milliseconds())}}
	v := beat.Decide(ev)
	if err := v.Err(); err != nil {
		l.unread("the beat %s: %v", name, err)
		return
	}
	l.gate.Beat = super.Pulse(v.Outcome)
	if v.Outcome != beat.Fresh && len(v.Unread) > 0 {
		l.unread("the beats of node %s", v.Unread[0])
	}
}

// alive counts whoever holds a lane to work on, and whoever is on the way. What cannot
// be judged lives.
func (l *superLook) alive(lanes []lease.Record) error {
	over, err := l.book.Lapsed(l.c.Context)
	if err != nil {
		over = nil
	}
	for _, r := range lanes {
		own := r.Delegate && r.Holder.Node == l.book.Desk.Node
		if (r.State == lane.Held || r.State == lane.Waiting) && !own && !lane.Reserved(r.Lane) && over[r.Nonce] == "" {
			l.gate.Alive++
		}
	}
	pending, err := l.book.Pending(l.c.Context, l.at, l.book.Desk.Rules.Policy.Supervise.PendingWindow)
	l.gate.Alive += len(pending)
	return lifeError(err)
}

// tally counts launches, claims and witnessed ships in the whole hours of a time.
func (l *superLook) tally(from, to time.Time) super.Tally {
	t := super.Tally{
		Launches: int(l.count(journal.OpSpawn, from, to) + l.count(journal.OpLaunch, from, to)),
		Ships:    int(l.count(journal.OpExit+"/"+string(supervise.ClaimWitnessed), from, to)),
	}
	if l.lost.Before(from) {
		n := 0
		for _, r := range l.ends {
			if superClaimed(r) && !r.At.Before(from.Truncate(journal.Window)) && r.At.Before(to.Truncate(journal.Window)) {
				n++
			}
		}
		t.Claims = &n
	}
	return t
}

// superClaimed reports whether a worker ended as one that claims to be done.
func superClaimed(r journal.Row) bool { return r.ReasonClass == string(supervise.EndClaim) }

// ledgersUnread are the ledgers that cannot be read: what they tell counts for nothing
// in any number.
func (l *superLook) ledgersUnread() (bad []*ledger.NodeError) { return loopLedgers(l.book) }
