//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
)

const proofRules = `interval = "1s"
[lease]
ttl = "%s"
margin = "1s"
[worker]
grace = "1s"
[worker.exit]
rate_limited = [75]
overloaded = [76]
`

// A proofFleet is two clones of one hub, in which real programs are run as workers.
type proofFleet struct {
	root, hub  string
	alice, bob string
	out        string // where workers write what the test reads
	env        []string
}

// newProofFleet makes a fleet with a lane for each of some names.
func newProofFleet(t *testing.T, ttl string, lanes []string) *proofFleet {
	t.Helper()
	root := t.TempDir()
	f := &proofFleet{root: root, hub: filepath.Join(root, "hub.git"), alice: filepath.Join(root, "alice"), bob: filepath.Join(root, "bob"), out: filepath.Join(root, "out")}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "FLEET_") && !strings.HasPrefix(name, "DISPATCH_") {
			f.env = append(f.env, kv)
		}
	}
	f.env = append(f.env, "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@x", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@x")
	if err := os.Mkdir(f.out, 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, root, f.env, "init", "--quiet", "--bare", "-b", "main", f.hub)
	gitIn(t, root, f.env, "clone", "--quiet", f.hub, f.alice)
	gitIn(t, f.alice, f.env, "checkout", "--quiet", "-B", "main")
	for _, lane := range lanes {
		dir := filepath.Join(f.alice, lane)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f.write(t, filepath.Join(dir, "README"), lane+"\n")
	}
	gitIn(t, f.alice, f.env, "add", ".")
	gitIn(t, f.alice, f.env, "commit", "--quiet", "-m", "root")
	gitIn(t, f.alice, f.env, "push", "--quiet", "origin", "HEAD")
	gitIn(t, f.alice, f.env, "dos", "init", "--remote", "origin")
	decideOnTheRemote(t, f.alice) // and below that in the same table
	rules, err := os.ReadFile(filepath.Join(f.alice, "dos.toml"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, filepath.Join(f.alice, "dos.toml"), string(rules)+fmt.Sprintf(proofRules, ttl))
	gitIn(t, f.alice, f.env, "add", ".")
	gitIn(t, f.alice, f.env, "commit", "--quiet", "-m", "rules")
	gitIn(t, f.alice, f.env, "push", "--quiet", "origin", "HEAD")
	gitIn(t, root, f.env, "clone", "--quiet", f.hub, f.bob)
	gitIn(t, f.bob, f.env, "dos", "init", "--remote", "origin")
	return f
}

func (f *proofFleet) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A proofWorker is one program, what it is run as, and what is to be said of it.
type proofWorker struct {
	name    string
	script  string
	flags   []string
	outcome supervise.WorkerOutcome
	status  int
	claim   supervise.WorkerOutcome // where it is not the outcome
	end     supervise.End
	signal  string
	check   func(t *testing.T, f *proofFleet, a workerAnswer)
	during  func(t *testing.T, f *proofFleet, dir, lane string) // while it runs
}

// dos runs git-dos in a clone, and reads its answer.
func (f *proofFleet) dos(t *testing.T, dir string, answer any, args ...string) int {
	t.Helper()
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, f.env, time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // the status is the verdict
	if answer != nil {
		if err := json.Unmarshal(out, answer); err != nil {
			t.Errorf("git dos %s: status %d, %v: %q %s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), err, out, &stderr)
		}
	}
	return cmd.ProcessState.ExitCode()
}

// ready waits until a worker has written a file, and returns what it wrote.
func (f *proofFleet) ready(t *testing.T, name string) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(f.out, name)); err == nil && strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
	}
	t.Errorf("no worker wrote %s", name)
	return ""
}

func (f *proofFleet) pid(t *testing.T, name string) int {
	t.Helper()
	pid, err := strconv.Atoi(f.ready(t, name))
	if err != nil {
		t.Error(err)
	}
	return pid
}

// gone checks that a process ends.
func proofGone(t *testing.T, what string, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); raceAlive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("%s, process %d, runs on", what, pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

// proofWorkers are twelve programs and more, each in a lane of its name. A script
// knows where to write as $OUT, and its lane as $L.
func proofWorkers() []proofWorker {
	ship := func(n int) string {
		return fmt.Sprintf(`echo "$L %d" >$L/work%d; git dos commit --lane $L --plan SHOP --phase $L -m "SHOP: $L serve it" $L`, n, n)
	}
	push := `for i in 1 2 3 4 5 6 7 8; do git dos push && break; git fetch -q origin; git rebase -q origin/main; done`
	nothing := proofWorker{outcome: supervise.ClaimNoCommit, status: 6, end: supervise.EndClaim}
	as := func(base proofWorker, name, script string, change func(*proofWorker)) proofWorker {
		base.name, base.script = name, script
		if change != nil {
			change(&base)
		}
		return base
	}
	witnessed := proofWorker{outcome: supervise.ClaimWitnessed, status: 0, end: supervise.EndClaim}
	unwitnessed := proofWorker{outcome: supervise.ClaimUnwitnessed, status: 5, end: supervise.EndClaim}
	over := proofWorker{outcome: supervise.TimedOut, status: 8, claim: supervise.ClaimNoCommit, end: supervise.EndUnclear}
	return []proofWorker{
		as(witnessed, "honest", ship(1)+"; "+push, func(w *proofWorker) { w.flags = []string{"--unit", "SHOP/honest"} }),
		as(witnessed, "truthful", ship(1)+"; "+push+"; exit 9", func(w *proofWorker) { w.end = supervise.EndUnclear }),
		as(nothing, "idle", "sleep 0.2", nil),
		as(nothing, "boaster", `echo "SHOP/boaster is done, all tests pass"`, func(w *proofWorker) { w.flags = []string{"--unit", "SHOP/boaster"} }),
		as(unwitnessed, "empty", `git commit -q --allow-empty -m "SHOP: empty serve it" -m "Dos-Run: $GIT_DOS_RUN_ID"; git dos push; true`, func(w *proofWorker) { w.flags = []string{"--unit", "SHOP/empty"} }),
		as(unwitnessed, "trespasser", `echo mine >honest/stolen; git add -A; git commit -q -m "SHOP: trespasser serve it" -m "Dos-Run: $GIT_DOS_RUN_ID"; git dos push; true`, nil),
		as(unwitnessed, "hoarder", ship(1), nil),
		as(nothing, "crasher", `echo half >$L/half; kill -SEGV $$`, func(w *proofWorker) {
			w.end, w.signal = supervise.EndUnclear, "SEGV"
			w.check = func(t *testing.T, _ *proofFleet, a workerAnswer) {
				if !slices.Equal(a.Evidence.Stranded, []string{"crasher/half"}) {
					t.Errorf("stranded are %q", a.Evidence.Stranded)
				}
			}
		}),
		as(nothing, "forker", `(trap "" TERM; sh -c 'echo $PPID' >$OUT/child; while :; do sleep 0.1; done) & while [ ! -s $OUT/child ]; do sleep 0.02; done`, func(w *proofWorker) {
			w.check = func(t *testing.T, f *proofFleet, a workerAnswer) {
				proofGone(t, "what was left in the group", f.pid(t, "child"))
				if len(a.Evidence.Survivors) > 0 {
					t.Errorf("it is survived by %+v", a.Evidence.Survivors)
				}
			}
		}),
		as(nothing, "printer", `head -c 30000000 /dev/zero | tr '\0' x; echo; exit 0`, func(w *proofWorker) {
			w.check = func(t *testing.T, _ *proofFleet, a workerAnswer) {
				if st, err := os.Stat(a.Log); err != nil || a.Evidence.Exit.Output != 30_000_001 || st.Size() <= 30_000_001 {
					t.Errorf("it printed %d bytes, and its log is %v, %v", a.Evidence.Exit.Output, st, err)
				}
			}
		}),
		as(over, "deaf", `trap "" TERM; echo $$ >$OUT/deaf; while :; do sleep 0.1; done`, func(w *proofWorker) {
			w.flags, w.signal = []string{"--timeout", "2s"}, "KILL"
			w.check = func(t *testing.T, f *proofFleet, _ workerAnswer) { proofGone(t, "the deaf one", f.pid(t, "deaf")) }
		}),
		as(over, "stopped", `echo $$ >$OUT/stopped; kill -STOP $$; sleep 300`, func(w *proofWorker) {
			w.flags, w.signal = []string{"--timeout", "2s"}, "TERM"
			w.check = func(t *testing.T, f *proofFleet, _ workerAnswer) {
				proofGone(t, "the stopped one", f.pid(t, "stopped"))
			}
		}),
		as(proofWorker{outcome: supervise.LeaseLost, status: 4, claim: supervise.ClaimUnwitnessed, end: supervise.EndUnclear, signal: "TERM"},
			"robbed", ship(1)+`; echo $$ >$OUT/robbed; sleep 300; git dos push`, func(w *proofWorker) {
				w.during = func(t *testing.T, f *proofFleet, dir, lane string) {
					f.ready(t, "robbed")
					if code := f.dos(t, f.bob, nil, "lease", "scavenge", "--lane", lane, "--force", "--operator", "oncall"); code != 0 {
						t.Errorf("the operator's scavenge ended with %d", code)
					}
				}
				w.check = func(t *testing.T, f *proofFleet, _ workerAnswer) { proofGone(t, "the robbed one", f.pid(t, "robbed")) }
			}),
		as(nothing, "limited", "exit 75", func(w *proofWorker) { w.end = supervise.EndRateLimited }),
		as(nothing, "overloaded", "exit 76", func(w *proofWorker) { w.end = supervise.EndOverloaded }),
	}
}

// Programs of every kind are run as workers at once, from two clones of one hub: each
// is judged by what is on the trunk and by how it ended, nothing is left held, nothing
// of ours is left running, and the trunk has the honest work and no more.
func TestEveryWorkerIsJudgedByWhatItDid(t *testing.T) {
	workers := proofWorkers()
	var lanes []string
	for _, w := range workers {
		lanes = append(lanes, w.name)
	}
	f := newProofFleet(t, "15s", lanes)
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(f.root, "git-dos-worker")
	if err := os.Symlink(sleep, named); err != nil {
		t.Fatal(err)
	}
	bystander := exec.Command(named, "300")
	bystander.Env = append(slices.Clone(f.env), "GIT_DOS_RUN_ID=RID-1234", "GIT_DOS_LEASE=honest@1")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bystander.Process.Kill(); _ = bystander.Wait() }()

	began := time.Now()
	var all sync.WaitGroup
	for i, w := range workers {
		all.Go(func() { f.judge(t, w, []string{f.alice, f.bob}[i%2]) })
	}
	all.Wait()
	f.logs(t)
	t.Logf("%d workers in %s", len(workers), time.Since(began).Round(time.Millisecond))
	if !raceAlive(bystander.Process.Pid) {
		t.Error("a process that is not ours was ended")
	}
	f.nothingHeld(t)
	f.noProcess(t)
	gitIn(t, f.hub, f.env, "fsck", "--strict", "--no-dangling")
	got := gitIn(t, f.hub, f.env, "ls-tree", "-r", "--name-only", "main")
	want := []string{".gitignore", "dos.toml", "honest/work1", "truthful/work1"}
	for _, l := range lanes {
		want = append(want, l+"/README")
	}
	slices.Sort(want)
	if got != strings.Join(want, "\n")+"\n" {
		t.Errorf("the trunk has\n%swant\n%s", got, strings.Join(want, "\n"))
	}
}

// judge runs a worker and checks all that is said of it.
func (f *proofFleet) judge(t *testing.T, w proofWorker, dir string) {
	args := append([]string{"worker", "run", "--json", "--lane", w.name, "--host-cap", "99", "--max-workers", "99", "--worktree"}, w.flags...)
	var done sync.WaitGroup
	if w.during != nil {
		done.Go(func() { w.during(t, f, dir, w.name) })
	}
	var a workerAnswer
	code := f.dos(t, dir, &a, append(args, "--", "sh", "-c", "OUT="+f.out+" L="+w.name+"; export OUT L; "+w.script)...)
	done.Wait()
	if w.claim == "" {
		w.claim = w.outcome
	}
	if a.Outcome != w.outcome || code != w.status || a.Claim != w.claim || a.End != w.end || a.Evidence.Exit.Signal != w.signal {
		t.Errorf("%s: status %d, %s, claim %s, end %s, signal %q; want %d, %s, %s, %s, %q\n%+v", w.name, code, a.Outcome, a.Claim, a.End, a.Evidence.Exit.Signal, w.status, w.outcome, w.claim, w.end, w.signal, a)
	}
	if w.check != nil {
		w.check(t, f, a)
	}
}

// logs shows, where something is wrong, what the workers printed.
func (f *proofFleet) logs(t *testing.T) {
	if !t.Failed() {
		return
	}
	for _, dir := range []string{f.alice, f.bob} {
		paths, _ := filepath.Glob(filepath.Join(dir, ".git", "dos", "logs", "*.log"))
		for _, path := range paths {
			text, err := os.ReadFile(path)
			t.Logf("%s: %v\n%s", path, err, text[:min(len(text), 2000)])
		}
	}
}

// nothingHeld checks that no lane is held, as both clones see it.
func (f *proofFleet) nothingHeld(t *testing.T) {
	t.Helper()
	for _, dir := range []string{f.alice, f.bob} {
		var rows []struct{ Lane, State string }
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(200 * time.Millisecond) { // until it is looked at anew
			if f.dos(t, dir, &rows, "lease", "live", "--json"); len(rows) == 0 {
				break
			} else if time.Now().After(end) {
				t.Errorf("held are %+v", rows)
				break
			}
		}
	}
}

// noProcess checks that no process is left that this fleet's workers started.
func (f *proofFleet) noProcess(t *testing.T) {
	t.Helper()
	for _, dir := range []string{f.alice, f.bob} {
		if markers, _ := filepath.Glob(filepath.Join(dir, ".git", "dos", "markers", "*")); len(markers) > 0 {
			t.Errorf("markers are left: %q", markers)
		}
	}
	for _, pid := range f.processes() {
		t.Errorf("process %d is left", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processes are those that were given a lease of this fleet, by /proc where there is
// one.
func (f *proofFleet) processes() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, _ := os.ReadFile(path)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && strings.Contains(string(env), "GIT_DOS_NONCE=") && strings.Contains(string(env), "HOME="+f.root+"\x00") && raceAlive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
