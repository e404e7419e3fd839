package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func process(pid int64) (Proc, error) { return processIn("/proc", int64(os.Getpid()), pid) }

// processIn is process with its sources as arguments. The namespace is that of
// the asker: it is the one in which pid is a number at all, wherever the process
// itself may live.
func processIn(proc string, self, pid int64) (Proc, error) {
	if target, err := os.Readlink(filepath.Join(proc, "self")); err != nil || target != strconv.FormatInt(self, 10) {
		return Proc{}, fmt.Errorf("%s does not show this process: it is not mounted, or belongs to another pid namespace", proc)
	}
	dir := filepath.Join(proc, strconv.FormatInt(pid, 10))
	start, err := started(dir, pid)
	if err != nil {
		return Proc{}, err
	}
	boot, err := bootOf(proc)
	if err != nil {
		return Proc{}, err
	}
	namespace, err := os.Readlink(filepath.Join(proc, "self/ns/pid"))
	if err != nil {
		return Proc{}, err
	}
	p := Proc{PID: pid, Start: start, Boot: boot, PIDNS: namespace}
	if p.PIDNS == "" {
		return Proc{}, fmt.Errorf("%s does not name this pid namespace", proc)
	}
	return p, nil
}

// errEnded is a process that is shown still, and has ended.
var errEnded = fmt.Errorf("%w: it has ended", ErrNoProcess)

// started is when the process began, in ticks since the boot.
func started(dir string, pid int64) (string, error) {
	status, err := readShort(filepath.Join(dir, "status"))
	if err != nil {
		return "", unreadable(err)
	}
	if group := statusLine(status, "Tgid"); group != strconv.FormatInt(pid, 10) {
		return "", fmt.Errorf("it is a thread of process %s: name that one", group)
	}
	stat, err := readShort(filepath.Join(dir, "stat"))
	if err != nil {
		return "", unreadable(err)
	}
	// The second field is the name in parentheses, which may hold any character.
	rest := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(rest) <= start {
		return "", fmt.Errorf("%s/stat has %d fields after the name, which are too few", dir, len(rest))
	}
	if rest[state] == "Z" || rest[state] == "X" {
		return "", errEnded
	}
	if _, err := strconv.ParseUint(rest[start], 10, 64); err != nil {
		return "", fmt.Errorf("%s/stat does not say when it began: %w", dir, err)
	}
	return rest[start], nil
}

func statusLine(status, key string) string {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// unreadable tells a process that is not there from one that is kept from us.
func unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return ErrNoProcess
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("it is another user's and may not be looked at: %w", err)
	}
	return err
}

func readShort(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const most = 64 << 10
	data, err := io.ReadAll(io.LimitReader(f, most))
	return string(data), err
}
