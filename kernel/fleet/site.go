package fleet

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A site is a lane with what is asked of it over and over.
type site struct {
	Lane
	key  string        // its name, folded
	tree lane.Region   // what a worker on the lane would hold
	held []lane.Region // what whoever is on it holds
}

func newSite(g lane.Algebra, l Lane) site {
	s := site{Lane: l, key: lane.CanonicalOr(l.Name), tree: g.Region(l.Tree)}
	if l.role() != handle {
		s.held = append(s.held, s.tree)
	}
	if len(l.LeaseTree) > 0 {
		s.held = append(s.held, g.Region(l.LeaseTree))
	}
	return s
}

// holds reports whether a worker in the region could meet who is on the site.
func (s site) holds(r lane.Region) bool { return slices.ContainsFunc(s.held, r.Meets) }
