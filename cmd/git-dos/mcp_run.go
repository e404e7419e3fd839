package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/git-dos/git-dos/internal/mcpserver"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// mcpGrace is how long a call that was cancelled may take to give back what it
// took.
const mcpGrace = 10 * time.Second

// mcpRunner runs each call as a process of its own, so that it is to the letter
// what a terminal would see, and no call can bring down another.
func mcpRunner(self, dir string) func(context.Context, mcpserver.Call) (mcpserver.Ran, error) {
	return func(ctx context.Context, call mcpserver.Call) (mcpserver.Ran, error) {
		cmd := exec.CommandContext(ctx, self, append([]string{"--json", "-C", dir}, call.Words...)...)
		cmd.Env = append(os.Environ(), call.Env...)
		cmd.WaitDelay = mcpGrace
		cmd.Cancel = func() error { return interruptProcess(cmd.Process) }
		var out, errs mcpCapped
		cmd.Stdout, cmd.Stderr = &out, &errs
		var ended *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &ended) && ctx.Err() == nil {
			return mcpserver.Ran{}, err
		}
		status := verdict.Interrupted
		if cmd.ProcessState != nil && cmd.ProcessState.Exited() {
			status = cmd.ProcessState.ExitCode()
		}
		return mcpserver.Ran{Status: status, Stdout: out.Bytes(), Stderr: errs.Bytes()}, nil
	}
}

// interruptProcess asks a process to end, as a terminal does.
func interruptProcess(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(os.Interrupt)
}

// An mcpCapped buffer keeps a little more than an answer may have, so that one
// that is too long is known as such and takes no memory.
type mcpCapped struct{ bytes.Buffer }

func (b *mcpCapped) Write(data []byte) (int, error) {
	b.Buffer.Write(data[:min(len(data), max(0, mcpserver.MaxAnswer+1-b.Len()))])
	return len(data), nil
}

// mcpParting is how long a client may take to read an answer when all ends.
const mcpParting = time.Second

// An mcpOut is what the client reads. One that reads nothing is left behind when ctx
// ends, and the process ends next.
type mcpOut struct {
	ctx  context.Context
	to   io.Writer
	left bool
}

func (o *mcpOut) Write(data []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	if o.left {
		return 0, io.ErrClosedPipe
	}
	data = bytes.Clone(data) // who is left behind still has it
	go func() {
		n, err := o.to.Write(data)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-o.ctx.Done():
	}
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(mcpParting):
		o.left = true
		return 0, io.ErrClosedPipe
	}
}
