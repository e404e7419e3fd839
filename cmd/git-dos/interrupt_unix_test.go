//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Who waits for input that does not come ends at the first signal.
func TestInterruptedWhileItWaitsForInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	gitIn(t, dir, env, "init", "--quiet", "-b", "main")
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"price"}, {"price", "-"}, {"arbitrate", "--leases", "-"}, {"lease", "acquire", "--leases", "-"}, {"commit", "-F", "-", "f"},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(strings.Join(append(args, signal.String()), " "), func(t *testing.T) {
				t.Parallel()
				interruptWaiting(t, exec.Command("git-dos", args...), dir, env, signal)
			})
		}
	}
}

func interruptWaiting(t *testing.T, cmd *exec.Cmd, dir string, env []string, signal os.Signal) {
	cmd.Dir, cmd.Env = dir, env
	silent, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // until it waits
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatalf("it had ended before: %v", cmd.Wait())
	}
	stuck := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	stuck.Stop()
	_ = silent.Close()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ended with %d, want 130", code)
	}
}

// What computes for long is left behind.
func TestInterruptedWhileItComputes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan int)
	begun := make(chan bool)
	go func() {
		<-begun
		cancel()
	}()
	if v, err := unlessInterrupted(ctx, func() (int, error) { close(begun); return <-never, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", v, err)
	}
	if v, err := unlessInterrupted(t.Context(), func() (int, error) { return 7, os.ErrExist }); v != 7 || err != os.ErrExist {
		t.Errorf("not interrupted: %d, %v", v, err)
	}
}
