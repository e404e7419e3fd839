//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The lanes are those of raceLanes that the model knows: fix-x lies within api, and
// fix-y, which is not declared and so is the remote's to grant, within api and docs.
const delegationRules = `[lanes]
concurrent = ["api", "web", "docs", "ops", "tools", "fix-x"]
exclusive = ["all"]
autopick = ["api", "web"]
[lanes.trees]
api = ["api/**"]
fix-x = ["api/x/**"]
web = ["web/**"]
docs = ["docs/**"]
ops = ["ops/**"]
tools = ["tools/**"]
all = ["**/*"]
[overlap]
policy = "glob"
[lease]
ttl = "3s"
margin = "1s"
max_clock_skew = 0
`

// Several nodes, each with several workers at once, who are granted lanes by their
// nodes and by the remote, die, stall and take over from each other: no two ever
// count on lanes that overlap, nothing lands under a lease that is not the newest,
// nothing that was acknowledged is lost, and no lane stays stuck.
func TestNodesGrantLanesToTheirWorkers(t *testing.T) {
	clones, workers, rounds, each := 3, 3, 1, 2*time.Second
	if os.Getenv("GITDOS_LONG") != "" {
		clones, workers, rounds, each = 4, 4, 6, 30*time.Second
	}
	for _, keep := range []string{"", "keep = \"10m\"\n"} {
		name := "given back at once"
		if keep != "" {
			name = "kept"
		}
		t.Run(name, func(t *testing.T) {
			r := newDelegationRace(t, clones, workers, keep)
			// On a machine that is busy it takes more rounds for enough to happen.
			for round := 0; round < rounds || round < 12 && !t.Failed() && !r.enough(); round++ {
				r.round(t, round, each)
			}
			r.check(t)
			t.Log(r.tally())
			if !r.enough() {
				t.Error("too little happened to show anything")
			}
			r.allCanBeHad(t)
		})
	}
}

// A delegationRace is a fleet, what its workers were told, and what its refs say.
type delegationRace struct {
	hub, root string
	nodes     []*raceRun // the clones
	workers   []*delegationWorker
	begun     time.Time

	mu     sync.Mutex
	spans  []delegationSpan
	told   []delegationTold
	landed map[string]string // by commit: the run whose push was told so
	count  map[string]int
	odd    []string // answers that are no verdict
}

// A delegationSpan is a time in which a worker counted on a lane. began is when it
// asked.
type delegationSpan struct {
	lane, nonce, run string
	began, from, to  time.Time
}

// A delegationTold is an answer that an entry must bear out.
type delegationTold struct {
	op, lane, nonce string
	from, to        time.Time
}

// A delegationWorker works in a worktree of its own of a clone.
type delegationWorker struct {
	*delegationRace
	id   int
	node *raceRun
	dir  string
	rng  *rand.Rand
	n    int
}

func newDelegationRace(t *testing.T, clones, workers int, keep string) *delegationRace {
	t.Helper()
	base := newRaceRun(t)
	root := filepath.Dir(base.dirs[0])
	r := &delegationRace{hub: filepath.Join(root, "hub.git"), root: root, begun: time.Now(), landed: map[string]string{}, count: map[string]int{}}
	env := ofManyNodes(base.env)
	env = append(env, "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@x", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@x")
	gitIn(t, root, env, "init", "--quiet", "--bare", "-b", "main", r.hub)
	for i := range clones {
		dir := filepath.Join(root, fmt.Sprint("clone", i))
		gitIn(t, root, env, "clone", "--quiet", r.hub, dir)
		gitIn(t, dir, env, "config", "gc.auto", "0")
		node := &raceRun{program: base.program, env: env, dirs: []string{dir}, begun: r.begun, dead: map[string]bool{}}
		if r.nodes = append(r.nodes, node); i == 0 {
			r.found(t, node, keep)
		} else {
			gitIn(t, dir, env, "config", "dos.remote", "origin")
		}
		for j := range workers {
			w := &delegationWorker{delegationRace: r, id: len(r.workers), node: node, dir: filepath.Join(root, fmt.Sprint("tree", i, "-", j))}
			gitIn(t, dir, env, "worktree", "add", "--quiet", "--detach", w.dir)
			r.workers = append(r.workers, w)
		}
	}
	// Each transaction on the hub leaves the time before and after it, as that of a file.
	hook := fmt.Sprintf("#!/bin/sh\ncase $1 in prepared|committed) cat > \"$(mktemp '%s'/$1.XXXXXX)\" ;; esac\n", r.times())
	if err := os.Mkdir(r.times(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.hub, "hooks", "reference-transaction"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *delegationRace) times() string { return filepath.Join(r.root, "times") }

// found sets the fleet up in its first clone.
func (r *delegationRace) found(t *testing.T, node *raceRun, keep string) {
	t.Helper()
	dir := node.dirs[0]
	rules := filepath.Join(dir, "dos.toml")
	if err := os.WriteFile(rules, []byte(delegationRules), 0o644); err != nil {
		t.Fatal(err)
	}
	commit := func(message string) {
		gitIn(t, dir, node.env, "add", "-A")
		gitIn(t, dir, node.env, "commit", "--quiet", "-m", message)
		gitIn(t, dir, node.env, "push", "--quiet", "origin", "HEAD:main")
	}
	gitIn(t, dir, node.env, "checkout", "--quiet", "-B", "main")
	commit("rules")
	p := node.start(t, dir, "init", "--remote", "origin")
	if out, stderr, _ := p.wait(raceKill{}); p.cmd.ProcessState.ExitCode() != 0 {
		t.Fatalf("init: %s%s", out, stderr)
	}
	text, err := os.ReadFile(rules)
	if err == nil {
		err = os.WriteFile(rules, append(text, keep...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	commit("fleet")
}

// round lets all workers work for a while.
func (r *delegationRace) round(t *testing.T, round int, each time.Duration) {
	var all sync.WaitGroup
	for _, w := range r.workers {
		w.rng = rand.New(rand.NewPCG(uint64(round), uint64(w.id)))
		all.Go(func() {
			for end := time.Now().Add(each); time.Now().Before(end) && !t.Failed(); {
				w.n++
				w.work(t)
			}
		})
	}
	all.Wait()
	for _, node := range r.nodes {
		node.awaitOrphans(t)
	}
}

// A delegationAnswer is what the verbs say.
type delegationAnswer struct {
	Outcome   string     `json:"outcome"`
	WorkUntil *time.Time `json:"work_until"`
	Lease     *struct {
		Nonce string `json:"nonce"`
		Under string `json:"under"`
	} `json:"lease"`
	from, to time.Time
}

func (a delegationAnswer) nonce() string {
	if a.Lease == nil {
		return ""
	}
	return a.Lease.Nonce
}

// ask runs a verb, and kills it one time in kills. The answer of one that was killed
// is empty.
func (w *delegationWorker) ask(t *testing.T, kills int, args ...string) (a delegationAnswer) {
	kill := raceKill{}
	if kills > 0 && w.rng.IntN(kills) == 0 {
		kill.after = time.Duration(1 + w.rng.Int64N(int64(400*time.Millisecond)))
		if w.rng.IntN(2) == 0 {
			kill.after, kill.aimed = time.Minute, true
		}
	}
	a.from = time.Now()
	p := w.node.start(t, w.dir, append(args, "--json")...)
	out, stderr, killed := p.wait(kill)
	a.to = time.Now()
	from, to := a.from, a.to
	code := p.cmd.ProcessState.ExitCode()
	if err := json.Unmarshal(out, &a); err != nil && !killed || code != 0 && code != 3 && code != 5 && !killed {
		w.mu.Lock()
		w.odd = append(w.odd, fmt.Sprintf("git dos %s: status %d: %s%s", strings.Join(args, " "), code, out, stderr))
		w.mu.Unlock()
	}
	a.from, a.to = from, to
	verb := args[0]
	if verb == "lease" {
		verb = args[1]
	}
	w.note(verb+" "+a.Outcome, 1)
	if killed {
		w.note("killed", 1)
	}
	op := map[string]string{"acquire": "ACQUIRE", "renewed": "HEARTBEAT", "released": "RELEASE", "parked": "PARK"}[a.Outcome]
	if op != "" && a.nonce() != "" {
		w.mu.Lock()
		w.told = append(w.told, delegationTold{op, args[2], a.nonce(), a.from, a.to})
		w.mu.Unlock()
	}
	return a
}

func (r *delegationRace) note(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[strings.TrimSpace(what)] += n
}

// work is one lease of a worker, to its end, good or bad.
func (w *delegationWorker) work(t *testing.T) {
	if w.rng.IntN(12) == 0 {
		w.ask(t, 6, "sync")
		return
	}
	name := []string{"api", "api", "api", "fix-x", "fix-x", "fix-x", "web", "web", "docs", "docs", "ops", "ops", "tools", "tools", "fix-y", "fix-y", "all"}[w.rng.IntN(17)]
	run := fmt.Sprintf("run-%d-%d", w.id, w.n)
	args := []string{"lease", "acquire", name, "--run-id", run, "--wait", "1s"}
	for _, tree := range raceLanes[name].tree {
		if name == "fix-y" {
			args = append(args, "--tree", tree)
		}
	}
	a := w.ask(t, 8, args...)
	began := a.from
	if a.Outcome == "" && w.rng.IntN(2) == 0 {
		a = w.ask(t, 0, args...)
	}
	if a.Outcome == "waiting" {
		if a = w.ask(t, 8, "lease", "await", name, "--run-id", run, "--wait", "2s"); a.Outcome == "waiting" {
			w.ask(t, 8, "lease", "release", name, "--run-id", run)
		}
	}
	if a.Outcome != "acquire" {
		return
	}
	s := delegationSpan{lane: name, nonce: a.nonce(), run: run, began: began, from: a.to, to: *a.WorkUntil}
	for range w.rng.IntN(4) {
		if !w.use(t, &s) {
			w.span(s)
			return
		}
	}
	switch fate := w.rng.IntN(10); {
	case fate < 2: // it dies
		w.span(s)
		return
	case fate < 3: // it stalls, and comes back to push what it had
		w.span(s)
		time.Sleep(time.Duration(3000+w.rng.IntN(2000)) * time.Millisecond)
		w.push(t, s)
		return
	}
	w.end(&s, time.Now())
	w.span(s)
	if a := w.ask(t, 8, "lease", "release", name, "--run-id", run); a.Outcome == "" {
		w.ask(t, 0, "lease", "release", name, "--run-id", run)
	}
}

// end ends what a worker counts on, if it does until then.
func (w *delegationWorker) end(s *delegationSpan, at time.Time) {
	if at.Before(s.to) {
		s.to = at
	}
}

func (w *delegationWorker) span(s delegationSpan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spans = append(w.spans, s)
}

// use is one thing that a worker does with a lease. It is over when it says false.
func (w *delegationWorker) use(t *testing.T, s *delegationSpan) bool {
	id := []string{s.lane, "--run-id", s.run}
	verb := func(kills int, name string) delegationAnswer {
		return w.ask(t, kills, append([]string{"lease", name}, id...)...)
	}
	switch n := w.rng.IntN(10); {
	case n < 4:
		time.Sleep(time.Duration(w.rng.IntN(600)) * time.Millisecond)
		a := verb(8, "heartbeat")
		if a.Outcome == "renewed" {
			s.to = *a.WorkUntil
		}
		return a.Outcome == "renewed" || a.Outcome == ""
	case n < 8:
		w.push(t, *s)
		return true
	case n < 9:
		w.ask(t, 6, "sync")
		return true
	}
	p := verb(4, "park")
	if p.Outcome == "parked" {
		s.to = time.Now().Add(time.Hour) // it is kept for as long as need be
		time.Sleep(time.Duration(w.rng.IntN(3)) * 2 * time.Second)
	} else if p.Outcome != "" {
		return false
	}
	w.end(s, time.Now()) // until it is told again
	w.span(*s)
	a := verb(6, "unpark")
	if a.Outcome == "" {
		a = verb(0, "unpark")
	}
	s.from, s.to = a.to, a.to
	if a.Outcome != "unparked" {
		if p.Outcome == "parked" {
			t.Errorf("lane %s, parked for %s, is unparked with %q", s.lane, s.run, a.Outcome)
		}
		return false
	}
	if p.Outcome == "parked" {
		w.mu.Lock()
		w.told = append(w.told, delegationTold{"UNPARK", s.lane, p.nonce(), a.from, a.to})
		w.mu.Unlock()
	}
	if a.WorkUntil != nil {
		s.to = *a.WorkUntil
	}
	return true
}

// push commits a file of the lane and pushes it under the lease.
func (w *delegationWorker) push(t *testing.T, s delegationSpan) {
	env := w.node.env
	gitIn(t, w.dir, env, "fetch", "--quiet", w.hub, "main")
	gitIn(t, w.dir, env, "reset", "--quiet", "--hard", "FETCH_HEAD")
	w.n++
	dir := map[string]string{"api": "api", "fix-x": "api/x", "web": "web", "docs": "docs", "ops": "ops", "tools": "tools", "fix-y": "docs/a", "all": "etc"}[s.lane]
	file := filepath.Join(w.dir, dir, fmt.Sprintf("%s-%d", s.run, w.n))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Error(err)
	}
	gitIn(t, w.dir, env, "add", ".")
	gitIn(t, w.dir, env, "commit", "--quiet", "-m", s.run)
	commit := strings.TrimSpace(gitIn(t, w.dir, env, "rev-parse", "HEAD"))
	if a := w.ask(t, 5, "push", "--lane", s.lane); a.Outcome == "landed" {
		w.mu.Lock()
		w.landed[commit] = s.run
		w.mu.Unlock()
	}
}

// enough reports whether the race shows something.
func (r *delegationRace) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count["acquire acquire"] >= len(r.workers) && r.count["killed"] >= 3 && len(r.landed) >= 1
}

func (r *delegationRace) tally() string {
	var words []string
	for _, what := range slices.Sorted(maps.Keys(r.count)) {
		words = append(words, fmt.Sprint(what, ": ", r.count[what]))
	}
	return strings.Join(words, ", ")
}
