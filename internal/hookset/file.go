package hookset

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

var errNotExist = fs.ErrNotExist

// maxHook bounds what is read of a hook. A hook may be a program of any size:
// beyond this it is not looked into.
const maxHook = 1 << 20

// A hookFile is a file as it stands: a regular one or a symbolic link.
type hookFile struct {
	path   string
	exists bool
	odd    bool   // neither a regular file nor a link
	link   string // what a symbolic link says
	info   fs.FileInfo
	data   []byte // of a regular file, its first maxHook bytes
	shim   Shim
	claim  claim
}

// readHook looks at a file without following it.
func readHook(path string) (hookFile, error) {
	f := hookFile{path: path, claim: foreign}
	var err error
	f.info, err = os.Lstat(path)
	if errors.Is(err, errNotExist) || errors.Is(err, errNotDir) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.exists = true
	switch mode := f.info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		f.link, err = os.Readlink(path)
		return f, err
	case !mode.IsRegular():
		f.odd = true
		return f, nil
	}
	r, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer r.Close()
	if f.data, err = io.ReadAll(io.LimitReader(r, maxHook)); err != nil {
		return f, err
	}
	f.shim, f.claim = parseShim(f.data)
	return f, nil
}

// same reports whether two files are one, or alike in all that is kept.
func (f hookFile) same(g hookFile) (bool, error) {
	switch {
	case !f.exists || !g.exists:
		return false, nil
	case os.SameFile(f.info, g.info):
		return true, nil
	case f.info.Mode() != g.info.Mode() || f.link != g.link:
		return false, nil
	case f.info.Mode()&fs.ModeSymlink != 0:
		return true, nil
	case f.info.Size() != g.info.Size():
		return false, nil
	case f.info.Size() <= maxHook:
		return bytes.Equal(f.data, g.data), nil
	}
	a, err := os.ReadFile(f.path)
	if err != nil {
		return false, err
	}
	b, err := os.ReadFile(g.path)
	return bytes.Equal(a, b), err
}

// runs reports whether git would run the file.
func runs(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0)
}

func isLink(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode()&fs.ModeSymlink != 0
}

// unfinished is how a file is named while it is written.
const unfinished = ".git-dos-hooks-*.tmp"

// sweep removes what was left unfinished in a folder by an install that was cut.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, errNotExist) || errors.Is(err, errNotDir) {
		return nil
	}
	for _, e := range entries {
		if cut, _ := filepath.Match(unfinished, e.Name()); cut {
			err = errors.Join(err, remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// put writes a file whole, over whatever has its name.
func put(path string, data []byte, mode fs.FileMode) error {
	w, err := os.CreateTemp(filepath.Dir(path), unfinished)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Chmod(mode), w.Sync(), w.Close())
	if err == nil {
		err = rename(w.Name(), path)
	}
	if err != nil {
		_ = os.Remove(w.Name())
	}
	return err
}

// save gives a file a second name that nothing had, whole or not at all.
func (f hookFile) save(to string) error {
	if f.link != "" {
		return os.Symlink(f.link, to)
	}
	err := os.Link(f.path, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without hard links.
	data, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	if err := put(to, data, f.info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, f.info.ModTime(), f.info.ModTime())
}
