package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// ErrNoProgram means that this machine does not have the command.
var ErrNoProgram = errors.New("the suite's command is not on this machine")

// A Result is how a command ended on a tree.
type Result struct {
	Command    []string
	Tree       refstore.OID
	Exit       int // -1 when a signal or the deadline ended it
	TimedOut   bool
	Took       time.Duration
	Output     string // the end of what it printed, at most MaxKept bytes
	Cut        bool   // it printed more than that
	Submodules int    // entries of the tree that were not checked out
}

// Passed reports whether the command ran to its end and exited 0.
func (r Result) Passed() bool { return len(r.Command) > 0 && r.Exit == 0 && !r.TimedOut }

// MaxKept bounds what is kept of a command's output.
const MaxKept = 64 << 10

// Exit statuses for a program of the tree that cannot be started, as shells
// give them.
const (
	exitNotFound   = 127
	exitNoProgram  = 126
	endGrace       = 2 * time.Second
	drainAfterKill = time.Second
)

// execute runs the command until its end, the deadline or the context's.
func (c checkout) execute(ctx context.Context, command []string, timeout time.Duration) (Result, error) {
	r := Result{Command: command, Exit: -1}
	if err := ctx.Err(); err != nil {
		return r, context.Cause(ctx)
	}
	cmd, out, err := c.start(command)
	if code, ok := startFailure(command, err); ok {
		r.Exit, r.Output = code, err.Error()
		return r, nil
	}
	if err != nil {
		return r, err
	}
	began := time.Now()
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-timed.Done():
		endGroup(cmd)
		select {
		case err = <-ended:
		case <-time.After(endGrace):
			killGroup(cmd)
			err = <-ended
		}
		r.TimedOut = ctx.Err() == nil
	}
	killGroup(cmd) // whatever the command started and left behind
	r.Took = time.Since(began)
	r.Output, r.Cut = out.end()
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return r, err
	}
	if !r.TimedOut {
		r.Exit = cmd.ProcessState.ExitCode()
	}
	return r, nil
}

// start starts the command with one pipe for all it prints.
func (c checkout) start(command []string) (*exec.Cmd, *tail, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = c.root
	cmd.Env = c.environ(os.Environ())
	if cmd.Err != nil {
		return nil, nil, fmt.Errorf("%w: %s", ErrNoProgram, command[0])
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	ownGroup(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return cmd, readTail(r), nil
}

// startFailure is the exit status for a program that the tree should hold and
// that cannot be started. One that is looked up on the machine is not the
// tree's fault.
func startFailure(command []string, err error) (int, bool) {
	switch {
	case err == nil, errors.Is(err, ErrNoProgram), !strings.ContainsRune(command[0], os.PathSeparator), strings.HasPrefix(command[0], "/"):
		return 0, false
	case errors.Is(err, fs.ErrNotExist):
		return exitNotFound, true
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return exitNoProgram, true
	}
	return 0, false
}

// environ is the caller's environment without what would have the command act
// on the caller's repository or lease.
func (c checkout) environ(env []string) []string {
	var kept []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !bound(name) {
			kept = append(kept, kv)
		}
	}
	return append(kept, "PWD="+c.root, "TMPDIR="+c.tmp, "GIT_CEILING_DIRECTORIES="+filepath.Dir(c.root), "GIT_TERMINAL_PROMPT=0")
}

// userGit are the variables of git that are the user's and not a repository's.
var userGit = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_SSL_CAINFO",
}

// callers are further variables that say where the caller is and who it is.
var callers = []string{"PWD", "OLDPWD", "TMPDIR", "DISPATCH_WORKSPACE", "DISPATCH_HOST_ID", "DISPATCH_RUN_ID", "FLEET_WORKER_ID"}

func bound(name string) bool {
	if strings.HasPrefix(name, "GIT_") { // those of git-dos too
		return !slices.Contains(userGit, name)
	}
	return slices.Contains(callers, name)
}

// A tail keeps the end of what is read from a pipe.
type tail struct {
	from *os.File
	done chan struct{}
	kept []byte
	cut  bool
}

func readTail(from *os.File) *tail {
	t := &tail{from: from, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		_, _ = io.Copy(t, from)
	}()
	return t
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - MaxKept; over > MaxKept { // rarely, so that it costs little
		t.kept = append(t.kept[:0], t.kept[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// end returns what was kept. A process out of reach may hold the pipe open; it
// is not waited for.
func (t *tail) end() (string, bool) {
	_ = t.from.SetReadDeadline(time.Now().Add(drainAfterKill))
	select {
	case <-t.done:
	case <-time.After(2 * drainAfterKill):
		return "", true // the reader still owns what it kept
	}
	t.from.Close()
	if over := len(t.kept) - MaxKept; over > 0 {
		return string(t.kept[over:]), true
	}
	return string(t.kept), t.cut
}
