package machine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/fleet"
)

// sleeper starts a process that ends with the test.
func sleeper(t *testing.T, env ...string) marker.Proc {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p, err := host.Process(int64(cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return marker.Of(p)
}

// ended is a process of this boot that is not there any more.
func ended(t *testing.T) marker.Proc {
	t.Helper()
	p := sleeper(t)
	p.Start = "1"
	return p
}

func look(t *testing.T, node string, spawns ...marker.Marker) View {
	t.Helper()
	v, err := Look(context.Background(), node, spawns)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func odd(v View, p marker.Proc) string {
	for _, o := range v.Odd {
		if o.PID == p.PID {
			return strings.Join(o.Reasons, ", ")
		}
	}
	return ""
}

func TestAProcessIsOursByRunAndNonceInItsEnvironment(t *testing.T) {
	ours := sleeper(t, "GIT_DOS_RUN_ID=r1", "GIT_DOS_NONCE=n1")
	others := []marker.Proc{
		sleeper(t, "GIT_DOS_RUN_ID=r1"), sleeper(t, "GIT_DOS_NONCE=n1"), sleeper(t, "GIT_DOS_RUN_ID=r1", "GIT_DOS_NONCE=n2"), sleeper(t),
	}
	gone := ended(t)
	spawn := marker.Marker{Node: "here", RunID: "r1", Nonce: "n1", Lane: "api", Keeper: gone, Worker: &gone}
	v := look(t, "here", spawn)
	if len(v.Own) != 1 || v.Own[0].PID != ours.PID || v.Own[0].Start != ours.Start || v.Own[0].Lane != "api" {
		t.Errorf("ours are %+v, want process %d alone", v.Own, ours.PID)
	}
	if got := odd(v, ours); got != "outlived its worker" {
		t.Errorf("it is odd for %q", got)
	}
	for _, p := range others {
		if got := odd(v, p); got != "" {
			t.Errorf("process %d is odd: %s", p.PID, got)
		}
	}
	if v := look(t, "there", spawn); len(v.Own) != 0 || v.Started != 0 {
		t.Errorf("another node's spawn was judged: %+v", v)
	}
}

func TestAWorkerIsLeftBehindWhenItsKeeperHasEnded(t *testing.T) {
	worker, child := sleeper(t, "GIT_DOS_RUN_ID=r", "GIT_DOS_NONCE=n"), sleeper(t, "GIT_DOS_RUN_ID=r", "GIT_DOS_NONCE=n")
	keeper := sleeper(t)
	spawn := marker.Marker{Node: "here", RunID: "r", Nonce: "n", Keeper: keeper, Worker: &worker}
	if v := look(t, "here", spawn); len(v.Odd) != 0 || v.Started != 1 || len(v.Own) != 2 {
		t.Errorf("keeper and worker run: %+v", v)
	}
	spawn.Keeper = ended(t)
	v := look(t, "here", spawn)
	if got := odd(v, worker); !strings.Contains(got, "nobody looks after") || v.Started != 1 {
		t.Errorf("the worker is odd for %q, %d started", got, v.Started)
	}
	if got := odd(v, child); got != "" {
		t.Errorf("a child of a worker that runs is odd: %s", got)
	}
}

func TestWhatThisMachineBearsIsFoundOut(t *testing.T) {
	v := look(t, "here")
	if v.Threads < 1 {
		t.Errorf("%d threads of all processes", v.Threads)
	}
	h := Capacity(context.Background(), t.TempDir(), v.Threads)
	for what, n := range map[string]*int64{"cores": h.Cores, "memory": h.FreeMB, "threads": h.Threads, "disk": h.DiskMB} {
		if n == nil || *n < 1 {
			t.Errorf("%s: %v", what, n)
		}
	}
	if h := Capacity(context.Background(), "/nowhere/at/all", 0); h.DiskMB != nil || h.Inodes != nil || h.Threads != nil {
		t.Errorf("what cannot be found out is known: %+v", h)
	}
	if got := fleet.Preflight(fleet.PreflightEvidence{MaxWorkers: 1, Host: h}); got.ExitCode() == 2 {
		t.Errorf("no verdict on a real machine: %v", got.Err())
	}
}

func TestALaunchIsKnownByAVariableOfItsOwnAndCountsOnce(t *testing.T) {
	loop := sleeper(t, "GIT_DOS_RUN_ID=l", EnvLaunch+"=t")
	stranger := sleeper(t, "GIT_DOS_RUN_ID=l", "GIT_DOS_NONCE=t")
	keeper := sleeper(t, "GIT_DOS_RUN_ID=l", EnvLaunch+"=t")
	worker := sleeper(t, "GIT_DOS_RUN_ID=r", "GIT_DOS_NONCE=n")
	launch := marker.Marker{Node: "here", RunID: "l", Nonce: "t", Lane: "api", Launch: true, Keeper: loop}
	works := marker.Marker{Node: "here", RunID: "r", Nonce: "n", Lane: "api", Keeper: keeper, Worker: &worker}
	if v := look(t, "here", launch); v.Started != 1 || len(v.Own) != 2 || len(v.Odd) != 0 {
		t.Errorf("a loop alone: %+v", v)
	}
	v := look(t, "here", launch, works)
	if v.Started != 1 || len(v.Own) != 3 {
		t.Errorf("a loop and its worker: %d started, %d ours", v.Started, len(v.Own))
	}
	for _, o := range v.Own {
		if o.PID == stranger.PID {
			t.Error("a process is of a launch by the variable of a worker")
		}
	}
	launch.Keeper = ended(t)
	v = look(t, "here", launch, works)
	if got := odd(v, loop); got != "outlived its worker" {
		t.Errorf("what is left of a loop is odd for %q", got)
	}
	if got := odd(v, keeper); got != "" {
		t.Errorf("one that looks after a worker is odd: %s", got)
	}
}

// A worker that ends while it is looked at did not outlive itself: it is asked for once
// more.
func TestAProcessThatHasEndedIsNotThereAgain(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, err := host.Process(int64(cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := again(p); err != nil {
		t.Errorf("one that runs: %v", err)
	}
	later := p
	later.Start = "1"
	if err := again(later); !errors.Is(err, host.ErrNoProcess) {
		t.Errorf("another of its number: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := again(p); !errors.Is(err, host.ErrNoProcess) {
		t.Errorf("one that has ended: %v", err)
	}
}
