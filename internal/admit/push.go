package admit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A PushRequest asks for a commit to be moved to the trunk.
type PushRequest struct {
	Commit refstore.OID
	Holds  []lease.Hold // the lanes to ride on, without what the authority has now
	Plan   string       // with Phase: the unit this ships, beside those the commits name
	Phase  string

	standing *standing     // the worktree on a local trunk, nil when none is
	said     *announcement // to this node, nil without a fleet
}

// Push moves the trunk to a commit under the leases the pusher holds: the
// branch and a SHIP entry on every touched lane move in one transaction, so
// when a lease has moved, the trunk does not.
func (d *Desk) Push(ctx context.Context, req PushRequest) (lease.PushVerdict, error) {
	if d.remote != nil {
		req.said = &announcement{own: d.own(), push: NewNonce()}
	}
	v, err := d.push(ctx, req)
	if req.said != nil {
		req.said.resolve(ctx, v, err)
	}
	return v, err
}

func (d *Desk) push(ctx context.Context, req PushRequest) (lease.PushVerdict, error) {
	trunk := d.Rules.Trunk
	if trunk.Branch == "" {
		return lease.PushVerdict{}, errors.New("HEAD is detached and no trunk is set: set [trunk] ref in dos.toml")
	}
	if short(trunk.Branch) == trunk.Branch {
		return lease.PushVerdict{}, fmt.Errorf("trunk %s is no branch: set [trunk] ref in dos.toml to one", trunk.Branch)
	}
	auth := d.auth
	if d.remote == nil {
		var err error
		if req.standing, err = d.standingOn(ctx, trunk.Branch); err != nil {
			return lease.PushVerdict{}, err
		}
		if req.standing != nil {
			auth = req.standing
		}
	}
	limit := localTime
	if d.remote != nil {
		limit = shipTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeUp)
	defer cancel()
	var v lease.PushVerdict
	q := refstore.Query{Kinds: laneKinds, Branches: []string{trunk.Branch}}
	var tried tries[lease.PushVerdict]
	var u refstore.Update
	err := unlessLost(ctx, func() (err error) {
		tried = tries[lease.PushVerdict]{}
		u, err = d.Repo.Update(ctx, auth, q, func(s refstore.Snapshot) (w []refstore.Write, err error) {
			if err := d.checkFleet(s); err != nil {
				return nil, err
			}
			v, w, err = d.ride(ctx, s, req, &tried)
			return w, err
		})
		return err
	})
	var o *refstore.OutcomeError
	if errors.As(err, &o) && o.Outcome.Result == refstore.Denied {
		return refusedPush(v, o.Outcome.Words), nil
	}
	if lostRace(err) {
		v.Outcome, v.Reason = lease.Raced, othersFirst
		return v, nil
	}
	if err != nil {
		return lease.PushVerdict{}, d.storeError(err)
	}
	return tried.verdict(u, v), nil
}

func refusedPush(v lease.PushVerdict, words string) lease.PushVerdict {
	if words == "" {
		words = "a hook refused the push"
	}
	v.Outcome, v.ReasonClass, v.Reason = lease.Gated, "DENIED", words
	v.Next = "put right what was refused, then git dos push again: nothing has moved"
	return v
}

// ride decides one push on one snapshot.
func (d *Desk) ride(ctx context.Context, s refstore.Snapshot, req PushRequest, tried *tries[lease.PushVerdict]) (lease.PushVerdict, []refstore.Write, error) {
	branch := d.Rules.Trunk.Branch
	old := s.Tip(branch).ID
	ship := lease.Ship{Ref: branch, Old: string(old), New: string(req.Commit)}
	moves, behind := true, false
	if old != "" {
		contained, err := d.Repo.IsAncestor(ctx, req.Commit, old)
		if err != nil {
			return lease.PushVerdict{}, nil, err
		}
		ahead, err := d.Repo.IsAncestor(ctx, old, req.Commit)
		if err != nil {
			return lease.PushVerdict{}, nil, err
		}
		switch {
		case contained && d.remote != nil && !req.asksForShip():
			return lease.PushVerdict{Outcome: lease.Nothing, Ref: branch, Old: ship.Old, New: ship.New, Lanes: []string{}, Units: []lease.ShipUnit{}, Reason: fmt.Sprintf("%s already has %s", short(branch), req.Commit.Short())}, nil, nil
		case contained:
			moves = false // the trunk already stands on the commit: only SHIP is missing
		}
		behind = !contained && !ahead
	}
	ev := lease.PushEvidence{Ship: ship, Behind: behind, There: !moves, Unit: req.Plan != "", Holds: req.Holds, Algebra: algebra(d.Rules.Policy), Stamp: d.stamp("", "")}
	untold, err := d.readHolds(ctx, s, &ev)
	if err != nil {
		return lease.PushVerdict{}, nil, err
	}
	if moves {
		err = d.fillPush(ctx, &ev, old, req)
	} else {
		err = d.fillShip(ctx, s, &ev, req)
	}
	if err != nil {
		return lease.PushVerdict{}, nil, err
	}
	v, decided := lease.DecidePush(ev)
	if untold != nil && (v.Outcome == lease.Fenced || v.ReasonClass == lease.ScopeEscape) {
		return lease.PushVerdict{}, nil, untold
	}
	if v.ReasonClass == lease.ScopeEscape && len(v.Paths) > 0 {
		v.Next = d.wayIn(v.Paths[0]) + ", or leave these paths out of the push"
	}
	if v.Outcome == lease.Raced {
		v.Next = "git rebase " + d.upstream() + ", then git dos push again"
	}
	if req.said != nil && v.Outcome == lease.Landed {
		no, err := req.said.announce(ctx, ev.Holds, v.Lanes)
		if err != nil {
			return lease.PushVerdict{}, nil, err
		}
		if no.Outcome != "" && no.Outcome != lease.Renewed {
			return v.Lost(no), nil, nil
		}
	}
	if at := req.standing; at != nil && moves && len(decided) > 0 {
		clean, err := at.clean(ctx)
		if err == nil && !clean {
			err = uncommitted(branch, at.where)
		}
		if err != nil {
			return lease.PushVerdict{}, nil, err
		}
	}
	writes, err := d.writes(decided)
	if err == nil && moves && len(writes) > 0 {
		writes = append(writes, refstore.Write{Ref: branch, Target: req.Commit})
	}
	if err == nil {
		tried.note(v, decided)
	}
	return v, writes, err
}

// asksForShip reports whether the pusher wants a SHIP although the trunk has
// the commit: it names a unit to record, or a lane to record it on.
func (r PushRequest) asksForShip() bool {
	return r.Plan != "" || slices.ContainsFunc(r.Holds, func(h lease.Hold) bool { return h.Named })
}

func short(branch string) string { return strings.TrimPrefix(branch, "refs/heads/") }

// upstream is what a worker rebases on to catch up with the trunk.
func (d *Desk) upstream() string {
	if d.remote == nil {
		return short(d.Rules.Trunk.Branch)
	}
	return d.Remote() + "/" + short(d.Rules.Trunk.Branch)
}

// readHolds fills in what the authority has for each lane now. A lane that cannot
// be told, because it cannot be read or looks lost (a *lease.TornError), is an error
// when the pusher named it. One that is only remembered is left out: untold is its
// error, for a push that would have needed it.
func (d *Desk) readHolds(ctx context.Context, s refstore.Snapshot, ev *lease.PushEvidence) (untold, err error) {
	t, err := d.table(ctx, s)
	if err != nil {
		return nil, err
	}
	ev.Order = t.Order
	var side ownSide
	if d.remote != nil {
		if side, err = d.side(ctx, t); err != nil {
			return nil, err
		}
	}
	var told []lease.Hold
	for _, h := range ev.Holds {
		at, err := d.placeOf(t, h.Lane)
		if err == nil && (lease.KeepEvidence{Lane: h.Lane, Chain: at.chain, Current: at.current, Order: t.Order}).Lost() {
			err = &lease.TornError{Chains: []string{h.Lane}}
		}
		if err == nil {
			h.Chain, h.Current, h.Gone = at.chain, at.current, gone(at.current)
			h, err = side.fill(ctx, h)
		}
		switch {
		case err == nil:
			told = append(told, h)
		case h.Named:
			return nil, err
		case untold == nil:
			untold = err
		}
	}
	ev.Holds = told
	return untold, nil
}

// fillPush adds the changed paths and the units between since and the commit.
func (d *Desk) fillPush(ctx context.Context, ev *lease.PushEvidence, since refstore.OID, req PushRequest) (err error) {
	if ev.Paths, err = d.changed(ctx, since, req.Commit); err != nil {
		return err
	}
	ev.Ship.Units, err = d.units(ctx, since, req)
	return err
}

// changed lists the raw paths that differ between two commits, both sides of a
// rename included.
func (d *Desk) changed(ctx context.Context, old, tip refstore.OID) ([]string, error) {
	if old == "" {
		old = d.Repo.Format.EmptyTree()
	}
	out, err := d.Repo.Git.Output(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-relative", "--ignore-submodules=none", "--name-only", string(old), string(tip))
	if err != nil {
		return nil, err
	}
	var paths []string
	for p := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(p) > 0 {
			paths = append(paths, string(p))
		}
	}
	return paths, nil
}

// units lists what the new commits say they ship, newest commit first, and the
// unit of the request, which the newest commit naming it in any form stands
// for, else the one that is pushed.
func (d *Desk) units(ctx context.Context, since refstore.OID, req PushRequest) ([]lease.ShipUnit, error) {
	var units []lease.ShipUnit
	seen := map[string]bool{}
	add := func(plan, phase string, c ancestry.Commit) {
		if key := strings.ToLower(plan + "/" + phase); !seen[key] {
			seen[key] = true
			units = append(units, lease.ShipUnit{Plan: plan, Phase: phase, Commit: string(c.ID), Tree: string(c.Tree)})
		}
	}
	var asked ship.Query
	if req.Plan != "" {
		var err error
		if asked, err = ship.NewQuery(req.Plan, req.Phase, d.Rules.Policy.Stamp); err != nil {
			return nil, err
		}
	}
	var tip ancestry.Commit
	for c, err := range ancestry.Range(d.Repo.Git, since, req.Commit).Commits(ctx) {
		if err != nil {
			return nil, err
		}
		if c.ID == req.Commit {
			tip = c
		}
		for _, t := range c.Trailers() {
			if plan, phase, ok := ship.SplitUnit(t.Value); ok && strings.EqualFold(t.Key, "Dos-Ship") {
				add(plan, phase, c)
			}
		}
		if req.Plan != "" && asked.Stamps(c.Subject(), ancestry.Body(c.Message)) {
			add(req.Plan, req.Phase, c)
		}
		if len(units) > maxUnits {
			return nil, fmt.Errorf("the commits name more than %d units; push them in parts", maxUnits)
		}
	}
	if req.Plan != "" {
		add(req.Plan, req.Phase, tip)
	}
	return units, nil
}

// maxUnits bounds a SHIP entry.
const maxUnits = 1000

// CanonicalLane folds a lane's name and resolves an alias.
func (d *Desk) CanonicalLane(name string) (string, error) { return d.canonical(name) }
