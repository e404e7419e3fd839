package admit

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// Occupied returns the newest record of every lane that is not free, under a
// delegation of this node that of the lease which it granted. A lane that this
// node has for its workers, and that none of them holds, is left out: nobody
// works there. A lane that cannot be read is an error. See [Desk.Leases].
func (d *Desk) Occupied(ctx context.Context, cached bool) ([]lease.Record, error) {
	r, err := d.Leases(ctx, cached)
	if err != nil {
		return nil, err
	}
	if len(r.Unread) > 0 {
		u := r.Unread[0]
		return nil, &StoreError{
			Err:  &lease.UnreadError{Chain: u.Chain, Err: errors.New(u.Unreadable)},
			Hint: "see git dos doctor; a newer git-dos may have written it",
		}
	}
	idle, err := d.Delegations(ctx)
	if err != nil {
		return nil, d.storeError(err)
	}
	var out []lease.Record
	for _, rec := range r.Lanes {
		own, ok := idle[rec.Lane]
		if rec.State != lane.Free && !(rec.Delegate && ok && own.Nonce == rec.Nonce) {
			out = append(out, rec)
		}
	}
	return out, nil
}
