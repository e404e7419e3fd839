package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A place is a tip and where it was seen.
type place struct {
	refstore.Tip
	remote string       // whose mirror, "" for this repository's own ref
	aside  refstore.OID // of this repository's own ref, where it yields to this tip
}

// A source is all that is known of one node's ref: here, and in the mirrors.
type source struct {
	node string
	tips []place
}

// sources reads the refs of a kind, here and in the mirrors, and sorts them by
// node.
func sources(ctx context.Context, repo *refstore.Repo, kind string, nodes []string, remotes []*refstore.Remote) ([]source, time.Time, error) {
	for _, node := range nodes {
		if _, err := refOf(kind, node); err != nil {
			return nil, time.Time{}, err
		}
	}
	q := refstore.Query{Kinds: []string{kind}}
	s, err := repo.Local().Read(ctx, q)
	if err != nil {
		return nil, time.Time{}, err
	}
	asOf := s.AsOf
	byNode := map[string]source{}
	add := func(s refstore.Snapshot, remote string) {
		for _, tip := range s.List(kind) {
			node := strings.TrimPrefix(tip.Ref, refstore.Ref(kind, ""))
			if !refstore.ValidLeaf(node) || len(nodes) > 0 && !slices.Contains(nodes, node) {
				continue
			}
			byNode[node] = source{node, append(byNode[node].tips, place{Tip: tip, remote: remote})}
		}
	}
	add(s, "")
	for _, r := range remotes {
		if s, err = r.Cached(ctx, q); err != nil {
			return nil, time.Time{}, fmt.Errorf("mirror of %s: %w", r.Name(), err)
		}
		if s.AsOf.Before(asOf) {
			asOf = s.AsOf
		}
		add(s, r.Name())
	}
	var all []source
	for _, node := range names(byNode) {
		all = append(all, byNode[node])
	}
	return all, asOf, nil
}

// newer is the tip that continues all others of the node. One that cannot be
// read may be the newest, so it counts as unread unless another is known to
// stand above it. Where none continues the other, what a remote has of a node
// stands before what is here, unless this repository writes under that name.
func (s source) newer(ctx context.Context, repo *refstore.Repo) (place, error) {
	best := s.tips[0]
	for _, other := range s.tips[1:] {
		next, err := newerOf(ctx, repo, best, other)
		switch {
		case errors.Is(err, ErrForked) && best.remote == "" && other.Err == nil && !owns(repo, s.node):
			next = other
			next.aside = best.ID
		case err != nil:
			return next, err
		case next.aside == "":
			next.aside = best.aside
		}
		best = next
	}
	if best.Err != nil {
		return best, &chainError{id: best.ID, err: best.Err}
	}
	return best, nil
}

func newerOf(ctx context.Context, repo *refstore.Repo, a, b place) (place, error) {
	switch {
	case a.ID == b.ID && a.ID != "", b.ID != "" && a.Parent == b.ID:
		return a, nil
	case a.ID != "" && b.Parent == a.ID:
		return b, nil
	case a.ID == "":
		return a, &chainError{id: a.ID, err: a.Err}
	case b.ID == "":
		return b, &chainError{id: b.ID, err: b.Err}
	}
	over, errA := repo.IsAncestor(ctx, b.ID, a.ID)
	if errA == nil && over {
		return a, nil
	}
	under, errB := repo.IsAncestor(ctx, a.ID, b.ID)
	if errB == nil && under {
		return b, nil
	}
	bad := a
	if a.Err == nil && b.Err != nil {
		bad = b
	}
	if err := errors.Join(bad.Err, errA, errB); err != nil {
		return bad, &chainError{id: bad.ID, err: fmt.Errorf("%w: %s: which of %s and %s is newer cannot be told: %w", refstore.ErrBroken, a.Ref, a.ID, b.ID, err)}
	}
	return a, &chainError{id: a.ID, err: fmt.Errorf("%w: %s is %s here and %s elsewhere; is this clone a copy, or restored from a backup? git config --unset dos.node gives it a name of its own", ErrForked, a.Ref, a.ID, b.ID)}
}
