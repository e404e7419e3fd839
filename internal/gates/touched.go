package gates

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
)

// Touched lists what an update changes. Of the trunk that is every path which
// differs between what it had and what it gets, also where it is rewound. Anything
// else is judged by what it changed since it parted from the trunk as it is known
// here: what is on the trunk was judged on its way there, so a mirror of it and a
// branch that took it in touch nothing by that.
func (s *Site) Touched(ctx context.Context, p hooks.Push, u hooks.Update) (hooks.Touch, error) {
	moves, err := s.movesTrunk(p, u)
	if err != nil {
		return hooks.Touch{}, err
	}
	tip := refstore.OID(u.New)
	if moves {
		t, err := touch(facts.ScopeDiffers(ctx, s.Repo, facts.Span{Base: s.orEmpty(refstore.OID(u.Old)), Head: tip}))
		if err != nil {
			err = fmt.Errorf("%s is at %.12s there, which cannot be compared with here: git fetch, and try again (%w)", u.Ref, u.Old, err)
		}
		return t, err
	}
	if s.Trunk.ID != "" {
		t, err := touch(facts.ScopeChanged(ctx, s.Repo, facts.Span{Base: s.Trunk.ID, Head: tip}))
		if !errors.Is(err, facts.ErrNoCommonBase) {
			return t, err
		}
	}
	return touch(facts.ScopeDiffers(ctx, s.Repo, facts.Span{Base: s.orEmpty(""), Head: tip}))
}

// movesTrunk reports whether an update moves the trunk itself, and not a branch of
// its name elsewhere. Where no remote is known to have the trunk, the branch of its
// name on any of them is it, once it is there.
func (s *Site) movesTrunk(p hooks.Push, u hooks.Update) (bool, error) {
	if p.Trunk == "" || u.Ref != p.Trunk {
		return false, nil
	}
	rest, tracking := strings.CutPrefix(s.Trunk.Ref, "refs/remotes/")
	if !tracking {
		return !u.Creates(), nil
	}
	name, err := pushed.RemoteName(s.Repo, p)
	return strings.HasPrefix(rest, name+"/"), err
}

func (s *Site) orEmpty(id refstore.OID) refstore.OID {
	if id == "" {
		return s.Repo.Format.EmptyTree()
	}
	return id
}

func touch(paths []string, links []scope.Link, err error) (hooks.Touch, error) {
	return hooks.Touch{Paths: paths, Links: links}, err
}

// Unshipped lists what an update changes since the lane last recorded a ship. On a
// fleet's trunk a ship has landed before anybody else can push on top of it, so
// that is all that was touched. In a repository that is its own authority ships
// land on a branch here, from where somebody takes them elsewhere.
func (s *Site) Unshipped(ctx context.Context, p hooks.Push, u hooks.Update, name string, touched []string) ([]string, error) {
	d, err := s.at(ctx)
	if err != nil || d.Remote() != "" {
		return touched, err
	}
	var shipped refstore.OID
	err = d.Log(ctx, name, true, func(t refstore.Tip) bool {
		if t.Entry.Op == lease.OpShip {
			shipped = shippedBy(t)
		}
		return t.Entry.Op != lease.OpShip
	})
	if err != nil || shipped == "" || u.Deletes() {
		return touched, hinted(err)
	}
	for _, pair := range [][2]refstore.OID{{refstore.OID(u.Old), shipped}, {shipped, refstore.OID(u.New)}} {
		if pair[0] == "" {
			continue
		}
		if under, err := s.Repo.IsAncestor(ctx, pair[0], pair[1]); err != nil || !under {
			return touched, err
		}
	}
	t, err := touch(facts.ScopeDiffers(ctx, s.Repo, facts.Span{Base: shipped, Head: refstore.OID(u.New)}))
	return t.Paths, err
}

// shippedBy is the commit that a SHIP entry records, "" where it cannot be read.
func shippedBy(t refstore.Tip) refstore.OID {
	name, ok := refstore.SplitRef(t.Ref)
	if !ok {
		return ""
	}
	chain, err := lane.Chain(name.Leaf)
	if err != nil {
		return ""
	}
	r, err := lease.ParseRecord(chain, t.Entry.Gen, t.Entry.Payload)
	if err != nil || r.Ship == nil {
		return ""
	}
	id, _ := refstore.ParseOID(r.Ship.New)
	return id
}

// Staged lists what the commit that is being made changes.
func (s *Site) Staged(ctx context.Context) (hooks.Touch, error) {
	t, err := worktree.Open(ctx, s.Repo)
	if err != nil {
		return hooks.Touch{}, err
	}
	paths, err := t.Staged(ctx)
	if err != nil {
		return hooks.Touch{}, err
	}
	links, err := t.StagedLinks(ctx, paths)
	return hooks.Touch{Paths: paths, Links: links}, err
}
