//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopSignals are the requests of others that this process stop.
func stopSignals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTSTP)
	return c, func() { signal.Stop(c) }
}

// stopJob stops the processes of this job, of which git may be one, and returns when
// it goes on. Where no shell minds the job nobody would make it go on, and it is not
// stopped.
//
// It is the signal that cannot be caught: the Go runtime never gives the default
// action of the other back once it was asked to tell of it.
func stopJob() {
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpgrp() {
		return
	}
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	if syscall.Kill(0, syscall.SIGSTOP) != nil {
		return
	}
	select {
	case <-on:
	case <-time.After(time.Second): // it went on before anybody could tell
	}
}
