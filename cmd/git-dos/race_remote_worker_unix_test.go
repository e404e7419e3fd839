//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A farWorker is a worker in a worktree of its own, on a machine whose clocks are
// wrong in their own way.
type farWorker struct {
	raceWorker
	dir    string
	offset time.Duration // of the clock on its wall
	boot   time.Duration // how long its machine had been up
	counts map[raceLease]*farSpan
}

// A farSpan is a time in which a worker counted on a lane, by the one clock that is
// right.
type farSpan struct {
	worker   int
	lane     string
	from, to time.Duration
}

// A farAnswer is what a verb prints.
type farAnswer struct {
	raceAnswer
	WorkUntil *time.Time `json:"work_until"`
}

var farEpoch = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// dos runs git-dos on the worker's machine. Its clocks stand still while it runs;
// it is short beside every time that a lease is judged by.
func (r *farRun) dos(t *testing.T, w *farWorker, args ...string) (out, stderr []byte, code int) {
	now := r.clock()
	cmd := exec.Command(r.program, args...)
	cmd.Dir = w.dir
	cmd.Env = append(slices.Clone(r.env), "GIT_DOS_NOW="+farEpoch.Add(now+w.offset).Format(time.RFC3339Nano), "GIT_DOS_MONOTONIC="+(now+w.boot).String())
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &o, &e, time.Second
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	return o.Bytes(), e.Bytes(), cmd.ProcessState.ExitCode()
}

// run runs a verb and notes what became of it. What does not answer has failed
// with a remote that failed, and says so.
func (w *farWorker) run(t *testing.T, r *farRun, op raceOp, args ...string) (raceOp, farAnswer) {
	op.client, op.from = w.id, r.now()
	out, stderr, code := r.dos(t, w, append(args, "--json")...)
	op.to = r.now()
	var a farAnswer
	op.known = json.Unmarshal(out, &a) == nil && a.Outcome != ""
	if !op.known && (code != 4 && code != 2 || !bytes.Contains(stderr, []byte(`"kind":"store"`))) {
		t.Errorf("git dos %s: status %d: %q %s", strings.Join(args, " "), code, out, stderr)
	}
	if !op.known {
		r.failed.Add(1)
		if bytes.Contains(stderr, []byte("LOST_STATE")) {
			r.lost.Add(1)
		}
	}
	op.told, op.again, op.holder = a.told(), a.Reacquired, a.Holder.Owner
	r.note(op)
	return op, a
}

// step is one verb of a worker: it keeps what it holds, ships under it, or wants
// more. Of the pushes that it makes some are to fail.
func (w *farWorker) step(t *testing.T, r *farRun) {
	keep := len(w.held) > 0 && w.rng.IntN(10) < 7
	switch n := w.rng.IntN(12); {
	case n < 2:
		r.hub.order(t, "cut")
	case n < 3 && r.hub.kills:
		r.hub.order(t, "kill.1")
	case n < 5 && r.hub.kills && !keep: // an admission moves two refs at least
		r.hub.order(t, "kill.2")
	}
	if keep {
		w.keep(t, r, w.rng.IntN(len(w.held)))
		return
	}
	w.n++
	w.acquire(t, r, w.farWish(), fmt.Sprintf("run-%d-%d", w.id, w.n))
}

func (w *farWorker) farWish() raceAsk {
	declared := []string{"api", "web", "docs", "ops"}
	i := w.rng.IntN(4)
	switch n := w.rng.IntN(20); {
	case n < 3:
		return raceAsk{verb: "acquire", lanes: []string{declared[i], declared[(i+1+w.rng.IntN(3))%4]}}
	case n < 8:
		return raceAsk{verb: "acquire", lanes: []string{[]string{"fix-x", "fix-y", "book", "else"}[i]}}
	}
	return raceAsk{verb: "acquire", lanes: []string{declared[i]}}
}

func (w *farWorker) acquire(t *testing.T, r *farRun, ask raceAsk, runID string) {
	op, a := w.run(t, r, raceOp{ask: ask, runID: runID}, w.args(ask, runID)...)
	if !op.known || op.told.outcome != "acquire" {
		return
	}
	if len(op.told.taken) > 0 {
		r.takeovers.Add(1)
	}
	for _, l := range op.told.leases {
		w.held = append(w.held, l)
		w.counts[l] = &farSpan{w.id, l.lane, r.clock(), 0}
		w.countOn(t, l, a)
	}
}

// countOn moves the time until which the worker counts on a lane.
func (w *farWorker) countOn(t *testing.T, l raceLease, a farAnswer) {
	if a.WorkUntil == nil {
		t.Errorf("lane %s was had until nobody knows when", l.lane)
		return
	}
	w.counts[l].to = a.WorkUntil.Add(-w.offset).Sub(farEpoch)
}

// keep renews a lease, ships under it, or lets it go.
func (w *farWorker) keep(t *testing.T, r *farRun, i int) {
	l := w.held[i]
	verb := []string{"heartbeat", "release", "push", "push"}[w.rng.IntN(4)]
	if verb == "push" && raceLanes[l.lane].keyword() {
		verb = "release"
	}
	if verb == "push" {
		w.push(t, r, l)
		return
	}
	began := r.clock()
	op, a := w.run(t, r, raceOp{ask: raceAsk{verb: verb, lanes: []string{l.lane}, nonce: l.nonce}}, "lease", verb, "--lane", l.lane, "--nonce", l.nonce)
	if op.told.outcome == "renewed" {
		if now := r.clock(); began > w.counts[l].to { // it had stopped, and goes on
			r.finish(w, l)
			w.counts[l] = &farSpan{w.id, l.lane, now, 0}
		}
		w.countOn(t, l, a)
		return
	}
	if verb == "release" { // it has stopped, whatever came of it
		w.counts[l].to = min(w.counts[l].to, began)
	}
	if op.known && op.told.outcome != "contended" {
		w.drop(r, i)
	}
}

// drop forgets a lease that is over.
func (w *farWorker) drop(r *farRun, i int) {
	l := w.held[i]
	r.finish(w, l)
	w.held = slices.Delete(w.held, i, i+1)
}

// push commits a file of the lane on the newest trunk, and ships it.
func (w *farWorker) push(t *testing.T, r *farRun, l raceLease) {
	git := func(args ...string) error {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = w.dir, r.env
		return cmd.Run()
	}
	if git("fetch", "--quiet", "origin", "main") != nil {
		return // the remote failed, as it may
	}
	w.n++
	file := filepath.Join(w.dir, l.lane, fmt.Sprintf("%d-%d", w.id, w.n))
	err := errors.Join(git("reset", "--quiet", "--hard", "origin/main"), os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644),
		git("add", "."), git("commit", "--quiet", "-m", filepath.Base(file)))
	if err != nil {
		t.Error(err)
		return
	}
	commit := strings.TrimSpace(gitIn(t, w.dir, r.env, "rev-parse", "HEAD"))
	op, _ := w.run(t, r, raceOp{ask: raceAsk{verb: "push", lanes: []string{l.lane}, nonce: l.nonce}}, "push", "--lane", l.lane, "--nonce", l.nonce)
	switch {
	case op.told.outcome == "landed":
		r.landed(commit)
	case op.told.outcome == "gated": // a server that fails has refused nothing
		t.Errorf("a push of %s was gated: %s", l.lane, op.told.class)
	}
}
