package hookset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxInput bounds what git may say to a hook: some hundred thousand refs.
const MaxInput = 64 << 20

// A Chain runs two hooks as git would run one of them: each with the same
// arguments, the same input and the environment as it is.
type Chain struct {
	Hook     string   // the name git knows it by
	Zero     string   // what git started, as it spelled it
	Args     []string // what git gave it
	Order    Order
	Chained  string        // as in the Shim
	Program  string        // called with hook NAME -- ARGS
	Patience time.Duration // how long input may take to begin

	In       io.Reader
	Out, Err io.Writer
}

// Run returns the first status that is not 0; what comes after is not started,
// unless nothing can be refused any more.
func (c Chain) Run(ctx context.Context) (int, error) {
	input := func() io.Reader { return c.In }
	if ReadsInput(c.Hook) && !isDevice(c.In) {
		data, err := c.read(ctx)
		if err != nil {
			return 0, err
		}
		input = func() io.Reader { return bytes.NewReader(data) }
	}
	other := c.Chained
	if !strings.Contains(other, "/") {
		other = filepath.Join(filepath.Dir(c.Zero), other)
	}
	if !strings.ContainsAny(other, `/\`) {
		other = "./" + other
	}
	steps := []func() *exec.Cmd{
		func() *exec.Cmd { return c.other(ctx, other) },
		func() *exec.Cmd {
			return exec.CommandContext(ctx, c.Program, append([]string{"hook", c.Hook, "--"}, c.Args...)...)
		},
	}
	if c.Order == Last {
		slices.Reverse(steps)
	}
	first := 0
	for _, step := range steps {
		cmd := step()
		if cmd == nil {
			continue
		}
		code, err := c.await(cmd, input())
		if err != nil {
			return 0, err
		}
		if first == 0 {
			first = code
		}
		if first != 0 && c.refuses() {
			break
		}
	}
	c.lookBack()
	return first, ctx.Err()
}

// isDevice reports whether input is a terminal, the null device, or was closed.
// None of them is git's, and each hook is to see what it is: an empty pipe would
// tell that there is nothing to be judged.
func isDevice(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err != nil || st.Mode()&os.ModeDevice != 0
}

// refuses reports whether a status other than 0 keeps git from going on. Of a
// transaction that was carried out, or given up, both are told.
func (c Chain) refuses() bool {
	return c.Hook != "post-receive" && (c.Hook != RefTransaction || len(c.Args) == 0 || c.Args[0] == "prepared")
}

// other prepares the hook that was there before, nil where git would run none.
// It goes through a shell, as scripts do without a first line and, on some
// systems, with one.
func (c Chain) other(ctx context.Context, path string) *exec.Cmd {
	if _, err := os.Lstat(path); errors.Is(err, errNotExist) && filepath.Base(path) == c.Hook+savedSuffix {
		fmt.Fprintf(c.Err, "git-dos: %s: %s is gone, so only git-dos is run: git dos hooks install sees to it\n", c.Hook, path)
		return nil
	}
	if !runs(path) {
		return nil
	}
	if f, err := readHook(path); err == nil && f.claim != foreign && filepath.Base(path) == c.Hook+savedSuffix {
		fmt.Fprintf(c.Err, "git-dos: %s: %s calls git-dos itself, and is not run: remove it\n", c.Hook, path)
		return nil
	}
	if shell := sourcedBy(path); shell != nil && strings.HasSuffix(path, savedSuffix) {
		args := append(shell[1:], "-c", `dos_hook=$1; shift; . "$dos_hook"`, c.Zero, path)
		return exec.CommandContext(ctx, shell[0], append(args, c.Args...)...)
	}
	return exec.CommandContext(ctx, "sh", append([]string{"-c", `exec "$0" "$@"`, path}, c.Args...)...)
}

func (c Chain) await(cmd *exec.Cmd, in io.Reader) (int, error) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, c.Out, c.Err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	case errors.As(err, &exit):
		return 1, nil // killed
	case cmd.ProcessState != nil && cmd.ProcessState.Success():
		return 0, nil // it did not read all its input
	}
	return 0, fmt.Errorf("run %s: %w", cmd.Path, err)
}

// ErrNoInput means that nothing was said to a hook, and its input not closed.
var ErrNoInput = errors.New("git says nothing on standard input")

// read takes in what git says. It waits for the first of it so long and no
// longer: whoever holds the other end may have forgotten about it.
func (c Chain) read(ctx context.Context) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	begun, done := make(chan struct{}), make(chan result, 1)
	go func() {
		one := make([]byte, 1)
		n, err := io.ReadFull(c.In, one)
		close(begun)
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			done <- result{one[:n], err}
			return
		}
		rest, err := io.ReadAll(io.LimitReader(c.In, MaxInput))
		done <- result{append(one, rest...), err}
	}()
	wait := time.NewTimer(c.Patience)
	defer wait.Stop()
	select {
	case <-begun:
	case <-wait.C:
		return nil, fmt.Errorf("%w for %s", ErrNoInput, c.Patience)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-done:
		if r.err == nil && len(r.data) > MaxInput {
			r.err = fmt.Errorf("git says more than %d bytes", MaxInput)
		}
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lookBack warns when the other hook has put itself in the place of ours, as a
// manager does that brings its hooks up to date.
func (c Chain) lookBack() {
	f, err := readHook(c.Zero)
	if err == nil && f.claim == foreign {
		fmt.Fprintf(c.Err, "git-dos: %s: %s has been written over and will not run git-dos again: git dos hooks install arms it\n", c.Hook, c.Zero)
	}
}

var shebang = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^#![ \t]*(/[A-Za-z0-9_./+-]*/)(env[ \t]+)?(sh|bash|dash|ksh|ash)([ \t]+-[A-Za-z]+)?[ \t]*\n`)
})

// sourcedBy is the shell in which a script has to be read so that it finds its
// own name in $0, nil for all that does not ask for it. husky's hooks do
// nothing at all, and say nothing, under another name.
func sourcedBy(path string) []string {
	f, err := readHook(path)
	if err != nil || f.link != "" || !bytes.Contains(f.data, []byte("$0")) && !bytes.Contains(f.data, []byte("${0")) {
		return nil
	}
	m := shebang().FindSubmatch(f.data)
	if m == nil || bytes.Contains(f.data, []byte("BASH_SOURCE")) || bytes.IndexByte(f.data, 0) >= 0 || len(m[2]) > 0 && len(m[4]) > 0 {
		return nil
	}
	shell := []string{string(m[1]) + string(m[3])}
	if len(m[2]) > 0 {
		shell = []string{string(m[3])}
	}
	if option := strings.TrimSpace(string(m[4])); option != "" {
		shell = append(shell, option)
	}
	return shell
}
