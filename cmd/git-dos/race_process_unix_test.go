//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A raceProcess is a git-dos that was started.
type raceProcess struct {
	cmd         *exec.Cmd
	out, stderr bytes.Buffer
	run         *raceRun
}

func (r *raceRun) start(t *testing.T, dir string, args ...string) *raceProcess {
	p := &raceProcess{cmd: exec.Command(r.program, args...), run: r}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, r.env, &p.out, &p.stderr
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		t.Error(err)
	}
	return p
}

// A raceKill says when a process is killed.
type raceKill struct {
	after time.Duration // its start, 0 for never
	aimed bool          // or, before that, when its git has locked the refs
	all   bool          // with all it had started
}

// wait returns what the process printed, and whether it was killed.
func (p *raceProcess) wait(kill raceKill) (out, stderr []byte, killed bool) {
	done := make(chan struct{})
	go func() { _ = p.cmd.Wait(); close(done) }()
	if kill.after == 0 {
		kill.after = time.Hour
	}
	if kill.aimed {
		p.aim(done, kill.after)
		kill.after = 1
	}
	select {
	case <-done:
	case <-time.After(kill.after):
		killed = true
		p.kill(kill.all)
		<-done
	}
	return p.out.Bytes(), p.stderr.Bytes(), killed
}

// aim waits for the moment at which the process's git has locked refs.
func (p *raceProcess) aim(done chan struct{}, limit time.Duration) {
	git := filepath.Join(p.run.dirs[0], ".git", "refs", "dos")
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(500 * time.Microsecond) {
		select {
		case <-done:
			return
		default:
		}
		lanes, _ := filepath.Glob(filepath.Join(git, "lane", "*.lock"))
		order, _ := filepath.Glob(filepath.Join(git, "order", "*.lock"))
		if len(lanes)+len(order) > 0 && slices.ContainsFunc(raceDescendants(p.cmd.Process.Pid), raceUpdates) {
			return
		}
	}
}

// raceUpdates reports whether a process is a git update-ref. As long as it is
// there, its parent is the one that may write.
func raceUpdates(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return bytes.Contains(b, []byte("update-ref"))
}

func (p *raceProcess) kill(all bool) {
	p.run.kills.Add(1)
	_ = p.cmd.Process.Signal(syscall.SIGSTOP) // so that it starts nothing more
	below := raceDescendants(p.cmd.Process.Pid)
	if all {
		for _, pid := range below {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is as good
		}
	}
	_ = p.cmd.Process.Kill()
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	p.run.orphans = append(p.run.orphans, below...)
}

// raceDescendants lists the processes below pid, by /proc where there is one.
func raceDescendants(pid int) (all []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		b, _ := os.ReadFile(task)
		for f := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				all = append(append(all, child), raceDescendants(child)...)
			}
		}
	}
	return all
}

// raceAlive reports whether a process runs; one that nobody has waited for yet
// does not.
func raceAlive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := bytes.Cut(b, []byte(") "))
	return len(after) > 0 && after[0] != 'Z' && after[0] != 'X'
}
