package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// A decisionsView is the list together with what it was made of.
type decisionsView struct {
	decisionsAnswer
	desk     *admit.Desk
	evidence decisions.Evidence
	pulse    pulseAnswer
}

// byID is the entry of an id.
func (l decisionsView) byID(id string) (decisions.Entry, error) {
	for _, e := range l.Entries {
		if e.ID == id {
			return e, nil
		}
	}
	return decisions.Entry{}, fmt.Errorf("%w: id %s", decisions.ErrUnknown, id)
}

// decisionsLook opens the workspace and makes the list.
func decisionsLook(c *cli.Context, all bool) (decisionsView, error) {
	b, err := panelBook(c, life.AskAlerts())
	if err != nil {
		return decisionsView{}, err
	}
	return decisionsOf(c.Context, b, all, now(c))
}

// decisionsOf makes the list of a book.
func decisionsOf(ctx context.Context, b *life.Book, all bool, now time.Time) (decisionsView, error) {
	d := b.Desk
	l := decisionsView{desk: d}
	told, err := b.Alerts(ctx)
	if err != nil {
		return l, panelError(err)
	}
	ev := decisions.Evidence{
		Now: now, All: all, Policy: decisionsPolicy(d.Rules.Policy),
		Alerts: decisionsAlerts(told.Alerts), Acks: told.Acks, Forgot: told.Forgot, Lanes: map[string]decisions.Lane{},
	}
	l.panelSeen = panelSeenAt(d, b.AsOf)
	for _, u := range b.Unread {
		l.NotRead = append(l.NotRead, panelUnreadOf(u))
		ev.Unread = append(ev.Unread, panelUnreadOf(u).String())
	}
	for _, u := range b.Doubts() {
		ev.Unread = append(ev.Unread, fmt.Sprintf("%s: row %d: %s", refstore.Ref("journal", u.Node), u.Seq, u.Why))
	}
	for _, a := range b.Aside {
		ev.Unread = append(ev.Unread, fmt.Sprintf("%s: its rows at %s, which are here alone, do not count", refstore.Ref("journal", a.Node), a.Aside))
	}
	if err := decisionsLanes(ctx, b, &ev); err != nil {
		return l, err
	}
	if l.pulse, err = pulseJudge(ctx, d, b.Nodes, panelNodes(b), nil, now); err != nil {
		return l, err
	}
	for _, m := range l.pulse.Beats {
		ev.Beats = append(ev.Beats, decisions.Beat{Name: m.Name, Verdict: string(m.Outcome), LastMS: m.LastMS, Skewed: m.ClockSkew})
	}
	envelopes, unread := decisionsEnvelopes(d)
	ev.Envelopes, ev.Unread = envelopes, append(ev.Unread, unread...)
	if ev.Done, err = decisionsDone(ctx, b, ev.Alerts); err != nil {
		return l, err
	}
	l.evidence, l.Verdict = ev, decisions.Decide(ev)
	return l, nil
}

func decisionsAlerts(told []journal.Alert) (all []decisions.Alert) {
	for _, a := range told {
		all = append(all, decisions.Alert(a))
	}
	return all
}

// decisionsPolicy takes the age at which a row goes from the retention of the
// ledgers. There is no age 0: who keeps rows for no time at all still sees those
// of today.
func decisionsPolicy(p policy.Policy) decisions.Policy {
	days := p.Retention.JournalMaxAgeDays
	switch {
	case days < 0:
		return decisions.Policy{Retention: -1}
	case days == 0:
		days = 1
	}
	return decisions.Policy{Retention: time.Duration(min(days, 36500)) * 24 * time.Hour}
}

// decisionsLanes tells how the lanes stand. One that cannot be read is known to
// be neither held nor over.
func decisionsLanes(ctx context.Context, b *life.Book, ev *decisions.Evidence) error {
	reading, err := b.Leases(ctx)
	var store *admit.StoreError
	switch {
	case errors.As(err, &store):
		ev.Unread = append(ev.Unread, "lanes: "+panelWords(err))
		return nil
	case err != nil:
		return panelError(err)
	}
	for _, u := range reading.Unread {
		ev.Unread = append(ev.Unread, fmt.Sprintf("lane %s: %s", u.Chain, u.Unreadable))
	}
	for _, r := range reading.Lanes {
		l := decisions.Lane{Gen: r.Gen, Held: r.State != lane.Free, Parked: r.State == lane.Parked, Since: r.AcquiredAt, RunID: r.RunID, Nonce: r.Nonce, Owner: r.Holder.Owner}
		if !l.Held {
			l.Since = r.RenewedAt
		}
		ev.Lanes[r.Lane] = l
	}
	return nil
}

// maxDecisionsRuns bounds the runs that are looked at for a list.
const maxDecisionsRuns = 50

// decisionsDone are the runs that alerts are about and of which nothing is left
// to do. One that cannot be judged is not done.
func decisionsDone(ctx context.Context, b *life.Book, alerts []decisions.Alert) (map[string]bool, error) {
	var runs []string
	for _, a := range alerts {
		about := a.Op == "HALT" || a.Op == "RESUME_PROPOSED" || a.Op == "DECISION" && a.Kind == string(decisions.ResumeProposal)
		if about && a.RunID != "" && !a.Answered && !slices.Contains(runs, a.RunID) {
			runs = append(runs, a.RunID)
		}
	}
	done := map[string]bool{}
	for _, id := range runs[:min(len(runs), maxDecisionsRuns)] {
		over, err := panelComplete(ctx, b, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		done[id] = err == nil && over
	}
	return done, nil
}
