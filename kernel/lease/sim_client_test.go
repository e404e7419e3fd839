package lease

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// rules are the guards of the protocol; the zero rules have all of them.
type rules struct {
	acquire          func(AcquireEvidence) (Verdict, []Write, error)
	heartbeat        func(KeepEvidence) (Verdict, []Write)
	release          func(KeepEvidence) (Verdict, []Write)
	noOrder          bool // admissions do not move the order
	noOrderOfSeveral bool // admissions of several lanes do not
	oneIsEnough      bool // a transaction has won when one of its refs landed
	keepsLanding     bool // an acquirer that fails leaves what landed
	trusts           bool // an acquirer that gave up takes its transaction for dead
	noConfirm        bool // a lease that was won late is reported as it is
	oneLook          bool // a lane is not looked at again once the order was seen overtaken
	blindShip        bool // SHIP entries move whatever is there
	lastWord         bool // an earlier transaction that won answers with the last verdict
	keepsBookings    bool // units and seats are not ended with their leases
	voidsOne         bool // of several lanes that landed, only the first is given back

	await        func(AwaitEvidence) (Verdict, []Write, error)
	noMargin     bool // who watches and who works do so for the ttl
	noDeadline   bool // a holder works on past its deadline
	anySkew      bool // clocks are taken to differ by less than they do
	watchesNames bool // the watch of a lane goes on when its tip moves
	watchesOn    bool // the watch goes on over a reboot
	namesTheDead bool // a lease that is renewed goes on to name a process that has ended
	blindTake    bool // the end of a lapsed lease moves whatever is there
	lateStart    bool // a holder counts from when it was answered
	seesEarly    bool // a tip was first seen when the read began
	goneAnywhere bool // a process that is not on this node is taken to have ended

	ride        func(KeepEvidence) KeepEvidence // what a verb knows of claims inside leases
	unconfirmed bool                            // a claim is reported without one more read
	outlasts    bool                            // a claim is counted on for its own ttl
	riding      bool                            // not a guard: clients claim inside leases, see sim_ride_test.go

	timed   bool   // not a guard: leases lapse, see sim_time_test.go
	patient bool   // not a guard: half of the clients wait to be alone, and the others oversleep
	keen    bool   // not a guard: steps take little time, and clocks run apart as far as they may
	cuts    string // not a guard: transactions with this op are often cut off
	rough   bool   // not a guard: faults are many and runs are named, for narrow windows
}

func (r rules) decideAcquire(ev AcquireEvidence) (Verdict, []Write, error) {
	if r.acquire != nil {
		return r.acquire(ev)
	}
	return Acquire(ev)
}

// without leaves out what an admission writes beside its lanes.
func (r rules) without(v Verdict, out []Write) []Write {
	if r.noOrder || r.noOrderOfSeveral && len(v.Leases) > 1 {
		return slices.DeleteFunc(out, func(w Write) bool { return w.Chain == "" })
	}
	return out
}

// ends leaves out the end of units and seats.
func (r rules) ends(out []Write) []Write {
	if r.keepsBookings {
		return slices.DeleteFunc(out, func(w Write) bool { return w.Op == OpEnded })
	}
	return out
}

func (r rules) decideHeartbeat(ev KeepEvidence) (Verdict, []Write) {
	if r.heartbeat != nil {
		return r.heartbeat(ev)
	}
	return Heartbeat(ev)
}

func (r rules) decideRelease(ev KeepEvidence) (Verdict, []Write) {
	if r.release != nil {
		return r.release(ev)
	}
	return Release(ev)
}

// The lanes of the model: code overlaps part, word and verb, all runs alone.
var simLanes = []string{"all", "code", "docs", "part", "verb", "word"}

var simUnits = []string{"p/1", "p/2"}

const simSeat = "desk"

var simTaxonomy = lane.Taxonomy{
	Concurrent: []string{"code", "docs", "part"}, Exclusive: []string{"all"}, Autopick: []string{"docs", "part", "code"},
	Trees: map[string][]string{"code": {"src/**"}, "docs": {"docs/**"}, "part": {"src/part/**"}, "all": {"**/*"}},
}

// A client is one worker. What it remembers outlives its crashes.
type client struct {
	*world
	who    int
	step   func()
	actor  *actor
	memory map[string]string // lane to nonce

	began time.Time // what its clocks said before the last read
	from  time.Duration
	life  int // how many processes went before
}

func (c *client) boot() {
	if c.memory == nil {
		c.memory = map[string]string{}
	}
	c.actor = c.start(func(step func()) {
		c.step = step
		for {
			step()
			c.act()
		}
	})
	c.actor.client, c.actor.who = true, c.who
}

func (c *client) reboot() {
	c.actor.stop()
	c.actor.done = true
	c.boot()
}

// act does one thing a worker or an operator would do.
func (c *client) act() {
	if c.rules.patient {
		c.actPatiently()
		return
	}
	lanes := c.rules.lanes()
	name := lanes[c.rng.IntN(len(lanes))]
	kept := slices.Sorted(maps.Keys(c.memory))
	if len(kept) > 0 && c.chance(70) {
		name = kept[c.rng.IntN(len(kept))]
	}
	if c.rules.timed && c.passing(name) {
		return
	}
	if c.rules.riding && (c.rng.IntN(100) < 65 || strings.Contains(name, "+")) && c.aride(name) {
		return
	}
	switch n := c.rng.IntN(100); {
	case n < 45:
		c.acquire(c.wish(name))
	case n < 60:
		c.heartbeat(name)
	case n < 75:
		c.release(name)
	case n < 92:
		c.push()
	default:
		c.scavenge(name)
	}
}

func (c *client) runID() string {
	if c.life > 0 {
		return fmt.Sprintf("run-%d.%d", c.who, c.life)
	}
	return fmt.Sprintf("run-%d", c.who)
}

func (c *client) stamp(nonce string) Stamp {
	now := c.now
	if c.rules.timed && !c.began.IsZero() {
		now = c.began
	}
	return Stamp{Now: now, Nonce: nonce, Holder: Holder{Node: fmt.Sprint("n", c.who), Owner: "worker"}}
}

// identity is what the client offers: its memory, or its run id stated.
func (c *client) identity(name string, stated bool) Identity {
	if stated {
		return Identity{RunID: c.runID()}
	}
	return Identity{Nonce: c.memory[name]}
}

// A view is what a read saw: the tips, and which of them could not be read.
type view struct {
	tips   map[string]*node
	unread map[string]bool
}

func (v view) equal(u view) bool { return maps.Equal(v.tips, u.tips) && maps.Equal(v.unread, u.unread) }

// read looks at every ref, one after the other.
func (c *client) read() view {
	refs := append(c.chains(), orderName, trunkName)
	for _, name := range c.rules.lanes() {
		if c.refs[name] == nil && name != "word" && name != "verb" {
			refs = append(refs, name)
		}
	}
	c.rng.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
	seen := view{map[string]*node{}, map[string]bool{}}
	for _, ref := range refs {
		c.step()
		if n := c.refs[ref]; n != nil {
			seen.tips[ref] = n
		}
		if c.unread[ref] {
			seen.unread[ref] = true
		}
	}
	return seen
}

var errUnread = errors.New("for now")

func tableOf(seen view) Table {
	t := Table{Chains: map[string]Record{}, Unread: map[string]error{}}
	for ref, n := range seen.tips {
		switch {
		case ref == trunkName:
		case ref == orderName:
			o, err := ParseOrder(n.gen, n.data)
			if err != nil {
				panic(err)
			}
			t.Order = o
		case seen.unread[ref]:
			t.Unread[ref] = errUnread
		default:
			t.Chains[ref] = mustRecord(ref, n)
		}
	}
	return t
}

var errHung = errors.New("interrupted")
var errContended = errors.New("contended")

// update is the retry loop: read, decide, swap, and decide again. It returns
// which of the transactions won, counted from 0, and -1 when the last decision
// was to write nothing.
func (c *client) update(decide func(view) ([]Write, bool, error)) (int, error) {
	var sent [][]move
	for range 6 {
		if c.cutOff() {
			return -1, errCut
		}
		c.began, c.from = c.wall(), c.mono()
		c.rides.began(c.who)
		seen := c.read()
		for i, moves := range sent {
			if c.judge(moves, seen) && c.rules.lastWord {
				return len(sent) - 1, nil
			} else if c.judge(moves, seen) {
				return i, nil
			}
		}
		writes, trunk, err := decide(seen)
		if err != nil || len(writes) == 0 {
			return -1, err
		}
		moves := stacked(writes, seen)
		if trunk {
			moves = append(moves, move{trunkName, seen.tips[trunkName], &node{seen.tips[trunkName], "", 0, nil}})
		}
		if c.rules.blindShip {
			for i := range moves {
				moves[i].new.parent = moves[i].expect
			}
		}
		won, err := c.transact(moves)
		if won || err != nil {
			return len(sent), err
		}
		sent = append(sent, moves)
	}
	return -1, errContended
}

// stacked turns writes into moves; entries for one ref stand on each other.
func stacked(writes []Write, seen view) []move {
	var moves []move
	for _, w := range writes {
		ref := w.Chain
		if ref == "" {
			ref = orderName
		}
		at := slices.IndexFunc(moves, func(m move) bool { return m.ref == ref })
		if at < 0 {
			at = len(moves)
			moves = append(moves, move{ref, seen.tips[ref], seen.tips[ref]})
		}
		moves[at].new = &node{moves[at].new, w.Op, w.Gen, w.Payload}
	}
	return moves
}

// transact sends moves and waits for the answer, unless it is interrupted.
// Without a good answer the refs decide.
func (c *client) transact(moves []move) (bool, error) {
	t := c.send(c.who, moves)
	for !t.ended {
		c.step()
		if c.chance(3) {
			return false, errHung
		}
		if c.chance(c.often(3, 25)) {
			break // no answer in time
		}
	}
	if t.ended && t.won && !c.chance(10) {
		return true, nil
	}
	return c.judge(moves, c.read()), nil
}

func (c *client) judge(moves []move, seen view) bool {
	landed := 0
	for _, m := range moves {
		if seen.tips[m.ref].descends(m.new) {
			landed++
		}
	}
	return landed == len(moves) || c.rules.oneIsEnough && landed > 0
}

// keep runs a verb on one existing lease.
func (c *client) keep(name string, id Identity, decide func(KeepEvidence) (Verdict, []Write)) Verdict {
	return c.keepAs(name, id, "op", decide)
}

func (c *client) keepAs(name string, id Identity, operator string, decide func(KeepEvidence) (Verdict, []Write)) Verdict {
	var v Verdict
	var tries []Verdict
	won, err := c.update(func(seen view) (out []Write, trunk bool, err error) {
		t := tableOf(seen)
		c.watch(&t, seen)
		ev := KeepEvidence{Lane: name, Identity: id, Order: t.Order, Operator: operator, Stamp: c.stamp(""), Lapsing: c.lapsing()}
		if ev.Chain, ev.Current, err = t.Stand(name); err != nil {
			return nil, false, err
		}
		if ev.Lapse = t.Lapse(ev.Chain, ev.Lapsing); ev.Current != nil && c.rules.timed {
			ev.Gone = c.gone(*ev.Current) && !c.rules.namesTheDead
		}
		if ev.Current != nil {
			ev = c.rules.ridesOf(t, ev)
		}
		if v, out = decide(ev); len(out) > 0 {
			tries = append(tries, v)
		}
		return c.rules.ends(out), false, nil
	})
	switch {
	case err != nil:
		return Verdict{}
	case won >= 0:
		return tries[won]
	}
	return v
}

func (c *client) heartbeat(name string) {
	v := c.keep(name, c.identity(name, c.chance(c.often(40, 100))), c.rules.decideHeartbeat)
	if v.Outcome == Renewed && v.Lease.State == lane.Held {
		c.told(c.who, *v.Lease)
	}
}

func (c *client) release(name string) {
	v := c.keep(name, c.identity(name, c.chance(20)), c.rules.decideRelease)
	if v.ExitCode() == 0 {
		delete(c.memory, name)
	}
}

func (c *client) scavenge(name string) { c.keep(name, Identity{}, Scavenge) }

// push rides on everything the client remembers.
func (c *client) push() {
	var v PushVerdict
	_, err := c.update(func(seen view) (out []Write, trunk bool, err error) {
		t := tableOf(seen)
		ev := PushEvidence{Ship: Ship{Ref: trunkName, New: "c"}, Order: t.Order, Algebra: lane.Glob, Stamp: c.stamp("")}
		for _, name := range slices.Sorted(maps.Keys(c.memory)) {
			if strings.Contains(name, "+") {
				continue // pushes go under the lease that is ridden
			}
			h := Hold{Lane: name, Identity: Identity{Nonce: c.memory[name]}}
			if _, h.Current, err = t.Stand(name); err != nil {
				return nil, false, err
			}
			h.Gone = c.rules.timed && h.Current != nil && c.gone(*h.Current) && !c.rules.namesTheDead
			ev.Holds = append(ev.Holds, h)
		}
		v, out = DecidePush(ev)
		return out, true, nil
	})
	if err == nil && v.Outcome == Landed {
		c.tally.pushes++
	}
}
