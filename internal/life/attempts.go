package life

import (
	"context"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
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
	if err := b.readAttempts(ctx); err != nil {
		return ev, err
	}
	same, forgot := reconcile.Same(unit), b.attempts.forgot
	for _, a := range b.attempts.all {
		if !same(a.Unit) {
			continue
		}
		ev.Attempts = append(ev.Attempts, pick.Attempt{AtMS: millis(a.At), End: pick.End(a.Outcome), TS: a.At.UTC().Format(time.RFC3339), Count: int64(max(1, a.Count))})
	}
	window := max(p.Window, p.ErrorWindow)
	if !forgot.IsZero() && now.Sub(forgot) < window {
		ev.Unknown = append(ev.Unknown, fmt.Sprintf("attempts up to %s had to be dropped for want of room", forgot.UTC().Format(time.RFC3339)))
	}
	ev.Unknown = append(ev.Unknown, b.dark(func(h journal.Hidden) bool { return h.Attempt(now.Add(-window)) })...)
	return ev, nil
}

// Attempts are the attempts at all units, the newest last.
func (b *Book) Attempts(ctx context.Context) ([]journal.Attempt, error) {
	if err := b.readAttempts(ctx); err != nil {
		return nil, err
	}
	return b.attempts.all, nil
}

// attempts are all that the ledgers tell of, and up to when some may be missing.
type attempts struct {
	all    []journal.Attempt
	forgot time.Time
}

// readAttempts looks the attempts up, once for all units.
func (b *Book) readAttempts(ctx context.Context) error {
	if b.attempts != nil {
		return nil
	}
	if err := b.Read(ctx, AskAttempts()); err != nil {
		return err
	}
	all, forgot := b.view().Attempts()
	b.attempts = &attempts{all, forgot}
	return nil
}

// CooldownPolicy is that of the dos.toml in force.
func CooldownPolicy(d *admit.Desk) pick.CooldownPolicy {
	p := d.Rules.Policy.Cooldown
	return pick.CooldownPolicy{WindowMS: p.Window.Milliseconds(), ErrorWindowMS: p.ErrorWindow.Milliseconds()}
}

// dark says why rows may not be known: of ledgers that cannot be read, and of
// those with entries that are no rows and may hide such a row.
func (b *Book) dark(hides func(journal.Hidden) bool) (why []string) {
	for _, e := range b.Unread {
		if name, _ := refstore.SplitRef(e.Ref); name.Kind != "node" {
			why = append(why, e.Error())
		}
	}
	for _, h := range b.Hidden() {
		if hides(h) {
			why = append(why, RowsError(h).Error())
		}
	}
	return why
}
