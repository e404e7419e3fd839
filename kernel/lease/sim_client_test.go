package lease

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// rules are the guards of the protocol; the zero rules have all of them.
type rules struct {
	acquire      func(AcquireEvidence) (Verdict, []Write, error)
	heartbeat    func(KeepEvidence) (Verdict, []Write)
	release      func(KeepEvidence) (Verdict, []Write)
	noOrder      bool // admissions do not move the order
	oneIsEnough  bool // a transaction has won when one of its refs landed
	keepsLanding bool // an acquirer that fails leaves what landed
	trusts       bool // an acquirer that gave up takes its transaction for dead
	noConfirm    bool // a lease that was won late is reported as it is
	oneLook      bool // a lane is not looked at again once the order was seen overtaken
	blindShip    bool // SHIP entries move whatever is there
	lastWord     bool // an earlier transaction that won answers with the last verdict

	rough bool // not a guard: faults are many and runs are named, for narrow windows
}

func (r rules) decideAcquire(ev AcquireEvidence) (Verdict, []Write, error) {
	if r.acquire != nil {
		return r.acquire(ev)
	}
	return Acquire(ev)
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

// The lanes of the model: code overlaps part and word, all runs alone.
var simLanes = []string{"all", "code", "docs", "part", "word"}

var simTaxonomy = lane.Taxonomy{
	Concurrent: []string{"code", "docs", "part"}, Exclusive: []string{"all"},
	Trees: map[string][]string{"code": {"src/**"}, "docs": {"docs/**"}, "part": {"src/part/**"}, "all": {"**/*"}},
}

// A client is one worker. What it remembers outlives its crashes.
type client struct {
	*world
	who    int
	step   func()
	actor  *actor
	memory map[string]string // lane to nonce
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
}

func (c *client) reboot() {
	c.actor.stop()
	c.actor.done = true
	c.boot()
}

// act does one thing a worker or an operator would do.
func (c *client) act() {
	name := simLanes[c.rng.IntN(len(simLanes))]
	kept := slices.Sorted(maps.Keys(c.memory))
	if len(kept) > 0 && c.chance(70) {
		name = kept[c.rng.IntN(len(kept))]
	}
	switch n := c.rng.IntN(100); {
	case n < 45:
		c.acquire(name, c.chance(50))
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

func (c *client) runID() string { return fmt.Sprintf("run-%d", c.who) }

func (c *client) stamp(nonce string) Stamp {
	return Stamp{Now: c.now, Nonce: nonce, Holder: Holder{Node: fmt.Sprint("n", c.who), Owner: "worker"}}
}

// identity is what the client offers: its memory, or its run id stated.
func (c *client) identity(name string, stated bool) Identity {
	if stated {
		return Identity{RunID: c.runID()}
	}
	return Identity{Nonce: c.memory[name]}
}

// read looks at every ref, one after the other.
func (c *client) read() map[string]*node {
	refs := append(slices.Clone(simLanes), orderName, trunkName)
	c.rng.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
	seen := map[string]*node{}
	for _, ref := range refs {
		c.step()
		if n := c.refs[ref]; n != nil {
			seen[ref] = n
		}
	}
	return seen
}

func tableOf(seen map[string]*node) Table {
	t := Table{Lanes: map[string]Record{}}
	for ref, n := range seen {
		switch ref {
		case trunkName:
		case orderName:
			o, err := ParseOrder(n.gen, n.data)
			if err != nil {
				panic(err)
			}
			t.Order = o
		default:
			t.Lanes[ref] = mustRecord(ref, n)
		}
	}
	return t
}

var errHung = errors.New("interrupted")
var errContended = errors.New("contended")

// update is the retry loop: read, decide, swap, and decide again. It returns
// which of the transactions won, counted from 0, and -1 when the last decision
// was to write nothing.
func (c *client) update(decide func(map[string]*node) ([]Write, bool, error)) (int, error) {
	var sent [][]move
	for range 6 {
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
		var moves []move
		for _, w := range writes {
			ref := w.Lane
			if ref == "" {
				ref = orderName
			}
			moves = append(moves, move{ref, seen[ref], &node{seen[ref], w.Op, w.Gen, w.Payload}})
		}
		if trunk {
			moves = append(moves, move{trunkName, seen[trunkName], &node{seen[trunkName], "", 0, nil}})
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

func (c *client) judge(moves []move, seen map[string]*node) bool {
	landed := 0
	for _, m := range moves {
		if seen[m.ref].descends(m.new) {
			landed++
		}
	}
	return landed == len(moves) || c.rules.oneIsEnough && landed > 0
}

// acquire carries an admission out and reports whether it exits 0.
func (c *client) acquire(name string, stated bool) bool {
	stamp := c.stamp(c.nonce())
	var v Verdict
	var sent *Sent
	var torn map[string]*node
	var since time.Time
	ev := AcquireEvidence{
		Request: lane.Request{Lane: name}, RunID: c.runID(), TTL: 15 * time.Minute, Scope: Fleet, Stamp: stamp,
		Lanes: simTaxonomy, Algebra: lane.Glob,
	}
	if stated {
		ev.Identity = Identity{RunID: c.runID()}
	}
	if name == "word" {
		ev.Request.Tree = []string{"src/*.go"}
		if c.chance(50) {
			ev.Request.Tree = []string{"etc/**"}
		}
	}
	var err error
	for range 40 {
		var tries []Verdict
		var won int
		won, err = c.update(func(seen map[string]*node) (out []Write, trunk bool, err error) {
			ev.Table = tableOf(seen)
			v, out, err = c.rules.decideAcquire(ev)
			if errors.As(err, new(*TornError)) {
				if !maps.Equal(torn, seen) {
					torn, since = seen, c.now
				}
				if c.now.Sub(since) >= TornFor {
					if lost := ev.Table.Lost(); len(lost) > 0 {
						c.fail("I6: lanes %v look lost, and only admissions were cut off", lost)
					}
					v = Verdict{}
					tries = append(tries, v) // then the loop goes on
					return Repair(ev.Table, ev.Table.Torn(), stamp), false, nil
				}
				return nil, false, err
			}
			if err == nil && len(out) > 0 {
				tries = append(tries, v)
			}
			if err == nil && v.Outcome == Acquired && !v.Reacquired {
				sent = ev.Table.Send(*v.Lease)
			}
			if c.rules.noOrder {
				out = slices.DeleteFunc(out, func(w Write) bool { return w.Lane == "" })
			}
			return out, false, err
		})
		if err == nil && won >= 0 && len(tries) > 0 {
			v = tries[won]
			if won < len(tries)-1 && v.Outcome == Acquired && !c.rules.noConfirm {
				v, err = c.confirm(v)
			}
		}
		if err == nil && v.Outcome != "" || err != nil && !errors.As(err, new(*TornError)) {
			break
		}
		c.step()
	}
	if err == nil && v.Outcome == Acquired {
		c.memory[name] = v.Lease.Nonce
		c.grants++
		c.told(c.who, *v.Lease)
		return true
	}
	if sent != nil && !c.rules.keepsLanding {
		past := false
		for again := true; again; {
			_, gone := c.update(func(seen map[string]*node) ([]Write, bool, error) {
				t := tableOf(seen)
				again = !past && t.Overtaken(*sent) && !c.rules.oneLook
				past = past || again
				return GiveBack(t, *sent, !c.rules.trusts, stamp), false, nil
			})
			if gone != nil {
				return false // it says what may be held
			}
		}
	}
	if sent != nil {
		c.abandon(sent.Lease)
	}
	return false
}

// confirm moves the lane of a lease that was won late, so that a VOID that was
// decided meanwhile and is still under way is refused when it arrives.
func (c *client) confirm(v Verdict) (Verdict, error) {
	beat := c.keep(v.Lane, Identity{Nonce: v.Lease.Nonce}, Heartbeat)
	if beat.Outcome != Renewed {
		return v, errContended
	}
	v.Lease = beat.Lease
	return v, nil
}

// keep runs a verb on one existing lease.
func (c *client) keep(name string, id Identity, decide func(KeepEvidence) (Verdict, []Write)) Verdict {
	var v Verdict
	var tries []Verdict
	won, err := c.update(func(seen map[string]*node) (out []Write, trunk bool, err error) {
		t := tableOf(seen)
		ev := KeepEvidence{Lane: name, Identity: id, Order: t.Order, Operator: "op", Stamp: c.stamp("")}
		if r, ok := t.Lanes[name]; ok {
			ev.Current = &r
		}
		if v, out = decide(ev); len(out) > 0 {
			tries = append(tries, v)
		}
		return out, false, nil
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
	if v.Outcome == Renewed {
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
	_, err := c.update(func(seen map[string]*node) (out []Write, trunk bool, err error) {
		t := tableOf(seen)
		ev := PushEvidence{Ship: Ship{Ref: trunkName, New: "c"}, Order: t.Order, Algebra: lane.Glob, Stamp: c.stamp("")}
		for _, name := range slices.Sorted(maps.Keys(c.memory)) {
			h := Hold{Lane: name, Identity: Identity{Nonce: c.memory[name]}}
			if r, ok := t.Lanes[name]; ok {
				h.Current = &r
			}
			ev.Holds = append(ev.Holds, h)
		}
		v, out = DecidePush(ev)
		return out, true, nil
	})
	if err == nil && v.Outcome == Landed {
		c.pushes++
	}
}
