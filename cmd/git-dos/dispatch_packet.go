package main

import (
	"context"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// raceWait is how long another renderer is given before the second try.
const raceWait = time.Second

// render writes the packet of the lane. A race is tried once more, and under drive
// so is a stale stamp once plan documents have been stamped.
func (s *dispatching) render() (next nextUpAnswer, p packet.Packet, err error) {
	raced, mended := false, false
	for {
		if err = s.reopen(); err != nil {
			return next, p, err
		}
		if next, p, err = nextUpPacket(s.c, s.desk, s.scope, s.limit); err != nil {
			return next, p, err
		}
		switch {
		case next.Outcome == pick.Raced && !raced:
			raced = true
			if err := pause(s.c.Context, raceWait); err != nil {
				return next, p, err
			}
		case next.Outcome == pick.StaleStamp && s.gate == loop.Drive && !mended:
			mended = true
			a, err := replanOnce(s.c, s.desk, s.scope)
			if err != nil {
				return next, p, err
			}
			if a.Counts.Stamped == 0 {
				return next, p, nil
			}
			s.stamped(a)
			s.publish()
		default:
			return next, p, nil
		}
	}
}

// stamped notes the commits with stamps of a look back.
func (s *dispatching) stamped(a replanAnswer) {
	for _, page := range a.Stamps {
		if id := refstore.OID(page.Commit); id != "" && !slices.Contains(s.own, id) {
			s.own = append(s.own, id)
		}
	}
}

// reopen looks at the repository and its rules as they are now.
func (s *dispatching) reopen() error {
	d, err := openDesk(s.c)
	if err != nil {
		return err
	}
	d.Node = s.desk.Node
	s.desk = d
	return nil
}

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// price divides the lane among the picks, and says in which order they run.
func (s *dispatching) price(p packet.Packet) (*supervise.DispatchPrice, [][]string, error) {
	rules := s.desk.Rules.Policy
	ev := lane.PriceEvidence{
		Lanes: facts.Taxonomy(rules), Algebra: lane.Algebra(rules.Overlap.Policy), SelfModify: rules.Admission.SelfModify, Budgets: facts.Budgets(rules),
		Within: &lane.Ridden{Lane: s.lease.Lane, Tree: s.lease.Tree},
	}
	for _, u := range p.Picks {
		ev.Workers = append(ev.Workers, lane.PriceWorker{Name: u.Unit(), Tree: u.Tree})
	}
	v := lane.Price(ev)
	if err := v.Err(); err != nil {
		return nil, nil, usagef("the picks cannot be priced: %w", err).hint("run it with --limit 1")
	}
	return &supervise.DispatchPrice{
		Action: v.Action, CollisionsAvoided: v.CollisionsAvoided, LanesUtilized: v.LanesUtilized, SerializationWasted: v.SerializationWasted,
	}, v.Waves, nil
}

// dispatchHolds is what keeps the units of a packet that offers none.
type dispatchHolds struct {
	held    pick.Hold // that no dispatch ends, "" for none
	cooling string    // a unit that was tried a short while ago, "" for none
	claimed bool      // somebody else has a unit
}

// holdsOf looks at what is not offered. A hold that no dispatch ends outranks a
// cooldown.
func holdsOf(p packet.Packet) (h dispatchHolds) {
	for _, u := range p.Held {
		if u.Screen.Invariant && h.held == "" {
			h.held = u.Screen.Outcome
		}
		if u.Screen.Outcome == pick.Cooling && h.cooling == "" {
			h.cooling = u.Unit()
		}
		h.claimed = h.claimed || u.Screen.Outcome == pick.InFlight || u.Screen.Outcome == pick.SoftClaimed
	}
	return h
}

// places is where the picks of each wave are. Who is in no wave is in none.
func places(p packet.Packet, waves [][]string) (all [][]int) {
	at := map[string]int{}
	for i, u := range p.Picks {
		at[u.Unit()] = i
	}
	for _, wave := range waves {
		var in []int
		for _, name := range wave {
			if i, ok := at[name]; ok {
				in = append(in, i)
			}
		}
		all = append(all, in)
	}
	return all
}

// notTried is the row of a pick before it is tried.
func notTried(p packet.Packet, i int) supervise.PickRow {
	u := p.Picks[i]
	return supervise.PickRow{N: i + 1, Unit: u.Unit(), Title: verdict.Clip(u.Title), Task: u.Task, State: supervise.HonestOpen, Reason: "not started"}
}
