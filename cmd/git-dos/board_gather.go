package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/board"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// maxBoardEvents bounds the events of a board; throughput counts those beyond too.
const maxBoardEvents = 20000

// boardOlder is how many entries in a row are from before the time that is shown where
// the reading of a ref ends: one that bears a wrong time hides nothing.
const boardOlder = 32

// A boardBook gathers what is on a board.
type boardBook struct {
	data   board.Data
	each   time.Duration // of a window
	spans  map[string][]board.Span
	ships  map[string]bool // pushes, and pushes by lane, that were seen
	events []boardEvent
	broken map[string]bool // ledgers that cannot be read
	most   int             // how many entries of chains are read
}

// A boardEvent is an event and its place in its ref.
type boardEvent struct {
	board.Event
	node string // whose ledger it is of, "" for a lane's
}

// boardOf gathers a board: how everything stands, and what the chains of lanes and the
// ledgers tell of the time since.
func boardOf(c *cli.Context, d *admit.Desk, since time.Duration) (board.Data, error) {
	t := now(c).Truncate(time.Second)
	a, err := topOf(c, d, t)
	if err != nil {
		return board.Data{}, err
	}
	b := boardBook{most: maxBoardEntries, spans: map[string][]board.Span{}, ships: map[string]bool{}, broken: map[string]bool{}, data: board.Data{
		At: t, Since: t.Add(-since), AsOf: a.AsOf, Chips: a.Chips, Open: a.Open, Unread: append([]string{}, a.Unread...), Decisions: []board.Decision{},
	}}
	b.data.Windows, b.each = board.Windows(b.data.Since, t)
	b.data.WindowS = int64(b.each / time.Second)
	for _, e := range a.Decisions {
		b.data.Decisions = append(b.data.Decisions, board.Decision{
			ID: e.ID, Kind: string(e.Kind), Lane: e.Lane, RunID: e.RunID, Text: e.Text, At: e.At, Count: e.Count, Label: e.Label(), Command: e.Command, Ack: decisions.AckCommand(e.ID),
		})
	}
	if err := b.rows(c, d); err != nil {
		return board.Data{}, err
	}
	if err := b.chains(c, d); err != nil {
		return board.Data{}, err
	}
	b.finish(a.Lanes)
	return b.data, nil
}

// rows adds the rows of all nodes. Of a ledger that cannot be read nothing counts.
func (b *boardBook) rows(c *cli.Context, d *admit.Desk) error {
	remotes, err := d.Mirrors(c.Context, c.Bool("cached"))
	if err != nil {
		return panelUnreached(err)
	}
	node, older := "", 0
	var found []boardEvent                // of the node, newest first
	counts := map[string][]board.Window{} // by node, as only the end tells which count
	flush := func() {
		slices.Reverse(found)
		b.events = append(b.events, found...)
		found = nil
	}
	visit := func(e ledger.Entry) bool {
		if e.Node != node {
			flush()
			node, older = e.Node, 0
			counts[node], _ = board.Windows(b.data.Since, b.data.At)
		}
		if e.At.Before(b.data.Since) {
			older++
			return older < boardOlder
		}
		older = 0
		ev := boardRow(e)
		board.Tally(counts[e.Node], b.each, ev)
		if len(found) < maxBoardEvents {
			found = append(found, boardEvent{ev, e.Node})
		} else {
			b.data.Cut = true
		}
		return true
	}
	_, err = ledger.Read(c.Context, d.Repo, ledger.Query{Remotes: remotes, History: true}, visit)
	var unread *ledger.UnreadError
	if errors.As(err, &unread) {
		for _, e := range unread.Nodes {
			b.broken[e.Node] = true
			b.unread(panelUnreadOf(e).String())
		}
		err = nil
	}
	flush()
	for name, windows := range counts {
		if !b.broken[name] {
			board.Sum(b.data.Windows, windows)
		}
	}
	b.events = slices.DeleteFunc(b.events, func(e boardEvent) bool { return b.broken[e.node] })
	return panelError(err)
}

// unread names what could not be read, once.
func (b *boardBook) unread(what string) {
	if !slices.Contains(b.data.Unread, what) {
		b.data.Unread = append(b.data.Unread, what)
	}
}

// boardRow is an entry of a ledger as an event.
func boardRow(e ledger.Entry) board.Event {
	ev := board.Event{At: e.At.UTC(), Op: e.Op, Node: e.Node, Ref: refstore.Ref("journal", e.Node), ID: string(e.ID)}
	r, err := journal.Decode(e.Payload)
	ev.Lane, ev.RunID = r.Lane, r.RunID // as far as a row says that cannot be read
	if err != nil {
		ev.Class, ev.Text = board.Note, "a row that cannot be read"
		return ev
	}
	ev.Word = firstOf(r.Verdict, r.Outcome, r.ReasonClass)
	ev.Class = board.ClassOf(e.Op, ev.Word)
	if name, err := lane.Canonical(r.Lane); err == nil {
		ev.Lane = name
	}
	r.Verdict, r.Outcome, r.ReasonClass = "", "", ""
	ev.Text = logWords(r)
	return ev
}

// step is an entry of a lane's chain. One that cannot be read is no free lane.
func (b *boardBook) step(chain string, t refstore.Tip) board.Step {
	s := board.Step{At: t.Entry.At.UTC(), Op: t.Entry.Op, Lane: chain, State: board.Unreadable}
	r, err := lease.ParseRecord(chain, t.Entry.Gen, t.Entry.Payload)
	if err != nil {
		return s
	}
	s.Lane, s.Gen, s.Owner, s.Node, s.RunID, s.Unit, s.Deadline = r.Lane, r.Gen, r.Holder.Owner, r.Holder.Node, r.RunID, r.Unit, r.Deadline().UTC()
	switch r.State {
	case lane.Free:
		s.State = ""
	case lane.Held:
		s.State = board.Held
	case lane.Waiting:
		s.State = board.Waiting
	case lane.Parked:
		s.State = board.Parked
	}
	if r.Delegate && s.State == board.Held {
		s.State = board.Delegated
	}
	if t.Entry.Op == lease.OpShip && r.Ship != nil && !s.At.Before(b.data.Since) {
		b.ship(r, t)
	}
	return s
}

// ship adds a push. One that two chains tell of, or two lanes, is one push.
func (b *boardBook) ship(r lease.Record, t refstore.Tip) {
	key := r.Lane + " " + r.Ship.New
	if b.ships[key] {
		return
	}
	b.ships[key] = true
	words := []string{verdict.Short(r.Ship.New), "to", r.Ship.Ref}
	for _, u := range r.Ship.Units {
		words = append(words, u.Plan+"/"+u.Phase)
	}
	e := board.Event{
		At: t.Entry.At.UTC(), Class: board.Ship, Op: t.Entry.Op, Lane: r.Lane, RunID: r.RunID, Node: r.Holder.Node, Text: strings.Join(words, " "), Ref: t.Ref, ID: string(t.ID),
	}
	b.events = append(b.events, boardEvent{Event: e})
	if !b.ships[r.Ship.New] {
		b.ships[r.Ship.New] = true
		board.Tally(b.data.Windows, b.each, e)
	}
}

// finish puts it all in order, with the lanes as they stand now.
func (b *boardBook) finish(lanes []topLane) {
	slices.SortStableFunc(b.events, func(x, y boardEvent) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Ref, y.Ref))
	})
	if n := len(b.events) - maxBoardEvents; n > 0 {
		b.events, b.data.Cut = b.events[n:], true
	}
	b.data.Events = []board.Event{}
	for _, e := range b.events {
		b.data.Events = append(b.data.Events, e.Event)
	}
	b.data.Lanes = []board.Lane{}
	for _, l := range lanes {
		b.data.Lanes = append(b.data.Lanes, board.Lane{Lane: l.Lane, Chip: l.Chip, Reason: l.Reason, Owner: l.Owner, Node: l.Node, RunID: l.RunID, Unit: l.Unit})
	}
	for i := range b.data.Lanes {
		l := &b.data.Lanes[i]
		l.Spans = append([]board.Span{}, b.spans[l.Lane]...)
		delete(b.spans, l.Lane)
		board.Order(l.Spans, b.data.At)
	}
	b.past()
}

// past adds the lanes that somebody had and that nobody declares any more.
func (b *boardBook) past() {
	for name, spans := range b.spans {
		board.Order(spans, b.data.At)
		chip := topFree
		if spans[len(spans)-1].To == nil {
			chip = topUnknown
		}
		b.data.Lanes = append(b.data.Lanes, board.Lane{Lane: name, Chip: chip, Reason: fmt.Sprintf("not declared; had %s in this time", verdict.Count(len(spans), "time")), Spans: spans})
		b.data.Chips[chip]++
	}
	slices.SortStableFunc(b.data.Lanes, func(x, y board.Lane) int { return cmp.Compare(x.Lane, y.Lane) })
}
