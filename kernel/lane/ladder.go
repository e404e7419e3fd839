package lane

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Ladder is a caller's own list of lanes to be given, first the most wanted.
type Ladder struct {
	// Candidates may be of any kind, by default cluster, and of lanes that
	// nobody declared; one without a tree is passed over.
	Candidates []Request

	// Picks says how much work waits on a lane. Nil is no oracle; of a lane
	// that is missing, or nil, the number is not known.
	Picks map[string]*int

	// Ranks puts lanes in another order, the highest first. A lane without a
	// rank comes after all that have one.
	Ranks map[string]float64

	// Siblings are the lanes of runs without a lease, SiblingTrees their trees.
	// With both given, a lane that surely meets none of them is preferred.
	Siblings     []string
	SiblingTrees map[string][]string
}

// ArbitrateLadder is [Arbitrate] for a caller that has a list of its own. A
// request that names no lane is given the first candidate that Decide would
// give, whose class budget has room, and which has work, or an unknown amount
// of it. One of the kind "named" needs a known amount. A request that is sent
// away from the lane it names goes through the auto-pick list as ever, passing
// over lanes without work.
func ArbitrateLadder(ev Evidence, l Ladder) Verdict { return arbitrate(ev, &l) }

// named is the kind of a candidate that is taken only for work known to wait.
const named = "named"

// climb walks the ladder: first for what meets no sibling, then for the rest.
func (h *hearing) climb(l *Ladder) (Verdict, error) {
	offers, err := h.ladderOffers(l)
	if err != nil {
		return Verdict{}, err
	}
	picks := newOracle(l.Picks)
	siblings := h.siblings(l)
	v, f := h.walk(offers, picks, siblings)
	if v.Outcome != Acquire && len(siblings) > 0 {
		v, f = h.walk(offers, picks, nil)
	}
	if v.Outcome != Acquire {
		return h.nothing(f, true), nil
	}
	v.ReasonClass = AutoPickLadder
	return v, nil
}

// ladderOffers reads the candidates and puts them in order. What cannot be
// picked is left out: no tree, a tree outside the lane, an exclusive or a
// reserved lane.
func (h *hearing) ladderOffers(l *Ladder) ([]Claim, error) {
	var offers []Claim
	for i, r := range l.Candidates {
		c, ok, err := h.candidate(r)
		if err != nil {
			return nil, fmt.Errorf("candidate %d: %w", i+1, err)
		}
		if ok {
			offers = append(offers, c)
		}
	}
	ranks := foldKeys(l.Ranks)
	rank := func(c Claim) float64 {
		if r, ranked := ranks[c.Lane]; ranked {
			return r
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(offers, func(a, b Claim) int { return cmp.Compare(rank(b), rank(a)) })
	return offers, nil
}

// candidate reads one candidate. It reports false for one that cannot be picked.
func (h *hearing) candidate(r Request) (c Claim, ok bool, err error) {
	name, err := h.canonical(r.Lane)
	if err != nil {
		return c, false, err
	}
	kind, err := Canonical(cmp.Or(r.Kind, Cluster))
	if err != nil {
		return c, false, fmt.Errorf("kind: %w", err)
	}
	tree, err := CleanTree(r.Tree)
	if err != nil {
		return c, false, err
	}
	if len(tree) == 0 || Reserved(name) || h.excludes(name, kind) {
		return c, false, nil
	}
	c = Claim{Lane: name, Kind: kind, Declared: h.declared(name)}
	var no Verdict
	c.Tree, no = h.claimTree(c, tree)
	return c, no.Outcome == "", nil
}

// siblings returns the regions of runs without a lease, or none. One whose tree
// is not known is apart from nothing.
func (h *hearing) siblings(l *Ladder) []region {
	if l.SiblingTrees == nil {
		return nil
	}
	trees := foldKeys(l.SiblingTrees)
	var regions []region
	for _, name := range l.Siblings {
		regions = append(regions, h.Algebra.region(trees[CanonicalOr(name)]))
	}
	return regions
}

// An oracle knows how much work waits on a lane.
type oracle map[string]*int

func newOracle(picks map[string]*int) oracle {
	if picks == nil {
		return nil
	}
	return foldKeys(picks)
}

// work reports whether the lane is worth taking, and the amount where known.
func (o oracle) work(c Claim) (count *int, work bool) {
	if o == nil {
		return nil, true
	}
	if count = o[c.Lane]; count == nil {
		return nil, c.Kind != named
	}
	return count, *count > 0
}

// foldKeys puts a table under canonical names. Of two spellings of one name
// the first in byte order counts.
func foldKeys[V any](m map[string]V) map[string]V {
	folded := make(map[string]V, len(m))
	for _, k := range sortedKeys(m) {
		name := CanonicalOr(k)
		if _, had := folded[name]; !had {
			folded[name] = m[k]
		}
	}
	return folded
}
