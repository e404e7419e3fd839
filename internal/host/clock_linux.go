package host

import (
	"errors"
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

func bootOf(proc string) (string, error) {
	boot, err := readShort(filepath.Join(proc, "sys/kernel/random/boot_id"))
	if boot = strings.TrimSpace(boot); err == nil && boot == "" {
		err = errors.New(proc + " does not name this boot")
	}
	return boot, err
}

func gone(p Proc) bool { return goneIn("/proc", int64(os.Getpid()), p) }

// goneIn is gone with its sources as arguments. A number that another process has
// by now began at another time.
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
	// This process is looked at in the same way, so that what it shows is about
	// the boot and the namespace of the other.
	own, err := processIn(proc, self, self)
	return err == nil && own.Boot == p.Boot && own.PIDNS == p.PIDNS
}
