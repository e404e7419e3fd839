package life

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/refstore"
)

// A Run is what is known of one run.
type Run struct {
	ID       string
	MintedAt time.Time     // zero where the id does not tell
	Lease    *lease.Record // the newest that bears the run's id; nil when there is none
	Live     bool          // that lease has not ended
	Lane     string        // where the run is or was at work, "" when nothing tells
	Under    *lease.Record // what the run's node has of Lane on the remote, where only that node knows of the lease; else nil
	Story    journal.Story
	Intent   resume.State
	Start    refstore.OID // what its commits come after: as it declared, else as of its admission; "" when not known

	book      *Book
	seen      *histories
	doubtful  []string         // nodes with unreadable rows that may be the run's
	elsewhere []journal.Hidden // such rows of nodes on which it was not at work
}

// UnknownRunError means that neither a lease nor a row names the run.
type UnknownRunError struct{ ID string }

func (e *UnknownRunError) Error() string {
	return fmt.Sprintf("no lease and no ledger names the run %.80q", e.ID)
}

// Run gathers what is known of a run. The error is an *[UnknownRunError] when
// that is nothing at all.
func (b *Book) Run(ctx context.Context, id string) (Run, error) {
	r, err := b.lookUp(ctx, id)
	switch {
	case err != nil:
		return Run{}, err
	case r.Lease == nil && len(r.Story.Rows) == 0 && r.Beats() == nil && !r.Intent.Unreadable():
		if len(b.Unread) > 0 {
			return Run{}, Unreadable(b.Unread)
		}
		if err := r.undeclared(); err != nil {
			return Run{}, err
		}
		return Run{}, &UnknownRunError{id}
	}
	return r, nil
}

// Adding is Run for a verb that adds to a run, of which nothing need be known.
func (b *Book) Adding(ctx context.Context, id string) (Run, error) { return b.lookUp(ctx, id) }

func (b *Book) lookUp(ctx context.Context, id string) (Run, error) {
	story, err := b.Story(ctx, id)
	if err != nil {
		return Run{}, err
	}
	r := Run{ID: id, Story: story, Intent: resume.New(id), book: b, seen: &histories{since: map[refstore.OID]*past{}}}
	if ms, ok := runid.Decode(id); ok {
		r.MintedAt = time.UnixMilli(ms).UTC()
	}
	if err := r.fold(ctx); err != nil {
		return Run{}, err
	}
	if err := r.findLease(ctx); err != nil {
		return Run{}, err
	}
	r.weigh()
	r.Start = refstore.OID(r.Intent.Start())
	if id, ok := refstore.ParseOID(leasePolicy(r.Lease)); ok && r.Start == "" {
		r.Start = id
	}
	if _, ok := refstore.ParseOID(string(r.Start)); !ok {
		r.Start = ""
	}
	return r, nil
}

func leasePolicy(r *lease.Record) string {
	if r == nil {
		return ""
	}
	return r.Policy
}

// fold makes the state of the run's intents and steps. Where a checkpoint has let
// go of rows of it, every row of the ledgers is looked at.
func (r *Run) fold(ctx context.Context) error {
	if r.Story.Complete {
		for _, row := range r.Story.Rows {
			r.Intent.Read(row.From, row.Body())
		}
	} else if err := r.foldHistory(ctx); err != nil {
		return err
	}
	if r.Story.Corrupt {
		r.Intent.Corrupt()
	}
	if r.Story.Newer {
		r.Intent.Newer()
	}
	return nil
}

func (r *Run) foldHistory(ctx context.Context) error {
	b := r.book
	rows := []journal.Row{}
	q := ledger.Query{Nodes: b.readNodes(), Remotes: b.remotes, History: true, Oldest: true}
	if len(q.Nodes) == 0 {
		return nil
	}
	_, err := ledger.Read(ctx, b.Desk.Repo, q, func(e ledger.Entry) bool {
		row, err := journal.Decode(e.Payload)
		if err == nil && row.RunID == r.ID {
			row.From = e.Node
			rows = append(rows, row)
			r.Intent.Read(e.Node, e.Payload)
		}
		return true
	})
	r.Story.Rows = rows
	return b.unread(err)
}

func (b *Book) readNodes() (names []string) {
	for node := range b.Ledgers() {
		if !b.IsUnread(node) {
			names = append(names, node)
		}
	}
	return names
}

// findLease finds the newest lease that bears the run's id: one that is live,
// else one that ended, on the lane that the run named where it is no longer the
// newest there.
func (r *Run) findLease(ctx context.Context) error {
	reading, err := r.book.Leases(ctx)
	if err != nil {
		return err
	}
	for _, rec := range reading.Lanes {
		if rec.RunID != r.ID || rec.Delegate {
			continue
		}
		live := rec.State != lane.Free
		if r.Lease == nil || live && !r.Live || live == r.Live && rec.RenewedAt.After(r.Lease.RenewedAt) {
			r.Lease, r.Live = &rec, live
		}
	}
	if r.Lease != nil {
		r.Lane = r.Lease.Lane
		return nil
	}
	node := ""
	if r.Lane, node = r.named(); r.Lane == "" {
		return nil
	}
	for _, rec := range reading.Lanes {
		if rec.Delegate && rec.State != lane.Free && rec.Lane == r.Lane && rec.Holder.Node == node {
			r.Under = &rec
		}
	}
	return r.pastLease(ctx)
}

// named is the lane of the run's newest row that was written under its lease, and the
// node that wrote it, where the lease is. Whoever else writes about the run, from
// wherever, has not the lease: of such rows only the lane counts, if nothing better is
// there.
func (r *Run) named() (name, node string) {
	for _, row := range slices.Backward(r.Story.Rows) {
		switch {
		case row.Lane != "" && row.Nonce != "":
			return row.Lane, row.From
		case name == "":
			name = row.Lane
		}
	}
	return name, ""
}

// maxPast is how many entries of a lane are looked through for a lease that has
// ended.
const maxPast = 10000

// pastLease looks for the run's lease among those that its lane had.
func (r *Run) pastLease(ctx context.Context) error {
	if _, err := lane.Canonical(r.Lane); err != nil {
		return nil
	}
	seen := 0
	err := r.book.Desk.Log(ctx, r.Lane, true, func(t refstore.Tip) bool {
		var rec lease.Record
		if json.Unmarshal(t.Entry.Payload, &rec) == nil && rec.RunID == r.ID && !rec.Delegate {
			r.Lease = &rec
		}
		seen++
		return r.Lease == nil && seen < maxPast
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	return nil // what a lane had is not all here: then the run is judged without it
}

// Known fails where the ledger of a node that the run was at work on cannot be
// read, so that what is known of the run may not be all.
func (r Run) Known() error {
	err := r.doubted(func(node string) bool {
		if r.Lease != nil {
			return node == r.Lease.Holder.Node
		}
		return node == r.book.Desk.Node || !r.Intent.HasIntent()
	})
	if err == nil && r.Lease == nil {
		err = r.undeclared()
	}
	return err
}

// Sure is Known for a question that "it declared nothing" would answer: any ledger
// or row that cannot be read may have the declaration.
func (r Run) Sure() error {
	if err := r.Known(); err != nil || r.Intent.HasIntent() {
		return err
	}
	if err := r.doubted(func(string) bool { return true }); err != nil {
		return err
	}
	return r.undeclared()
}

func (r Run) doubted(by func(node string) bool) error {
	var doubtful []*ledger.NodeError
	for _, e := range r.book.Unread {
		if name, _ := refstore.SplitRef(e.Ref); name.Kind != "node" && by(e.Node) {
			doubtful = append(doubtful, e)
		}
	}
	if len(doubtful) > 0 {
		return Unreadable(doubtful)
	}
	return nil
}

// A Beat is a named beat that bears the run's id.
type Beat struct {
	Node string
	Name string
	ledger.Beat
}

// Beats are the named beats of the run, as the records of nodes have them.
func (r Run) Beats() (all []Beat) {
	for _, n := range r.book.Nodes {
		for name, beat := range n.Beats {
			if beat.RunID == r.ID {
				all = append(all, Beat{n.Node, name, beat})
			}
		}
	}
	slices.SortFunc(all, func(a, b Beat) int { return a.At.Compare(b.At) })
	return all
}
