//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A raceEntry is one entry of a chain, read with plain git.
type raceEntry struct {
	op     string
	at     int64 // when it was made, in whole seconds, as Unix nanoseconds
	record struct {
		Lane  string `json:"lane"`
		Gen   uint64 `json:"gen"`
		Nonce string `json:"nonce"`
		RunID string `json:"run_id"`
		Unit  string `json:"unit"`
		Seat  string `json:"seat"`
		Seq   uint64 `json:"seq"` // in the order
	}
}

// ends reports whether the entry ended a lease.
func (e raceEntry) ends() bool { return e.op == "RELEASE" || e.op == "SCAVENGE" || e.op == "VOID" }

// raceChains reads all chains of a kind, each from its first entry on.
func raceChains(t *testing.T, dir, kind string) map[string][]raceEntry {
	t.Helper()
	chains := map[string][]raceEntry{}
	for ref := range strings.FieldsSeq(gitIn(t, dir, nil, "for-each-ref", "--format=%(refname)", "refs/dos/"+kind)) {
		for message := range strings.SplitSeq(gitIn(t, dir, nil, "log", "--reverse", "--format=%ct%n%n%B%x00", ref), "\x00") {
			if message = strings.TrimSpace(message); message == "" {
				continue
			}
			parts := strings.Split(message, "\n\n")
			e := raceEntry{op: strings.Fields(parts[1])[2]}
			at, err := strconv.ParseInt(parts[0], 10, 64)
			if err := errors.Join(err, json.Unmarshal([]byte(parts[2]), &e.record)); err != nil {
				t.Fatalf("%s: %v: %s", ref, err, message)
			}
			e.at = at * int64(time.Second)
			chains[ref] = append(chains[ref], e)
		}
	}
	return chains
}

// checkChains holds the chains to what the processes were told: every grant and
// release that was acknowledged is there once, and generations grow by one with
// each admission.
func (r *raceRun) checkChains(t *testing.T) {
	count := map[[3]string]int{}
	for ref, chain := range r.lanes {
		gen := uint64(0)
		for i, e := range chain {
			count[[3]string{e.op, e.record.Lane, e.record.Nonce}]++
			switch {
			case e.op == "ACQUIRE" && e.record.Gen != gen+1, e.op != "ACQUIRE" && e.op != "VOID" && e.record.Gen != gen:
				t.Errorf("%s: entry %d, %s of generation %d after generation %d", ref, i, e.op, e.record.Gen, gen)
			case e.record.Gen < gen || e.record.Gen > gen+1:
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
	for _, op := range r.ops {
		if !op.known {
			continue
		}
		want := map[string]string{"acquire": "ACQUIRE", "released": "RELEASE", "scavenged": "SCAVENGE"}[op.told.outcome]
		for _, l := range op.told.leases {
			if op.ask.verb == "look" {
				break
			}
			if n := count[[3]string{want, l.lane, l.nonce}]; n != 1 {
				t.Errorf("%s of %s, nonce %s, was acknowledged and is %d times in the chain", want, l.lane, l.nonce, n)
			}
		}
		for _, l := range op.told.taken {
			if n := count[[3]string{"SCAVENGE", l.lane, l.nonce}]; n != 1 {
				t.Errorf("the end of %s, nonce %s, was acknowledged and is %d times in the chain", l.lane, l.nonce, n)
			}
		}
	}
}

// whatBecameOfTheRest is what the chains tell of processes that did not answer:
// leases that landed, and ends that no answer accounts for.
func (r *raceRun) whatBecameOfTheRest() (rest []raceOp) {
	made, ended := map[string]bool{}, map[raceLease]bool{}
	for _, op := range r.ops {
		if !op.known {
			continue
		}
		for _, l := range op.told.leases {
			switch {
			case op.ask.verb == "acquire" && !op.again:
				made[l.nonce] = true
			case op.ask.verb == "release" || op.ask.verb == "scavenge":
				ended[raceLease{lane: l.lane, nonce: l.nonce}] = true
			}
		}
		for _, l := range op.told.taken {
			ended[l] = true
		}
	}
	forced := map[string]bool{} // by run
	for _, op := range r.ops {
		forced[op.runID] = forced[op.runID] || op.ask.force
	}
	landed := map[string]*raceOp{}
	for _, chain := range r.lanes {
		for _, e := range chain {
			l := raceLease{lane: e.record.Lane, nonce: e.record.Nonce}
			switch {
			case e.op == "ACQUIRE" && !made[l.nonce]:
				if landed[l.nonce] == nil {
					landed[l.nonce] = &raceOp{ask: raceAsk{verb: "landed", force: forced[e.record.RunID]}, raceSpan: r.spanOf(e)}
				}
				l.unit, l.seat = e.record.Unit, e.record.Seat
				landed[l.nonce].told.leases = append(landed[l.nonce].told.leases, l)
			case e.ends() && !ended[l] && r.acquired(l): // else it ends an admission that never reached its lane
				ended[l] = true
				rest = append(rest, raceOp{ask: raceAsk{verb: "ended"}, told: raceTold{leases: []raceLease{l}}, raceSpan: r.spanOf(e)})
			}
		}
	}
	for _, op := range landed {
		rest = append(rest, *op)
	}
	return rest
}

func (r *raceRun) acquired(l raceLease) bool {
	for _, chain := range r.lanes {
		for _, e := range chain {
			if e.op == "ACQUIRE" && e.record.Lane == l.lane && e.record.Nonce == l.nonce {
				return true
			}
		}
	}
	return false
}

// spanOf is the time in which an entry can have reached its ref: from when it
// was made until the process that made it is known to be gone.
func (r *raceRun) spanOf(e raceEntry) raceSpan {
	made := e.at - r.begun.UnixNano()
	gone := slices.IndexFunc(r.rounds, func(at int64) bool { return at > made+int64(time.Second) })
	if gone < 0 {
		gone = len(r.rounds) - 1
	}
	return raceSpan{made, r.rounds[gone]}
}
