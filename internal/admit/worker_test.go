package admit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// workerVar makes the test binary a worker of that kind.
const workerVar = "GITDOS_ADMIT_WORKER"

// A report is what a worker process prints.
type report struct {
	Outcome string       `json:"outcome"`
	Class   string       `json:"class"`
	Reason  string       `json:"reason"`
	Lease   lease.Record `json:"lease"`
	Err     string       `json:"err"`
}

// runWorker asks for a lane once its standard input is closed: acquire DIR LANE
// OWNER [TREE...].
func runWorker(name string, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	_, _ = os.Stdin.Read(make([]byte, 1))
	rep := report{}
	v, err := work(ctx, args)
	rep.Outcome, rep.Class, rep.Reason = string(v.Outcome), v.ReasonClass, v.Reason
	if v.Lease != nil {
		rep.Lease = *v.Lease
	}
	if err != nil {
		rep.Err = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(rep); err != nil || name != "acquire" {
		return 1
	}
	return 0
}

func work(ctx context.Context, args []string) (lease.Verdict, error) {
	repo, err := refstore.Open(ctx, args[0])
	if err != nil {
		return lease.Verdict{}, err
	}
	d, err := Open(ctx, repo, time.Now)
	if err != nil {
		return lease.Verdict{}, err
	}
	if err := d.EnsureNode(ctx); err != nil {
		return lease.Verdict{}, err
	}
	req := ask(args[1], args[2])
	req.Tree = args[3:]
	return d.Acquire(ctx, req)
}

// A process is a worker that has been started.
type process struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	start func()
}

// acquirer starts a worker process that waits for its start.
func acquirer(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self, args...)}
	p.cmd.Env = append(append(os.Environ(), workerVar+"=acquire"), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.start = func() { in.Close() }
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// report waits for the worker and returns what it printed; ok is false when it
// was killed before it could.
func (p *process) report(t testing.TB) (rep report, ok bool) {
	t.Helper()
	p.start()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(90 * time.Second):
		_ = p.cmd.Process.Kill()
		t.Fatalf("worker %v hangs", p.cmd.Args[1:])
	}
	if err := json.Unmarshal(p.out.Bytes(), &rep); err != nil {
		return rep, false
	}
	return rep, true
}

// race starts all workers at once and returns their reports.
func race(t testing.TB, workers []*process) []report {
	t.Helper()
	for _, w := range workers {
		w.start()
	}
	var out []report
	for _, w := range workers {
		rep, ok := w.report(t)
		if !ok || rep.Err != "" {
			t.Fatalf("worker %v: %q %s", w.cmd.Args[1:], rep.Err, w.out.String())
		}
		out = append(out, rep)
	}
	return out
}

func interrupt(p *process) { _ = p.cmd.Process.Signal(syscall.SIGINT) }

func tally(reports []report) string {
	count := map[string]int{}
	for _, r := range reports {
		count[strings.TrimSpace(r.Outcome+" "+r.Class)]++
	}
	return fmt.Sprint(count)
}

func granted(reports []report) (n int) {
	for _, r := range reports {
		if r.Outcome == string(lease.Acquired) {
			n++
		}
	}
	return n
}
