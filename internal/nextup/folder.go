package nextup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A FolderError says why packets are not written where the rules say.
type FolderError struct {
	Dir string
	Why string
}

func (e *FolderError) Error() string { return fmt.Sprintf("packets go to %s, and %s", e.Dir, e.Why) }

// The beginning and the end of the names of scratch files.
const (
	scratch    = ".next-up-"
	scratchEnd = ".tmp"
)

// leftoverAge is the age from which a scratch file was left by a process that
// was killed: the loser of a race writes one without the lock, in an instant.
const leftoverAge = time.Hour

// sweep removes scratch files that killed processes left. One that cannot be
// removed does no harm.
func (f *Folder) sweep() {
	left, _ := fs.Glob(f.root.FS(), path.Join(f.dir, scratch+"????????????????"+scratchEnd))
	for _, name := range left {
		at := filepath.FromSlash(name)
		if st, err := f.root.Lstat(at); err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > leftoverAge {
			_ = f.root.Remove(at)
		}
	}
}

// make makes the folder where it is not there. Whoever may state a path, or
// commit a link, must not choose by it what is written in the repository itself
// or under somebody else's lane: no part of it is a link, or git's own folder.
func (f *Folder) make() error {
	at := ""
	for _, part := range strings.Split(f.dir, "/") {
		at = filepath.Join(at, part)
		if strings.EqualFold(part, ".git") {
			return &FolderError{f.dir, "that is in git's own folder"}
		}
		st, err := f.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case st.Mode()&fs.ModeSymlink != 0:
			return &FolderError{f.dir, filepath.ToSlash(at) + " is a symbolic link"}
		case !st.IsDir():
			return &FolderError{f.dir, filepath.ToSlash(at) + " is no folder"}
		}
	}
	return f.root.MkdirAll(filepath.FromSlash(f.dir), 0o777)
}
