package pushed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A Receipt says which commits were judged: what the tip reaches and the base
// does not.
type Receipt struct {
	Tip  refstore.OID
	Base []refstore.OID
}

// A Span is a piece of history that receipts are held against.
type Span struct {
	repo    *refstore.Repo
	not     []refstore.OID
	order   []refstore.OID // newest first
	parents map[refstore.OID][]refstore.OID
	left    map[refstore.OID]bool // no receipt is of it yet
	outside []Receipt             // whose tip is not in the span
}

// ReadSpan is what a tip reaches and none of the others does, the newest limit
// of it.
func ReadSpan(ctx context.Context, repo *refstore.Repo, tip refstore.OID, not []refstore.OID, limit int) (*Span, error) {
	s := &Span{repo: repo, not: not, parents: map[refstore.OID][]refstore.OID{}, left: map[refstore.OID]bool{}}
	order, err := s.read(ctx, []refstore.OID{tip}, limit)
	s.order = order
	for _, id := range order {
		s.left[id] = true
	}
	s.not = slices.Concat(not, s.edge())
	return s, err
}

// edge is what the span was cut off at: nothing that these reach is in it.
func (s *Span) edge() (ids []refstore.OID) {
	for _, id := range s.order {
		for _, p := range s.parents[id] {
			if _, inside := s.parents[p]; !inside {
				ids = append(ids, p)
			}
		}
	}
	return ids
}

// read adds to the parents that are known.
func (s *Span) read(ctx context.Context, tips []refstore.OID, limit int) (order []refstore.OID, err error) {
	in := lines(tips)
	for _, id := range s.not {
		in += "^" + string(id) + "\n"
	}
	out, _, err := s.repo.Git.Offline().Run(ctx, git.Call{
		Args: []string{"rev-list", "--topo-order", "--parents", fmt.Sprintf("--max-count=%d", limit), "--stdin"}, Stdin: strings.NewReader(in),
	})
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "the commits to be audited", err)
	}
	for line := range strings.Lines(string(out)) {
		var ids []refstore.OID
		for word := range strings.FieldsSeq(line) {
			id, ok := refstore.ParseOID(word)
			if !ok {
				return nil, fmt.Errorf("%w: git rev-list answered %.50q", ancestry.ErrMissing, line)
			}
			ids = append(ids, id)
		}
		order = append(order, ids[0])
		s.parents[ids[0]] = ids[1:]
	}
	return order, nil
}

// Len is how many commits the span has.
func (s *Span) Len() int { return len(s.order) }

// Cover takes the commits of a receipt off what is left, and reports whether
// that was the last of it. A receipt whose tip is not in the span waits for
// [Span.CoverOutside].
func (s *Span) Cover(r Receipt) (done bool) {
	if _, ok := s.parents[r.Tip]; !ok {
		s.outside = append(s.outside, r)
	} else {
		s.walk([]refstore.OID{r.Tip}, r.Base, func(id refstore.OID) { delete(s.left, id) })
	}
	return len(s.left) == 0
}

// CoverOutside reads the history of tips outside the span, as those of branches
// that were merged, or pushed later, as far as they are here.
func (s *Span) CoverOutside(ctx context.Context) error {
	late := s.outside
	s.outside = nil
	if len(late) == 0 || len(s.left) == 0 {
		return nil
	}
	var ids []string
	for _, r := range late {
		ids = append(ids, string(r.Tip))
	}
	found, err := peel(ctx, s.repo.Git, ids)
	if err != nil {
		return err
	}
	var tips []refstore.OID
	for _, f := range found {
		if f.kind == "commit" {
			tips = append(tips, f.id)
		}
	}
	if len(tips) == 0 {
		return nil
	}
	if _, err := s.read(ctx, tips, MaxCommits); err != nil {
		return err
	}
	for _, r := range late {
		s.Cover(r)
	}
	return nil
}

// Began takes off what was there before gates began to judge: what the first
// receipts all stand on. The first are those whose tip descends from the tip of
// no other; no clock is asked. It reports what that left of the span, and comes
// after [Span.CoverOutside].
func (s *Span) Began(receipts []Receipt) (commits int) {
	isTip, after := map[refstore.OID]bool{}, map[refstore.OID]bool{}
	for _, r := range receipts {
		isTip[r.Tip] = true
	}
	for _, id := range s.oldestFirst() {
		for _, p := range s.parents[id] {
			after[id] = after[id] || after[p] || isTip[p]
		}
	}
	below, first := map[refstore.OID]int{}, 0
	done := map[refstore.OID]bool{}
	for _, r := range receipts {
		if _, known := s.parents[r.Tip]; !known || after[r.Tip] || done[r.Tip] {
			continue
		}
		first++
		done[r.Tip] = true
		s.walk(r.Base, nil, func(id refstore.OID) { below[id]++ })
	}
	for _, id := range s.order {
		if first > 0 && below[id] == first {
			delete(s.left, id)
		} else {
			commits++
		}
	}
	return commits
}

// oldestFirst is every commit that is known, none before its parents.
func (s *Span) oldestFirst() (order []refstore.OID) {
	done, entered := map[refstore.OID]bool{}, map[refstore.OID]bool{}
	for start := range s.parents {
		for stack := []refstore.OID{start}; len(stack) > 0; {
			id := stack[len(stack)-1]
			parents, known := s.parents[id]
			if known && !entered[id] {
				entered[id] = true
				stack = append(stack, parents...)
				continue
			}
			stack = stack[:len(stack)-1]
			if known && !done[id] {
				done[id] = true
				order = append(order, id)
			}
		}
	}
	return order
}

// walk visits what the commits reach in the span, and does not go on from the
// base. No judged commit lies behind one of the base: every parent of a judged
// commit is judged or of the base.
func (s *Span) walk(from, base []refstore.OID, visit func(refstore.OID)) {
	seen := map[refstore.OID]bool{}
	for _, id := range base {
		seen[id] = true
	}
	for queue := from; len(queue) > 0; {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		visit(id)
		queue = append(queue, s.parents[id]...)
	}
}

// Left are the commits that no receipt is of, newest first.
func (s *Span) Left() (ids []refstore.OID) {
	for _, id := range s.order {
		if s.left[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
