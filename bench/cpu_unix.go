//go:build unix

package main

import (
	"syscall"
	"time"
)

const measuresProcessor = true

// ofChildren is the processor time of all children that have ended, and of those that
// they waited for.
func ofChildren() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		panic(err) // of arguments that are constants
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
