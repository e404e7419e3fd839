// Package nextup gathers what a packet of next work is decided by, and writes
// the packet into the work tree.
//
// What is to be done comes out of the plan documents at the trunk and out of
// the queue, and a unit that stands in both is one. Every unit is asked the same
// questions that git dos verify, pickable and pick-priority ask.
package nextup

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// A Source is what was read of what is to be done, before the units are
// screened.
type Source struct {
	Book  *life.Book
	Tasks *tasks.Book

	plans facts.Plans
	all   []*unit
	by    map[string]*unit // by its folded name
}

// A unit is a candidate while it is gathered.
type unit struct {
	packet.Candidate
	item    *queue.Item // its task, nil where it has none
	unclear string      // why it cannot be asked about
}

// Gather reads what a packet is decided by. Units that depend on each other are
// a *[facts.CycleError], a plan document that cannot be read is a
// *[facts.PlanFileError]. unread is what of the leases could not be read.
func Gather(ctx context.Context, book *life.Book, list *tasks.Book) (ev packet.Evidence, unread []string, err error) {
	s := Source{Book: book, Tasks: list, by: map[string]*unit{}}
	if s.plans, err = facts.ReadPlans(ctx, book.Desk.Repo, "", nil); err != nil {
		return ev, nil, err
	}
	s.listed()
	if unread, err = s.queued(ctx); err != nil {
		return ev, nil, err
	}
	for _, step := range []func(context.Context) error{s.shipped, s.routed, s.screened} {
		if err := step(ctx); err != nil {
			return ev, nil, err
		}
	}
	ev = packet.Evidence{Ref: s.plans.Ref, RefID: s.plans.RefID, Branch: book.Desk.Rules.Trunk.Short(), Unread: s.plans.UnreadTotal}
	for _, u := range s.all {
		ev.Candidates = append(ev.Candidates, u.Candidate)
	}
	return ev, unread, nil
}

func fold(plan, phase string) string { return ship.Fold(plan) + "\x00" + ship.Fold(phase) }

// lastTier is that of what has no priority, or the last.
var lastTier = len(queue.Priorities) - 1

// listed adds the units of the plan documents.
func (s *Source) listed() {
	for _, listed := range s.plans.Units {
		u := &unit{Candidate: packet.Candidate{Plan: listed.Plan, Phase: listed.Phase, Tier: lastTier, Until: packet.Until{Unit: true}}}
		for _, at := range listed.Places {
			u.Places = append(u.Places, packet.Place{File: at.File, Line: at.Line})
			if u.Title == "" {
				u.Title = at.Title
			}
		}
		s.add(u)
	}
}

func (s *Source) add(u *unit) {
	key := fold(u.Plan, u.Phase)
	if s.by[key] == nil {
		s.by[key] = u
		s.all = append(s.all, u)
	}
}

// queued puts the tasks that are to be done before what only plan documents
// list, in the order of the queue. A task whose unit is listed is that unit.
func (s *Source) queued(ctx context.Context) (unread []string, err error) {
	ev, unread, err := s.Tasks.Evidence(ctx, s.Book.Desk.Now())
	if err != nil {
		return nil, err
	}
	listed := s.all
	s.all = nil
	taken := map[*unit]bool{}
	for _, item := range queue.Rank(ev) {
		if item.Status == queue.Done || item.State.Closed() || isTwin(item) {
			continue
		}
		u := s.ofTask(item)
		if u.item != nil {
			continue
		}
		u.item, u.Task, u.Tier, u.Tree = &item, item.ID, tier(item.Priority), item.Tree
		if u.Title == "" {
			u.Title = item.Title
		}
		taken[u] = true
		s.all = append(s.all, u)
	}
	for _, u := range listed {
		if !taken[u] {
			s.all = append(s.all, u)
		}
	}
	return unread, nil
}

// isTwin reports whether a fresher task has the same unit, which is then the one
// that counts.
func isTwin(item queue.Item) bool {
	return item.Until != nil && item.Until.Unit != "" && slices.ContainsFunc(item.Waits, func(w queue.Wait) bool { return w.For == queue.ForTwin })
}

func tier(priority string) int {
	for i, p := range queue.Priorities {
		if p == priority {
			return i
		}
	}
	return lastTier
}

// ofTask is the unit of a task, made where no plan document lists it.
func (s *Source) ofTask(item queue.Item) *unit {
	u := &unit{Candidate: packet.Candidate{Plan: "task", Phase: item.ID, Title: item.Title}}
	if until := item.Until; until != nil {
		u.Until = packet.Until{Unit: until.Unit != "", Issue: until.Issue, Text: until.Text}
	}
	if u.Until.Unit {
		plan, phase, err := reconcile.Bind(item.Unit, "", "")
		if err != nil {
			u.unclear = fmt.Sprintf("task %s is done when %s ships, which names no unit: %v", item.ID, item.Unit, err)
			u.Until = packet.Until{}
		} else {
			u.Plan, u.Phase = plan, phase
		}
	}
	key := fold(u.Plan, u.Phase)
	if known := s.by[key]; known != nil {
		return known
	}
	s.by[key] = u
	return u
}

// shipped asks at the commit of the plan documents which of the units that
// commits ship have shipped.
func (s *Source) shipped(ctx context.Context) error {
	var asked []*unit
	var names []facts.Unit
	for _, u := range s.all {
		if u.Until.Unit {
			asked, names = append(asked, u), append(names, facts.Unit{Plan: u.Plan, Phase: u.Phase})
		}
	}
	if len(names) == 0 {
		return nil
	}
	evidence, err := facts.Ships(ctx, s.Book.Desk.Repo, names, facts.ShipScope{Ref: s.plans.RefID, Ledger: s.Book.Desk.Ships})
	if err != nil {
		return err
	}
	unstamped := s.unstamped()
	for i, ev := range evidence {
		u := asked[i]
		if v := ship.Decide(ev); v.Outcome == ship.Shipped { // whether any other may be offered is for its screen to say
			u.Ship = &packet.Ship{Via: string(v.Rung), Sha: v.Sha, Unstamped: unstamped[fold(u.Plan, u.Phase)]}
		}
	}
	return nil
}

// about reads what is written about units that have not shipped, or whose
// plan document does not say that they have.
func (s *Source) about(ctx context.Context, of []*unit) error {
	listed, texts, err := s.texts(ctx, of)
	if err != nil {
		return err
	}
	for i, u := range listed {
		u.About = texts[i]
	}
	for _, u := range of {
		if u.item != nil && u.item.Body != "" {
			if u.About != "" {
				u.About += "\n\n"
			}
			u.About += u.item.Body
		}
	}
	return nil
}

func (s *Source) texts(ctx context.Context, of []*unit) (listed []*unit, texts []string, err error) {
	wanted := map[string]*unit{}
	for _, u := range of {
		wanted[fold(u.Plan, u.Phase)] = u
	}
	units := s.plans.Units[:0:0]
	for _, l := range s.plans.Units {
		if u := wanted[fold(l.Plan, l.Phase)]; u != nil {
			units, listed = append(units, l), append(listed, u)
		}
	}
	texts, err = facts.PlanAbout(ctx, s.Book.Desk.Repo, refstore.OID(s.plans.RefID), units)
	return listed, texts, err
}
