package refstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrElsewhere means that a remote is no path of this machine, whose files could be
// looked at.
var ErrElsewhere = errors.New("it is not a path of this machine")

// leftBehind is the age at which a lock file on a remote can be called stale. Git
// holds one for milliseconds, and for as long as a reference-transaction hook takes.
const leftBehind = time.Minute

// A RemoteLock is a lock file of one of the fleet's refs on a remote.
type RemoteLock struct {
	Ref     string // as the remote calls it
	Path    string
	Age     time.Duration
	Stale   bool // a killed transaction of ours left it
	Removed bool
}

// Locks finds the lock files of the fleet's refs on a remote that is a path of this
// machine, and removes those that are stale when that is asked for: a minute old,
// not touched while one looks, and empty or holding an entry that stands on the
// ref's tip, as only a killed transaction of ours leaves. It is [ErrElsewhere] for
// any other remote.
func (a *Remote) Locks(ctx context.Context, remove bool) ([]RemoteLock, error) {
	c, err := a.repo.Config()
	if err != nil {
		return nil, err
	}
	if !a.onThisMachine() {
		return nil, ErrElsewhere
	}
	hub, err := Open(ctx, strings.TrimPrefix(c.Get("remote."+a.name+".url"), "file://"))
	if err != nil {
		return nil, err
	}
	seen, err := a.locksIn(hub)
	if err != nil || len(seen) == 0 {
		return nil, err
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	again, err := a.locksIn(hub)
	if err != nil {
		return nil, err
	}
	var found []RemoteLock
	for path, first := range seen {
		st, ok := again[path]
		if !ok {
			continue // a living git's
		}
		l := RemoteLock{Path: path, Age: time.Since(st.ModTime())}
		l.Ref = strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(path, hub.CommonDir+string(filepath.Separator))), ".lock")
		l.Stale = inode(st) == inode(first) && l.Age >= leftBehind && a.abandonedOn(ctx, hub, l)
		if l.Stale && remove {
			if err := os.Remove(path); err != nil {
				return found, err
			}
			l.Removed = true
		}
		found = append(found, l)
	}
	return found, nil
}

// locksIn lists the lock files below the fleet's prefix.
func (a *Remote) locksIn(hub *Repo) (map[string]fs.FileInfo, error) {
	locks := map[string]fs.FileInfo{}
	root := filepath.Join(hub.CommonDir, filepath.FromSlash(a.prefix))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular() || !strings.HasSuffix(path, ".lock"):
			return nil
		}
		st, err := d.Info()
		if err == nil {
			locks[path] = st
		}
		return nil // gone again, otherwise
	})
	return locks, err
}

// abandonedOn reports whether a lock file holds what only a killed transaction of
// ours leaves on a remote.
func (a *Remote) abandonedOn(ctx context.Context, hub *Repo, l RemoteLock) bool {
	b, err := os.ReadFile(l.Path)
	if err != nil || len(b) == 0 {
		return err == nil
	}
	id, ok := ParseOID(strings.TrimSpace(string(b)))
	if !ok {
		return false
	}
	tip, err := hub.RefID(ctx, l.Ref)
	return err == nil && hub.standsOn(ctx, "refs/dos"+strings.TrimPrefix(l.Ref, a.prefix), id, tip)
}
