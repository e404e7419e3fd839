package machine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/fleet"
)

// script starts a shell script that leads a session, and waits for the number that
// it prints into $OUT.
func script(t *testing.T, text string) (leader Owned, said int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("sh", "-c", text)
	cmd.Env = []string{"OUT=" + out, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL); <-done })
	for range 1000 {
		if data, err := os.ReadFile(out); err == nil && strings.HasSuffix(string(data), "\n") {
			said, _ = strconv.Atoi(strings.TrimSpace(string(data)))
			p, err := host.Process(int64(cmd.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			worker := marker.Of(p)
			return Owned{fleet.Process{PID: p.PID, Start: p.Start, Own: true}, p, marker.Marker{Worker: &worker}}, said
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the script says nothing")
	return Owned{}, 0
}

func end(t *testing.T, o Owned, grace time.Duration) fleet.Ending {
	t.Helper()
	e, err := End(context.Background(), o, grace)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func runs(pid int) bool {
	_, err := host.Process(int64(pid))
	return !errors.Is(err, host.ErrNoProcess)
}

func ends(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if !runs(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d runs on", pid)
}

const (
	heedful = `sleep 300 & echo $! >$OUT; trap 'kill %1; exit 0' TERM; wait`
	deaf    = `trap "" TERM; echo $$ >$OUT; while :; do sleep 0.05; done`
)

func TestAProcessIsAskedFirstAndKilledAfterItsGrace(t *testing.T) {
	o, child := script(t, heedful)
	if e := end(t, o, time.Minute); e.Signal != "TERM" || !e.Gone || !e.Group || !e.Pinned {
		t.Errorf("one that heeds: %+v", e)
	}
	ends(t, child)
	o, self := script(t, deaf)
	if e := end(t, o, 100*time.Millisecond); e.Signal != "KILL" || !e.Gone {
		t.Errorf("one that does not: %+v", e)
	}
	ends(t, self)
}

func TestOneThatIsStoppedIsWoken(t *testing.T) {
	o, _ := script(t, heedful)
	_ = unix.Kill(int(o.PID), unix.SIGSTOP)
	if e := end(t, o, time.Minute); e.Signal != "TERM" || !e.Gone {
		t.Errorf("%+v", e)
	}
}

func TestWhatTheLeaderLeavesInItsGroupEndsWithIt(t *testing.T) {
	o, child := script(t, `(trap "" TERM; sh -c 'echo $PPID' >$OUT; while :; do sleep 0.05; done) & trap 'exit 0' TERM; while :; do sleep 0.05; done`)
	if e := end(t, o, 200*time.Millisecond); !e.Gone {
		t.Errorf("%+v", e)
	}
	ends(t, child)
}

func TestAGroupThatWasNotMadeForTheSpawnIsLeftAlone(t *testing.T) {
	o, child := script(t, `sleep 300 & echo $! >$OUT; wait`)
	named, err := host.Process(int64(child))
	if err != nil {
		t.Fatal(err)
	}
	one := Owned{fleet.Process{PID: named.PID, Start: named.Start}, named, o.Spawn}
	if e := end(t, one, time.Minute); e.Group || !e.Gone {
		t.Errorf("%+v", e)
	}
	ends(t, child)
	o, child = script(t, `sleep 300 & echo $! >$OUT; trap '' TERM; trap 'exit 0' USR1; while :; do sleep 0.05; done`)
	o.Spawn.Worker = nil
	if e := end(t, o, 50*time.Millisecond); e.Group || !e.Gone {
		t.Errorf("%+v", e)
	}
	if !runs(child) {
		t.Error("a process was ended by a group that is not the spawn's")
	}
}

// Whatever has the number by now is not hit.
func TestALaterProcessOfTheSameNumberIsNotSignalled(t *testing.T) {
	o, _ := script(t, deaf)
	later := o
	later.Start, later.Proc.Start = "1", "1"
	if e := end(t, later, 50*time.Millisecond); e.Signal != "" || !e.Gone {
		t.Errorf("%+v", e)
	}
	elsewhere := o
	elsewhere.Proc.Boot = "another"
	if e, err := End(context.Background(), elsewhere, 50*time.Millisecond); !errors.Is(err, ErrUnnamed) || e.Signal != "" || e.Gone {
		t.Errorf("of another boot: %+v, %v", e, err)
	}
	unnamed := o
	unnamed.Proc = host.Proc{}
	if _, err := End(context.Background(), unnamed, time.Second); !errors.Is(err, ErrUnnamed) {
		t.Errorf("one that cannot be named: %v", err)
	}
	if gone, err := (lookedAt{later.Proc}).signal(sigKill, true); !gone || err != nil {
		t.Errorf("without a descriptor: %v, %v", gone, err)
	}
	if !runs(int(o.PID)) {
		t.Error("the later process was ended")
	}
}

func TestWithoutADescriptorItIsLookedAtRightBefore(t *testing.T) {
	o, _ := script(t, heedful)
	h := lookedAt{o.Proc}
	if gone, err := h.signal(sigTerm, true); gone || err != nil {
		t.Fatal(gone, err)
	}
	if gone, err := await(context.Background(), h, false, time.Minute); !gone || err != nil {
		t.Error(gone, err)
	}
	if gone, err := h.signal(sigKill, false); !gone || err != nil {
		t.Errorf("one that has ended: %v, %v", gone, err)
	}
}
