//go:build unix

package probe

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a probe in a session of its own, so that no terminal reaches it and
// all that it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
