// Package wholefile writes files whole or not at all: whoever reads one meanwhile
// sees what was there before or what is there after, and a write that fails leaves
// what was.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts data in the place of a file, or makes it, with this mode whatever the
// umask is. Its folder must be there; a symbolic link is replaced by the file.
func Write(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".git-dos-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
