package admit

import (
	"context"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
)

// Lapsed says of the leases that have lapsed, by nonce, what proves it: by the rule
// under which others may take them. How long a lease has stood on a fleet's remote is
// known after a fresh look alone; of the mirror, stamps and processes are asked.
func (d *Desk) Lapsed(ctx context.Context, cached bool) (map[string]string, error) {
	why := map[string]string{}
	from, began := d.Clock(), time.Now()
	s, t, err := d.lookTable(ctx, cached)
	if err != nil {
		return nil, d.storeError(err)
	}
	if d.remote == nil || !s.AsOf.Before(began) {
		d.watch(from, s, &t)
	} else {
		t.Watch.Gone = map[string]bool{}
		for chain, r := range t.Chains {
			t.Watch.Gone[chain] = gone(&r)
		}
	}
	d.addLapsed(t, why)
	if d.remote == nil {
		return why, nil
	}
	own := d.own()
	from = own.Clock()
	if s, err = own.auth.Read(ctx, refQuery(ownKinds)); err == nil {
		t, err = own.watched(ctx, from, s)
	}
	if err != nil {
		return nil, d.storeError(err)
	}
	own.addLapsed(t, why)
	return why, nil
}

func (d *Desk) addLapsed(t lease.Table, why map[string]string) {
	for chain, r := range t.Chains {
		if l := t.Lapse(chain, d.lapsing()); l.Over {
			why[r.Nonce] = l.Why
		}
	}
}
