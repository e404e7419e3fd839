package setup

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
)

// delegations reports what this node has of lanes on the fleet's remote, and what of
// it waits for somebody.
func (x *examiner) delegations(ctx context.Context, desk *admit.Desk) {
	const id = "DELEGATION"
	all, err := desk.Delegations(ctx)
	if err != nil {
		x.unknown(id, err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := Check{ID: id, Severity: OK, Target: name}
		switch has := all[name]; has.State {
		case lease.Live:
			c.Detail = "this node has it, last renewed at " + has.RenewedAt.UTC().Format(time.RFC3339)
		case lease.Asking:
			c.Severity, c.Detail, c.Remedy = Info, "this node asks for it, or whoever asked was cut off", "git dos sync"
		case lease.Returning:
			c.Severity, c.Detail, c.Remedy = Warn, "it is on its way back to the remote", "git dos sync"
		case lease.Unreadable:
			c.Severity, c.Detail = Error, "what this node has of it cannot be read: its workers can neither renew nor release"
			c.Remedy = "git update-ref -d refs/dos/delegation/" + name + " gives it up"
		default:
			continue
		}
		x.add(c)
	}
}
