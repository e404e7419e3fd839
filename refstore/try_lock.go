package refstore

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A Holder is the process that has a lock.
type Holder struct {
	Path string // of the lock
	PID  int64  // 0 where it is not told
}

// TryLock takes the lock named name among the processes that work in this
// worktree, without waiting for it. Where another has it, held says who, and
// unlock is nil. The lock goes with the process that has it.
func (r *Repo) TryLock(name string) (unlock func(), held *Holder, err error) {
	path, err := r.StateFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", name, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", name, err)
	}
	switch got, err := flock(f, false); {
	case err != nil:
		_ = f.Close()
		return nil, nil, fmt.Errorf("lock %s: %w", path, err)
	case !got:
		held = &Holder{Path: path, PID: holderIn(f)}
		_ = f.Close()
		return nil, held, nil
	}
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0) // for people
	}
	return func() { _ = f.Close() }, nil, nil
}

// holderIn reads the process that a lock names, 0 where it names none.
func holderIn(f *os.File) int64 {
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || pid < 1 {
		return 0
	}
	return pid
}
