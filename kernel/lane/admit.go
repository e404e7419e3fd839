package lane

import (
	"cmp"
	"fmt"
	"slices"
)

// A State is where a lease stands on its lane.
type State string

// The states of a lane. Everything but Free blocks: a waiting lease holds the
// place of an exclusive one, a parked lane is kept from everyone, and a state
// not in this list is taken to hold.
const (
	Free    State = "free"
	Held    State = "held"
	Waiting State = "waiting"
	Parked  State = "parked"
)

// A Lease is a claim someone has on a lane, as recorded. It is evidence from
// the store: any field may hold anything.
type Lease struct {
	Lane      string
	Kind      string
	Tree      []string
	Exclusive bool
	Holder    string
	State     State
}

// Evidence is everything Decide may know. Live holds the leases that bind
// others now; a lapsed one must not be in it.
type Evidence struct {
	Request    Request
	Lanes      Taxonomy
	Live       []Lease
	Algebra    Algebra
	RatioMax   float64  // soft overlap, up to one third; zero tolerates none
	SelfModify []string // entries that decide admission itself
}

// Decide judges whether the request may become a lease. Rungs, first that
// applies:
//
//  1. the request or the taxonomy is malformed: no verdict
//  2. the lane or its tree is unknown, or the tree lies outside the lane
//  3. the lane is held, whoever asks and whatever the trees
//  4. (a reserved lane contends by name only and is admitted here)
//  5. an exclusive lease is live
//  6. the request is exclusive and anything is live
//  7. the trees overlap
//  8. the tree holds what decides admission
//
// Within a rung the lease first in lane-name order is the one reported.
func Decide(ev Evidence) Verdict {
	r, err := ev.Lanes.roster()
	if err != nil {
		return malformed(err)
	}
	c, no, ok := r.resolve(ev.Request)
	if !ok {
		return no
	}
	live := r.binding(ev.Live)
	if h, found := first(live, func(h held) bool { return h.name == c.Lane }); found {
		return conflict(SameLaneHeld, h, h.phrase()+" lane "+show(c.Lane))
	}
	if Reserved(c.Lane) {
		return acquire(c, ReservedAdmitted)
	}
	live = slices.DeleteFunc(live, func(h held) bool { return h.reserved })
	if h, found := first(live, func(h held) bool { return h.Exclusive }); found {
		return conflict(ExclusiveLive, h, h.phrase()+" lane "+show(h.name)+", which runs alone")
	}
	if c.Exclusive && len(live) > 0 {
		h := live[0]
		return conflict(ExclusiveNotAlone, h, "lane "+show(c.Lane)+" runs alone, and "+h.phrase()+" lane "+show(h.name))
	}
	return ev.judgeTree(c, live)
}

// judgeTree is the part of Decide that compares regions.
func (ev Evidence) judgeTree(c Claim, live []held) Verdict {
	region := ev.Algebra.region(c.Tree)
	for _, h := range live {
		p, q, blocked := blocks(region, ev.Algebra.region(h.Tree), ev.RatioMax)
		switch {
		case !blocked:
		case p == "":
			return conflict(Collision, h, h.phrase()+" lane "+show(h.name)+", whose tree is unknown")
		default:
			return conflict(Collision, h, fmt.Sprintf("%s overlaps %s, which %s on lane %s",
				show(p), show(q), h.phrase(), show(h.name)))
		}
	}
	if hits := ev.Algebra.SelfModifyHits(c.Tree, ev.SelfModify); len(hits) > 0 {
		return refuse(SelfModify, "tree "+showAll(c.Tree)+" holds what decides admission: "+showAll(hits))
	}
	switch {
	case c.Exclusive:
		return acquire(c, ExclusiveAdmitted)
	case c.Kind == Keyword:
		return acquire(c, KeywordAdmitted)
	}
	return acquire(c, ClusterAdmitted)
}

// A held is a lease that binds, under its canonical name.
type held struct {
	Lease
	name     string
	reserved bool
}

// binding returns the leases that bind, in the order of their lanes.
func (r roster) binding(leases []Lease) []held {
	var live []held
	for _, l := range leases {
		if l.State == Free {
			continue
		}
		h := held{Lease: l, name: l.Lane}
		kind := l.Kind
		if name, err := Canonical(l.Lane); err == nil {
			h.name, h.reserved = name, Reserved(name)
		}
		if k, err := Canonical(kind); err == nil {
			kind = k
		}
		h.Exclusive = l.Exclusive || r.excludes(h.name, kind)
		live = append(live, h)
	}
	slices.SortStableFunc(live, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.Holder, b.Holder))
	})
	return live
}

func first(live []held, match func(held) bool) (held, bool) {
	if i := slices.IndexFunc(live, match); i >= 0 {
		return live[i], true
	}
	return held{}, false
}

// phrase says who holds and how, ready to be followed by the lane.
func (h held) phrase() string {
	who := h.Holder
	if who == "" {
		who = "a holder without a name"
	}
	switch h.State {
	case Waiting:
		return show(who) + " waits for"
	case Parked:
		return show(who) + " parked"
	}
	return show(who) + " holds"
}
