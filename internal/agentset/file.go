package agentset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-dos/git-dos/internal/wholefile"
)

// maxFile bounds a file that is changed here.
const maxFile = 4 << 20

// What became of a file.
const (
	Wrote     = "wrote"
	Removed   = "removed"
	Unchanged = "unchanged"
	Left      = "left" // what others made of it is theirs
)

// A Changed tells what became of a file, or with a dry run would.
type Changed struct {
	Path   string `json:"path"` // from the top
	What   string `json:"what"`
	Reason string `json:"reason,omitempty"`
}

// Edit changes one file below top: change is given what stands in it, nil where
// there is no file, and returns what shall. Of nil no file is left, and folders
// that were made for it go with it; a file without a byte is one. A file behind a
// symbolic link is not written to, nor one that its mode says is not to be.
func Edit(top, name string, dry bool, change func([]byte) ([]byte, error)) (Changed, error) {
	done := Changed{Path: name, What: Unchanged}
	full, err := plain(top, name)
	if err != nil {
		return done, err
	}
	was, mode, err := readFile(full)
	if err != nil {
		return done, fmt.Errorf("%s: %w", name, err)
	}
	now, err := change(was)
	if err != nil {
		return done, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case bytes.Equal(was, now):
		return done, nil
	case mode&0o200 == 0:
		return done, fmt.Errorf("%s is read-only", name)
	case now == nil:
		done.What = Removed
		if dry {
			return done, nil
		}
		if err := os.Remove(full); err != nil {
			return done, err
		}
		for dir := filepath.Dir(full); dir != top && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
		return done, nil
	}
	done.What = Wrote
	if dry {
		return done, nil
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return done, err
	}
	return done, wholefile.Write(full, now, mode)
}

// plain is the file below top, on the way to which there is no symbolic link.
func plain(top, name string) (string, error) {
	full := top
	for _, part := range bytes.Split([]byte(name), []byte("/")) {
		full = filepath.Join(full, string(part))
		if st, err := os.Lstat(full); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s: %s is a symbolic link; what it leads to is not written to", name, full)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return full, nil
}

func readFile(full string) (data []byte, mode fs.FileMode, err error) {
	st, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o644, nil
	case err != nil:
		return nil, 0, err
	case !st.Mode().IsRegular():
		return nil, 0, errors.New("it is no regular file")
	case st.Size() > maxFile:
		return nil, 0, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	data, err = os.ReadFile(full)
	return data, st.Mode().Perm(), err
}
