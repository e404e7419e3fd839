package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// The words of lanes beside those of package liveness, and all of them, the most
// urgent first.
const (
	topUnreadable = "UNREADABLE"
	topUnknown    = "UNKNOWN"
	topWaiting    = "WAITING"
	topParked     = "PARKED"
	topSpawning   = "SPAWNING"
	topDelegated  = "DELEGATED"
	topFree       = "FREE"
)

var topChips = []string{topUnreadable, "STALLED", "SPINNING", topUnknown, topParked, topWaiting, topSpawning, "ADVANCING", topDelegated, topFree}

// topHours are the windows of throughput.
var topHours = []int{1, 3, 6, 12, 24}

// topLook looks at everything.
func topLook(c *cli.Context) (topAnswer, error) {
	d, err := panelDesk(c)
	if err != nil {
		return topAnswer{}, err
	}
	return topOf(c, d, now(c))
}

// topOf looks at everything from a desk.
func topOf(c *cli.Context, d *admit.Desk, t time.Time) (topAnswer, error) {
	h := topStartHistory(c.Context, d, t)
	since := t.Add(-d.Rules.Policy.Supervise.PendingWindow)
	b, err := life.Open(c.Context, d, c.Bool("cached"), life.AskAlerts(), life.AskCounts(), life.AskPending(since))
	if err != nil {
		return topAnswer{}, panelUnreached(err)
	}
	list, err := decisionsOf(c.Context, b, false, t)
	if err != nil {
		return topAnswer{}, err
	}
	a := topAnswer{
		At: t.Truncate(time.Second), Lanes: []topLane{}, Chips: map[string]int{}, Pulse: string(list.pulse.Outcome), Beats: list.pulse.Beats,
		Open: list.Open, Decisions: list.Entries, Unread: list.Unread, NotRead: list.NotRead, panelSeen: list.panelSeen,
	}
	a.Nodes = topNodes(b)
	past, err := h.wait(c.Context)
	if err != nil {
		return topAnswer{}, err
	}
	if past.why != "" {
		a.Unread = append(a.Unread, "commits: "+past.why)
	}
	if err := a.lanes(c, b, past, t); err != nil {
		return topAnswer{}, err
	}
	count, err := b.Counts(c.Context)
	if err != nil {
		return topAnswer{}, panelError(err)
	}
	a.throughput(count, past, t)
	return a, nil
}

func topNodes(b *life.Book) []string {
	names := slices.Collect(maps.Keys(b.Ledgers()))
	for _, n := range b.Nodes {
		names = append(names, n.Node)
	}
	names = append(names, b.UnreadNodes()...)
	slices.Sort(names)
	return append([]string{}, slices.Compact(names)...)
}

// lanes adds every lane: what is held, what cannot be read, and what is free.
func (a *topAnswer) lanes(c *cli.Context, b *life.Book, past topHistory, now time.Time) error {
	ctx, d := c.Context, b.Desk
	reading, err := b.Leases(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return nil // decisions have named the lanes among what cannot be read
	}
	spawning, err := topSpawns(c, b, now)
	if err != nil {
		return panelError(err)
	}
	beats := topBeats(b)
	for _, r := range reading.Lanes {
		l := topLane{Lane: r.Lane, Gen: r.Gen}
		if r.State != lane.Free {
			l = topHeld(r, now)
			l.judge(r, past, beats[r.RunID], d.Rules.Policy.Liveness, now)
		} else {
			l.unheld(spawning)
			l.Reason = firstOf(l.Reason, stateOf(r, now))
		}
		a.Lanes = append(a.Lanes, l)
	}
	for _, u := range reading.Unread {
		a.Lanes = append(a.Lanes, topLane{Lane: firstOf(u.Lane, u.Chain), Chip: topUnreadable, Reason: strings.Join(strings.Fields(u.Unreadable), " ")})
	}
	for _, name := range neverLeased(d.Declared(), reading) {
		l := topLane{Lane: name}
		l.unheld(spawning)
		l.Reason = firstOf(l.Reason, "never leased")
		a.Lanes = append(a.Lanes, l)
	}
	slices.SortStableFunc(a.Lanes, func(x, y topLane) int { return cmp.Compare(x.Lane, y.Lane) })
	for _, l := range a.Lanes {
		a.Chips[l.Chip]++
	}
	return nil
}

// topSpawns are the workers that were started of late, by lane. One that is known to
// have ended is on its way no more.
func topSpawns(c *cli.Context, b *life.Book, now time.Time) (map[string]journal.Row, error) {
	pending, err := b.Pending(c.Context, now, b.Desk.Rules.Policy.Supervise.PendingWindow)
	rows, over := map[string]journal.Row{}, loopOver(c, b, pending)
	for _, r := range pending {
		if over[r.RunID] {
			continue
		}
		if name, err := lane.Canonical(r.Lane); err == nil {
			rows[name] = r
		}
	}
	return rows, err
}

func (l *topLane) unheld(spawning map[string]journal.Row) {
	l.Chip = topFree
	if r, ok := spawning[l.Lane]; ok {
		l.Chip, l.RunID, l.Node, l.Reason = topSpawning, r.RunID, r.From, "a worker was started at "+r.At.Format(time.RFC3339)
	}
}

func topHeld(r lease.Record, now time.Time) topLane {
	deadline := r.Deadline().UTC()
	since := r.AcquiredAt.UTC()
	return topLane{
		Lane: r.Lane, Gen: r.Gen, Display: string(r.Display(now)), Node: r.Holder.Node, Owner: r.Holder.Owner,
		RunID: r.RunID, Unit: r.Unit, Seat: r.Seat, Since: &since, Deadline: &deadline,
	}
}

func topHolder(l topLane) string { return lease.Holder{Node: l.Node, Owner: l.Owner}.String() }

// throughput counts what happened in the windows.
func (a *topAnswer) throughput(count func(what string, from, to time.Time) uint64, past topHistory, now time.Time) {
	to := now.Add(journal.Window) // the hour under way counts
	for _, hours := range topHours {
		from := now.Add(-time.Duration(hours) * time.Hour)
		w := topWindow{
			Hours:     hours,
			Launches:  count(journal.OpSpawn, from, to) + count(journal.OpLaunch, from, to),
			Ends:      count(journal.OpExit, from, to),
			Witnessed: count(journal.OpExit+"/CLAIM_WITNESSED", from, to),
			Refusals:  count(journal.OpRefuse, from, to),
			Attempts:  count(journal.OpAttempt, from, to),
		}
		if past.why == "" {
			n := past.shipsSince(from)
			w.ShipCommits = &n
		}
		a.Windows = append(a.Windows, w)
	}
}
