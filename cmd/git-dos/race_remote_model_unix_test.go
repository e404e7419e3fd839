//go:build unix

package main

import (
	"math"
	"strings"
	"testing"
)

// farStep is raceStep in a fleet whose leases lapse: who takes over ends leases
// that are on the table, and the trunk moves under one that is.
func farStep(t raceTable, ask raceAsk, told raceTold) (bool, raceTable) {
	switch {
	case ask.verb == "push":
		mine := t.has(ask.lanes[0], ask.nonce)
		return told.outcome != "landed" && told.outcome != "fenced" || mine == (told.outcome == "landed"), t
	case ask.verb == "acquire" && told.outcome == "acquire" && !ask.force:
		for _, l := range told.taken {
			if !t.has(l.lane, l.nonce) {
				return false, t
			}
			t = t.without(l.lane)
		}
		told.taken = nil
	}
	return raceStep(t, ask, told)
}

// farRest is what the chains tell of verbs that did not answer, or answered
// something else: leases that landed, and ends that no answer accounts for.
func (r *farRun) farRest() (rest []raceOp) {
	made, ended := map[string]bool{}, map[raceLease]bool{}
	byRun, releases := map[string]raceOp{}, map[string]raceOp{}
	for _, op := range r.ops {
		switch op.ask.verb {
		case "acquire":
			byRun[op.runID] = op
		case "release":
			if !op.known {
				releases[op.ask.nonce] = op
			}
		}
		for _, l := range op.told.leases {
			made[l.nonce] = made[l.nonce] || op.known && op.ask.verb == "acquire"
			if op.known && op.ask.verb == "release" {
				ended[l] = true
			}
		}
		for _, l := range op.told.taken {
			ended[l] = true
		}
	}
	landed := map[string]*raceOp{}
	for _, chain := range r.lanes {
		for _, e := range chain {
			l := raceLease{lane: e.record.Lane, nonce: e.record.Nonce}
			by := byRun[e.record.RunID]
			switch {
			case e.op == "ACQUIRE" && !made[l.nonce]:
				if landed[l.nonce] == nil {
					landed[l.nonce] = &raceOp{ask: raceAsk{verb: "landed"}, raceSpan: raceSpan{by.from, r.over(by.to)}}
				}
				landed[l.nonce].told.leases = append(landed[l.nonce].told.leases, l)
			case e.ends() && !ended[l] && r.acquired(l):
				ended[l] = true
				span := raceSpan{by.from, math.MaxInt64} // by whoever, once it was there
				if op, ok := releases[l.nonce]; ok && e.op == "RELEASE" {
					span = raceSpan{op.from, r.over(op.to)}
				}
				rest = append(rest, raceOp{ask: raceAsk{verb: "ended"}, told: raceTold{leases: []raceLease{l}}, raceSpan: span})
			}
		}
	}
	for _, op := range landed {
		rest = append(rest, *op)
	}
	return rest
}

// over is when the servers of the round were gone.
func (r *farRun) over(at int64) int64 {
	for _, end := range r.rounds {
		if end >= at {
			return end
		}
	}
	return math.MaxInt64
}

// checkSpans is I1 in the eyes of the holders, by the clock that is right.
func (r *farRun) checkSpans(t *testing.T) {
	for i, a := range r.spans {
		for _, b := range r.spans[i+1:] {
			if raceLanes[a.lane].cells&raceLanes[b.lane].cells != 0 && a.from < b.to && b.from < a.to {
				t.Errorf("worker %d counted on lane %s from %s to %s, and worker %d on %s from %s to %s", a.worker, a.lane, a.from, a.to, b.worker, b.lane, b.from, b.to)
			}
		}
	}
}

// checkTrunk is that all that was said to have landed is on the trunk, and that
// nothing else moved it.
func (r *farRun) checkTrunk(t *testing.T) {
	ships := gitIn(t, r.hub.dir, r.env, "log", "--format=%B", "--grep=^Dos-Op: SHIP$", "--all")
	trunk := strings.Fields(gitIn(t, r.hub.dir, r.env, "rev-list", "main"))
	on := map[string]bool{}
	for i, commit := range trunk {
		on[commit] = true
		if i < len(trunk)-2 && !strings.Contains(ships, commit) { // but the rules and the fleet
			t.Errorf("%s is on the trunk, and no lease shipped it", commit)
		}
	}
	for commit := range r.shipped {
		if !on[commit] {
			t.Errorf("%s was said to have landed, and is not on the trunk", commit)
		}
	}
}

// checkChains is that of a fleet: an admission can land in the order and not on its
// lane, so that its generation is passed over on the chain, or on its lane and not in
// the order, so that who takes over voids it.
func (r *farRun) checkChains(t *testing.T) {
	count := map[[3]string]int{}
	for ref, chain := range r.lanes {
		gen := uint64(0)
		for i, e := range chain {
			count[[3]string{e.op, e.record.Lane, e.record.Nonce}]++
			if e.record.Gen < gen || e.op == "ACQUIRE" && e.record.Gen == gen || e.op != "ACQUIRE" && e.op != "VOID" && e.record.Gen != gen {
				t.Errorf("%s: entry %d, %s of generation %d after generation %d", ref, i, e.op, e.record.Gen, gen)
			}
			gen = e.record.Gen
		}
	}
	for i, e := range r.order {
		if e.record.Seq != uint64(i+1) {
			t.Errorf("the order: entry %d has number %d", i+1, e.record.Seq)
		}
	}
	once := func(what, op, or string, leases []raceLease) {
		for _, l := range leases {
			if n := count[[3]string{op, l.lane, l.nonce}] + count[[3]string{or, l.lane, l.nonce}]; n != 1 {
				t.Errorf("%s of %s, nonce %s, was acknowledged and is %d times in the chain", what, l.lane, l.nonce, n)
			}
		}
	}
	for _, op := range r.ops {
		switch {
		case op.ask.verb == "acquire" && op.told.outcome == "acquire":
			once("admission", "ACQUIRE", "", op.told.leases)
			once("end", "SCAVENGE", "VOID", op.told.taken)
		case op.ask.verb == "release" && op.told.outcome == "released":
			once("release", "RELEASE", "", op.told.leases)
		}
	}
}
