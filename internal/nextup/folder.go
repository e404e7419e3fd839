package nextup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// A FolderError says why packets are not written where the rules say.
type FolderError struct {
	Dir string
	Why string
}

func (e *FolderError) Error() string { return fmt.Sprintf("packets go to %s, and %s", e.Dir, e.Why) }

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
