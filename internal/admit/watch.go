package admit

import (
	"context"
	"net/url"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/observe"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// hostClock is the clock that leases are watched by; the zero Instant, by which
// nothing is ever seen to last, where the machine has none.
func hostClock() lease.Instant {
	boot, at, err := host.Clock()
	if err != nil {
		return lease.Instant{}
	}
	return lease.Instant{Boot: boot, At: at}
}

// watch adds to a table how long the leases on it have stood, by what this node
// has seen, and which of their processes have ended. The table was read from s
// after the instant from.
func (d *Desk) watch(from lease.Instant, s refstore.Snapshot, t *lease.Table) {
	tips := map[string]string{}
	for chain, r := range t.Chains {
		if r.State != lane.Held && r.State != lane.Waiting {
			continue
		}
		target, err := ref(chain)
		if err != nil {
			continue
		}
		tips[chain] = string(s.Tip(target).ID)
		if gone(&r) {
			if t.Watch.Gone == nil {
				t.Watch.Gone = map[string]bool{}
			}
			t.Watch.Gone[chain] = true
		}
	}
	if len(tips) == 0 {
		return
	}
	file := "repository.json"
	if d.remote != nil {
		file = "remote." + url.PathEscape(d.Remote()) + ".json"
	}
	path, err := d.Repo.SharedFile("observed", file)
	if err == nil {
		t.Watch.Seen, err = observe.At(path).Watch(from, d.Clock(), tips)
	}
	d.Unwatched = err // a later read may note it: it costs waiting
}

// gone reports whether the process that a lease names has provably ended.
func gone(r *lease.Record) bool {
	if r == nil || r.Proc == nil || r.State == lane.Free {
		return false
	}
	return host.Gone(host.Proc{PID: r.Proc.PID, Start: r.Proc.Start, Boot: r.Proc.Boot, PIDNS: r.Proc.PIDNS})
}

// lapsing holds the numbers that leases lapse by under these rules.
func (d *Desk) lapsing() lease.Lapsing {
	return lease.Lapsing{Margin: d.margin, Skew: d.Rules.Policy.Lease.MaxClockSkew, Now: d.Now()}
}

// watched is table with what is known of how long its leases have stood.
func (d *Desk) watched(ctx context.Context, from lease.Instant, s refstore.Snapshot) (lease.Table, error) {
	t, err := d.table(ctx, s)
	if err == nil {
		d.watch(from, s, &t)
	}
	return t, err
}
