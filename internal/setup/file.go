package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-dos/git-dos/internal/admit"
)

// maxFile bounds the files of the user's that are read whole.
const maxFile = 4 << 20

// A file is a text file at the top of the work tree.
type file struct {
	path   string
	data   []byte
	mode   fs.FileMode
	exists bool
}

// readFile reads a file that may be missing. Anything but a regular file is an
// error: it would be followed or replaced when written.
func readFile(path string) (file, error) {
	f := file{path: path, mode: 0o666}
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if !st.Mode().IsRegular() {
		return f, problemf("replace it by a regular file, or move it away", "%s is not a regular file", path)
	}
	r, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer r.Close()
	f.exists, f.mode = true, st.Mode().Perm()
	f.data, err = io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(f.data) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return f, err
}

// create writes a file that must not exist. It appears whole or not at all.
func create(path string, data []byte) error {
	return throughTemp(path, data, 0o666, func(tmp string) error {
		err := os.Link(tmp, path)
		if err == nil {
			return os.Remove(tmp)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		// A file system without hard links: the gap is as small as it gets.
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("create %s: %w", path, fs.ErrExist)
		}
		return os.Rename(tmp, path)
	})
}

// replace writes new contents in the place of what was read.
func (f file) replace(data []byte) error {
	if !f.exists {
		return create(f.path, data)
	}
	now, err := readFile(f.path)
	if err == nil && (!now.exists || !bytes.Equal(now.data, f.data)) {
		err = fmt.Errorf("%s changed while it was looked at", f.path)
	}
	if err != nil {
		return err
	}
	return throughTemp(f.path, data, f.mode, func(tmp string) error {
		if err := os.Chmod(tmp, f.mode); err != nil {
			return err
		}
		return os.Rename(tmp, f.path)
	})
}

// throughTemp writes a file beside path and puts it in place.
func throughTemp(path string, data []byte, mode fs.FileMode, place func(tmp string) error) error {
	tmp := filepath.Join(filepath.Dir(path), ".git-dos-"+admit.NewNonce()+".tmp")
	w, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Sync(), w.Close())
	if err == nil {
		err = place(tmp)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// lineEnd is the line end that a text uses.
func lineEnd(data []byte) []byte {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return []byte("\r\n")
	}
	return []byte("\n")
}

// appended is what to add to a text so that it ends with lines, in its own
// line ends and beginning on a line of its own.
func appended(text, lines []byte) []byte {
	end := lineEnd(text)
	add := bytes.ReplaceAll(lines, []byte("\n"), end)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		add = append(bytes.Clone(end), add...)
	}
	return add
}

// digest identifies contents.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
