package gates

import (
	"context"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// holdTime bounds how long a hook waits for the fleet's remote.
const holdTime = 60 * time.Second

type heldLanes struct{ lanes []hooks.Hold }

// Holds lists the lanes that somebody holds or has parked. What was read of a
// fleet's lanes within its interval serves; beneath a push that git dos push
// sends, what that has read serves, whatever its age.
//
// A waiting lane is nobody's yet, and one that a node only keeps for its
// workers is nobody's while none of them has it, at that node.
func (s *Site) Holds(ctx context.Context, p hooks.Push) ([]hooks.Hold, error) {
	if s.held != nil {
		return s.held.lanes, nil
	}
	d, err := s.at(ctx)
	if err != nil {
		return nil, err
	}
	own, err := s.identity(d)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	records, err := d.Occupied(ctx, len(p.Riding) > 0)
	if err != nil {
		return nil, hinted(err)
	}
	held := &heldLanes{lanes: []hooks.Hold{}}
	for _, r := range records {
		if r.State == lane.Held || r.State == lane.Parked {
			held.lanes = append(held.lanes, own.hold(r, s.Now()))
		}
	}
	s.held = held
	return held.lanes, nil
}

// An identity is who pushes: by what the worktree remembers of the leases it
// took, and by the nonce of the environment.
type identity struct {
	nonce string
	taken map[string]admit.Held // by lane
}

func (s *Site) identity(d *admit.Desk) (identity, error) {
	id := identity{s.Nonce, map[string]admit.Held{}}
	all, err := d.RecallAll()
	for _, h := range all {
		id.taken[h.Lane] = h
	}
	return id, err
}

func (id identity) hold(r lease.Record, now time.Time) hooks.Hold {
	h := hooks.Hold{Lane: r.Lane, Tree: r.Tree, Gen: r.Gen, Holder: r.Holder.String(), Lapsed: r.Lapsed(now)}
	taken, ok := id.taken[r.Lane]
	if ok {
		h.Taken = taken.Gen
	}
	switch {
	case id.nonce != "" && r.Nonce == id.nonce:
		h.Mine = true
	case ok && r.Nonce == taken.Nonce:
		h.Mine = true
	case ok && r.State == lane.Parked && !r.Delegate && taken.Under != "" && r.Nonce == taken.Under:
		h.Mine = true // parked under a delegation: the lane went on with the nonce of that
	}
	return h
}
