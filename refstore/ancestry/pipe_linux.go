package ancestry

import (
	"os"
	"syscall"
)

// widen lets a pipe hold more, so that the two at its ends wait for each other
// less often. It is no matter when the system does not allow it.
func widen(f *os.File) {
	const setPipeSize, size = 1031, 1 << 20
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, size) })
	}
}
