// Package probe asks the probes of accounts whether their accounts are available.
//
// A probe is a command of the policy. It runs in a process group of its own,
// without a shell or standard input, with the environment that it is given and no
// other, for a bounded time, and what it prints is bounded. Whatever happens to
// it is an answer, and nothing of its group outlives it.
package probe

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/git-dos/git-dos/kernel/fleet"
)

// An Ask is one probe to run.
type Ask struct {
	Account string
	Command []string
	Dir     string
	Env     []string // all of it
}

// Limit is how long a probe may take, unless its asker has less time.
const Limit = 10 * time.Second

// atOnce bounds the probes that run at a time.
const atOnce = 8

// All runs probes beside each other, each for no longer than limit, and returns their
// answers by account. It returns soon after the context is done.
func All(ctx context.Context, asks []Ask, now func() time.Time, limit time.Duration) map[string]fleet.Probe {
	answers := make([]fleet.Probe, len(asks))
	room := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, a := range asks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			room <- struct{}{}
			defer func() { <-room }()
			answers[i] = one(ctx, a, now, limit)
		}()
	}
	wg.Wait()
	byAccount := make(map[string]fleet.Probe, len(asks))
	for i, a := range asks {
		byAccount[a.Account] = answers[i]
	}
	return byAccount
}

// one runs one probe to its end.
func one(ctx context.Context, a Ask, now func() time.Time, limit time.Duration) fleet.Probe {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if ctx.Err() != nil {
		return unfinished(ctx, limit)
	}
	if len(a.Command) == 0 {
		return fleet.Unreadable("it has no probe")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fleet.Unreadable("its probe cannot be run: %v", err)
	}
	defer r.Close()
	cmd := exec.Command(a.Command[0], a.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout = a.Dir, a.Env, w
	ownGroup(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		return fleet.Unreadable("its probe cannot be started: %v", cause(err))
	}
	defer killGroup(cmd) // what it left behind
	printed := read(r)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return await(ctx, cmd, printed, ended, now, limit)
}

// await waits for the first end: the probe's, its time's or its output's. What it
// started may hold its output open, and is not waited for: it is ended first.
func await(ctx context.Context, cmd *exec.Cmd, printed *output, ended chan error, now func() time.Time, limit time.Duration) fleet.Probe {
	select {
	case <-ended:
	case <-ctx.Done():
		killGroup(cmd)
		<-ended
		return unfinished(ctx, limit)
	case <-printed.over:
		killGroup(cmd)
		<-ended
	}
	killGroup(cmd)
	text, whole := printed.end()
	if !whole {
		return fleet.Unreadable("its probe printed more than %d bytes, or left its output to something that outlived it", fleet.MaxProbeOutput)
	}
	return fleet.ReadProbe(cmd.ProcessState.ExitCode(), text, now())
}

func unfinished(ctx context.Context, limit time.Duration) fleet.Probe {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fleet.Unreadable("its probe did not end within %s", limit)
	}
	return fleet.Unreadable("its probe was interrupted")
}

// cause is an error of starting a program without the words that name it.
func cause(err error) error {
	var p *os.PathError
	var x *exec.Error
	switch {
	case errors.As(err, &x):
		return x.Err
	case errors.As(err, &p):
		return p.Err
	}
	return err
}

// An output is what is read from a pipe, up to its bound.
type output struct {
	from *os.File
	done chan struct{} // closed when all was read
	over chan struct{} // closed when there is too much
	text []byte
}

func read(from *os.File) *output {
	o := &output{from: from, done: make(chan struct{}), over: make(chan struct{})}
	go func() {
		text, err := io.ReadAll(io.LimitReader(from, fleet.MaxProbeOutput+1))
		if len(text) > fleet.MaxProbeOutput {
			close(o.over)
			return
		}
		if err == nil {
			o.text = text
			close(o.done)
		}
	}()
	return o
}

// drain is how long the end of what an ended group printed may take to arrive.
const drain = time.Second

// end is what was printed; whole is false where that is too much, or where a
// process out of reach holds the output open.
func (o *output) end() (text []byte, whole bool) {
	select {
	case <-o.over:
		return nil, false
	default:
	}
	select {
	case <-o.done:
		return o.text, true
	case <-o.over:
	case <-time.After(drain):
	}
	return nil, false
}
