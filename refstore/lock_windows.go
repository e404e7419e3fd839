package refstore

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// flock takes the lock of an open file, waiting for it when wait is set.
func flock(f *os.File, wait bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) && !wait {
		return false, nil
	}
	return err == nil, err
}

// inode identifies a file beyond its name. Here the time of its last write has
// to do.
func inode(st fs.FileInfo) uint64 { return uint64(st.ModTime().UnixNano()) }

// ownedByUs reports whether a file is this user's: the folder for temporary files is.
func ownedByUs(fs.FileInfo) bool { return true }

// dup returns a second handle of the same open file, which shares its lock.
func dup(f *os.File) (*os.File, error) {
	self := windows.CurrentProcess()
	var h windows.Handle
	err := windows.DuplicateHandle(self, windows.Handle(f.Fd()), self, &h, 0, false, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), f.Name()), nil
}
