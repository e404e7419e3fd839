package ancestry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/git-dos/git-dos/refstore/git"
)

// A child is a git whose output is read while it runs. Whoever started it must
// end or stop it.
type child struct {
	name  string // for people: git and its command
	cmd   *exec.Cmd
	out   *bufio.Reader // nil when its output goes elsewhere
	words words
	ended bool
}

// prepare makes a child that has not started.
func prepare(ctx context.Context, run git.Runner, call git.Call) (*child, error) {
	cmd, err := run.Offline().Command(ctx, call)
	if err != nil {
		return nil, err
	}
	c := &child{name: "git " + call.Args[0], cmd: cmd}
	cmd.Stderr = &c.words
	return c, nil
}

// startReading starts a child and has its output read through a buffer of size
// bytes, which bounds what one ReadSlice can return.
func startReading(ctx context.Context, run git.Runner, call git.Call, size int) (*child, error) {
	c, err := prepare(ctx, run, call)
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if pipe, ok := out.(*os.File); ok {
		widen(pipe)
	}
	c.out = bufio.NewReaderSize(out, size)
	return c, c.cmd.Start()
}

// end waits for a child that has no more output.
func (c *child) end(ctx context.Context) error {
	c.ended = true
	if err := c.cmd.Wait(); err != nil {
		return unreadable(ctx, c.name, err, c.words.String())
	}
	return nil
}

// stop ends a child whose output nobody wants any more.
func (c *child) stop(cancel context.CancelFunc) {
	if !c.ended {
		c.ended = true
		cancel()
		_ = c.cmd.Wait()
	}
}

// unreadable classifies the end of a git child that had only valid object ids
// to read. An exit status of its own means it could not read them; anything
// else (a signal, no git) is an error as it stands.
func unreadable(ctx context.Context, what string, err error, words string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() < 0 {
		return fmt.Errorf("%s: %w", what, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	return fmt.Errorf("%w: %s: %s", ErrMissing, what, strings.TrimPrefix(line, "fatal: "))
}

// because prefers the caller's own cancellation to what it caused.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// words keeps the start of what a child says, for people.
type words struct{ strings.Builder }

func (w *words) Write(p []byte) (int, error) {
	const limit = 4 << 10
	w.Builder.Write(p[:min(len(p), max(limit-w.Len(), 0))])
	return len(p), nil
}
