package lane

import (
	"errors"
	"fmt"
)

// MaxPriceWorkers bounds how many workers are priced together, and
// maxPriceEntries how many tree entries they have between them.
const (
	MaxPriceWorkers = 10000
	maxPriceEntries = 20000
)

// A PriceWorker is one entry of a partition: a worker somebody thinks of
// starting, as it came.
type PriceWorker struct {
	Name    string   // empty: agent-<place>; one that is taken gets a number
	Lane    string   // empty: none yet
	LeaseID string   // empty: the lane, or without one the worker's name
	Tree    []string // empty: the declared tree of the lane
	Mode    string   // [Shared]; anything else is exclusive
}

// PriceEvidence is everything Price may know. It holds no leases: a price
// compares the workers with each other and with nothing that is live.
type PriceEvidence struct {
	Workers    []PriceWorker
	Lanes      Taxonomy
	Algebra    Algebra
	SelfModify []string       // entries that decide admission itself
	Budgets    map[string]int // class budgets by kind; 0 admits none, a kind not listed is unlimited
	Within     *Ridden        // set: the workers share this lane, and only trees are compared
	Most       int            // so many at once and no more; 0 is no bound
}

// Price judges which workers may be started at the same time. The actions,
// first that applies:
//
//  1. the partition, the taxonomy or the ridden lane is malformed: no verdict
//  2. HOLD_EMPTY: there is no worker
//  3. SERIALIZE_UNKNOWN_SCOPE: the tree of some worker is unknown
//  4. LAUNCH_ALL: every worker is in the safe set
//  5. LAUNCH_SAFE_SET: two or more are
//  6. REPARTITION_AND_REPRICE: none or one is
//
// Two workers collide unless both are shared: when they have one lease id or
// one lane, when a file could lie in the trees of both, when either tree is
// unknown, or when the lane of either runs alone. Inside a ridden lane only
// trees count. Whom acquire would refuse whatever else lives is blocked: in no
// wave, and in no collision. A shared worker only reads: it takes no lease, so
// nothing blocks it and no budget counts it. A worker whose tree is unknown is
// never blocked by that, and never in the safe set.
//
// The safe set is the largest set without a collision, within the class
// budgets and of at most Most workers, as is every wave: exact for up to [exactPrice] candidates, of several largest the one
// that keeps the earliest workers; above that whoever fits, in order.
func Price(ev PriceEvidence) PriceVerdict {
	if len(ev.Workers) > MaxPriceWorkers {
		return unpriced(fmt.Errorf("the partition has %d workers, more than %d: price it in parts", len(ev.Workers), MaxPriceWorkers))
	}
	if ev.Most < 0 {
		return unpriced(fmt.Errorf("%d workers at once is not a number of workers", ev.Most))
	}
	p, err := ev.read()
	if err != nil {
		return unpriced(err)
	}
	if err := p.findCollisions(); err != nil {
		return unpriced(err)
	}
	p.safe = p.safeSet()
	p.layWaves()
	return p.verdict()
}

// A pricing is a partition under way to its verdict. Workers are told by
// their place.
type pricing struct {
	workers    []priced
	budgets    budgets
	most       int // 0 is no bound
	ridden     bool
	lane       string     // the ridden lane
	collisions [][]uint64 // one row of bits a worker
	safe       []int      // in input order
	waves      [][]int
}

// A priced is a worker read against the taxonomy.
type priced struct {
	PricedWorker
	kind    string // of the lease it would take; "" for one that takes none
	region  region
	alone   bool   // its lane runs alone
	nowhere bool   // a reserved lane: it contends by name only
	why     string // what its unknown tree comes from, ready to be followed
	blocked *PriceBlocked
}

func (w *priced) unknown() bool { return w.Source == SourceUnknown }

// candidate reports whether the worker could be in the safe set.
func (w *priced) candidate() bool { return w.blocked == nil && !w.unknown() }

func unpriced(err error) PriceVerdict {
	if err == nil {
		err = errors.New("nothing was priced")
	}
	return PriceVerdict{Reason: err.Error()}
}
