package lane

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
	Nonce     string // names the lease; no decision looks at it

	// Unreadable says why the record behind it cannot be read, "" when it can.
	// Kind and Tree are then what it holds at most: no tree is everything, and
	// no kind is any kind, an exclusive one too.
	Unreadable string

	// NameOnly says that it is in the way of its name and of nothing else.
	NameOnly bool
}

// Evidence is everything a decision may know. Live holds the leases that bind
// others now; a lapsed one must not be in it.
type Evidence struct {
	Request    Request
	Lanes      Taxonomy
	Live       []Lease
	Algebra    Algebra
	RatioMax   float64  // soft overlap, up to one third; zero tolerates none
	SelfModify []string // entries that decide admission itself

	// Budgets bound the live leases of a kind: with 0 none may be live. A kind
	// that is not listed is unbounded.
	Budgets map[string]int

	Force bool // Arbitrate only: the advisory override
}

// Decide judges whether the request may become a lease of the very lane it
// names. Rungs, first that applies:
//
//  1. the request or the taxonomy is malformed: no verdict
//  2. an exclusive lease is live
//  3. the lane is held, whoever asks and whatever the trees
//  4. the lane or its tree is unknown, or the tree lies outside the lane
//  5. (a reserved lane contends by name only: it skips 2 and is admitted here)
//  6. the request is exclusive and anything is live
//  7. the trees overlap
//  8. as many leases of the kind are live as its budget allows
//  9. the tree holds what decides admission
//
// Within a rung the lease first in lane-name order is the one reported. Where
// both 7 and 9 apply, 7 is the answer if the lease given first overlaps, and 9
// if it is only later ones.
//
// A lease that cannot be read is left out at first. If the request is refused
// without it, that stands; if only that lease could refuse it, there is no
// verdict: its class is [Unreadable].
func Decide(ev Evidence) Verdict {
	ev.Force = false
	h, err := hear(ev)
	if err != nil {
		return malformed(err)
	}
	p, err := h.plead(ev.Request)
	if err != nil {
		return malformed(err)
	}
	return h.withFree(h.judge(p))
}

// Conflicts lists, in lane-name order, every live lease that stands against
// the request by its name, by exclusivity or by its tree, unreadable ones too.
// Class budgets and what decides admission are not looked at. When ok is
// false, no is the answer, as of [Resolve].
func Conflicts(ev Evidence) (c Claim, against []Lease, no Verdict, ok bool) {
	h, err := hear(ev)
	if err != nil {
		return c, nil, malformed(err), false
	}
	p, err := h.plead(ev.Request)
	if err != nil {
		return c, nil, malformed(err), false
	}
	if p.no.Outcome != "" {
		return p.Claim, nil, h.withFree(p.no), false
	}
	region := h.Algebra.region(p.Tree)
	for _, l := range h.all.live {
		if h.opposes(p, region, l) {
			against = append(against, l.Lease)
		}
	}
	return p.Claim, against, no, true
}
