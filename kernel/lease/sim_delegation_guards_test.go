package lease

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// lacks are the guards of the protocol that a history goes without, and how it is
// directed.
type lacks struct {
	grant, lapsedFreed, noneLive, returnsFirst, nonce, start, boot, deadline, void bool
	taking, append, announce, unresolved, keepsPushing, again, order, siblings     bool
	returning, renewed, parked, late, alone, noOrder, handedOn                     bool

	lazy  bool   // not a guard: renewals and returns are many
	pair  bool   // not a guard: most is about two lanes that overlap, and they are parked
	few   bool   // not a guard: most is about one lane
	tight bool   // not a guard: the workers of one node follow each other fast, and pushes are many
	calm  bool   // not a guard: no operator comes in between
	cuts  string // not a guard: transactions with this op are often cut off
}

// realmTurns is how long a history of delegations is.
const realmTurns = 1500

// schedule is how the history of a seed is directed.
func schedule(seed uint64) lacks {
	l := lacks{tight: seed%4 == 3, few: seed%8 == 5}
	if seed%2 == 1 {
		l.cuts = []string{OpGrant, OpReturning, OpLive, OpGone, OpDelegate, OpTaking, OpPark}[seed/8%7]
	}
	return l
}

func TestInvariantsHoldUnderDelegations(t *testing.T) {
	seeds, from := uint64(histories/2), uint64(0)
	if os.Getenv("GITDOS_LONG") != "" {
		seeds = 100000
	}
	if seed, err := strconv.ParseUint(os.Getenv("GITDOS_SEED"), 10, 64); err == nil {
		seeds, from = 1, seed
	}
	began := time.Now()
	var all count
	for seed := from; seed < from+seeds; seed++ {
		z := playRealm(seed, schedule(seed), realmTurns)
		if z.broken != nil {
			t.Fatalf("seed %d:\n%s", seed, z.ending())
		}
		all.add(z.count)
	}
	t.Logf("%d histories, %.0f a second: %+v", seeds, float64(seeds)/time.Since(began).Seconds(), all)
	if seeds > 100 && all.least() < int(seeds) {
		t.Errorf("%+v in %d histories: too little to prove anything", all, seeds)
	}
}

// least is the number of what a history has too little of, by what is to be expected.
func (c count) least() int {
	return min(c.delegated/2, c.granted/2, c.returned/2, c.direct/2, c.renewed*3, c.taken*8, c.fenced*8, c.pushed*6, c.waited*8, c.parked*40, c.unparked*60, c.ready*100)
}

// A history is a function of its seed.
func TestDelegationsRepeat(t *testing.T) {
	story := func(seed uint64) string {
		z := playRealm(seed, schedule(seed), realmTurns)
		return fmt.Sprint(z.count, z.nonces, z.serial, z.broken, len(z.story), z.now)
	}
	for seed := range uint64(8) {
		if a, b := story(seed), story(seed); a != b {
			t.Fatalf("seed %d: %s, then %s", seed, a, b)
		}
	}
}

// Each of these is the protocol without one guard. The simulation must find a
// history in which its absence breaks an invariant.
var delegationMutants = []struct {
	guard string
	lacks lacks
	want  string // what breaks
	from  uint64 // where to begin, for histories that are rare
}{
	{"a grant moves the delegation", lacks{grant: true, tight: true, cuts: OpReturning}, "", 215},
	{"a return moves the order", lacks{noOrder: true, tight: true, cuts: OpGrant}, "", 997},
	{"what has lapsed ends in the transaction of the return", lacks{lapsedFreed: true, tight: true, lazy: true}, "", 5},
	{"a lane goes back when nobody works on it", lacks{noneLive: true, few: true, calm: true}, "", 0},
	{"the node lets go of a lane before the remote does", lacks{returnsFirst: true, few: true, calm: true}, "", 165},
	{"nothing is granted while a lane goes back", lacks{returning: true, few: true, calm: true}, "", 53},
	{"a delegation is the node's by its nonce", lacks{nonce: true, few: true, calm: true}, "", 0},
	{"and so it knows its other ones", lacks{siblings: true, calm: true}, "", 0},
	{"it runs from the start of its renewal", lacks{start: true, few: true, calm: true}, "", 59},
	{"it is of no use after a reboot until it is renewed", lacks{boot: true, few: true, calm: true}, "", 11},
	{"it is of no use past its ttl less the margin", lacks{deadline: true, few: true, calm: true}, "", 0},
	{"a lease is renewed while its delegation lives", lacks{renewed: true, few: true, calm: true}, "", 0},
	{"what is parked outlives the delegation", lacks{parked: true, few: true, calm: true}, "parked", 27},
	{"what is parked is kept beside nothing of its node's that overlaps", lacks{alone: true, pair: true, calm: true}, "I1", 1315},
	{"what a worker has parked is not its node's any more", lacks{handedOn: true, pair: true, calm: true, cuts: OpGone}, "", 825},
	{"a late renewal is looked at once more", lacks{late: true, few: true, calm: true, cuts: OpGranted}, "", 150},
	{"a lease is marked before it is taken", lacks{taking: true, tight: true}, "I4", 985},
	{"the remote moves before a grant", lacks{append: true, tight: true}, "I4", 0},
	{"a push is announced", lacks{announce: true, tight: true}, "I4", 0},
	{"a grant over a push that is not resolved is fenced", lacks{unresolved: true, tight: true}, "I4", 0},
	{"a renewal keeps the pushes that are on their way", lacks{keepsPushing: true, tight: true}, "I4", 1100},
	{"a push looks at its lease again whenever it has read the remote", lacks{again: true, tight: true}, "I4", 640},
	{"a push reads the remote before it looks at its lease", lacks{order: true, tight: true}, "I4", 125},
}

func TestEveryGuardOfDelegationsIsNeeded(t *testing.T) {
	const most = 1500
	for _, m := range delegationMutants {
		t.Run(m.guard, func(t *testing.T) {
			for seed := m.from; seed < m.from+most; seed++ {
				z := playRealm(seed, m.lacks, realmTurns)
				if z.broken == nil {
					continue
				}
				if !strings.Contains(z.broken.Error(), m.want) {
					t.Fatalf("seed %d broke %v, want %s", seed, z.broken, m.want)
				}
				t.Logf("seed %d: %v", seed, z.broken)
				return
			}
			t.Error("nothing breaks without this guard in 1500 histories")
		})
	}
}
