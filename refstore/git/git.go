// Package git runs the user's git, the only program that moves refs and
// speaks to remotes for git-dos.
//
// Every child gets the same surroundings: the C locale, no prompts, replace
// refs and grafts off, no namespace, pathspecs of the one kind, its own process
// group and the caller's deadline. Output
// is read up to a bound. Git's words are carried in errors for people to read; no caller
// decides anything by them.
package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// MaxOutput bounds what one command may print before it is an error, so that
// a hostile repository cannot exhaust memory.
const MaxOutput = 256 << 20

// killGrace is how long a cancelled git may take to remove its lock files
// before it is killed.
const killGrace = 2 * time.Second

// ErrNotFound means that there is no git binary to run.
var ErrNotFound = errors.New("git is not installed or not on PATH")

// quick is how long a git is awaited by its output alone.
const quick = 50 * time.Millisecond

// A Runner runs git in one directory. The zero Runner runs in the current
// one. It is a value: derive variants by copying.
type Runner struct {
	Dir     string   // working directory; "" is the process's own
	Foreign bool     // Dir is another repository: drop repo-local GIT_* variables
	Env     []string // added last, so it wins
	Config  []string // key=value pairs given with -c before the command
}

// A Call is one git command.
type Call struct {
	Args  []string
	Stdin io.Reader
	// Inherit is kept open in the child, as descriptor 3 and up. A lock held
	// through an inherited descriptor stays held while the child lives, even
	// when its parent is gone.
	Inherit []*os.File
}

// An Error reports a git that did not exit 0. Stderr is git's own words, for
// people.
type Error struct {
	Args   []string
	Code   int // exit status; -1 when it was killed or did not start
	Stderr string
	Err    error
}

func (e *Error) Error() string {
	words := strings.TrimSpace(e.Stderr)
	if words == "" {
		words = e.Err.Error()
	}
	// Warnings come first; what ended git is the last it said in this form.
	if i := strings.LastIndex("\n"+words, "\nfatal: "); i >= 0 {
		words, _, _ = strings.Cut(words[i:], "\n")
	}
	return fmt.Sprintf("git %s: %s", e.command(), words)
}

// command is which git was run: what follows the settings given with -c.
func (e *Error) command() string {
	args := e.Args
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

func (e *Error) Unwrap() error { return e.Err }

// Code is the status a git ended with, -1 when it did not end by itself or when
// the error is about something else.
func Code(err error) int {
	var g *Error
	if errors.As(err, &g) {
		return g.Code
	}
	return -1
}

// With is r with more variables in the environment of its children.
func (r Runner) With(env ...string) Runner {
	r.Env = append(slices.Clone(r.Env), env...)
	return r
}

// Offline is r for what takes objects from this repository alone: none is
// fetched from a promisor remote behind the caller's back.
func (r Runner) Offline() Runner {
	return r.With("GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}

// Output runs git with args and returns what it printed.
func (r Runner) Output(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := r.Run(ctx, Call{Args: args})
	return out, err
}

// Run runs one command and returns its standard output and standard error.
// The error is an *Error, ErrNotFound, or the context's error joined to one.
func (r Runner) Run(ctx context.Context, c Call) (stdout []byte, stderr string, err error) {
	child, err := r.Start(ctx, c)
	if err != nil {
		return nil, "", err
	}
	return child.Wait()
}

// A Child is a git that runs while its caller does something else.
type Child struct {
	ctx       context.Context
	args      []string
	cmd       *exec.Cmd
	out, errs *bounded
}

// Start starts one command. The caller must Wait for it.
func (r Runner) Start(ctx context.Context, c Call) (*Child, error) {
	cmd, err := r.Command(ctx, c)
	if err != nil {
		return nil, err
	}
	child := &Child{ctx: ctx, args: c.Args, cmd: cmd, out: &bounded{limit: MaxOutput, ended: make(chan struct{})}, errs: &bounded{limit: 64 << 10, quiet: true}}
	cmd.Stdout, cmd.Stderr = child.out, child.errs
	if err := cmd.Start(); err != nil {
		return nil, child.failure(err)
	}
	return child, nil
}

// Wait waits for the command to end and returns what Run returns.
func (c *Child) Wait() (stdout []byte, stderr string, err error) {
	// To wait for a process takes a thread, and while that one waits another
	// must be made for everything else. That of the output takes none.
	select {
	case <-c.out.ended:
	case <-time.After(quick):
	}
	err = c.cmd.Wait()
	if c.ctx.Err() != nil {
		_ = terminateGroup(c.cmd) // whatever git started and left behind
	}
	if err == nil && c.out.over {
		err = fmt.Errorf("printed more than %d bytes", MaxOutput)
	}
	if err != nil {
		err = c.failure(err)
	}
	return c.out.kept, string(c.errs.kept), err
}

func (c *Child) failure(err error) error {
	code := -1
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if c.ctx.Err() != nil {
		err = context.Cause(c.ctx)
	}
	return &Error{Args: c.args, Code: code, Stderr: string(c.errs.kept), Err: err}
}

// Command prepares a git child for callers that stream its output. Cancelling
// ctx asks git to end, so that it removes its lock files; one that does not is
// killed after killGrace. Only then does Wait ask what git had started to end:
// that may be the receive-pack of a remote on this machine, which should first
// have the time to finish its transaction.
func (r Runner) Command(ctx context.Context, c Call) (*exec.Cmd, error) {
	exe, err := lookUp()
	if err != nil {
		return nil, err
	}
	var args []string
	for _, kv := range append(fixedConfig(), r.Config...) {
		args = append(args, "-c", kv)
	}
	cmd := exec.CommandContext(ctx, exe, append(args, c.Args...)...)
	cmd.Dir = r.Dir
	cmd.Env = r.environ()
	cmd.Stdin = c.Stdin
	cmd.ExtraFiles = c.Inherit
	ownGroup(cmd)
	cmd.Cancel = func() error { return terminate(cmd) }
	cmd.WaitDelay = killGrace
	return cmd, nil
}

// found is the git that was looked up last, and the PATH it was found on.
var found atomic.Pointer[struct{ path, exe string }]

// lookUp finds git. A process that starts several looks for it once.
func lookUp() (string, error) {
	path := os.Getenv("PATH")
	if f := found.Load(); f != nil && f.path == path {
		return f.exe, nil
	}
	exe, err := exec.LookPath("git")
	if err != nil {
		return "", ErrNotFound
	}
	found.Store(&struct{ path, exe string }{path, exe})
	return exe, nil
}

// fixedConfig switches off what would change the meaning of git's output.
// Naming an empty graft file would draw git's advice against graft files.
func fixedConfig() []string {
	return []string{"color.ui=false", "log.showSignature=false", "advice.detachedHead=false", "advice.graftFileDeprecated=false", "core.quotePath=false"}
}

func (r Runner) environ() []string {
	env := dropBent(os.Environ())
	if r.Foreign {
		env = dropLocal(env)
	}
	env = append(env,
		"LC_ALL=C", "LANGUAGE=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_GRAFT_FILE="+os.DevNull, "SSH_ASKPASS_REQUIRE=never", "GIT_FLUSH=0")
	return append(env, r.Env...)
}

// dropBent removes the variables that would have git look for refs and paths
// elsewhere than their names say.
func dropBent(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		return hasPrefix(kv, []string{
			"GIT_NAMESPACE=", "GIT_ICASE_PATHSPECS=", "GIT_GLOB_PATHSPECS=", "GIT_NOGLOB_PATHSPECS=", "GIT_LITERAL_PATHSPECS=",
		})
	})
}

// dropLocal removes the variables that bind a process to one repository, as
// git exports them to hooks. The list is that of git rev-parse
// --local-env-vars, by prefix so that a newer git's additions go too.
func dropLocal(env []string) []string {
	keep := []string{"GIT_CONFIG_NOSYSTEM=", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM="}
	var out []string
	for _, kv := range env {
		if isLocal(kv) && !hasPrefix(kv, keep) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

func isLocal(kv string) bool {
	return hasPrefix(kv, []string{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_CONFIG=", "GIT_CONFIG_", "GIT_OBJECT_DIRECTORY=", "GIT_DIR=", "GIT_WORK_TREE=",
		"GIT_IMPLICIT_WORK_TREE=", "GIT_GRAFT_FILE=", "GIT_INDEX_FILE=", "GIT_NO_REPLACE_OBJECTS=", "GIT_REPLACE_REF_BASE=",
		"GIT_PREFIX=", "GIT_INTERNAL_SUPER_PREFIX=", "GIT_SHALLOW_FILE=", "GIT_COMMON_DIR=", "GIT_QUARANTINE_PATH=",
	})
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// bounded is a buffer that stops keeping bytes at its limit. It goes on
// accepting them, so that the writer is not killed by a closed pipe and its
// exit status stays meaningful.
type bounded struct {
	kept  []byte
	limit int
	quiet bool // being over the limit is no error
	over  bool
	ended chan struct{} // closed when ReadFrom returns, nil where nobody asks
}

func (b *bounded) Write(p []byte) (int, error) {
	room := min(b.limit-len(b.kept), len(p))
	b.kept = append(b.kept, p[:room]...)
	b.over = b.over || room < len(p) && !b.quiet
	return len(p), nil
}

// ReadFrom is how exec reads a pipe into the buffer. Many a pipe brings
// nothing, so the buffer starts small and doubles.
func (b *bounded) ReadFrom(r io.Reader) (n int64, err error) {
	if b.ended != nil {
		defer close(b.ended)
	}
	for len(b.kept) < b.limit {
		if len(b.kept) == cap(b.kept) {
			b.kept = slices.Grow(b.kept, max(512, len(b.kept)))
		}
		got, err := r.Read(b.kept[len(b.kept):min(cap(b.kept), b.limit)])
		b.kept = b.kept[:len(b.kept)+got]
		n += int64(got)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	rest, err := io.Copy(io.Discard, r)
	b.over = b.over || rest > 0 && !b.quiet
	return n + rest, err
}
