//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// step is one process of a worker: it keeps what it holds, or wants more.
func (w *raceWorker) step(t *testing.T, r *raceRun) {
	switch {
	case w.back != nil:
		op := *w.back
		w.back = nil
		w.acquire(t, r, op.ask, op.runID)
	case len(w.held) > 0 && w.rng.IntN(10) < 8:
		w.keep(t, r)
	default:
		w.n++
		w.acquire(t, r, w.wish(), fmt.Sprintf("run-%d-%d", w.id, w.n))
	}
}

// wish makes up a request.
func (w *raceWorker) wish() raceAsk {
	ask := raceAsk{verb: "acquire"}
	declared := []string{"api", "web", "docs", "ops", "tools"}
	switch n := w.rng.IntN(100); {
	case n < 2:
		ask.lanes = []string{"all"}
	case n < 30:
		ask.lanes = []string{declared[w.rng.IntN(5)]}
	case n < 50:
		i := w.rng.IntN(5)
		ask.lanes = []string{declared[i], declared[(i+1+w.rng.IntN(4))%5]}
	case n < 57: // none: pick one
	case n < 64:
		ask.any, ask.lanes = true, []string{declared[w.rng.IntN(5)]}
	default:
		ask.lanes = []string{[]string{"fix-x", "fix-y", "book", "lib-1", "lib-2", "else"}[w.rng.IntN(6)]}
	}
	if w.rng.IntN(10) < 3 {
		ask.unit = fmt.Sprint("PLAN/", w.rng.IntN(3))
	}
	if w.rng.IntN(10) < 2 {
		ask.seat = fmt.Sprint("seat-", w.rng.IntN(2))
	}
	ask.force = !ask.any && len(ask.lanes) > 0 && w.rng.IntN(25) == 0
	return ask
}

// args spells a request for the command line, not always the same way.
func (w *raceWorker) args(ask raceAsk, runID string) []string {
	args := []string{"lease", "acquire", "--json", "--owner", "w-" + runID, "--run-id", runID}
	for _, name := range ask.lanes {
		spelled := name
		if name == "api" {
			spelled = []string{"api", "API", "server"}[w.rng.IntN(3)]
		}
		args = append(args, "--lane", spelled)
		for _, tree := range raceLanes[name].tree {
			args = append(args, "--tree", tree)
		}
	}
	for flag, is := range map[string]bool{"--any": ask.any, "--force": ask.force} {
		if is {
			args = append(args, flag)
		}
	}
	for flag, word := range map[string]string{"--unit": ask.unit, "--seat": ask.seat} {
		if word != "" {
			args = append(args, flag, word)
		}
	}
	if ask.force {
		args = append(args, "--operator", "oncall")
	}
	return args
}

func (w *raceWorker) acquire(t *testing.T, r *raceRun, ask raceAsk, runID string) {
	kill := w.kill(r)
	op := w.run(t, r, raceOp{ask: ask, runID: runID}, kill, w.args(ask, runID)...)
	switch {
	case !op.known:
		if !kill.all && w.rng.IntN(2) == 0 { // with its git alive, an admission is whole or not there
			w.back = &op
			return
		}
		r.mu.Lock()
		r.dead["w-"+runID] = true
		r.mu.Unlock()
	case op.told.outcome == "acquire":
		for _, l := range op.told.leases {
			if !slices.Contains(w.held, l) {
				w.held = append(w.held, l)
			}
		}
	case op.told.conflict != "" && r.isDead(op.holder):
		r.scavenge(t, w, op.told.conflict)
	}
}

// kill is when to kill the next process: at any moment of its life or, more
// often, while it writes.
func (w *raceWorker) kill(r *raceRun) raceKill {
	mean := r.took.Load() / max(1, r.ran.Load())
	k := raceKill{after: time.Duration(1 + w.rng.Int64N(max(1e6, mean))), all: w.rng.IntN(2) == 0}
	switch w.rng.IntN(10) {
	case 0:
		return k
	case 1, 2:
		k.after, k.aimed = time.Minute, true
		return k
	}
	return raceKill{}
}

// keep renews or releases something it holds.
func (w *raceWorker) keep(t *testing.T, r *raceRun) {
	i := w.rng.IntN(len(w.held))
	l, verb := w.held[i], "heartbeat"
	if w.rng.IntN(3) < 2 {
		verb = "release"
	}
	op := w.run(t, r, raceOp{ask: raceAsk{verb: verb, lanes: []string{l.lane}, nonce: l.nonce}}, w.kill(r), "lease", verb, "--json", "--lane", l.lane, "--nonce", l.nonce)
	if op.known && op.told.outcome != "renewed" && op.told.outcome != "contended" {
		w.held = slices.Delete(w.held, i, i+1)
	}
}

// scavenge takes a lane from the dead, or from whoever has it by then.
func (r *raceRun) scavenge(t *testing.T, w *raceWorker, lane string) {
	w.run(t, r, raceOp{ask: raceAsk{verb: "scavenge", lanes: []string{lane}}}, raceKill{}, "lease", "scavenge", "--json", "--lane", lane, "--force", "--operator", "oncall")
}

// A raceAnswer is what the lease verbs print.
type raceAnswer struct {
	Outcome     string
	Lane        string
	ReasonClass string `json:"reason_class"`
	Reacquired  bool
	Lease       *struct{ Lane, Nonce string }
	Leases      []struct{ Lane, Nonce string }
	Scavenged   []struct{ Lane, Nonce string }
	Holder      struct{ Owner string }
	Kernel      struct {
		ConflictLane string `json:"conflict_lane"`
	}
}

// run runs one process and notes what became of it.
func (w *raceWorker) run(t *testing.T, r *raceRun, op raceOp, kill raceKill, args ...string) raceOp {
	op.client, op.from = w.id, r.now()
	out, stderr, killed := r.start(t, r.dirs[w.id%len(r.dirs)], args...).wait(kill)
	op.to = r.now()
	var a raceAnswer
	switch err := json.Unmarshal(out, &a); {
	case err == nil && a.Outcome != "":
		op.known = true
	case op.ask.verb == "scavenge" && bytes.Contains(stderr, []byte("no lane")):
		op.known, a.Outcome = true, "free" // it is not declared, and its slot is another's by now
	case !killed:
		t.Errorf("git dos %s: %q %s", strings.Join(args, " "), out, stderr)
	}
	if !killed {
		r.took.Add(op.to - op.from)
		r.ran.Add(1)
	}
	op.told, op.again, op.holder = a.told(), a.Reacquired, a.Holder.Owner
	r.note(op)
	return op
}

// told reads an answer; the lanes stand in the order asked for.
func (a raceAnswer) told() raceTold {
	told := raceTold{outcome: a.Outcome, class: a.ReasonClass, conflict: a.Kernel.ConflictLane}
	if a.Outcome == "refuse" && told.conflict == "" {
		told.conflict = a.Lane
	}
	leases := a.Leases
	if len(leases) == 0 && a.Lease != nil {
		leases = append(leases, *a.Lease)
	}
	for _, l := range leases {
		if a.Outcome == "acquire" || a.Outcome == "released" || a.Outcome == "scavenged" {
			told.leases = append(told.leases, raceLease{lane: l.Lane, nonce: l.Nonce})
		}
	}
	for _, l := range a.Scavenged {
		told.taken = append(told.taken, raceLease{lane: l.Lane, nonce: l.Nonce})
	}
	return told
}
