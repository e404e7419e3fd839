package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
)

// A GivingUp is how an operator gives up what of a node cannot be read, with the
// rows above it. The commands move refs from where they stand now to the last
// good entry, and fail when they have moved since.
type GivingUp struct {
	Commands []string // in their order; none where no good entry is known
	Remote   string   // that has what cannot be read too, "" for none: it and every clone have to go back
}

// String is one line for a shell.
func (g GivingUp) String() string { return strings.Join(g.Commands, " && ") }

// GiveUp finds the refs that stand on, or above, what cannot be read of a node.
func GiveUp(ctx context.Context, repo *refstore.Repo, remotes []*refstore.Remote, e *NodeError) (GivingUp, error) {
	var g GivingUp
	if e.Good == nil {
		return g, nil
	}
	name, _ := refstore.SplitRef(e.Ref)
	all, _, err := sources(ctx, repo, name.Kind, []string{e.Node}, remotes)
	if err != nil || len(all) == 0 {
		return g, err
	}
	var here []string
	for _, p := range all[0].tips {
		if p.ID == "" {
			return GivingUp{}, nil // the ref itself is damaged, and has no old value
		}
		if below, err := repo.IsAncestor(ctx, p.ID, e.Good.ID); err == nil && below {
			continue
		}
		if p.remote == "" {
			here = append(here, fmt.Sprintf("git update-ref %s %s %s", e.Ref, e.Good.ID, p.ID))
			continue
		}
		g.Remote = p.remote
		for _, r := range remotes {
			if r.Name() == p.remote {
				there := r.ServerRef(e.Ref)
				g.Commands = append(g.Commands,
					fmt.Sprintf("git push --no-verify --force-with-lease=%s:%s %s %s:%s", there, p.ID, r.Name(), e.Good.ID, there),
					fmt.Sprintf("git update-ref %s %s %s", r.MirrorRef(e.Ref), e.Good.ID, p.ID))
			}
		}
	}
	g.Commands = append(g.Commands, here...)
	return g, nil
}
