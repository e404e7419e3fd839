//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// A farRun is a fleet behind a server that fails, with a clock that is right and
// that none of its machines has.
type farRun struct {
	*raceRun
	hub     *farHub
	workers []*farWorker
	jumped  time.Duration

	spans                   []*farSpan
	shipped                 map[string]bool
	takeovers, failed, lost atomic.Int64
}

// Workers on machines of their own, whose clocks are far apart, lease and ship over
// http and over ssh. Servers are killed between two renames, answers are lost, the
// workers sleep past the end of their leases, and somebody who knows nothing pushes
// a mirror: one admission table explains all they were told, no two of them count
// on one file at once, and what was acknowledged is there in the end.
func TestRaceOverServersThatFail(t *testing.T) {
	for _, by := range []string{"http", "ssh"} {
		t.Run(by, func(t *testing.T) {
			rounds, steps := map[string]int{"http": 2, "ssh": 1}[by], map[string]int{"http": 3, "ssh": 2}[by]
			if os.Getenv("GITDOS_LONG") != "" {
				rounds, steps = 20, 8
			}
			r := newFarRun(t, by)
			for i := 0; i < rounds || i < 10*rounds && !r.enough() && !t.Failed(); i++ {
				r.round(t, steps)
				r.sleep()
			}
			r.wiped(t, steps)
			r.round(t, 1) // it goes on
			r.check(t)
		})
	}
}

// enough reports whether the race shows something.
func (r *farRun) enough() bool {
	return r.grants() >= 4 && r.takeovers.Load() >= 1 && len(r.shipped) >= 1 && r.hub.cuts.Load() >= 1 && (!r.hub.kills || r.hub.killed()["2"] > 0)
}

// clock is the time that is right, since the race began.
func (r *farRun) clock() time.Duration { return time.Since(r.begun) + r.jumped }

func newFarRun(t *testing.T, by string) *farRun {
	program, err := exec.LookPath("git-dos")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	r := &farRun{raceRun: &raceRun{program: program, begun: time.Now(), dead: map[string]bool{}}, hub: newFarHub(t, by, home), shipped: map[string]bool{}}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "FLEET_") && !strings.HasPrefix(name, "DISPATCH_") {
			r.env = append(r.env, kv)
		}
	}
	r.env = append(r.env, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@x", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@x")
	for i, hours := range []int{0, 5, 70} {
		dir := filepath.Join(home, fmt.Sprint("clone", i))
		r.clone(t, dir)
		r.add(dir, time.Duration(i-1)*25*time.Minute, time.Duration(hours)*time.Hour)
		if i == 0 {
			r.found(t, dir)
		} else {
			gitIn(t, dir, r.env, "config", "dos.remote", "origin")
		}
	}
	tree := filepath.Join(home, "tree")
	gitIn(t, r.workers[2].dir, r.env, "worktree", "add", "--quiet", "-b", "side", tree)
	r.add(tree, r.workers[2].offset, r.workers[2].boot)
	return r
}

func (r *farRun) add(dir string, offset, boot time.Duration) {
	id := len(r.workers)
	r.workers = append(r.workers, &farWorker{
		raceWorker: raceWorker{id: id, rng: rand.New(rand.NewPCG(11, uint64(id)))},
		dir:        dir, offset: offset, boot: boot, counts: map[raceLease]*farSpan{},
	})
}

func (r *farRun) clone(t *testing.T, dir string) {
	config := []string{}
	for i := 0; i < len(r.hub.config); i += 2 {
		config = append(config, "-c", r.hub.config[i]+"="+r.hub.config[i+1])
	}
	gitIn(t, filepath.Dir(dir), r.env, append(append(config, "clone", "--quiet"), append(config, r.hub.url, dir)...)...)
}

// found makes the fleet from its first clone.
func (r *farRun) found(t *testing.T, dir string) {
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(raceRules), 0o644); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) { gitIn(t, dir, r.env, args...) }
	git("checkout", "--quiet", "-B", "main")
	git("add", ".")
	git("commit", "--quiet", "-m", "rules")
	git("push", "--quiet", "origin", "HEAD:main")
	if out, stderr, code := r.dos(t, r.workers[0], "init", "--remote", "origin"); code != 0 {
		t.Fatalf("init: %s%s", out, stderr)
	}
	rules, err := os.ReadFile(filepath.Join(dir, "dos.toml"))
	if err != nil || !strings.Contains(string(rules), "[fleet]\n") {
		t.Fatalf("rules of a fleet: %v: %s", err, rules)
	}
	text := strings.Replace(string(rules), "[fleet]\n", "[fleet]\nlanes = \"all\"\n", 1)
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	git("commit", "--quiet", "-m", "fleet")
	git("push", "--quiet", "origin", "HEAD:main")
}

// round lets all workers take some steps, lets the servers end, and has everybody
// look at the table.
func (r *farRun) round(t *testing.T, steps int) {
	var all sync.WaitGroup
	for _, w := range r.workers {
		all.Go(func() {
			for i := 0; i < steps && !t.Failed(); i++ {
				w.step(t, r)
			}
		})
	}
	all.Wait()
	r.hub.calm(t)
	r.rounds = append(r.rounds, r.now())
	for i := range r.workers[:len(r.workers)-1] { // each machine looks, side by side
		all.Go(func() { r.look(t, r.workers[i]) })
	}
	all.Wait()
}

// look compares the table as a clone sees it.
func (r *farRun) look(t *testing.T, w *farWorker) {
	op := raceOp{ask: raceAsk{verb: "look"}, client: w.id, raceSpan: raceSpan{from: r.now()}}
	if _, _, code := r.dos(t, w, "sync", "--quiet"); code != 0 {
		return
	}
	out, stderr, code := r.dos(t, w, "lease", "live", "--cached", "--json")
	op.to, op.known = r.now(), code == 0
	if code != 0 {
		if code != 4 {
			t.Errorf("lease live: status %d: %s%s", code, out, stderr)
		}
		return // some lane is behind the order, and it says so
	}
	var rows []struct{ Lane, Nonce, State string }
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Errorf("lease live: %v: %s%s", err, out, stderr)
	}
	for _, row := range rows {
		if row.State != "free" {
			op.told.leases = append(op.told.leases, raceLease{lane: row.Lane, nonce: row.Nonce})
		}
	}
	slices.SortFunc(op.told.leases, func(a, b raceLease) int { return strings.Compare(a.lane, b.lane) })
	r.note(op)
}

// sleep lets time pass in which nobody does anything, longer than any lease; some
// workers are not there any more when it is over.
func (r *farRun) sleep() {
	r.jumped += 17 * time.Minute
	for _, w := range r.workers {
		if w.rng.IntN(2) == 0 {
			for len(w.held) > 0 {
				w.drop(r, 0)
			}
		}
	}
}

// finish ends the time in which a worker counted on a lane.
func (r *farRun) finish(w *farWorker, l raceLease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := w.counts[l]; s != nil {
		r.spans = append(r.spans, s)
		delete(w.counts, l)
	}
}

func (r *farRun) landed(commit string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shipped[commit] = true
}

// wiped has a bystander push a mirror of a clone that knows nothing of the fleet,
// while the others work. Nobody takes a lane for free that another holds: what they
// are told from then on is part of the history too. Then each clone gives back what
// it knows.
func (r *farRun) wiped(t *testing.T, steps int) {
	bystander := filepath.Join(filepath.Dir(r.hub.dir), "bystander")
	gitIn(t, filepath.Dir(bystander), r.env, "clone", "--quiet", r.hub.dir, bystander)
	before := r.lost.Load()
	var all sync.WaitGroup
	all.Go(func() {
		cmd := exec.Command("git", "push", "--quiet", "--mirror", "origin")
		cmd.Dir, cmd.Env = bystander, r.env
		_, _ = cmd.CombinedOutput() // the trunk may have moved on, which it may not take back
	})
	for _, w := range r.workers {
		all.Go(func() {
			for i := 0; i < steps && !t.Failed(); i++ {
				w.step(t, r)
			}
		})
	}
	all.Wait()
	r.hub.calm(t)
	if r.lost.Load() == before {
		t.Error("the refs were deleted, and nobody was told that state is lost")
	}
	stranger := &farWorker{dir: filepath.Join(filepath.Dir(r.hub.dir), "stranger"), counts: map[raceLease]*farSpan{}}
	r.clone(t, stranger.dir)
	gitIn(t, stranger.dir, r.env, "config", "dos.remote", "origin")
	for _, name := range []string{"api", "docs", "else"} {
		if out, stderr, code := r.dos(t, stranger, "lease", "acquire", "--lane", name, "--tree", "new/**"); code == 0 || code == 3 {
			t.Errorf("lane %s of a remote that lost its state: %s%s", name, out, stderr)
		}
	}
	for range 2 { // what one knows may stand on what another does
		for _, w := range r.workers {
			if out, stderr, code := r.dos(t, w, "sync", "--republish", "--json"); code != 0 && code != 4 {
				t.Errorf("sync --republish: status %d: %s%s", code, out, stderr)
			}
		}
	}
	r.rounds = append(r.rounds, r.now())
	for _, w := range r.workers {
		r.look(t, w)
	}
}

// check holds all that was told to the table, the chains, the trunk and the clock.
func (r *farRun) check(t *testing.T) {
	for _, w := range r.workers {
		for len(w.held) > 0 {
			w.drop(r, 0)
		}
	}
	r.lanes, r.order = raceChains(t, r.hub.dir, "lane"), raceChains(t, r.hub.dir, "order")["refs/dos/order/grants"]
	r.checkChains(t)
	r.checkSpans(t)
	r.checkTrunk(t)
	gitIn(t, r.hub.dir, r.env, "fsck", "--strict", "--no-dangling")
	var history []porcupine.Operation
	for _, op := range append(r.farRest(), r.ops...) {
		if op.known || op.ask.verb == "landed" || op.ask.verb == "ended" {
			history = append(history, porcupine.Operation{ClientId: op.client, Input: op.ask, Call: op.from, Output: op.told, Return: op.to})
		}
	}
	t.Log(r.tally(history))
	t.Logf("%d took over, %d shipped, %d answers cut, servers killed %v, %d verbs failed, %d of them with LOST_STATE",
		r.takeovers.Load(), len(r.shipped), r.hub.cuts.Load(), r.hub.killed(), r.failed.Load(), r.lost.Load())
	model := porcupine.Model{Init: raceModel.Init, Equal: raceModel.Equal, Hash: raceModel.Hash, Step: func(state, input, output any) (bool, any) {
		ok, next := farStep(state.(raceTable), input.(raceAsk), output.(raceTold))
		return ok, next
	}}
	if result, info := porcupine.CheckOperationsVerbose(model, history, 2*time.Minute); result != porcupine.Ok {
		t.Errorf("what the processes were told: %s; %s", result, raceWhere(history, info))
	}
	if !r.enough() {
		t.Error("too little happened to show anything")
	}
}
