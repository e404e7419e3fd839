package lane

import (
	"cmp"
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A held is a lease that binds, under its canonical name and kind, with its
// region prepared.
type held struct {
	Lease
	name     string
	kind     string
	reserved bool // it contends by name only
	alone    bool // it tolerates no other
	region   region
	given    int // its place in the evidence
}

// binding returns the leases that bind, in the order of their lanes.
func (r Roster) binding(leases []Lease, g Algebra) []held {
	live := make([]held, 0, len(leases))
	for i, l := range leases {
		if l.State == Free {
			continue
		}
		h := held{Lease: l, name: l.Lane, kind: CanonicalOr(l.Kind), given: i}
		if name, err := Canonical(l.Lane); err == nil {
			h.name, h.reserved = name, Reserved(name)
		}
		h.reserved = h.reserved || l.NameOnly
		h.alone = l.Exclusive || h.mayBeAnything() || r.excludes(h.name, h.kind)
		if !h.reserved {
			h.region = g.region(l.Tree)
		}
		live = append(live, h)
	}
	slices.SortStableFunc(live, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.Holder, b.Holder))
	})
	return live
}

// mayBeAnything reports whether nobody can tell the kind of the lease, so that
// it may be one that runs alone.
func (h *held) mayBeAnything() bool { return h.Unreadable != "" && h.Kind == "" }

// onlyReadable returns the leases that can be read.
func onlyReadable(live []held) []held {
	var known []held
	for _, h := range live {
		if h.Unreadable == "" {
			known = append(known, h)
		}
	}
	return known
}

// phrase says who holds and how, ready to be followed by the lane.
func (h *held) phrase() string {
	who := h.Holder
	if who == "" {
		who = "a holder without a name"
	}
	switch h.State {
	case Waiting:
		return verdict.Show(who) + " waits for"
	case Parked:
		return verdict.Show(who) + " parked"
	}
	return verdict.Show(who) + " holds"
}

// A docket is a set of leases that bind, prepared for being asked about.
type docket struct {
	live      []held
	byName    map[string]*held // the first of each name
	exclusive *held            // the first that runs alone
	first     *held            // the first that is not reserved
	given     *held            // of those, the first in the order of the evidence
	kinds     map[string]int   // how many are live of a kind; reserved ones do not count
	regions   index
}

func newDocket(live []held) *docket {
	d := &docket{live: live, byName: make(map[string]*held, len(live)), kinds: map[string]int{}}
	for i := range live {
		h := &live[i]
		if d.byName[h.name] == nil {
			d.byName[h.name] = h
		}
		if h.reserved {
			continue
		}
		if d.first == nil {
			d.first = h
		}
		if d.given == nil || h.given < d.given.given {
			d.given = h
		}
		if d.exclusive == nil && h.alone {
			d.exclusive = h
		}
		d.kinds[h.kind]++
	}
	d.regions = newIndex(live)
	return d
}
