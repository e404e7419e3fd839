//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the child in a process group of its own: a Ctrl-C at the
// terminal reaches us and not a half-finished ref transaction.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }

func terminateGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
