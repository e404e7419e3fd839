//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const lapseRules = `[lanes]
concurrent = ["api", "web", "deep"]
exclusive = ["all"]
autopick = ["api", "web"]
[lanes.trees]
api = ["api/**"]
deep = ["api/deep/**"]
web = ["web/**"]
all = ["**/*"]
[overlap]
policy = "glob"
[lease]
ttl = "3s"
margin = "1s"
max_clock_skew = 0
`

// A lapseSpan is a time in which a worker counted on a lane.
type lapseSpan struct {
	worker   int
	lane     string
	from, to time.Time
}

// A lapseRun is a fleet whose workers die, stall and take over from each other.
type lapseRun struct {
	*raceRun
	hub string

	mu     sync.Mutex
	spans  []lapseSpan
	landed map[string]bool // commits that a push said had landed
}

// Workers in clones of their own, on nodes of their own, some of which die with a
// lease and some of which stall until long after it: no two ever count on lanes
// that overlap, nothing lands under a lease that was lost, and no lane stays stuck.
func TestClonesTakeOverFromTheDead(t *testing.T) {
	clones, each := 5, 20*time.Second
	if os.Getenv("GITDOS_LONG") != "" {
		clones, each = 16, 3*time.Minute
	}
	r := newLapseRun(t, clones)
	taken := 0
	// On a machine that is busy it takes more rounds for enough to happen.
	for round := 0; round < 8 && !t.Failed() && (round == 0 || !r.enough(taken)); round++ {
		var all sync.WaitGroup
		for i := range clones {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(round), uint64(i)))
				for n, end := 0, time.Now().Add(each); time.Now().Before(end) && !t.Failed(); n++ {
					r.work(t, i, round*1000+n, rng)
				}
			})
		}
		all.Wait()
		taken = r.checkHub(t)
	}
	r.checkSpans(t)
	t.Logf("%d leases, %d of them over lapsed ones, %d pushes landed", len(r.spans), taken, len(r.landed))
	if !r.enough(taken) {
		t.Error("too little happened to show anything")
	}
	fresh := filepath.Join(filepath.Dir(r.hub), "fresh")
	gitIn(t, filepath.Dir(r.hub), r.env, "clone", "--quiet", r.hub, fresh)
	for _, name := range []string{"api", "web", "all"} {
		p := r.start(t, fresh, "lease", "acquire", name, "--wait", "60s", "--run-id", "last-"+name, "--json")
		out, stderr, _ := p.wait(raceKill{})
		if p.cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("lane %s is stuck: %s%s", name, out, stderr)
		}
		r.start(t, fresh, "lease", "release", name, "--run-id", "last-"+name).wait(raceKill{})
	}
}

// enough reports whether the race shows something.
func (r *lapseRun) enough(taken int) bool {
	return len(r.spans) >= 2*len(r.dirs) && taken >= 2 && len(r.landed) >= 2
}

func newLapseRun(t *testing.T, clones int) *lapseRun {
	base := newRaceRun(t)
	root := filepath.Dir(base.dirs[0])
	r := &lapseRun{raceRun: base, hub: filepath.Join(root, "hub.git"), landed: map[string]bool{}}
	r.env = append(ofManyNodes(r.env), "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@x", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@x")
	r.dirs = nil
	gitIn(t, root, r.env, "init", "--quiet", "--bare", "-b", "main", r.hub)
	for i := range clones {
		dir := filepath.Join(root, fmt.Sprint("clone", i))
		gitIn(t, root, r.env, "clone", "--quiet", r.hub, dir)
		if r.dirs = append(r.dirs, dir); i > 0 {
			gitIn(t, dir, r.env, "config", "dos.remote", "origin")
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(lapseRules), 0o644); err != nil {
			t.Fatal(err)
		}
		gitIn(t, dir, r.env, "checkout", "--quiet", "-B", "main")
		gitIn(t, dir, r.env, "add", ".")
		gitIn(t, dir, r.env, "commit", "--quiet", "-m", "rules")
		gitIn(t, dir, r.env, "push", "--quiet", "origin", "HEAD:main")
		p := r.start(t, dir, "init", "--remote", "origin")
		if out, stderr, _ := p.wait(raceKill{}); p.cmd.ProcessState.ExitCode() != 0 {
			t.Fatalf("init: %s%s", out, stderr)
		}
		decideOnTheRemote(t, dir)
		gitIn(t, dir, r.env, "add", "-A")
		gitIn(t, dir, r.env, "commit", "--quiet", "-m", "fleet")
		gitIn(t, dir, r.env, "push", "--quiet", "origin", "HEAD:main")
	}
	return r
}

// ofManyNodes is an environment in which every clone is a node of its own.
func ofManyNodes(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_DOS_NODE=") })
}

// lapseAnswer is what a lease verb says.
type lapseAnswer struct {
	Outcome   string     `json:"outcome"`
	Lane      string     `json:"lane"`
	WorkUntil *time.Time `json:"work_until"`
}

func (r *lapseRun) ask(t *testing.T, i int, args ...string) (lapseAnswer, int) {
	p := r.start(t, r.dirs[i], append(args, "--json")...)
	out, stderr, _ := p.wait(raceKill{})
	var a lapseAnswer
	code := p.cmd.ProcessState.ExitCode()
	if err := json.Unmarshal(out, &a); err != nil || code != 0 && code != 3 && code != 5 {
		t.Errorf("git dos %v: status %d: %s%s", args, code, out, stderr)
	}
	return a, code
}

// work is one lease of a worker, to its end, good or bad.
func (r *lapseRun) work(t *testing.T, i, n int, rng *rand.Rand) {
	name := []string{"api", "api", "api", "web", "web", "deep", "deep", "all"}[rng.IntN(8)]
	run := fmt.Sprintf("run-%d-%d", i, n)
	a, code := r.ask(t, i, "lease", "acquire", name, "--run-id", run, "--wait", "1s")
	if code != 0 {
		if a.Outcome == "waiting" {
			r.ask(t, i, "lease", "release", name, "--run-id", run)
		}
		return
	}
	s := lapseSpan{i, name, time.Now(), *a.WorkUntil}
	fate := rng.IntN(10)
	for range rng.IntN(3) {
		time.Sleep(time.Duration(rng.IntN(700)) * time.Millisecond)
		if a, code = r.ask(t, i, "lease", "heartbeat", name, "--run-id", run); code != 0 {
			r.note(s) // it was told that it has none, and stopped at its deadline in any case
			return
		}
		s.to = *a.WorkUntil
	}
	switch {
	case fate < 3: // it dies
		r.note(s)
	case fate < 5: // it stalls, and comes back to push what it had
		r.note(s)
		time.Sleep(time.Duration(4+rng.IntN(2)) * time.Second)
		r.push(t, i, name, run)
	default:
		r.push(t, i, name, run)
		if end := time.Now(); end.Before(s.to) {
			s.to = end
		}
		r.note(s)
		r.ask(t, i, "lease", "release", name, "--run-id", run)
	}
}

func (r *lapseRun) note(s lapseSpan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, s)
}

// push commits a file of the lane and pushes it under the lease.
func (r *lapseRun) push(t *testing.T, i int, name, run string) {
	dir := r.dirs[i]
	gitIn(t, dir, r.env, "fetch", "--quiet", "origin", "main")
	gitIn(t, dir, r.env, "reset", "--quiet", "--hard", "origin/main")
	file := filepath.Join(dir, map[string]string{"api": "api", "web": "web", "deep": "api/deep", "all": "etc"}[name], run)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Error(err)
	}
	gitIn(t, dir, r.env, "add", ".")
	gitIn(t, dir, r.env, "commit", "--quiet", "-m", run)
	commit := strings.TrimSpace(gitIn(t, dir, r.env, "rev-parse", "HEAD"))
	if a, _ := r.ask(t, i, "push", "--lane", name); a.Outcome == "landed" {
		r.mu.Lock()
		r.landed[commit] = true
		r.mu.Unlock()
	}
}

// checkSpans is I1 in the eyes of the holders.
func (r *lapseRun) checkSpans(t *testing.T) {
	overlap := func(a, b string) bool {
		return a == b || a == "all" || b == "all" || a == "api" && b == "deep" || a == "deep" && b == "api"
	}
	for i, a := range r.spans {
		for _, b := range r.spans[i+1:] {
			if overlap(a.lane, b.lane) && a.from.Before(b.to) && b.from.Before(a.to) {
				t.Errorf("worker %d counted on lane %s from %s to %s, and worker %d on %s from %s to %s", a.worker, a.lane,
					a.from.Format(time.StampMilli), a.to.Format(time.StampMilli), b.worker, b.lane, b.from.Format(time.StampMilli), b.to.Format(time.StampMilli))
			}
		}
	}
}

// checkHub is that all that was told is on the hub, that nothing else moved the
// trunk, and that each lease ended before the next began. It counts takeovers.
func (r *lapseRun) checkHub(t *testing.T) (taken int) {
	shipped := map[string]bool{}
	for ref, chain := range raceChains(t, r.hub, "lane") {
		nonce := ""
		for _, e := range chain {
			switch {
			case e.op == "ACQUIRE" && nonce != "":
				t.Errorf("%s: nonce %s over %s, which had not ended", ref, e.record.Nonce, nonce)
			case e.op != "ACQUIRE" && nonce != e.record.Nonce && !e.ends():
				t.Errorf("%s: %s of nonce %s under %s", ref, e.op, e.record.Nonce, nonce)
			case e.op == "SCAVENGE":
				taken++
			}
			if nonce = e.record.Nonce; e.ends() {
				nonce = ""
			}
		}
	}
	for line := range strings.Lines(gitIn(t, r.hub, r.env, "log", "--format=%(trailers:key=Dos-Op,valueonly,separator=%x20) %b", "--all")) {
		if op, body, ok := strings.Cut(line, "{"); ok && strings.HasPrefix(strings.TrimSpace(op), "SHIP") {
			var rec struct {
				Ship *struct {
					New string `json:"new"`
				} `json:"ship"`
			}
			if json.Unmarshal([]byte("{"+body), &rec) == nil && rec.Ship != nil {
				shipped[rec.Ship.New] = true
			}
		}
	}
	trunk := strings.Fields(gitIn(t, r.hub, r.env, "rev-list", "main"))
	for _, commit := range trunk[:len(trunk)-2] { // all but the rules and the fleet
		if !shipped[commit] {
			t.Errorf("%s is on the trunk, and no lease shipped it", commit)
		}
	}
	on := map[string]bool{}
	for _, commit := range trunk {
		on[commit] = true
	}
	for commit := range r.landed {
		if !on[commit] {
			t.Errorf("%s was said to have landed, and is not on the trunk", commit)
		}
	}
	gitIn(t, r.hub, r.env, "fsck", "--strict", "--no-dangling")
	return taken
}
