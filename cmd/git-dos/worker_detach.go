package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
)

// workerDetach starts this same command again as a keeper without a terminal, and
// returns once that has started the worker, or with its answer when it has not.
func workerDetach(c *cli.Context) error {
	if !canDetach {
		return usagef("--detach is not supported on this system").hint("run it under a service manager, without --detach")
	}
	self, err := os.Executable()
	if err != nil {
		return environmentf("%w", err)
	}
	heard, tell, err := os.Pipe()
	if err != nil {
		return environmentf("%w", err)
	}
	defer heard.Close()
	cmd := exec.Command(self, detachedArgs(os.Args[1:])...)
	cmd.ExtraFiles = []*os.File{tell} // descriptor 3
	said, err := os.CreateTemp("", "git-dos-worker-")
	if err != nil {
		tell.Close()
		return environmentf("%w", err)
	}
	defer os.Remove(said.Name())
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	ownSession(cmd)
	err = cmd.Start()
	tell.Close()
	if err != nil {
		return environmentf("the keeper cannot be started: %w", err)
	}
	line, err := unlessInterrupted(c.Context, func() ([]byte, error) { return io.ReadAll(io.LimitReader(heard, 1<<20)) })
	if err != nil {
		_ = cmd.Process.Signal(os.Interrupt)
		return err
	}
	if len(line) > 0 {
		var a workerAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			return environmentf("the keeper says what cannot be read: %w", err)
		}
		return answer(c, a)
	}
	return keeperFailed(c, cmd, said)
}

// keeperFailed passes on what a keeper said that started no worker, and its status.
func keeperFailed(c *cli.Context, cmd *exec.Cmd, said *os.File) error {
	_ = cmd.Wait()
	if _, err := said.Seek(0, io.SeekStart); err != nil {
		return environmentf("%w", err)
	}
	text, err := io.ReadAll(io.LimitReader(said, 1<<20))
	if err != nil {
		return environmentf("%w", err)
	}
	if err := writeOut(c.App.Writer, text); err != nil {
		return err
	}
	code := cmd.ProcessState.ExitCode()
	if code <= 0 {
		return environmentf("the keeper ended before it had started the worker")
	}
	return answered(code)
}

// detachedArgs are the arguments with --detach in the place of which the keeper is
// told where to say that the worker runs. What follows -- is the worker's.
func detachedArgs(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	var out []string
	for _, a := range args[:end] {
		if name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "="); strings.HasPrefix(a, "-") && name == "detach" && (!has || value == "true") {
			a = fmt.Sprintf("--%s=3", detachFlag)
		}
		out = append(out, a)
	}
	return append(out, args[end:]...)
}

// tellStarted says to whoever detached this keeper that the worker runs.
func (w *workerRunning) tellStarted(pid int) {
	if !w.c.IsSet(detachFlag) {
		return
	}
	f := os.NewFile(uintptr(w.c.Int(detachFlag)), "started")
	if f == nil {
		return
	}
	defer f.Close()
	a := workerAnswer{Lane: w.lease.Lane, RunID: w.run, Gen: w.lease.Gen, PID: int64(pid), Dir: w.dir, Log: w.log, Ridden: w.ridden}
	a.Outcome, a.Reason = supervise.WorkerOutcome(workerStarted), fmt.Sprintf("run %s works in lane %s, as process %d", a.RunID, a.Lane, pid)
	a.Evidence = supervise.GradeEvidence{Exit: supervise.Exit{Started: true}, Commits: []supervise.OwnCommit{}, Stranded: []string{}, Survivors: []supervise.Process{}}
	a.Next = "git dos log --run-id " + a.RunID
	if data, err := json.Marshal(a); err == nil {
		_, _ = f.Write(data) // whoever waits reads the end of it otherwise
	}
}

// under is a path as it is meant from a folder.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
