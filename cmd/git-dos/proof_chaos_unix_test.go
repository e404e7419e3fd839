//go:build unix

package main

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
)

// A chaosRun is a worker that ships at some time, and what is done to it at another.
type chaosRun struct {
	lane   string
	dir    string
	file   string // that it ships
	script string
	what   string
	after  time.Duration
}

// chaosDeeds are what may befall a run. One that ends the keeper leaves no answer.
var chaosDeeds = map[string]func(f *proofFleet, r *proofRun, run chaosRun, worker int){
	"nothing":           func(*proofFleet, *proofRun, chaosRun, int) {},
	"worker killed":     func(_ *proofFleet, _ *proofRun, _ chaosRun, pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) },
	"group killed":      func(_ *proofFleet, _ *proofRun, _ chaosRun, pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) },
	"group asked":       func(_ *proofFleet, _ *proofRun, _ chaosRun, pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) },
	"keeper killed":     func(_ *proofFleet, r *proofRun, _ chaosRun, _ int) { _ = r.Process.Kill() },
	"keeper asked":      func(_ *proofFleet, r *proofRun, _ chaosRun, _ int) { _ = r.Process.Signal(syscall.SIGTERM) },
	"keeper hung up on": func(_ *proofFleet, r *proofRun, _ chaosRun, _ int) { _ = r.Process.Signal(syscall.SIGHUP) },
	"both killed": func(_ *proofFleet, r *proofRun, _ chaosRun, pid int) {
		_ = r.Process.Kill()
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	},
	"worker stopped": func(_ *proofFleet, _ *proofRun, _ chaosRun, pid int) {
		_ = syscall.Kill(-pid, syscall.SIGSTOP)
		time.Sleep(time.Second)
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	},
	"keeper stopped for long": func(_ *proofFleet, r *proofRun, _ chaosRun, _ int) {
		_ = r.Process.Signal(syscall.SIGSTOP)
		time.Sleep(9 * time.Second) // its lease has lapsed by then
		_ = r.Process.Signal(syscall.SIGCONT)
	},
	"lane taken": func(f *proofFleet, _ *proofRun, run chaosRun, _ int) {
		f.silent(f.bob, "lease", "scavenge", "--lane", run.lane, "--force", "--operator", "oncall")
	},
}

// chaosCuts are those that may cut a push off: the remote may go on with one that was
// under way, and have it once the run is judged.
var chaosCuts = map[string]bool{"worker killed": true, "group killed": true, "group asked": true, "keeper asked": true, "lane taken": true, "keeper stopped for long": true}

// chaosNames are the deeds, in an order of their own so that a seed names a run.
var chaosNames = []string{
	"nothing", "worker killed", "group killed", "group asked", "worker stopped", "keeper asked", "keeper hung up on", "lane taken",
	"keeper killed", "both killed", "keeper stopped for long",
}

// silent runs git-dos in a clone, whatever comes of it.
func (f *proofFleet) silent(dir string, args ...string) {
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env = dir, f.env
	_ = cmd.Run()
}

// Whatever befalls a worker or its keeper, and whenever: nothing is said to be on the
// trunk that is not, and where no push was cut off all that is; nothing is left held or running, and every lane is to be
// had again. At full length it is many rounds, with all that can befall.
func TestWhateverBefallsAWorkerWhatIsSaidOfItIsOnTheTrunk(t *testing.T) {
	lanes, rounds, deeds, ttl := []string{"api", "web", "db"}, 1, chaosNames[:8], "15s"
	if os.Getenv("GITDOS_LONG") != "" {
		lanes, rounds, deeds, ttl = []string{"api", "web", "db", "ui", "ops", "doc"}, 30, chaosNames, "8s"
	}
	seed := time.Now().UnixNano()
	if s := os.Getenv("GITDOS_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("GITDOS_SEED=%d", seed)
	rnd := rand.New(rand.NewSource(seed))
	f := newProofFleet(t, ttl, lanes)
	for round := range rounds {
		var all sync.WaitGroup
		for i, lane := range lanes {
			part := func(most int) float64 { return float64(rnd.Intn(most)) / 1000 }
			run := chaosRun{lane: lane, dir: []string{f.alice, f.bob}[i%2], file: fmt.Sprintf("%s/r%d", lane, round)}
			run.what, run.after = deeds[rnd.Intn(len(deeds))], time.Duration(rnd.Intn(2500))*time.Millisecond
			run.script = fmt.Sprintf(`echo $$ >$OUT/$L-%[1]d; sleep %[2]g; echo %[1]d >%[3]s; git dos commit --lane $L -m "$L: round %[1]d" %[3]s || exit 1; sleep %[4]g; for i in 1 2 3 4 5 6 7 8; do git dos push && break; git fetch -q origin; git rebase -q origin/main; done; sleep %[5]g`,
				round, part(400), run.file, part(400), part(800))
			all.Go(func() { f.befall(t, round, run) })
		}
		all.Wait()
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	f.heldNoMore(t)
	for _, pid := range f.processes() {
		t.Errorf("process %d is left", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	gitIn(t, f.hub, f.env, "fsck", "--strict", "--no-dangling")
}

// befall runs a worker once it is admitted, does to it what it is to bear, and holds
// what is said of it against the trunk.
func (f *proofFleet) befall(t *testing.T, round int, run chaosRun) {
	name := fmt.Sprintf("%s-%d", run.lane, round)
	r, ended := f.admitted(t, run, name)
	if r == nil {
		return
	}
	worker := f.pid(t, name)
	time.Sleep(run.after)
	chaosDeeds[run.what](f, r, run, worker)
	<-ended
	code := r.ProcessState.ExitCode()
	if code < 0 {
		return // it was killed, and says nothing
	}
	tell := func(problem string) {
		t.Errorf("%s after %s on %s: %s: status %d\n%s\n%s", run.what, run.after, run.lane, problem, code, &r.out, &r.stderr)
	}
	proofGone(t, "the worker", worker)
	said := r.out.String()
	if code == 130 { // its answer is told to people
		said = r.stderr.String()
	}
	witnessed := strings.Contains(said, string(supervise.ClaimWitnessed))
	shipped, err := f.shipped(run.file)
	switch {
	case err != nil:
		tell(err.Error())
	case witnessed && !shipped:
		tell("it is not on the trunk")
	case code == 4: // on a machine that is busy enough, for no other reason
	case shipped && !witnessed && !chaosCuts[run.what]:
		tell("it is on the trunk")
	case run.what == "nothing" && code != 0:
		tell("nothing befell it")
	}
}

// admitted starts a run again and again until its worker is there, and returns it with
// what is closed when it has ended.
func (f *proofFleet) admitted(t *testing.T, run chaosRun, name string) (*proofRun, <-chan struct{}) {
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(300 * time.Millisecond) {
		r, ended := f.start(t, run.dir, run.lane, run.script, "--worktree"), make(chan struct{})
		go func() { _ = r.Wait(); close(ended) }()
		for waiting := true; waiting; {
			select {
			case <-ended:
				waiting = false
			case <-time.After(10 * time.Millisecond):
			}
			if _, err := os.Stat(filepath.Join(f.out, name)); err == nil {
				return r, ended
			}
		}
		if code := r.ProcessState.ExitCode(); code != 3 || time.Now().After(end) {
			t.Errorf("lane %s is not to be had for %q: %d\n%s\n%s", run.lane, run.what, code, &r.out, &r.stderr)
			return nil, nil
		}
	}
}

// shipped reports whether the hub's trunk has a file.
func (f *proofFleet) shipped(path string) (bool, error) {
	cmd := exec.Command("git", "ls-tree", "--name-only", "main", "--", path)
	cmd.Dir, cmd.Env = f.hub, f.env
	out, err := cmd.Output()
	return len(out) > 0, err
}

// heldNoMore waits until every lease has ended or lapsed.
func (f *proofFleet) heldNoMore(t *testing.T) {
	var rows []struct{ Lane, State string }
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(300 * time.Millisecond) {
		if f.dos(t, f.alice, &rows, "lease", "live", "--json"); len(rows) == 0 {
			return
		} else if time.Now().After(end) {
			t.Errorf("held are %+v", rows)
			return
		}
	}
}
