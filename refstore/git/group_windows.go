package git

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// terminateGroup does nothing: there is no signal for a group here.
func terminateGroup(*exec.Cmd) error { return nil }
