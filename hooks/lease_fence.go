package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Hold is a lane that somebody has, as its authority tells.
type Hold struct {
	Lane   string
	Tree   []string // without entries it is everything
	Gen    uint64
	Holder string // for people
	Mine   bool   // the pusher's own, by its nonce
	Taken  uint64 // the generation under which the pusher's worktree took the lane before, 0 for never
	Lapsed bool   // past its deadline, and nobody has taken it over
}

// A Fence is what LEASE_FENCE must know.
type Fence interface {
	// Holds lists the lanes that are held or parked.
	Holds(ctx context.Context, p Push) ([]Hold, error)
	// Ridden lists the lanes that move in the push itself by an entry which
	// records it: where one of them has moved on, git sends nothing at all.
	Ridden(ctx context.Context, p Push) ([]Hold, error)
	// Touched lists the paths that an update changes on its branch.
	Touched(ctx context.Context, p Push, u Update) (Touch, error)
	// Unshipped lists what of that came after the lane last recorded a ship. Where
	// the trunk is shipped to here and pushed from here, a holder's own work comes
	// along, and touches nobody.
	Unshipped(ctx context.Context, p Push, u Update, lane string, touched []string) ([]string, error)
}

// LeaseFenceGate refuses a plain push to the trunk that touches the tree of a
// lane which somebody else holds, or which the pusher's worktree took and has
// lost since. Whoever holds no lease is free to push where nobody else works:
// the fence keeps people off the trees of others, it does not make everybody
// take a lease. A lease past its deadline still counts: nobody has taken it over,
// and its holder may renew it.
//
// A lane that rides in the push proves its own lease, and so covers the files of
// its tree.
func LeaseFenceGate(f Fence) Gate {
	return Gate{LeaseFence, func(ctx context.Context, p Push, _ History) ([]Finding, error) {
		if _, moves := p.MovesTrunk(); !moves && p.Trunk != "" || len(p.Updates) == 0 {
			return nil, nil
		}
		held, err := f.Holds(ctx, p)
		if err != nil {
			return nil, err
		}
		var others []Hold
		for _, h := range held {
			if !h.Mine {
				others = append(others, h)
			}
		}
		if len(others) == 0 {
			return nil, nil
		}
		return fence(ctx, f, p, others)
	}}
}

// fence judges the push against lanes that the pusher does not hold.
func fence(ctx context.Context, f Fence, p Push, others []Hold) ([]Finding, error) {
	if p.Trunk == "" {
		return nil, errors.New("lanes are held, and which branch is the trunk is not known: set [trunk] ref in dos.toml")
	}
	u, _ := p.MovesTrunk()
	var touch Touch
	var ridden []Hold
	var err error
	if !u.Deletes() {
		if touch, err = f.Touched(ctx, p, u); err != nil {
			return nil, err
		}
		if ridden, err = f.Ridden(ctx, p); err != nil {
			return nil, err
		}
	}
	var found []Finding
	for _, h := range others {
		n, first := inside(h.Tree, touch.Paths)
		if n > 0 {
			rest, err := f.Unshipped(ctx, p, u, h.Lane, touch.Paths)
			if err != nil {
				return nil, err
			}
			n, first = inside(h.Tree, uncovered(rest, ridden))
		}
		if n > 0 || u.Deletes() {
			found = append(found, Finding{Commit: u.New, Path: first, Reason: h.stands(n), Fix: h.fix()})
		}
	}
	return found, nil
}

// uncovered are the paths that lie in no tree of a lane that rides.
func uncovered(paths []string, ridden []Hold) (rest []string) {
	var trees []lane.Scope
	for _, h := range ridden {
		trees = append(trees, lane.NewScope(everything(h.Tree)))
	}
	for _, p := range paths {
		covered := false
		for _, t := range trees {
			covered = covered || t.Contains(p)
		}
		if !covered {
			rest = append(rest, p)
		}
	}
	return rest
}

// inside counts the paths that lie in a tree, or may by what is not understood
// of it.
func inside(tree, paths []string) (n int, first string) {
	tree = everything(tree)
	s, doubt := lane.NewScope(tree), lane.NewDoubt(tree)
	for _, p := range paths {
		if s.Contains(p) || doubt.Reaches(p) {
			if n++; n == 1 {
				first = p
			}
		}
	}
	return n, first
}

// everything is a tree as a lease has it: one without entries is every file.
func everything(tree []string) []string {
	if len(tree) == 0 {
		return []string{"**"}
	}
	return tree
}

func (h Hold) stands(touched int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "lane %s is held by %s under generation %d", h.Lane, h.Holder, h.Gen)
	if h.Lapsed {
		b.WriteString(", past its deadline")
	}
	switch {
	case h.Taken != 0 && h.Taken != h.Gen:
		fmt.Fprintf(&b, "; this worktree took it under generation %d and has lost it", h.Taken)
	case h.Taken != 0:
		b.WriteString("; what this worktree had of it is over")
	}
	if touched == 0 {
		b.WriteString(", and the branch would be gone")
	} else if touched > 1 {
		fmt.Fprintf(&b, ", and %d paths of its tree are touched", touched)
	} else {
		b.WriteString(", and a path of its tree is touched")
	}
	return b.String()
}

func (h Hold) fix() string {
	if h.Lapsed || h.Taken != 0 {
		return fmt.Sprintf("git dos lease acquire --lane %s, and then git dos push", h.Lane)
	}
	return fmt.Sprintf("leave the files of lane %s to its holder, or wait for it: git dos lease acquire --lane %s --wait 10m, and then git dos push", h.Lane, h.Lane)
}
