package life

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/refstore"
)

// Tried gathers the attempts at a unit that the ledgers of all nodes tell of, as
// of the desk's time. A unit of a plan is the same in whatever spelling; any
// other word is itself alone.
func (b *Book) Tried(ctx context.Context, unit string) (pick.CooldownEvidence, error) {
	p := b.Desk.Rules.Policy.Cooldown
	now := b.Desk.Now()
	ev := pick.CooldownEvidence{Unit: unit, NowMS: millis(now), Policy: CooldownPolicy(b.Desk)}
	if err := b.Read(ctx, AskAttempts()); err != nil {
		return ev, err
	}
	all, forgot := b.view().AttemptsAt(reconcile.Same(unit))
	for _, a := range all {
		ev.Attempts = append(ev.Attempts, pick.Attempt{AtMS: millis(a.At), End: pick.End(a.Outcome), TS: a.At.UTC().Format(time.RFC3339), Count: int64(max(1, a.Count))})
	}
	if !forgot.IsZero() && now.Sub(forgot) < max(p.Window, p.ErrorWindow) {
		ev.Unknown = append(ev.Unknown, fmt.Sprintf("attempts up to %s had to be dropped for want of room", forgot.UTC().Format(time.RFC3339)))
	}
	dark, err := b.dark(ctx)
	ev.Unknown = append(ev.Unknown, dark...)
	return ev, err
}

// CooldownPolicy is that of the dos.toml in force.
func CooldownPolicy(d *admit.Desk) pick.CooldownPolicy {
	p := d.Rules.Policy.Cooldown
	return pick.CooldownPolicy{WindowMS: p.Window.Milliseconds(), ErrorWindowMS: p.ErrorWindow.Milliseconds()}
}

// dark says which rows are not known that may tell of attempts and of workers on
// their way: ledgers that cannot be read, and entries of the time that counts
// that are no rows.
func (b *Book) dark(ctx context.Context) ([]string, error) {
	if b.dim != nil {
		return b.dim, nil
	}
	dim := []string{}
	for _, e := range b.Unread {
		if name, _ := refstore.SplitRef(e.Ref); name.Kind != "node" {
			dim = append(dim, e.Error())
		}
	}
	q := ledger.Query{Remotes: b.remotes, History: true}
	for _, d := range b.Doubts() {
		q.Nodes = append(q.Nodes, d.Node)
		if d.Seq == 0 {
			dim = append(dim, fmt.Sprintf("all that the checkpoint of node %s stands for: %s", d.Node, d.Why))
		}
	}
	if len(q.Nodes) > 0 {
		p := b.Desk.Rules.Policy
		since := b.Desk.Now().Add(-max(p.Cooldown.Window, p.Cooldown.ErrorWindow, p.Supervise.PendingWindow))
		_, err := ledger.Read(ctx, b.Desk.Repo, q, func(e ledger.Entry) bool {
			if e.At.Before(since) {
				return false
			}
			r, err := journal.Decode(e.Payload)
			switch {
			case err != nil:
				dim = append(dim, fmt.Sprintf("entry %s of node %s: %v", e.ID.Short(), e.Node, err))
			case r.Op != e.Op:
				dim = append(dim, fmt.Sprintf("entry %s of node %s is of op %s and holds a row of op %s", e.ID.Short(), e.Node, e.Op, r.Op))
			}
			return true
		})
		var some *ledger.UnreadError
		switch {
		case errors.As(err, &some):
			for _, e := range some.Nodes {
				dim = append(dim, e.Error())
			}
		case err != nil:
			return nil, storeError(err)
		}
	}
	b.dim = dim
	return dim, nil
}
