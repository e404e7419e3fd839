//go:build unix

package main

import (
	"bytes"
	"cmp"
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

const raceRules = `[lanes]
concurrent = ["api", "web", "docs", "ops", "tools"]
exclusive = ["all"]
autopick = ["api", "web", "ops"]
[lanes.trees]
api = ["api/**"]
web = ["web/**"]
docs = ["docs/**"]
ops = ["ops/**"]
tools = ["tools/**"]
all = ["**/*"]
[lanes.aliases]
server = "api"
[overlap]
policy = "glob"
[[concurrency_class]]
name = "keyword"
max_concurrent = 3
`

// Sixteen workers with processes of their own in the worktrees of one
// repository, some of which are killed, while git packs refs and collects
// garbage beside them: one admission table explains all they were told.
func TestSixteenProcessesAndOneAdmissionTable(t *testing.T) {
	rounds, each := 3, 3*time.Second
	if os.Getenv("GITDOS_LONG") != "" {
		rounds, each = 20, 6*time.Second
	}
	r := newRaceRun(t)
	var history []porcupine.Operation
	// On a machine that is busy it takes more rounds for enough to happen.
	for i := 0; i < rounds || i < 4*rounds && !r.enough(history); i++ {
		r.round(t, 16, each)
		if i+1 >= rounds {
			history = r.history(t)
		}
	}
	r.checkChains(t)
	gitIn(t, r.dirs[0], nil, "fsck", "--strict", "--no-dangling")
	t.Log(r.tally(history))
	result, info := porcupine.CheckOperationsVerbose(raceModel, history, 2*time.Minute)
	if result != porcupine.Ok {
		t.Errorf("what the processes were told: %s; %s", result, raceWhere(history, info))
	}
	if !r.enough(history) {
		t.Error("too little happened to show anything")
	}
}

// history is what the processes were told, and what the chains say of those
// that did not answer.
func (r *raceRun) history(t *testing.T) (history []porcupine.Operation) {
	r.lanes, r.order = raceChains(t, r.dirs[0], "lane"), raceChains(t, r.dirs[0], "order")["refs/dos/order/grants"]
	for _, op := range append(r.whatBecameOfTheRest(), r.ops...) {
		if op.known || op.ask.verb == "landed" || op.ask.verb == "ended" {
			history = append(history, porcupine.Operation{ClientId: op.client, Input: op.ask, Call: op.from, Output: op.told, Return: op.to})
		}
	}
	return history
}

// enough reports whether the race shows something: grants, kills, and a killed
// process whose admission landed.
func (r *raceRun) enough(history []porcupine.Operation) bool {
	return r.grants() >= 20 && r.kills.Load() >= 10 && slices.ContainsFunc(history, func(op porcupine.Operation) bool { return op.Input.(raceAsk).verb == "landed" })
}

// A raceSpan is when an operation can have had its effect.
type raceSpan struct{ from, to int64 }

// A raceOp is one process, with what it was asked and what it told.
type raceOp struct {
	raceSpan
	client int
	ask    raceAsk
	told   raceTold
	runID  string
	known  bool   // it answered
	again  bool   // the lease was had before
	holder string // who is said to stand in the way
}

// A raceRun is one repository and everything that was done to it.
type raceRun struct {
	dirs    []string // its worktrees
	program string
	env     []string
	begun   time.Time

	mu      sync.Mutex
	ops     []raceOp
	dead    map[string]bool // owners that were killed
	orphans []int           // processes that may outlive the one that was killed
	rounds  []int64         // when all processes of a round were gone
	workers []*raceWorker

	kills, took, ran atomic.Int64
	lanes            map[string][]raceEntry // by ref
	order            []raceEntry
}

// A raceWorker is one of the racers. What it holds outlives a round.
type raceWorker struct {
	id   int
	rng  *rand.Rand
	held []raceLease
	back *raceOp // an acquisition that was killed and is to be asked for again
	n    int
}

func newRaceRun(t *testing.T) *raceRun {
	t.Helper()
	program, err := exec.LookPath("git-dos")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	r := &raceRun{program: program, begun: time.Now(), dead: map[string]bool{}, dirs: []string{filepath.Join(root, "repo")}}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "FLEET_") && !strings.HasPrefix(name, "DISPATCH_") {
			r.env = append(r.env, kv)
		}
	}
	r.env = append(r.env, "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_DOS_NODE=box")
	gitIn(t, root, nil, "init", "--quiet", "-b", "main", r.dirs[0])
	if err := os.WriteFile(filepath.Join(r.dirs[0], "dos.toml"), []byte(raceRules), 0o644); err != nil {
		t.Fatal(err)
	}
	gitIn(t, r.dirs[0], nil, "add", ".")
	gitIn(t, r.dirs[0], nil, "-c", "user.name=w", "-c", "user.email=w@x", "commit", "--quiet", "-m", "rules")
	for i := range 3 {
		tree := filepath.Join(root, fmt.Sprint("tree", i))
		gitIn(t, r.dirs[0], nil, "worktree", "add", "--quiet", "--detach", tree)
		r.dirs = append(r.dirs, tree)
	}
	return r
}

func (r *raceRun) now() int64 { return int64(time.Since(r.begun)) }

// round lets n workers work for a while, and then looks at the table.
func (r *raceRun) round(t *testing.T, n int, each time.Duration) {
	for len(r.workers) < n {
		id := len(r.workers)
		r.workers = append(r.workers, &raceWorker{id: id, rng: rand.New(rand.NewPCG(7, uint64(id)))})
	}
	done := make(chan struct{})
	var racers, beside sync.WaitGroup
	for _, w := range r.workers {
		racers.Go(func() {
			for end := time.Now().Add(each); time.Now().Before(end) && !t.Failed(); {
				w.step(t, r)
			}
		})
	}
	beside.Go(func() { r.housekeeping(t, done) })
	racers.Wait()
	close(done)
	beside.Wait()
	r.awaitOrphans(t)
	r.rounds = append(r.rounds, r.now())
	r.look(t)
}

// housekeeping packs refs and collects garbage until done.
func (r *raceRun) housekeeping(t *testing.T, done chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		case <-time.After(200 * time.Millisecond):
		}
		args := []string{"pack-refs", "--all"}
		if i%4 == 3 {
			args = []string{"gc", "--quiet"}
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = r.dirs[i%len(r.dirs)]
		if out, err := cmd.CombinedOutput(); err != nil && !bytes.Contains(out, []byte("lock")) {
			t.Errorf("git %v: %v %s", args, err, out) // a ref that moves meanwhile is locked
		}
	}
}

// awaitOrphans waits for what killed processes left running.
func (r *raceRun) awaitOrphans(t *testing.T) {
	for _, pid := range r.orphans {
		for end := time.Now().Add(30 * time.Second); raceAlive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("process %d does not end", pid)
				return
			}
		}
	}
	r.orphans = nil
}

// look compares the table as it is, and frees what the dead have left.
func (r *raceRun) look(t *testing.T) {
	op := raceOp{ask: raceAsk{verb: "look"}, client: len(r.workers)}
	var rows []struct {
		Lane, Nonce, Unit, Seat, State string
		Holder                         struct{ Owner string }
	}
	op.from = r.now()
	out, stderr, _ := r.start(t, r.dirs[0], "lease", "live", "--json").wait(raceKill{})
	op.to, op.known = r.now(), true
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatalf("lease live: %v: %s %s", err, out, stderr)
	}
	for _, row := range rows {
		if row.State != "free" {
			op.told.leases = append(op.told.leases, raceLease{lane: row.Lane, nonce: row.Nonce, unit: row.Unit, seat: row.Seat})
		}
	}
	slices.SortFunc(op.told.leases, func(a, b raceLease) int { return strings.Compare(a.lane, b.lane) })
	r.note(op)
	for _, row := range rows {
		if r.isDead(row.Holder.Owner) {
			r.scavenge(t, r.workers[0], row.Lane)
		}
	}
}

func (r *raceRun) note(op raceOp) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, op)
}

func (r *raceRun) isDead(owner string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dead[owner]
}

func (r *raceRun) grants() (n int) {
	for _, op := range r.ops {
		if op.known && op.told.outcome == "acquire" && !op.again {
			n++
		}
	}
	return n
}

// tally says what happened.
func (r *raceRun) tally(history []porcupine.Operation) string {
	count := map[string]int{}
	for _, op := range history {
		ask, told := op.Input.(raceAsk), op.Output.(raceTold)
		count[strings.TrimSpace(ask.verb+" "+told.outcome+" "+told.class)]++
	}
	return fmt.Sprintf("%d processes, %d killed, %d entries in the order, mean %s: %v", len(r.ops), r.kills.Load(), len(r.order),
		time.Duration(r.took.Load()/max(1, r.ran.Load())).Round(time.Millisecond), count)
}

// raceWhere shows how far the longest explanation gets, and what it leaves out.
func raceWhere(history []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, partial := range info.PartialLinearizationsOperations() {
		for _, ops := range partial {
			if len(ops) > len(longest) {
				longest = ops
			}
		}
	}
	var lines []string
	table, explained := raceTable(nil), map[string]int{}
	line := func(op porcupine.Operation) string {
		return fmt.Sprintf("%d-%d ms %+v %+v", op.Call/1e6, op.Return/1e6, op.Input, op.Output)
	}
	for _, op := range longest {
		_, table = raceStep(table, op.Input.(raceAsk), op.Output.(raceTold))
		lines = append(lines, "  "+line(op))
		explained[line(op)]++
	}
	lines = append(lines[max(0, len(lines)-12):], fmt.Sprintf("  and the table is %+v. What ended first of the rest:", table))
	rest := slices.DeleteFunc(slices.Clone(history), func(op porcupine.Operation) bool { return explained[line(op)] > 0 })
	slices.SortFunc(rest, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	for _, op := range rest[:min(6, len(rest))] {
		lines = append(lines, "  "+line(op))
	}
	return fmt.Sprintf("%d of %d steps are explained, the last of them\n%s", len(longest), len(history), strings.Join(lines, "\n"))
}
