package admit

import (
	"context"

	"github.com/git-dos/git-dos/kernel/lease"
)

// stands looks once more at leases that an answer lets run on although others may
// have found them lapsed: what somebody has taken over meanwhile is lost.
func (d *Desk) stands(ctx context.Context, v lease.Verdict) (lease.Verdict, error) {
	if !v.Late(d.Now()) {
		return v, nil
	}
	s, err := d.auth.Read(ctx, refQuery(d.kinds()))
	if err != nil {
		return lease.Verdict{}, d.storeError(err)
	}
	t, err := d.table(ctx, s)
	if err == nil {
		v, err = t.Stands(v, d.delegationsIn(s))
	}
	if err != nil {
		return lease.Verdict{}, d.storeError(err)
	}
	return v, nil
}
