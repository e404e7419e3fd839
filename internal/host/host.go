// Package host looks at the processes of this machine, so that a lease can name
// one in a way that a later process of the same number does not answer to.
package host

import (
	"errors"
	"fmt"
)

// A Proc names one process for as long as the machine runs. PID is its number in
// the namespace PIDNS, Start when it began, in the kernel's own ticks since the
// boot that Boot names. Two Procs are the same process if all four are equal.
type Proc struct {
	PID   int64
	Start string
	Boot  string
	PIDNS string
}

// ErrUnsupported means that processes cannot be told apart on this system.
var ErrUnsupported = errors.New("a process cannot be named on this system")

// ErrNoProcess means that no process of that number is running.
var ErrNoProcess = errors.New("no such process is running")

// Process names the running process that pid is the number of. It fails for a
// number that no process has, for the number of a thread, for a process that has
// ended and was not collected yet, and for one that may not be looked at.
func Process(pid int64) (Proc, error) {
	if pid <= 0 {
		return Proc{}, fmt.Errorf("%d is no process number: it must be above 0", pid)
	}
	p, err := process(pid)
	if err != nil {
		return Proc{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return p, nil
}
