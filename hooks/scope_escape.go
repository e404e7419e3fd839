package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/scope"
)

// A Leash is what SCOPE_ESCAPE must know.
type Leash interface {
	// Holds lists the lanes that are held or parked.
	Holds(ctx context.Context, p Push) ([]Hold, error)
	// Ridden lists the lanes that move in the push itself.
	Ridden(ctx context.Context, p Push) ([]Hold, error)
	// Touched lists what an update of a branch changes, of another than the trunk
	// what it changed since it parted from the trunk.
	Touched(ctx context.Context, p Push, u Update) (Touch, error)
	// Staged lists what the commit that is being made changes.
	Staged(ctx context.Context) (Touch, error)
}

// ScopeEscapeGate refuses changes outside the trees of the lanes that the
// pusher's worktree holds, and a symbolic link that leads out of them. A lease
// binds whoever took it, on any branch. Who holds none is bound to nothing here:
// people work in repositories without one, and what they must not touch is
// LEASE_FENCE's business.
func ScopeEscapeGate(l Leash) Gate {
	return Gate{ScopeEscape, func(ctx context.Context, p Push, _ History) ([]Finding, error) {
		own, err := ownTree(ctx, l, p)
		if err != nil || len(own) == 0 {
			return nil, err
		}
		if p.Hook == PreCommit {
			touch, err := l.Staged(ctx)
			return escapes(own, touch, ""), err
		}
		var found []Finding
		for _, u := range p.Updates {
			if u.Deletes() || !u.IsBranch() {
				continue
			}
			touch, err := l.Touched(ctx, p, u)
			if err != nil {
				return nil, err
			}
			found = append(found, escapes(own, touch, u.New)...)
		}
		return found, nil
	}}
}

// ownTree is the lanes that bind the pusher: those of its worktree and those it
// rides on.
func ownTree(ctx context.Context, l Leash, p Push) (own []Hold, err error) {
	held, err := l.Holds(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, h := range held {
		if h.Mine {
			own = append(own, h)
		}
	}
	ridden, err := l.Ridden(ctx, p)
	return append(own, ridden...), err
}

func escapes(own []Hold, touch Touch, commit string) (found []Finding) {
	var tree, names []string
	for _, h := range own {
		tree, names = append(tree, everything(h.Tree)...), append(names, h.Lane)
	}
	s := lane.NewScope(tree)
	lanes := "lane " + strings.Join(names, ", ")
	add := func(path, reason string) {
		found = append(found, Finding{Commit: commit, Path: path, Reason: reason,
			Fix: "leave it out, or take a lane that holds it: git dos lease acquire --lane NAME --tree GLOB"})
	}
	for _, p := range touch.Paths {
		if !s.Contains(p) {
			add(p, "it lies in no tree that is held here: "+lanes)
		}
	}
	for _, link := range touch.Links {
		if to, out := leadsOut(s, link); out && s.Contains(link.Path) {
			add(link.Path, fmt.Sprintf("the symbolic link leads to %s, outside of %s", to, lanes))
		}
	}
	return found
}

// leadsOut is the first place outside the trees that a link leads to.
func leadsOut(s lane.Scope, l scope.Link) (to string, out bool) {
	for _, to := range l.Leads {
		if !s.Contains(to) {
			if to == "" {
				return "a place that is not in the repository", true
			}
			return fmt.Sprintf("%q", to), true
		}
	}
	return "", false
}
