package nextup

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/queue"
)

// unstamped are the units of which some row does not say that they shipped.
func (s *Source) unstamped() map[string]bool {
	is := map[string]bool{}
	for _, u := range s.plans.Units {
		for _, at := range u.Places {
			if at.Claim != plan.ClaimShipped {
				is[fold(u.Plan, u.Phase)] = true
			}
		}
	}
	return is
}

// routed finds the lane of each unit that is to be done, or is not stamped: that
// of its task, else the one that dos.toml states for its plan, else one that its
// text is guessed to belong to.
func (s *Source) routed(ctx context.Context) error {
	var of []*unit
	for _, u := range s.all {
		if u.Ship == nil || u.Ship.Unstamped {
			of = append(of, u)
		}
	}
	if err := s.about(ctx, of); err != nil {
		return err
	}
	texts := make([]queue.Task, len(of))
	for i, u := range of {
		texts[i] = queue.Task{Title: u.Plan + ": " + u.Title, Body: u.About}
		if u.Plan == taskPlan {
			texts[i].Title = u.Title
		}
	}
	r, has, err := tasks.Router(ctx, s.Book.Desk, texts)
	if err != nil {
		return err
	}
	for i, u := range of {
		if u.item != nil && u.item.In != "" {
			u.Lane = u.item.In
		} else if name := planLane(s.Book.Desk.Rules.Policy, u.Plan); name != "" {
			u.Lane = name
		} else if route := r.Route(texts[i], has); route != nil {
			u.Lane = route.Lane
		}
		for _, path := range queue.PathWords(texts[i]) {
			if has(path) {
				u.Files = append(u.Files, path)
			}
		}
	}
	return nil
}

// planLane is the declared lane that [plans] states for a plan, "" for none.
func planLane(p policy.Policy, plan string) string {
	for _, name := range slices.Sorted(maps.Keys(p.Plans)) {
		if strings.EqualFold(name, plan) {
			if lane, known := p.Lane(p.Plans[name]); known {
				return lane
			}
		}
	}
	return ""
}

// screened asks what keeps each unit that has not shipped.
func (s *Source) screened(ctx context.Context) error {
	var of []*unit
	var names []facts.Unit
	for _, u := range s.all {
		switch {
		case u.Ship != nil:
		case u.unclear != "":
			u.screen(pick.PickableEvidence{Unit: u.Unit()})
		default:
			of, names = append(of, u), append(names, facts.Unit{Plan: u.Plan, Phase: u.Phase})
		}
	}
	if len(of) == 0 {
		return nil
	}
	all, err := s.Book.Pickable(ctx, names)
	if err != nil {
		return err
	}
	for i, u := range of {
		u.screen(all[i])
		if u.Screen.Outcome != pick.Offerable || u.Screen.Err() != nil {
			continue
		}
		tried, err := s.Book.Tried(ctx, u.Unit())
		if err != nil {
			return err
		}
		u.Tried = pick.DecidePriority(tried)
	}
	return nil
}

// taskPlan is the plan in the name of a unit that is a task of the queue.
const taskPlan = "task"

// screen judges a unit by its evidence and by what its task waits for. Whether
// a task is done that no unit ships is for the queue alone to say.
func (u *unit) screen(ev pick.PickableEvidence) {
	if !u.Until.Unit {
		ev.State.Shipped = false
		of := func(f pick.Finding) bool { return f.Hold == pick.Shipped }
		ev.Found, ev.Unknown = slices.DeleteFunc(ev.Found, of), slices.DeleteFunc(ev.Unknown, of)
	}
	if u.unclear != "" {
		ev.State.Unparseable = true
		ev.Found = append(ev.Found, pick.Finding{Hold: pick.Unparseable, Detail: u.unclear})
	}
	if u.item != nil {
		for _, w := range u.item.Waits {
			u.wait(&ev, w)
		}
	}
	u.Screen = pick.DecidePickable(ev)
}

// wait takes over one thing that a task waits for.
func (u *unit) wait(ev *pick.PickableEvidence, w queue.Wait) {
	hold := pick.Gated
	switch w.For {
	case queue.ForEvidence:
		ev.Unknown = append(ev.Unknown, pick.Finding{Hold: pick.Shipped, Detail: w.What})
		return
	case queue.ForHolder:
		if u.item.Held == nil { // a lease that cannot be read may have it
			ev.Unknown = append(ev.Unknown, pick.Finding{Hold: pick.InFlight, Detail: w.What})
			return
		}
		hold, ev.State.InFlight = pick.InFlight, true
	case queue.ForLane:
		if u.item.In == "" && len(u.Places) > 0 { // its plan document lists it, with a lane or without
			return
		}
		ev.State.Gated = true
	case queue.ForTwin:
		hold, ev.State.SoftClaimed = pick.SoftClaimed, true
	case queue.ForTask:
		hold, ev.State.Dependency = pick.Dependency, true
	case queue.ForCondition, queue.ForSplit:
		hold, ev.State.PlanClass = pick.DraftClass, "DRAFT"
	default:
		ev.State.Gated = true
	}
	ev.Found = append(ev.Found, pick.Finding{Hold: hold, Detail: "task " + u.item.ID + ": " + w.String()})
}
