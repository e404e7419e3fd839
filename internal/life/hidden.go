package life

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// weigh counts the unreadable rows that may be the run's though they do not name it:
// those of nodes on which it was at work.
func (r *Run) weigh() {
	for _, h := range r.Story.Hidden {
		if !h.OfRun(r.madeFor(h.Node)) {
			continue
		}
		if !r.workedOn(h.Node) {
			r.elsewhere = append(r.elsewhere, h)
			continue
		}
		r.doubtful = append(r.doubtful, h.Node)
		if h.Newer {
			r.Intent.Newer()
		}
		if h.Corrupt {
			r.Intent.Corrupt()
		}
	}
}

// workedOn reports whether the run was at work on a node: its lease is or was
// there, or rows of it were written there under one, or what it is to do was
// declared there. Where none of that is known of any node, it may be the one that
// asks.
func (r Run) workedOn(node string) bool {
	somewhere := r.Lease != nil
	if somewhere && r.Lease.Holder.Node == node {
		return true
	}
	for _, row := range r.Story.Rows {
		if row.Nonce == "" && row.Op != journal.OpIntent {
			continue
		}
		if row.From == node {
			return true
		}
		somewhere = true
	}
	return !somewhere && node == r.book.Desk.Node
}

// madeFor is when the run was made, zero where that is not known by the clock of a
// node: there are things of the run that happened before, by that clock.
func (r Run) madeFor(node string) time.Time {
	if early := r.MintedAt.Add(-time.Minute); r.Lease != nil && r.Lease.Holder.Node == node && r.Lease.AcquiredAt.Before(early) ||
		slices.ContainsFunc(r.Story.Rows, func(row journal.Row) bool { return row.From == node && row.At.Before(early) }) {
		return time.Time{}
	}
	return r.MintedAt
}

// Doubts reports whether unreadable rows of a node's ledger count for the run:
// those that name it, and those that may be about it.
func (r Run) Doubts(node string) bool {
	return slices.Contains(r.doubtful, node) || slices.ContainsFunc(r.Story.Hidden, func(h journal.Hidden) bool {
		return h.Node == node && slices.ContainsFunc(h.Last, func(d journal.Doubt) bool { return d.RunID == r.ID })
	})
}

// undeclared fails where a declaration of the run may stand in an unreadable row of
// a node on which it was not at work.
func (r Run) undeclared() error {
	if r.Intent.HasIntent() || len(r.elsewhere) == 0 {
		return nil
	}
	return UnreadableRows(r.elsewhere...)
}

// UnreadableRows is the error of a question to which only rows that cannot be read
// have the answer.
func UnreadableRows(ledgers ...journal.Hidden) error {
	var all []*ledger.NodeError
	for _, h := range ledgers {
		all = append(all, RowsError(h))
	}
	err := Unreadable(all).(*admit.StoreError)
	err.Hint = "git dos journal check names each row and its entry; runs made more than a minute after it are not concerned"
	return err
}

// RowsError names the rows of a ledger that cannot be read.
func RowsError(h journal.Hidden) *ledger.NodeError {
	words := "1 row that cannot be read"
	if h.Entries > 1 {
		words = fmt.Sprintf("%d rows that cannot be read", h.Entries)
	}
	for _, d := range h.Last[max(0, len(h.Last)-1):] {
		where := fmt.Sprintf("row %d", d.Seq)
		if d.Op == journal.OpCheckpoint {
			where = "the checkpoint"
		}
		words += ": " + where + ": " + d.Why
	}
	return &ledger.NodeError{Node: h.Node, Ref: refstore.Ref("journal", h.Node), Err: errors.New(words)}
}
