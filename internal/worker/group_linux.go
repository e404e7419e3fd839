package worker

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// groupRuns reports whether a process of a group, whose leader was not collected,
// is running: one that is not a zombie. The kernel says that a group with a zombie
// in it is there, so the table is read. What cannot be read may run.
func groupRuns(group int) bool {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, d := range dirs {
		if _, err := strconv.Atoi(d.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The second field is the name in parentheses, which may hold any character.
		rest := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		const state, pgrp = 0, 2
		if len(rest) > pgrp && rest[pgrp] == strconv.Itoa(group) && rest[state] != "Z" && rest[state] != "X" {
			return true
		}
	}
	return false
}

// waitEnded waits until the process has ended, and leaves it to be collected.
func waitEnded(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
