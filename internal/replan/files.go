package replan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// files are those of a work tree; nothing leads out of it.
type files struct{ root *os.Root }

func openFiles(top string) (*files, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	return &files{root}, nil
}

func (f *files) close() { _ = f.root.Close() }

// regular is what is known of a regular file that no symbolic link leads to.
func (f *files) regular(name string) (fs.FileInfo, error) {
	for i, c := range name + "/" {
		if c != '/' {
			continue
		}
		st, err := f.root.Lstat(filepath.FromSlash(name[:i]))
		switch {
		case err != nil:
			return nil, err
		case st.Mode()&fs.ModeSymlink != 0:
			return nil, fmt.Errorf("%s is a symbolic link", name[:i])
		case i == len(name) && !st.Mode().IsRegular():
			return nil, errors.New("is no regular file")
		case i == len(name):
			return st, nil
		}
	}
	return nil, fs.ErrNotExist
}

// read reads a regular file of at most the size that a plan document may have.
func (f *files) read(name string) ([]byte, error) {
	if _, err := f.regular(name); err != nil {
		return nil, err
	}
	r, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, ancestry.MaxFile+1))
	if err == nil && len(data) > ancestry.MaxFile {
		err = fmt.Errorf("is larger than %d bytes", ancestry.MaxFile)
	}
	return data, err
}

// The beginning and the end of the names of scratch files.
const (
	scratch    = ".git-dos-"
	scratchEnd = ".tmp"
)

// sweep removes scratch files that killed processes left in a folder: of those
// that live only one writes here. One that cannot be removed does no harm.
func (f *files) sweep(dir string) {
	left, _ := fs.Glob(f.root.FS(), path.Join(dir, scratch+"????????????????"+scratchEnd))
	for _, name := range left {
		if st, err := f.root.Lstat(filepath.FromSlash(name)); err == nil && st.Mode().IsRegular() {
			_ = f.root.Remove(filepath.FromSlash(name))
		}
	}
}

var errMeanwhile = errors.New("it was changed meanwhile")

// replace has a file hold something else than it does; it appears whole, with the
// mode that it had.
func (f *files) replace(name string, was, is []byte) error {
	st, err := f.regular(name)
	if err != nil {
		return err
	}
	f.sweep(path.Dir(name))
	tmp := filepath.FromSlash(path.Join(path.Dir(name), scratch+admit.NewNonce()+scratchEnd))
	w, err := f.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(is)
	err = errors.Join(err, w.Chmod(st.Mode().Perm()), w.Sync(), w.Close())
	if err == nil {
		var now []byte
		if now, err = f.read(name); err == nil && !bytes.Equal(now, was) {
			err = errMeanwhile
		}
	}
	if err == nil {
		err = f.root.Rename(tmp, filepath.FromSlash(name))
	}
	if err != nil {
		_ = f.root.Remove(tmp)
	}
	return err
}
