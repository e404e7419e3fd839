// Package worker runs one command as a worker: in a process group of its own,
// with an environment made from a list of what it may have, its prompt on
// standard input and all it prints in one log.
//
// Only that group is ever signalled, and only while its leader has not been
// collected: until then no other process can have its number.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-dos/git-dos/internal/host"
)

// A Spec is one worker to run.
type Spec struct {
	Command []string // argv; the program is looked up in PATH
	Dir     string
	Env     []string // all of it
	Prompt  string   // a file for standard input, "" for none
	Log     string   // a file that must not exist
	Grace   time.Duration
}

// ErrNoProgram means that the command cannot be started on this machine.
var ErrNoProgram = errors.New("the command cannot be started")

// Find looks a program up, before anything is held for it. The error wraps
// ErrNoProgram.
func Find(command []string, dir string) error {
	if len(command) == 0 || command[0] == "" {
		return fmt.Errorf("%w: none is named", ErrNoProgram)
	}
	program := command[0]
	if strings.ContainsRune(program, os.PathSeparator) && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return nil
}

// A Run is a worker that was started.
type Run struct {
	Proc host.Proc // zero where processes cannot be named

	cmd    *exec.Cmd
	log    *os.File
	header int64
	grace  time.Duration
	ended  chan struct{} // closed when the leader has ended; it is not collected yet

	mu        sync.Mutex
	collected bool // from then on the group's number may be another's
}

// Start starts a worker. The error wraps ErrNoProgram where it is the command
// that cannot be run.
func Start(s Spec, header string) (*Run, error) {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the log of the worker: %w", err)
	}
	r := &Run{log: log, grace: s.Grace, ended: make(chan struct{})}
	if err := r.start(s, header); err != nil {
		log.Close()
		return nil, err
	}
	go func() {
		waitEnded(r.cmd.Process.Pid)
		close(r.ended)
	}()
	return r, nil
}

func (r *Run) start(s Spec, header string) error {
	n, err := io.WriteString(r.log, header)
	if err != nil {
		return fmt.Errorf("the log of the worker: %w", err)
	}
	r.header = int64(n)
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	if cmd.Err != nil {
		return fmt.Errorf("%w: %w", ErrNoProgram, cmd.Err)
	}
	cmd.Dir, cmd.Env = s.Dir, s.Env
	cmd.Stdout, cmd.Stderr = r.log, r.log
	if s.Prompt != "" {
		prompt, err := os.Open(s.Prompt)
		if err != nil {
			return fmt.Errorf("the prompt of the worker: %w", err)
		}
		defer prompt.Close()
		cmd.Stdin = prompt
	}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	r.cmd = cmd
	if p, err := host.Process(int64(cmd.Process.Pid)); err == nil {
		r.Proc = p
	}
	return nil
}

// PID is the number of the worker's process and of its group.
func (r *Run) PID() int { return r.cmd.Process.Pid }

// Ended is closed when the worker's process has ended. Others of its group may
// run on until [Run.End].
func (r *Run) Ended() <-chan struct{} { return r.ended }

// An End is how a worker's process ended.
type End struct {
	Status int    // -1 where a signal ended it
	Signal string // its name, without SIG
	Output int64  // bytes in the log after its header
}

// End ends what is left of the worker's group, asks first and waits for its
// grace, and collects the worker. It must be called once, also for a worker
// that has ended by itself: what it started may not have. It does not return
// before the worker has ended.
func (r *Run) End(ctx context.Context) End {
	if r.groupRuns() {
		endGroup(r.cmd.Process.Pid)
		r.awaitGroup(ctx)
		killGroup(r.cmd.Process.Pid)
	}
	<-r.ended
	r.mu.Lock()
	_ = r.cmd.Wait() // what it says is in the process state
	r.collected = true
	r.mu.Unlock()
	var e End
	e.Status, e.Signal = status(r.cmd.ProcessState)
	if st, err := r.log.Stat(); err == nil {
		e.Output = max(0, st.Size()-r.header)
	}
	r.log.Close()
	return e
}

// Kill kills the worker's group without any grace, for whoever cannot wait for
// [Run.End]. Once the worker is collected it does nothing.
func (r *Run) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.collected {
		killGroup(r.cmd.Process.Pid)
	}
}

// groupRuns reports whether a process of the group may be running.
func (r *Run) groupRuns() bool {
	select {
	case <-r.ended:
		return groupRuns(r.cmd.Process.Pid)
	default:
		return true
	}
}

// awaitGroup waits until the group has ended, its grace is over, or the context
// is done.
func (r *Run) awaitGroup(ctx context.Context) {
	over := time.NewTimer(r.grace)
	defer over.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for r.groupRuns() {
		select {
		case <-over.C:
			return
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// Environ makes a worker's environment: of env, what is on the list, and then
// own, which nothing overrides. The list is what a program needs to run as this
// user, to reach the network and to commit as this person; pass adds names to it.
func Environ(env, pass, own []string) []string {
	ours := map[string]bool{}
	for _, kv := range own {
		name, _, _ := strings.Cut(kv, "=")
		ours[name] = true
	}
	var kept []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !ours[name] && (listed(name) || contains(pass, name)) {
			kept = append(kept, kv)
		}
	}
	return append(kept, own...)
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if sameName(n, name) {
			return true
		}
	}
	return false
}

// listed are the variables that every worker has.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM", "SSH_AUTH_SOCK",
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
}

func listed(name string) bool {
	return contains(allowed, name) || strings.HasPrefix(name, "LC_") || contains(systemNames, name)
}
