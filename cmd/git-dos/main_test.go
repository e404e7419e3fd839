package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// yes is a verdict for tests: its text, with status 0 or another.
type yes struct {
	Text string `json:"text"`
	code int
}

func (y yes) ExitCode() int  { return y.code }
func (y yes) String() string { return y.Text }

// runWaiter is git-dos with one verb, wait, that says "ready" and then waits
// to be interrupted. Its argument says how it reacts.
func runWaiter(ctx context.Context, args []string) int {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return runApp(ctx, assemble(s, []verb{{
		command: &cli.Command{Name: "wait", Usage: "wait", Action: func(c *cli.Context) error {
			fmt.Println("ready")
			<-c.Context.Done()
			switch c.Args().First() {
			case "answer":
				return answer(c, yes{"DONE", verdict.FirstOwned})
			case "holds":
				return errorf(kindStore, "lane api is still held").hint("run: git dos lease release --lane api")
			case "stuck":
				fmt.Println("stuck")
				time.Sleep(5 * time.Second)
				return answer(c, yes{"LATE", verdict.FirstOwned})
			case "pipe":
				_, err := os.Stdout.WriteString("nobody reads this\n")
				if !errors.Is(err, syscall.EPIPE) {
					return fmt.Errorf("write: %v, want EPIPE", err)
				}
				return writeOut(os.Stdout, []byte("nor this\n"))
			}
			return c.Context.Err()
		}},
	}}), args, s)
}

// waiter is a waiting process with its output read line by line.
type waiter struct {
	*exec.Cmd
	out    *bufio.Scanner
	stderr strings.Builder
}

func startWaiter(t *testing.T, how string) *waiter {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send these signals to a process")
	}
	w := &waiter{Cmd: exec.Command("git-dos-test-wait", "wait", how)}
	w.Stderr = &w.stderr
	pipe, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewScanner(pipe)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Process.Kill() })
	w.expect(t, "ready")
	return w
}

func (w *waiter) expect(t *testing.T, line string) {
	t.Helper()
	if !w.out.Scan() || w.out.Text() != line {
		t.Fatalf("stdout %q, want %q", w.out.Text(), line)
	}
}

func (w *waiter) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := w.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func TestSignals(t *testing.T) {
	tests := []struct {
		claim, how string
		signal     os.Signal
		code       int
		stderr     string
	}{
		{"an interrupted verb exits 130 with one line", "", os.Interrupt, 130, "git-dos: wait: interrupted\n"},
		{"SIGTERM counts as an interrupt", "", syscall.SIGTERM, 130, "git-dos: wait: interrupted\n"},
		{"a verb that still answers keeps its own status", "answer", os.Interrupt, 3, ""},
		{"an interrupted verb says what it still holds", "holds", os.Interrupt, 130,
			"git-dos: wait: interrupted: lane api is still held\nhint: run: git dos lease release --lane api\n"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			w := startWaiter(t, tt.how)
			w.signal(t, tt.signal)
			if tt.how == "answer" {
				w.expect(t, "DONE")
			}
			if w.Wait(); w.ProcessState.ExitCode() != tt.code || w.stderr.String() != tt.stderr {
				t.Errorf("exit %d, stderr %q; want %d, %q", w.ProcessState.ExitCode(), &w.stderr, tt.code, tt.stderr)
			}
		})
	}
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	w := startWaiter(t, "stuck")
	w.signal(t, os.Interrupt)
	w.expect(t, "stuck")
	w.signal(t, os.Interrupt)
	if w.Wait(); w.ProcessState.ExitCode() != 130 {
		t.Errorf("%v, want exit status 130", w.ProcessState)
	}
}

// A reader that has left is no reason to die before the verb has cleaned up,
// and none to complain.
func TestAClosedPipeIsQuiet(t *testing.T) {
	w := &waiter{Cmd: exec.Command("git-dos-test-wait", "wait", "pipe")}
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGPIPE")
	}
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Stdout, w.Stderr = out, &w.stderr
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if line, err := bufio.NewReaderSize(r, 16).ReadString('\n'); line != "ready\n" {
		t.Fatalf("stdout %q, %v", line, err)
	}
	r.Close()
	w.signal(t, os.Interrupt)
	if w.Wait(); w.ProcessState.ExitCode() != 2 || w.stderr.Len() > 0 {
		t.Errorf("%v, stderr %q; want a silent exit status 2", w.ProcessState, &w.stderr)
	}
}
