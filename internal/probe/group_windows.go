package probe

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the probe alone: there is no signal for a group here.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
