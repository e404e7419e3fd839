package refstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// stateDir is where git-dos keeps files of its own, beside the objects and
// refs that all worktrees share.
func (r *Repo) stateDir() (string, error) {
	path, err := r.SharedFile("x")
	return filepath.Dir(path), err
}

// stateFile makes the directories of <gitdir>/dos/<elem...> and returns its
// path.
func stateFile(gitDir string, shared os.FileMode, elem []string) (string, error) {
	dir := gitDir
	for _, name := range append([]string{"dos"}, elem[:len(elem)-1]...) {
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o777); err == nil {
			shareDir(dir, shared)
		} else if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return filepath.Join(dir, elem[len(elem)-1]), nil
}

// LockShared takes the lock named name among all processes of the repository,
// waiting until ctx ends, and returns how to release it.
func (r *Repo) LockShared(ctx context.Context, name string) (unlock func(), err error) {
	f, err := r.lockFile(ctx, name)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// lockFile opens <common>/dos/<name> and takes its lock, waiting until ctx
// ends. Closing the file releases the lock.
func (r *Repo) lockFile(ctx context.Context, name string) (*os.File, error) {
	dir, err := r.stateDir()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	got, err := flock(f, false)
	if err == nil && !got {
		err = waitLock(ctx, f)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", filepath.Join(dir, name), err)
	}
	return f, nil
}

// waitLock waits for a lock that others hold. The kernel queues waiters, so no
// one starves. When ctx ends first, the lock is given back as soon as it comes.
func waitLock(ctx context.Context, f *os.File) error {
	own, err := dup(f)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		_, err := flock(own, true)
		done <- err
	}()
	select {
	case err := <-done:
		_ = own.Close() // f shares the lock
		return err
	case <-ctx.Done():
		go func() {
			<-done
			_ = own.Close()
		}()
		return context.Cause(ctx)
	}
}
