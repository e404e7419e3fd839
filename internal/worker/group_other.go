//go:build unix && !linux

package worker

import (
	"errors"

	"golang.org/x/sys/unix"
)

// groupRuns reports whether a process of a group may be running. Its leader, not
// collected yet, counts too: what is left is then ended with its grace for nothing.
func groupRuns(group int) bool { return unix.Kill(-group, 0) == nil }

// waitEnded waits until the process has ended, and leaves it to be collected.
func waitEnded(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	var event unix.Kevent_t
	unix.SetKevent(&event, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event.Fflags = unix.NOTE_EXIT
	for {
		_, err := unix.Kevent(queue, []unix.Kevent_t{event}, make([]unix.Kevent_t, 1), nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
