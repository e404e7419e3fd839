package lane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// pairs compares the concurrent lanes that have trees, in the order of their
// names.
func (l *linter) pairs() {
	var regions []laneRegion
	names := slices.Clone(l.ev.Lanes.Concurrent)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if tree := l.tree(name); len(tree) > 0 {
			regions = append(regions, newLaneRegion(l.ev.Algebra, name, tree))
		}
	}
	before, spent := len(l.found), 0
	for i, a := range regions {
		for _, b := range regions[i+1:] {
			if len(l.found)-before >= maxPairFindings {
				l.add(LintCutShort, SeverityWarn, "lanes.concurrent", fmt.Sprintf("there are more than %d findings about pairs of lanes, and the rest is not listed", maxPairFindings),
					"correct some of these first")
				return
			}
			if spent += a.effort.beside(b.effort); spent > maxEffort {
				l.add(LintCutShort, SeverityWarn, "lanes.concurrent", "the trees would take too long to compare, and not every pair of lanes was looked at",
					"use fewer wildcards in [lanes.trees]")
				return
			}
			l.pair(a, b)
		}
	}
}

// maxPairFindings bounds what is said of pairs, of which there may be very
// many.
const maxPairFindings = 1000

// A laneRegion is a concurrent lane with its tree, prepared for comparing.
type laneRegion struct {
	name string
	tree []string
	region
	effort effort
	scope  Scope    // glob
	clean  []string // glob
}

func newLaneRegion(g Algebra, name string, tree []string) laneRegion {
	r := laneRegion{name: name, tree: tree, region: g.region(tree), scope: NewScope(tree)}
	r.effort = r.region.effort()
	r.clean, _ = CleanTree(tree)
	return r
}

func (l *linter) pair(a, b laneRegion) {
	p, q, overlap := overlapping(a.region, b.region)
	if !overlap {
		return
	}
	ab, ba := l.inside(a, b), l.inside(b, a)
	switch {
	case ab && !ba:
		l.shadowed(a, b)
	case ba && !ab:
		l.shadowed(b, a)
	default:
		l.add(ConcurrentLanesOverlap, SeverityWarn, a.name+"+"+b.name,
			"lanes "+verdict.Show(a.name)+" and "+verdict.Show(b.name)+" are declared concurrent and compete for files: "+verdict.Show(p)+" overlaps "+verdict.Show(q),
			"give each file to one of them")
	}
	if l.ev.RatioStated {
		return
	}
	if score(a.region, b.region, SoftFloor).Admissible || score(b.region, a.region, SoftFloor).Admissible {
		l.add(SoftOverlapDefault, SeverityInfo, a.name+"+"+b.name,
			"overlap.ratio_max is not stated, which is 0: lanes "+verdict.Show(a.name)+" and "+verdict.Show(b.name)+" do not share. The older kernel took 1/3, and let them in some order",
			"leave it so, or state overlap.ratio_max")
	}
}

func (l *linter) shadowed(inner, outer laneRegion) {
	l.add(LaneRegionShadowed, SeverityWarn, inner.name,
		"all of lane "+verdict.Show(inner.name)+" lies in lane "+verdict.Show(outer.name)+", so the two compete for its files",
		"take those files out of the tree of "+verdict.Show(outer.name)+", or one of the lanes out of lanes.concurrent")
}

// inside reports whether all of one lane surely lies in another. In the prefix
// algebra that is a matter of text.
func (l *linter) inside(inner, outer laneRegion) bool {
	if l.ev.Algebra != Prefix {
		return outer.scope.holdsAll(inner.clean)
	}
	for _, p := range inner.region {
		if !slices.ContainsFunc(outer.region, func(q pattern) bool { return strings.HasPrefix(p.prefix, q.prefix) }) {
			return false
		}
	}
	return true
}
