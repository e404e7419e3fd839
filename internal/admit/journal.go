package admit

import (
	"context"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
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
	return d.storeError(err)
}
