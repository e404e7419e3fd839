package lease

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A remembered is a lease that a worker remembers.
type remembered struct {
	nonce  string
	at     string // the authority that granted it
	waits  bool
	parked bool
}

// A worker works on a node. What it remembers outlives its crashes.
type worker struct {
	*realm
	who    int
	step   func()
	actor  *actor
	memory map[string]remembered
	life   int

	began time.Time     // what its clocks said before the last read
	from  time.Duration // likewise
	clock Instant       // likewise

	settled Outcome // how the return of a lane ended
}

func (k *worker) boot() {
	k.actor = k.start(func(step func()) {
		k.step = step
		for {
			step()
			k.act()
		}
	})
	k.actor.client, k.actor.who = true, k.who
}

func (k *worker) reboot() {
	k.actor.stop()
	k.actor.done = true
	k.boot()
}

// die ends a worker for good. Another takes its place, and finds on the disk what
// it remembered.
func (k *worker) die() {
	k.tell("%s ends", k.label(k.who))
	for _, own := range k.believed() {
		if k.beliefs[own].who == k.who {
			delete(k.beliefs, own)
		}
	}
	k.dead[k.pid()] = true
	k.life++
	k.reboot()
}

func (k *worker) pid() int64 { return int64(k.who + 1 + 1000*k.life) }

func (k *worker) node() int       { return k.who % len(k.nodes) }
func (k *worker) here() string    { return home(k.node()) }
func (k *worker) name() string    { return fmt.Sprint("n", k.node()) }
func (k *worker) runID() string   { return fmt.Sprintf("run-%d.%d", k.who, k.life) }
func (k *worker) wall() time.Time { return k.now.Add(k.machine(k.who).offset) }

func (k *worker) mono() time.Duration {
	m := k.machine(k.who)
	return time.Duration(float64(k.now.Sub(m.epoch)) * m.rate)
}

func (k *worker) instant() Instant {
	return Instant{k.machine(k.who).bootID(k.node()), int64(k.mono())}
}

// look notes what the clocks say before a read.
func (k *worker) look() { k.began, k.from, k.clock = k.wall(), k.mono(), k.instant() }

func (k *worker) lapsing() Lapsing {
	return Lapsing{Now: k.began, Skew: simSkew, Margin: func(time.Duration) time.Duration { return simMargin }}
}

func (k *worker) stamp(nonce string) Stamp {
	return Stamp{Now: k.began, Nonce: nonce, Holder: Holder{Node: k.name(), Owner: fmt.Sprint("w", k.who)}}
}

func (k *worker) process() *Proc {
	if k.chance(50) && !k.lacks.tight {
		return nil
	}
	return &Proc{PID: k.pid(), Start: "1", Boot: "b", PIDNS: k.name()}
}

func (k *worker) gone(r Record) bool {
	return r.Proc != nil && r.Proc.PIDNS == k.name() && k.dead[r.Proc.PID]
}

func (k *worker) cutOff() bool { return !k.quiet && k.now.Before(k.machine(k.who).cut) }

// read looks at the refs of an authority, one after the other.
func (k *worker) read(at string) view {
	refs := slices.Clone(k.reach[at])
	k.rng.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
	seen := view{tips: map[string]*node{}}
	for _, ref := range refs {
		if k.chance(30) {
			k.step()
		}
		if n := k.refs[ref]; n != nil {
			seen.tips[ref] = n
		}
	}
	return seen
}

// table is what a read of an authority saw.
func (k *worker) table(at string, seen view) Table {
	t := Table{Chains: map[string]Record{}, Watch: Watch{Seen: map[string]time.Duration{}, Gone: map[string]bool{}}}
	m := k.machine(k.who)
	for ref, tip := range seen.tips {
		chain := ref[len(at):]
		switch {
		case ref == trunkName || chain[0] == '@':
			continue
		case chain == orderName:
			t.Order = k.orderOf(tip)
			continue
		}
		r := k.record(chain, tip)
		t.Chains[chain] = r
		if was, ok := m.seen[ref]; !ok || was.tip != tip || was.boot != m.boot {
			m.seen[ref] = sighting{tip, m.boot, k.mono()}
		} else if k.from > was.at {
			t.Watch.Seen[chain] = k.from - was.at
		}
		if k.gone(r) {
			t.Watch.Gone[chain] = true
		}
	}
	if at == "" {
		k.mirrors[k.name()] = t
	}
	return t
}

// delegations is what a node has, as a read of its repository saw it.
func (k *worker) delegations(seen view) map[string]Delegation {
	own := map[string]Delegation{}
	for ref, tip := range seen.tips {
		if _, chain := place(ref); chain[0] == '@' {
			own[chain[1:]] = k.delegationOf(chain, tip)
		}
	}
	return own
}

var errMoved = errors.New("the delegation is not what it was")

// update reads, decides and swaps, and decides again; see [client.update].
func (k *worker) update(at string, decide func(view) ([]Write, error)) (int, error) {
	var sent [][]move
	for range 6 {
		if at == "" && k.cutOff() {
			return -1, errCut
		}
		k.look()
		seen := k.read(at)
		for i, moves := range sent {
			if judged(moves, seen) {
				return i, nil
			}
		}
		writes, err := decide(seen)
		if err != nil || len(writes) == 0 {
			return -1, err
		}
		moves := k.moves(at, writes, seen)
		won, _, err := k.transact(at, moves)
		if won || err != nil {
			return len(sent), err
		}
		sent = append(sent, moves)
	}
	return -1, errContended
}

// moves turns writes into moves; entries for one ref stand on each other.
func (k *worker) moves(at string, writes []Write, seen view) []move {
	var moves []move
	for _, w := range writes {
		ref := at + w.Chain
		switch {
		case w.Delegation:
			ref = at + "@" + w.Chain
		case w.Chain == "":
			ref = at + orderName
		}
		i := slices.IndexFunc(moves, func(m move) bool { return m.ref == ref })
		if i < 0 {
			i = len(moves)
			moves = append(moves, move{ref, seen.tips[ref], seen.tips[ref]})
		}
		moves[i].new = &node{moves[i].new, w.Op, w.Gen, w.Payload}
	}
	return moves
}

func judged(moves []move, seen view) bool {
	return !slices.ContainsFunc(moves, func(m move) bool { return !seen.tips[m.ref].descends(m.new) })
}

// dead reports whether moves cannot land any more, by what a read saw.
func hopeless(moves []move, seen view) bool {
	return slices.ContainsFunc(moves, func(m move) bool {
		return seen.tips[m.ref] != m.expect && !seen.tips[m.ref].descends(m.new)
	})
}

// transact sends moves and waits for the answer. The remote's can get lost, and the
// refs decide then; known tells whether it is certain how it ended.
func (k *worker) transact(at string, moves []move) (won, known bool, err error) {
	t := k.send(k.who, moves)
	for !t.ended {
		k.step()
		if at == "" && k.chance(3) {
			return false, false, errHung
		}
		if at == "" && k.chance(k.often(3, 15)) {
			break
		}
	}
	if t.ended && t.won && (at != "" || !k.chance(10)) {
		return true, true, nil
	}
	ended := t.ended && (at != "" || !k.chance(10))
	seen := k.read(at)
	won = judged(moves, seen)
	return won, won || ended || hopeless(moves, seen), nil
}

// An answer is a verdict, with what the node had of the lane when it was made.
type answer struct {
	Verdict
	has *Delegation
}

// keep runs a verb on one existing lease.
func (k *worker) keep(at, name string, id Identity, operator string, decide func(KeepEvidence) (Verdict, []Write)) answer {
	var a answer
	var tries []answer
	won, err := k.update(at, func(seen view) (out []Write, err error) {
		t := k.table(at, seen)
		ev := KeepEvidence{Lane: name, Identity: id, Order: t.Order, Operator: operator, Stamp: k.stamp(""), Lapsing: k.lapsing()}
		if ev.Chain, ev.Current, err = t.Stand(name); err != nil {
			return nil, err
		}
		ev.Lapse = t.Lapse(ev.Chain, ev.Lapsing)
		ev.Gone = ev.Current != nil && k.gone(*ev.Current)
		if d, ok := k.delegations(seen)[name]; ok {
			ev.Delegation = &d
		}
		a = answer{has: ev.Delegation}
		if a.Verdict, out = decide(ev); len(out) > 0 {
			tries = append(tries, a)
		}
		return out, nil
	})
	switch {
	case err != nil:
		return answer{}
	case won >= 0:
		a = tries[won]
		a.Verdict = k.confirmed(at, a.Verdict)
	}
	return a
}

// confirmed looks once more at a lease that was renewed late: it may have been taken
// by an admission that was cut off before its lane.
func (k *worker) confirmed(at string, v Verdict) Verdict {
	if !v.Late(k.wall()) || k.lacks.late {
		return v
	}
	if at == "" && k.cutOff() {
		return Verdict{}
	}
	k.look()
	seen := k.read(at)
	v, err := k.table(at, seen).Stands(v, k.delegations(seen))
	if err != nil {
		return Verdict{}
	}
	return v
}

// admit carries an admission out on an authority. see adds to the evidence what a
// read saw.
func (k *worker) admit(at string, ev AcquireEvidence, see func(*AcquireEvidence, view)) (a answer, sent *Sent, err error) {
	stamp := ev.Stamp
	var torn view
	var since time.Time
	for range 40 {
		var tries []answer
		var won int
		won, err = k.update(at, func(seen view) (out []Write, err error) {
			ev.Table = k.table(at, seen)
			ev.Stamp.Now, ev.Lapsing, ev.Clock = k.began, k.lapsing(), k.clock
			see(&ev, seen)
			a = answer{}
			if d, ok := ev.Delegations[ev.Requests[0].Lane]; ok {
				a.has = &d
			}
			a.Verdict, out, err = Acquire(ev)
			if errors.As(err, new(*TornError)) {
				if !torn.equal(seen) {
					torn, since = seen, k.now
				}
				if k.now.Sub(since) < TornFor {
					return nil, err
				}
				if lost := ev.Table.Lost(); len(lost) > 0 {
					k.fail("I6: lanes %v of %q look lost, and only admissions were cut off", lost, at)
				}
				a = answer{}
				tries = append(tries, a)
				return Repair(ev.Table, ev.Table.Torn(), stamp), nil
			}
			if err == nil && len(out) > 0 {
				tries = append(tries, a)
			}
			if err == nil && (a.Outcome == Acquired || a.Outcome == Waits) {
				ev.Sent = ev.Table.Send(a.Verdict, ev.Sent)
			}
			if k.lacks.grant {
				out = slices.DeleteFunc(out, func(w Write) bool { return w.Op == OpGrant })
			}
			return out, err
		})
		if err == nil && won >= 0 && len(tries) > 0 {
			if a = tries[won]; won < len(tries)-1 && a.Outcome == Acquired {
				for _, r := range a.All() {
					if beat := k.keep(at, r.Lane, Identity{Nonce: r.Nonce}, "", Heartbeat); beat.Outcome != Renewed {
						err = errContended
					}
				}
			}
			a.Verdict = k.confirmed(at, a.Verdict)
		}
		if err == nil && a.Outcome != "" || err != nil && !errors.As(err, new(*TornError)) {
			break
		}
		k.pause(300 * time.Millisecond)
	}
	if err == nil && a.Outcome == "" {
		err = errContended
	}
	return a, ev.Sent, err
}

// giveBack undoes what an admission may have landed.
func (k *worker) giveBack(at string, sent *Sent, stamp Stamp) bool {
	for range 2 {
		if sent == nil {
			return true
		}
		if _, err := k.update(at, func(seen view) ([]Write, error) {
			stamp.Now = k.began
			return GiveBack(k.table(at, seen), *sent, true, stamp), nil
		}); err != nil {
			return false
		}
	}
	return true
}
