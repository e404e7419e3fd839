//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

const canDetach = true

// ownSession makes a process survive the terminal of the one that starts it.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// keepFromChildren closes a descriptor in what this process starts: whoever reads
// its other end waits for the end of it.
func keepFromChildren(fd int) { syscall.CloseOnExec(fd) }
