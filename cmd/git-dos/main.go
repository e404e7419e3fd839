// Command git-dos lets workers share one git repository without a server: it
// hands out lanes, and it checks claims of finished work against history.
//
// This package parses flags, gathers facts, asks the kernel and prints the
// answer. It decides nothing itself. Each verb lives in a cmd_<noun>.go file
// and is listed once, in verbTable.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func main() {
	collectLate()
	os.Exit(withSignals(func(ctx context.Context) int {
		return run(ctx, os.Args, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	}))
}

// withSignals calls f with a context that the first SIGINT, SIGTERM or SIGHUP
// cancels, so that a verb can give back what it took. The second one ends the process
// at once. The end of a terminal stops no verb that survives it.
//
// A reader that closes our standard output shows up as a failed write rather
// than as a fatal signal, for the same reason. The signal is caught and not
// ignored, because child processes would inherit an ignored one.
func withSignals(f func(context.Context) int) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		await(stop)
		cancel()
		await(stop)
		if kill := atOnce.Load(); kill != nil {
			(*kill)()
		}
		os.Exit(verdict.Interrupted)
	}()
	return f(ctx)
}

// await waits for a signal that stops the verb.
func await(stop <-chan os.Signal) {
	for s := range stop {
		if s != syscall.SIGHUP || !survivesHangup.Load() {
			return
		}
	}
}
