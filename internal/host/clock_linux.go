package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

func clock() (string, int64, error) {
	boot, err := bootOf("/proc")
	if err != nil {
		return "", 0, err
	}
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return "", 0, err
	}
	return boot, t.Nano(), nil
}

// firstTimeNamespace is the one that every machine begins with. In another the
// time since the boot is another, and so is when a process began: what is read
// there compares with nothing.
const firstTimeNamespace = "time:[4026531834]"

// bootOf names the boot, as it is counted here.
func bootOf(proc string) (string, error) {
	boot, err := readShort(filepath.Join(proc, "sys/kernel/random/boot_id"))
	if err != nil {
		return "", err
	}
	if boot = strings.TrimSpace(boot); boot == "" {
		return "", fmt.Errorf("%s does not name this boot", proc)
	}
	counted, err := os.Readlink(filepath.Join(proc, "self/ns/time"))
	switch {
	case errors.Is(err, fs.ErrNotExist): // a kernel without them
		return boot, nil
	case err != nil:
		return "", err
	case counted != firstTimeNamespace:
		return "", fmt.Errorf("%w: the time since the boot is counted anew in this time namespace", ErrUnsupported)
	}
	return boot, nil
}

func gone(p Proc) bool { return goneIn("/proc", int64(os.Getpid()), p) }

// goneIn is gone with its sources as arguments. A number that another process has
// by now began at another time. What /proc does not show may be hidden from us:
// the kernel is asked too.
func goneIn(proc string, self int64, p Proc) bool {
	if p.PID <= 0 {
		return false
	}
	now, err := processIn(proc, self, p.PID)
	if err == nil {
		return now.Boot == p.Boot && now.PIDNS == p.PIDNS && now.Start != p.Start
	}
	if !errors.Is(err, ErrNoProcess) {
		return false
	}
	if err != errEnded && !errors.Is(unix.Kill(int(p.PID), 0), unix.ESRCH) {
		return false
	}
	// This process is looked at in the same way, so that what it shows is about
	// the boot and the namespace of the other.
	own, err := processIn(proc, self, self)
	return err == nil && own.Boot == p.Boot && own.PIDNS == p.PIDNS
}
