package refstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Scratch is a temporary folder for what one process is at. While that process
// lives it has the lock inside, so that what a killed one left is told from what is in
// use, by others in other pid namespaces too.
type Scratch struct {
	Dir  string
	lock *os.File
}

const (
	scratchPrefix = "git-dos-"
	scratchLock   = "git-dos.lock"

	// scratchAge is how old a folder is at least before it counts as left: one that
	// is being made has no lock yet.
	scratchAge = time.Minute
)

// scratchUses are what scratch folders are made for; their names begin with it.
var scratchUses = []string{"push", "probe", "objects", "signers", "suite"}

// MakeScratch makes a folder of its own for a use. It must be closed.
func MakeScratch(use string) (*Scratch, error) {
	if !slices.Contains(scratchUses, use) {
		return nil, errors.New("no such use of a temporary folder: " + use)
	}
	dir, err := os.MkdirTemp("", scratchPrefix+use+"-")
	if err != nil {
		return nil, err
	}
	s := &Scratch{Dir: dir}
	if s.lock, err = os.OpenFile(filepath.Join(dir, scratchLock), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, err = flock(s.lock, false)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close removes the folder and all that commands left in it.
func (s *Scratch) Close() error {
	if s.lock != nil {
		_ = s.lock.Close()
	}
	if os.RemoveAll(s.Dir) == nil {
		return nil
	}
	// A command may have made folders that nobody may write to.
	_ = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(s.Dir)
}

// A LeftScratch is a folder that a killed process left.
type LeftScratch struct {
	Path string
	Age  time.Duration
}

// LeftScratches are the folders of this user in the folder for temporary files whose
// processes are gone, by name: what has our name and our lock, and nobody has it.
func LeftScratches() (left []LeftScratch, err error) {
	entries, err := os.ReadDir(os.TempDir())
	for _, e := range entries {
		path := filepath.Join(os.TempDir(), e.Name())
		if !isScratch(e) {
			continue
		}
		if st, err := e.Info(); err == nil && ownedByUs(st) && time.Since(st.ModTime()) >= scratchAge {
			if lock := takeLeft(path); lock != nil {
				_ = lock.Close()
				left = append(left, LeftScratch{path, time.Since(st.ModTime())})
			}
		}
	}
	return left, err
}

func isScratch(e fs.DirEntry) bool {
	name, ok := strings.CutPrefix(e.Name(), scratchPrefix)
	use, _, parted := strings.Cut(name, "-")
	return ok && parted && e.IsDir() && slices.Contains(scratchUses, use)
}

// takeLeft takes the lock of a folder whose process is gone, nil where it is not, or
// where there is no lock.
func takeLeft(dir string) *os.File {
	path := filepath.Join(dir, scratchLock)
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	lock, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if got, err := flock(lock, false); err != nil || !got {
		_ = lock.Close()
		return nil
	}
	return lock
}

// Remove removes the folder, unless somebody has its lock by now.
func (l LeftScratch) Remove() error {
	lock := takeLeft(l.Path)
	if lock == nil {
		return errors.New("it is in use")
	}
	return (&Scratch{l.Path, lock}).Close()
}
