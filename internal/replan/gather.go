// Package replan gathers what a look back at the plans is decided by, and
// stamps the rows of plan documents that say something else than history.
//
// It reads the plan documents at the trunk, the queue, history and the ledgers,
// and writes plan documents alone, in the work tree, under a lease of the caller
// that covers them.
package replan

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// A Look is what was read, as of one commit of the trunk.
type Look struct {
	replan.Evidence
	Ref, RefID string
	Looks      map[string]string // the commits of this node's last looks, by what they were at
	Lost       []string          // of these, those that are not in this repository
	Lines      int               // of plan documents, that may be a phase and cannot be read
}

// A look is a Look while it is gathered.
type look struct {
	*Look
	book *life.Book
	list *tasks.Book

	plans facts.Plans
	all   []*unit
	by    map[string]*unit // by its folded name

	looks    []journal.Row          // of this node, by what they were at
	recorded map[string]journal.Row // the newest claims on record, by unit
	ended    map[string]time.Time   // when a worker ended last that claimed a unit
}

// A unit is one while it is gathered.
type unit struct {
	replan.Unit
	item *queue.Item
}

// Gather reads the evidence. A plan document that cannot be read is a
// *[facts.PlanFileError], a ledger that cannot be read an *[admit.StoreError].
func Gather(ctx context.Context, book *life.Book, list *tasks.Book, scope []string) (Look, error) {
	l := look{Look: &Look{Looks: map[string]string{}}, book: book, list: list, by: map[string]*unit{}}
	l.Scope = scope
	for _, step := range []func(context.Context) error{l.listed, l.queued, l.remembered, l.claimed, l.routed, l.marked} {
		if err := step(ctx); err != nil {
			return *l.Look, err
		}
	}
	for _, u := range l.all {
		l.Units = append(l.Units, u.Unit)
	}
	return *l.Look, nil
}

func fold(plan, phase string) string { return ship.Fold(plan) + "\x00" + ship.Fold(phase) }

// listed reads the units of the plan documents, and what history says of them at
// the very commit.
func (l *look) listed(ctx context.Context) (err error) {
	repo := l.book.Desk.Repo
	if l.plans, err = facts.ReadPlans(ctx, repo, "", nil); err != nil {
		return err
	}
	l.Ref, l.RefID, l.Lines = l.plans.Ref, l.plans.RefID, l.plans.UnreadTotal
	if len(l.plans.Units) == 0 {
		return nil
	}
	var names []facts.Unit
	for _, listed := range l.plans.Units {
		u := &unit{Unit: replan.Unit{Name: listed.Plan + "/" + listed.Phase, Plan: listed.Plan, Phase: listed.Phase}}
		for _, at := range listed.Places {
			u.Rows = append(u.Rows, replan.Row{File: at.File, Line: at.Line, Shipped: at.Claim == plan.ClaimShipped})
			if u.Title == "" {
				u.Title = at.Title
			}
		}
		l.all, names = append(l.all, u), append(names, facts.Unit{Plan: u.Plan, Phase: u.Phase})
		l.by[fold(u.Plan, u.Phase)] = u
	}
	evidence, err := facts.Ships(ctx, repo, names, facts.ShipScope{Ref: l.RefID, Ledger: l.book.Desk.Ships})
	if err != nil {
		return err
	}
	for i, ev := range evidence {
		v := ship.Decide(ev)
		l.all[i].Truth, l.all[i].Sha, l.all[i].Reason = replan.Truth(v.Outcome), v.Sha, v.Reason
	}
	return nil
}

// queued adds the tasks that no operator closed. One whose unit is listed is
// that unit, unless something else than the unit has done it.
func (l *look) queued(ctx context.Context) error {
	ev, _, err := l.list.Evidence(ctx, l.book.Desk.Now()) // who has a task does not tell whether it is done
	if err != nil {
		return err
	}
	for _, item := range queue.Rank(ev) {
		if item.State.Closed() {
			continue
		}
		u := &unit{item: &item, Unit: replan.Unit{
			Name: "task/" + item.ID, Plan: "task", Phase: item.ID, Title: item.Title, Task: item.ID, Truth: replan.NotShipped, Sha: item.SHA, Reason: item.Proof,
		}}
		switch item.Status {
		case queue.Done:
			u.Truth = replan.Shipped
		case queue.Uncertain:
			u.Truth = replan.Unknown
		}
		if plan, phase, err := reconcile.Bind(item.Unit, "", ""); err == nil && item.Until != nil && item.Until.Unit != "" {
			known := l.by[fold(plan, phase)]
			if known != nil && (known.Truth == u.Truth || u.Truth != replan.Shipped) {
				if known.item == nil {
					known.item, known.Task = &item, item.ID
				}
				continue
			}
			if known == nil {
				u.Name, u.Plan, u.Phase = plan+"/"+phase, plan, phase
				l.by[fold(plan, phase)] = u
			}
		}
		l.all = append(l.all, u)
	}
	return nil
}

// remembered reads what is on record of earlier looks, and which workers ended
// with a claim.
func (l *look) remembered(ctx context.Context) error {
	answers, exits, forgot, err := l.book.Answers(ctx)
	if err != nil {
		return err
	}
	for _, e := range l.book.Unread {
		if name, _ := refstore.SplitRef(e.Ref); name.Kind != "node" {
			return &admit.StoreError{Err: e, Hint: "git dos journal check names what cannot be read, and the last entry that can"}
		}
	}
	l.Forgot = !forgot.IsZero()
	l.recorded, l.ended = map[string]journal.Row{}, map[string]time.Time{}
	for _, r := range answers {
		key := key(r.Subject)
		switch {
		case r.Verb != Verb:
		case r.Verdict == replan.QuietIncomplete && !r.At.Before(l.recorded[key].At):
			l.recorded[key] = r
		case r.Verdict != replan.QuietIncomplete && r.From == l.book.Desk.Node:
			l.looks = append(l.looks, r)
		}
	}
	for _, r := range exits {
		if r.Unit != "" && strings.HasPrefix(r.Outcome, claimPrefix) && r.At.After(l.ended[key(r.Unit)]) {
			l.ended[key(r.Unit)] = r.At
		}
	}
	return nil
}

// key is the name of a unit in whatever spelling.
func key(unit string) string { return ship.Fold(reconcile.Spelled(unit)) }

// claimed finds who says of units that have not shipped that they are done: rows
// of plan documents, the newest attempt, and workers that ended well. What was
// tried later and did not end so takes the word of the ledgers back.
func (l *look) claimed(ctx context.Context) error {
	attempts, err := l.book.Attempts(ctx)
	if err != nil {
		return err
	}
	tried := map[string][]journal.Attempt{}
	for _, a := range attempts {
		tried[key(a.Unit)] = append(tried[key(a.Unit)], a)
	}
	for _, u := range l.all {
		if u.Truth != replan.NotShipped {
			continue
		}
		u.Recorded = l.recorded[key(u.Name)].Detail
		u.documents()
		u.ledgers(tried[key(u.Name)], l.ended[key(u.Name)])
	}
	return nil
}

// claimPrefix begins the outcomes with which a worker ends that claims its unit.
const claimPrefix = "CLAIM_"

// Bounds of what is told of one claim.
const (
	maxFiles = 3
	maxClaim = 300 // bytes
)

// documents are the claims of rows.
func (u *unit) documents() {
	seen := map[string]bool{}
	for _, r := range u.Rows {
		if !r.Shipped || seen[r.File] {
			continue
		}
		if seen[r.File] = true; len(seen) <= maxFiles {
			u.claim(r.File + " says SHIPPED")
		}
	}
	if more := len(seen) - maxFiles; more > 0 {
		u.claim(fmt.Sprintf("%d more plan documents say SHIPPED", more))
	}
}

func (u *unit) claim(words string) {
	words = strings.ToValidUTF8(words, "\ufffd") // as it can be recorded
	if len(words) > maxClaim {
		words = strings.ToValidUTF8(words[:maxClaim], "")
	}
	u.Claims = append(u.Claims, words)
}
