//go:build unix

package worker

import (
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// systemNames are variables that programs need on this system.
var systemNames []string

func sameName(a, b string) bool { return a == b }

// ownGroup makes the worker the leader of a session of its own: signals of a
// terminal do not reach it, and all it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func endGroup(pid int)  { _ = unix.Kill(-pid, unix.SIGTERM); _ = unix.Kill(-pid, unix.SIGCONT) }
func killGroup(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// status is how a process ended.
func status(s *os.ProcessState) (int, string) {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, strings.TrimPrefix(unix.SignalName(ws.Signal()), "SIG")
	}
	return s.ExitCode(), ""
}
