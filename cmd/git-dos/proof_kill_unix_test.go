//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
)

// A proofRun is a worker run that goes on while the test does something to it.
type proofRun struct {
	*exec.Cmd
	out, stderr strings.Builder
}

func (f *proofFleet) start(t *testing.T, dir, lane, script string, flags ...string) *proofRun {
	t.Helper()
	args := append([]string{"worker", "run", "--json", "--lane", lane, "--host-cap", "99", "--max-workers", "99"}, flags...)
	r := &proofRun{Cmd: exec.Command("git-dos", append(args, "--", "sh", "-c", "OUT="+f.out+" L="+lane+"; export OUT L; "+script)...)}
	r.Dir, r.Env, r.Stdout, r.Stderr, r.WaitDelay = dir, f.env, &r.out, &r.stderr, time.Second
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

const proofSleeper = `echo $$ >$OUT/$L; exec sleep 300`

// Whatever is killed, at the end nothing is granted twice: while a worker may be
// running its node starts no other, and the lane goes to somebody else when its lease
// has lapsed and not before.
func TestKilledAtAnyPointNothingIsGrantedTwice(t *testing.T) {
	for name, kill := range map[string]struct {
		keeper, worker bool
		here           supervise.Readiness // what preflight then says where it ran
	}{
		"the keeper":        {true, false, supervise.RefuseHost},
		"keeper and worker": {true, true, supervise.SpawnOK},
		"the worker":        {false, true, supervise.SpawnOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newProofFleet(t, "4s", []string{"api", "web"})
			r := f.start(t, f.alice, "api", proofSleeper)
			worker := f.pid(t, "api")
			f.marked(t, f.alice)
			if kill.keeper {
				_ = r.Process.Kill()
				_ = r.Wait()
			}
			if kill.worker {
				_ = syscall.Kill(worker, syscall.SIGKILL)
			}
			if !kill.keeper {
				f.killedWorker(t, r)
				return
			}
			// For as long as the lease lives nobody else has the lane.
			var a workerAnswer
			if code := f.dos(t, f.bob, &a, "worker", "run", "--json", "--lane", "api", "--host-cap", "9", "--", "true"); code != 3 || a.Refused != "lease" {
				t.Errorf("a held lane was granted: %d %+v", code, a)
			}
			var ready supervise.PreflightVerdict
			f.dos(t, f.alice, &ready, "preflight", "--json", "--host-cap", "9")
			if ready.Outcome != kill.here {
				t.Errorf("preflight says %s, want %s: %s", ready.Outcome, kill.here, ready.Reason)
			}
			// Then it is another's; and where its old worker runs, nothing is started.
			again := f.takeOver(t, f.bob, "api")
			code := f.dos(t, f.alice, &a, "worker", "run", "--json", "--lane", "api", "--host-cap", "9", "--", "true")
			if code != 3 {
				t.Errorf("a lane of another clone was granted: %d %+v", code, a)
			}
			if status := again(); status != 6 {
				t.Errorf("the one who took it over ended with %d", status)
			}
			if raceAlive(worker) == kill.worker {
				t.Errorf("the worker runs: %v", !kill.worker)
			}
			code = f.dos(t, f.alice, &a, "worker", "run", "--json", "--lane", "web", "--host-cap", "9", "--", "true")
			if want := map[bool]int{true: 6, false: 3}[kill.worker]; code != want {
				t.Errorf("the next worker here ended with %d, want %d: %+v", code, want, a)
			}
			_ = syscall.Kill(worker, syscall.SIGKILL)
			proofGone(t, "the worker", worker)
			if code := f.dos(t, f.alice, &a, "worker", "run", "--json", "--lane", "api", "--host-cap", "9", "--", "true"); code != 6 {
				t.Errorf("with nothing left, the next worker ended with %d: %+v", code, a)
			}
			f.nothingHeld(t)
		})
	}
}

// killedWorker checks what the keeper of a worker says that was killed.
func (f *proofFleet) killedWorker(t *testing.T, r *proofRun) {
	_ = r.Wait()
	if r.ProcessState.ExitCode() != 6 || !strings.Contains(r.out.String(), `"signal":"KILL"`) {
		t.Errorf("%d %s %s", r.ProcessState.ExitCode(), &r.out, &r.stderr)
	}
	f.nothingHeld(t)
	f.noProcess(t)
}

// marked waits until a marker names its worker.
func (f *proofFleet) marked(t *testing.T, dir string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		paths, _ := filepath.Glob(filepath.Join(dir, ".git", "dos", "markers", "*.json"))
		for _, path := range paths {
			if text, _ := os.ReadFile(path); strings.Contains(string(text), `"worker":{`) {
				return
			}
		}
	}
	t.Error("no marker names the worker")
}

// takeOver starts a worker again and again until the lane is to be had, and returns
// while it runs.
func (f *proofFleet) takeOver(t *testing.T, dir, lane string) (status func() int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		r := f.start(t, dir, lane, "echo >$OUT/again; sleep 1")
		ended := make(chan struct{})
		go func() { _ = r.Wait(); close(ended) }()
		for waiting := true; waiting; {
			select {
			case <-ended:
				waiting = false
			case <-time.After(10 * time.Millisecond):
			}
			if _, err := os.Stat(filepath.Join(f.out, "again")); err == nil {
				return func() int { <-ended; return r.ProcessState.ExitCode() }
			}
		}
	}
	t.Fatalf("lane %s is never to be had", lane)
	return nil
}

// A run that was killed with all that was of it is in its own node's way until its
// lease lapses, and no longer: also where no more than one worker may run.
func TestAKilledRunIsNotInItsOwnWayForEver(t *testing.T) {
	t.Parallel()
	f := newProofFleet(t, "4s", []string{"api"})
	r := f.start(t, f.alice, "api", proofSleeper)
	worker := f.pid(t, "api")
	f.marked(t, f.alice)
	_ = r.Process.Kill()
	_ = syscall.Kill(worker, syscall.SIGKILL)
	_ = r.Wait()
	proofGone(t, "the worker", worker)
	var a workerAnswer
	next := func() int {
		return f.dos(t, f.alice, &a, "worker", "run", "--json", "--lane", "api", "--host-cap", "1", "--", "true")
	}
	if code := next(); code != 3 || a.Refused != "lease" {
		t.Errorf("while it lives, the lease is granted again: %d %+v", code, a)
	}
	code := 3
	for end := time.Now().Add(30 * time.Second); code == 3 && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		code = next()
	}
	if code != 6 {
		t.Errorf("%d %+v", code, a)
	}
	f.nothingHeld(t)
}

// What leaves its worker's group is told of and not ended: only the group was made by
// us. It keeps its marker, and the next worker of that node is refused while it runs.
func TestWhatEscapesItsGroupIsNamedAndLeftAlone(t *testing.T) {
	f := newProofFleet(t, "60s", []string{"api", "web"})
	var a workerAnswer
	code := f.dos(t, f.alice, &a, "worker", "run", "--json", "--lane", "api", "--host-cap", "9", "--", "sh", "-c",
		`setsid sh -c 'echo $$ >'"$1"'/escaped; exec sleep 300' & while [ ! -s "$1/escaped" ]; do sleep 0.02; done; sleep 0.1`, "x", f.out)
	escaped := f.pid(t, "escaped")
	defer func() { _ = syscall.Kill(escaped, syscall.SIGKILL) }()
	if code != 6 || len(a.Evidence.Survivors) != 1 || a.Evidence.Survivors[0].PID != int64(escaped) || a.Next != "git dos reclaim" {
		t.Errorf("%d %+v, want process %d to survive it", code, a, escaped)
	}
	if !raceAlive(escaped) {
		t.Error("what left the group was ended")
	}
	f.nothingHeld(t)
	var ready supervise.PreflightVerdict
	if code := f.dos(t, f.alice, &ready, "preflight", "--json", "--host-cap", "9"); code != 6 || len(ready.Flagged) != 1 || ready.Flagged[0].PID != int64(escaped) {
		t.Errorf("preflight says %d: %s", code, ready.Reason)
	}
	if code := f.dos(t, f.alice, &a, "worker", "run", "--json", "--lane", "web", "--host-cap", "9", "--", "true"); code != 3 || a.Refused != "preflight" {
		t.Errorf("beside it, a worker was started: %d %+v", code, a)
	}
	if code := f.dos(t, f.bob, &a, "worker", "run", "--json", "--lane", "web", "--host-cap", "9", "--", "true"); code != 6 {
		t.Errorf("in another clone, whose process it is not: %d %+v", code, a)
	}
	_ = syscall.Kill(escaped, syscall.SIGKILL)
	proofGone(t, "the escaped one", escaped)
	if code := f.dos(t, f.alice, &ready, "preflight", "--json", "--host-cap", "9"); code != 0 {
		t.Errorf("with nothing left, preflight says %d: %s", code, ready.Reason)
	}
}
