//go:build unix

package probe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/fleet"
)

func sh(account, script string, env ...string) Ask {
	return Ask{Account: account, Command: []string{"/bin/sh", "-c", script}, Env: append(env, "PATH="+os.Getenv("PATH"))}
}

func TestHostileProbesAreUnreadableAndLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := "sleep 300 & echo $! > " + dir + "/"
	asks := []Ask{
		sh("hangs", "trap '' TERM; "+left+"hangs; sleep 300", "SECRET=hush"),
		sh("garbage", left+"garbage; printf '\\377\\000hush'; exit 3"),
		sh("floods", left+"floods; yes hush"),
		sh("floods beside", left+"beside; yes hush >&2 & exit 3"),
		sh("keeps its output", "echo '{\"until\":'; "+left+"keeps; exit 3"),
		sh("killed", left+"killed; kill -9 $$"),
		{Account: "none", Command: []string{filepath.Join(dir, "no-such-probe")}},
		{Account: "nothing"},
		sh("fine", left+"fine; exit 0"),
		sh("capped", `echo '{"until":"2030-01-02T15:00:00Z"}'; exit 3`),
	}
	noon := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	began := time.Now()
	got := All(t.Context(), asks, func() time.Time { return noon }, 2*time.Second)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	for account, want := range map[string]fleet.ProbeState{
		"hangs": fleet.ProbeUnreadable, "garbage": fleet.ProbeUnreadable, "floods": fleet.ProbeUnreadable, "floods beside": fleet.ProbeUnavailable,
		"keeps its output": fleet.ProbeUnreadable, "killed": fleet.ProbeUnreadable, "none": fleet.ProbeUnreadable, "nothing": fleet.ProbeUnreadable,
		"fine": fleet.ProbeAvailable, "capped": fleet.ProbeUnavailable,
	} {
		if p := got[account]; p.State != want || p.Reason == "" || strings.Contains(p.Reason, "hush") {
			t.Errorf("%s: %+v, want %s", account, p, want)
		}
	}
	if p := got["floods"]; !strings.Contains(p.Reason, "printed more than 4096 bytes") {
		t.Errorf("floods: %+v", p)
	}
	if p := got["capped"]; p.Until == nil || !p.Until.Equal(noon.Add(3*time.Hour)) {
		t.Errorf("capped: %+v", p)
	}
	for _, name := range []string{"hangs", "garbage", "floods", "beside", "keeps", "killed", "fine"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || pid == 0 {
			t.Errorf("%s: its child is not told: %q, %v", name, text, err)
			continue
		}
		if !gone(pid) {
			t.Errorf("%s: its child %d is left", name, pid)
		}
	}
}

// gone waits for a process that was killed: a zombie counts as gone.
func gone(pid int) bool {
	for range 100 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

func TestAProbeSeesTheEnvironmentItIsGivenAlone(t *testing.T) {
	t.Setenv("GIT_DOS_PROBE_TEST", "leak")
	asks := []Ask{sh("a", `test -z "$GIT_DOS_PROBE_TEST" && test "$TOKEN" = one && ! read line`, "TOKEN=one"), sh("b", `test "$TOKEN" = one`, "TOKEN=two")}
	got := All(t.Context(), asks, time.Now, 5*time.Second)
	if got["a"].State != fleet.ProbeAvailable || got["b"].State != fleet.ProbeUnreadable {
		t.Errorf("%+v", got)
	}
}

func TestProbesRunBesideEachOtherAndEndWithTheirAsker(t *testing.T) {
	t.Parallel()
	var asks []Ask
	for i := range 12 {
		asks = append(asks, sh(strconv.Itoa(i), "sleep 300"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	got := All(ctx, asks, time.Now, Limit)
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %s", took)
	}
	for account, p := range got {
		if p.State != fleet.ProbeUnreadable {
			t.Errorf("%s: %+v", account, p)
		}
	}
	if len(got) != len(asks) {
		t.Errorf("%d answers", len(got))
	}
}
