package machine

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
)

// groupFlag makes pidfd_send_signal address the group that the process leads. Kernels
// before 6.9 do not know it.
const groupFlag = 1 << 2

var signals = map[sig]unix.Signal{sigTerm: unix.SIGTERM, sigKill: unix.SIGKILL}

// leads reports whether a process leads a group of its own that was made for its
// spawn: nobody else's process is in it.
func leads(o Owned) bool {
	of := marker.Of(o.Proc)
	made := o.Spawn.Worker != nil && *o.Spawn.Worker == of || o.Spawn.Launch && o.Spawn.Keeper == of
	group, err := unix.Getpgid(int(o.PID))
	return made && err == nil && int64(group) == o.PID
}

// holdOn holds on to a process, nil where it has ended. What is held when its number
// is looked at is what had that number before.
func holdOn(p host.Proc) (hold, error) {
	fd, err := unix.PidfdOpen(int(p.PID), 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil, nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EINVAL):
		return lookedAt{p}, nil
	case err != nil:
		return nil, fmt.Errorf("process %d: %w", p.PID, err)
	}
	h := held{lookedAt{p}, fd}
	if gone, err := h.lookedAt.gone(false); gone || err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// A held process is signalled through a descriptor of it.
type held struct {
	lookedAt
	fd int
}

func (h held) pinned() bool { return true }
func (h held) close()       { _ = unix.Close(h.fd) }

func (h held) signal(s sig, group bool) (bool, error) {
	flags := 0
	if group {
		flags = groupFlag
	}
	err := unix.PidfdSendSignal(h.fd, signals[s], nil, flags)
	if group && errors.Is(err, unix.EINVAL) {
		return h.lookedAt.signal(s, group)
	}
	if err == nil && s == sigTerm {
		_ = unix.PidfdSendSignal(h.fd, unix.SIGCONT, nil, flags) // one that is stopped cannot heed it
	}
	return noneThere(err)
}

func (h held) gone(group bool) (bool, error) {
	if group {
		err := unix.PidfdSendSignal(h.fd, 0, nil, groupFlag)
		return errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL), nil
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}, 0)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}

// A lookedAt process is looked at right before each signal.
type lookedAt struct{ proc host.Proc }

func (h lookedAt) pinned() bool { return false }
func (h lookedAt) close()       {}

func (h lookedAt) signal(s sig, group bool) (bool, error) {
	if gone, err := same(h.proc); err != nil || gone {
		return gone, err
	}
	pid := int(h.proc.PID)
	if group {
		pid = -pid
	}
	err := unix.Kill(pid, signals[s])
	if err == nil && s == sigTerm {
		_ = unix.Kill(pid, unix.SIGCONT)
	}
	return noneThere(err)
}

// gone tells of the process alone: a group whose leader has ended is not held.
func (h lookedAt) gone(bool) (bool, error) {
	return same(h.proc)
}

// noneThere reads what a signal came to.
func noneThere(err error) (gone bool, _ error) {
	if errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrProcessDone) {
		return true, nil
	}
	return false, err
}
