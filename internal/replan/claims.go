package replan

import (
	"context"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// ledgers are the claims of attempts and of workers that ended.
func (u *unit) ledgers(tried []journal.Attempt, ended time.Time) {
	var shipped, other time.Time
	for _, a := range tried {
		switch {
		case a.Outcome != pick.EndShipped && a.At.After(other):
			other = a.At
		case a.Outcome == pick.EndShipped && a.At.After(shipped):
			shipped = a.At
		}
	}
	if shipped.After(other) {
		u.claim("an attempt of " + shipped.UTC().Format(time.RFC3339) + " says shipped")
	}
	if ended.After(other) {
		u.claim("the worker that ended at " + ended.UTC().Format(time.RFC3339) + " claimed it")
	}
}

// matters reports whether a unit may be found anything of.
func (u *unit) matters() bool {
	if u.Truth != replan.NotShipped || len(u.Claims) > 0 {
		return true
	}
	for _, r := range u.Rows {
		if r.Shipped {
			return true
		}
	}
	return false
}

// routed finds the lanes of the units, where lanes are looked at, or were: that
// of the task, else one that the text is guessed to belong to.
func (l *look) routed(ctx context.Context) error {
	if len(l.Scope) == 0 && !slices.ContainsFunc(l.looks, func(r journal.Row) bool { return r.Subject != Subject("") }) {
		return nil
	}
	var of []*unit
	var texts []queue.Task
	listed, at := []plan.Unit{}, map[*unit]int{}
	for i, u := range l.all {
		if !u.matters() {
			continue
		}
		of = append(of, u)
		if i < len(l.plans.Units) {
			at[u] = len(listed)
			listed = append(listed, l.plans.Units[i])
		}
	}
	about, err := facts.PlanAbout(ctx, l.book.Desk.Repo, refstore.OID(l.RefID), listed)
	if err != nil {
		return err
	}
	for _, u := range of {
		t := queue.Task{Title: u.Plan + ": " + u.Title}
		if i, ok := at[u]; ok {
			t.Body = about[i]
		}
		if u.item != nil {
			t.Body += "\n\n" + u.item.Body
		}
		texts = append(texts, t)
	}
	r, has, err := tasks.Router(ctx, l.book.Desk, texts)
	if err != nil {
		return err
	}
	for i, u := range of {
		if u.item != nil && u.item.In != "" {
			u.Lane = u.item.In
		} else if route := r.Route(texts[i], has); route != nil {
			u.Lane = route.Lane
		}
	}
	return nil
}

// Verb is the name under which looks and claims are recorded.
const Verb = "replan"

// Subject is what the record of a look at a lane is about, "" for everything.
func Subject(lane string) string { return "scope:" + lane }

// marked tells which units had not shipped when this node last looked: those
// whose commit has come since. Where it never looked, it is those that do not
// look done: some row does not say so, or the queue has them.
func (l *look) marked(ctx context.Context) error {
	marks := map[string]map[refstore.OID]bool{} // the commits since, by what was looked at
	for _, r := range l.looks {
		since, err := l.since(ctx, r)
		switch {
		case err != nil:
			return err
		case since == nil:
			l.Lost = append(l.Lost, r.Sha)
		default:
			l.Looks[r.Subject], marks[r.Subject] = r.Sha, since
		}
	}
	for _, u := range l.all {
		if u.Truth != replan.Shipped {
			continue
		}
		all, of := marks[Subject("")], marks[Subject(u.Lane)] // of one without a lane they are the same
		if all == nil && of == nil {
			u.Fresh = u.item != nil
			for _, r := range u.Rows {
				u.Fresh = u.Fresh || !r.Shipped
			}
			continue
		}
		id := refstore.OID(u.Sha)
		u.Fresh = (all == nil || all[id]) && (of == nil || of[id])
	}
	return nil
}

// since are the commits of the trunk that came after a look; nil where its
// commit is not here, as after history was written anew.
func (l *look) since(ctx context.Context, r journal.Row) (map[refstore.OID]bool, error) {
	run := l.book.Desk.Repo.Git
	id, ok := refstore.ParseOID(r.Sha)
	if !ok || l.RefID == "" {
		return nil, nil
	}
	if _, err := ancestry.Resolve(ctx, run, string(id)); err != nil {
		return nil, ctx.Err()
	}
	since := map[refstore.OID]bool{}
	for c, err := range ancestry.Range(run, id, refstore.OID(l.RefID)).Commits(ctx) {
		if err != nil {
			return nil, err
		}
		since[c.ID] = true
	}
	return since, nil
}
