package fleet

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A site is a lane with what is asked of it over and over.
type site struct {
	Lane
	key  string // its name, folded
	tree area   // what a worker on the lane would hold
	held []area // what whoever is on it holds
}

func newSite(g lane.Algebra, l Lane) site {
	s := site{Lane: l, key: folded(l.Name), tree: area{g.Region(l.Tree)}}
	if l.role() != handle {
		s.held = append(s.held, s.tree)
	}
	if len(l.LeaseTree) > 0 {
		s.held = append(s.held, area{g.Region(l.LeaseTree)})
	}
	return s
}

// holds reports whether a worker in the area could meet who is on the site.
func (s site) holds(a area) bool { return slices.ContainsFunc(s.held, a.meets) }

// An area is a tree to be compared with many.
type area struct{ lane.Region }

func (a area) meets(b area) bool { return !a.Disjoint(b.Region) }
