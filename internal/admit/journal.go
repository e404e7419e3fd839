package admit

import (
	"context"
	"errors"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// Journal appends rows to this node's ledger, in this repository. One without a
// time is of now.
func (d *Desk) Journal(ctx context.Context, rows ...journal.Row) error {
	ctx, cancel := context.WithTimeoutCause(ctx, localTime, errTimeUp)
	defer cancel()
	now := d.Now().UTC().Truncate(time.Second)
	all := make([]ledger.Row, 0, len(rows))
	for _, row := range rows {
		if row.At.IsZero() {
			row.At = now
		}
		all = append(all, row)
	}
	_, err := ledger.Record(ctx, d.Repo, d.Node, d.Rules.Policy.Retention, now, all...)
	return d.storeError(Unwritten(err))
}

// Unwritten says of an error of rows that a ledger did not get what to do about
// the ledger. Other errors are as they were.
func Unwritten(err error) error {
	switch {
	case errors.Is(err, ledger.ErrVersion), errors.Is(err, refstore.ErrFormat):
		return &StoreError{Err: err, Hint: "update git-dos: a newer one has written to this ledger"}
	case errors.Is(err, refstore.ErrBroken):
		return &StoreError{Err: err, Hint: "git dos journal check names what cannot be read of this ledger, and the way back"}
	}
	return err
}
