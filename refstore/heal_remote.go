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

// A RemoteLock is a lock file of one of the fleet's refs on a remote, or of this
// repository's own.
type RemoteLock struct {
	Ref     string // as its repository calls it
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
	return leftLocks(ctx, hub, a.prefix, remove)
}

// Heal removes what killed writers left in the way of this repository's own refs of
// git-dos, by the rule of [Remote.Locks], and returns the lock files that it removed.
// Settled means that a write had been cut off, and nothing of it is left.
func (r *Repo) Heal(ctx context.Context) (removed []RemoteLock, settled bool, err error) {
	cut, err := os.Stat(r.intentPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	l := r.Local()
	unlock, err := l.Lock(ctx)
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	if cut != nil && cut.Size() > 0 {
		now, err := os.Stat(r.intentPath())
		settled = err == nil && now.Size() == 0
	}
	found, err := leftLocks(ctx, r, "refs/dos", true)
	for _, l := range found {
		if l.Removed {
			removed = append(removed, l)
		}
	}
	return removed, settled, err
}

// leftLocks finds the lock files below a prefix, and removes those that are stale
// when that is asked for.
func leftLocks(ctx context.Context, hub *Repo, prefix string, remove bool) ([]RemoteLock, error) {
	seen, err := locksBelow(hub, prefix)
	if err != nil || len(seen) == 0 {
		return nil, err
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	again, err := locksBelow(hub, prefix)
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
		l.Stale = inode(st) == inode(first) && l.Age >= leftBehind && abandonedBelow(ctx, hub, prefix, l)
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

// locksBelow lists the lock files below a prefix.
func locksBelow(hub *Repo, prefix string) (map[string]fs.FileInfo, error) {
	locks := map[string]fs.FileInfo{}
	root := filepath.Join(hub.CommonDir, filepath.FromSlash(prefix))
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

// abandonedBelow reports whether a lock file holds what only a killed transaction of
// ours leaves.
func abandonedBelow(ctx context.Context, hub *Repo, prefix string, l RemoteLock) bool {
	b, err := os.ReadFile(l.Path)
	if err != nil || len(b) == 0 {
		return err == nil
	}
	id, ok := ParseOID(strings.TrimSpace(string(b)))
	if !ok {
		return false
	}
	tip, err := hub.RefID(ctx, l.Ref)
	return err == nil && hub.standsOn(ctx, "refs/dos"+strings.TrimPrefix(l.Ref, prefix), id, tip)
}
