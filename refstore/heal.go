package refstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// settle is how long a lock file must stay the same before it can be called
// stale. The git that may own it moves on within milliseconds.
const settle = time.Second

// The intent file names the refs of the transaction that is under way, each
// with the id it is to move to. It is
// written before git starts and emptied when git has ended, always under the
// flock, so whoever gets the flock and finds it filled knows that its writer
// and its writer's git are gone.
func (r *Repo) intentPath() string { return filepath.Join(r.CommonDir, "dos", "intent") }

func (r *Repo) writeIntent(moves []Move) error {
	var b strings.Builder
	for _, m := range moves {
		fmt.Fprintln(&b, m.Ref, m.New)
	}
	if err := os.WriteFile(r.intentPath(), []byte(b.String()), 0o666); err != nil {
		return fmt.Errorf("write intent: %w", err)
	}
	return nil
}

// heal removes the lock files of a killed transaction. A lock that is not
// provably ours stays, and the write that meets it reports it with its age.
func (r *Repo) heal(ctx context.Context) error {
	b, err := os.ReadFile(r.intentPath())
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(b) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read intent: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		ref, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !strings.HasPrefix(ref, "refs/") || strings.Contains(ref, "..") {
			continue // not a line that writeIntent wrote
		}
		gone, err := r.healLock(ctx, ref, OID(id))
		if err != nil {
			return err
		}
		if !gone {
			return nil // keep the intent for the next holder
		}
	}
	return r.writeIntent(nil)
}

// healLock reports whether ref has no lock file any more. It removes one that
// is the same for a second and is either empty or holds what was intended and
// was decided on ref's current tip.
func (r *Repo) healLock(ctx context.Context, ref string, intended OID) (gone bool, err error) {
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref)+".lock")
	first, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !first.Mode().IsRegular() {
		return false, err
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	again, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || inode(again) != inode(first) || !r.abandoned(ctx, ref, path, intended) {
		return false, err
	}
	return true, os.Remove(path)
}

// healMirror removes the lock files that a killed fetch or push left in the
// mirror. Only the holder of the remote's lock writes there, so one that stays
// the same for a second has no owner; the mirror is a cache in any case.
func (a *Remote) healMirror(ctx context.Context) error {
	found := a.mirrorLocks()
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	again := a.mirrorLocks()
	for path, id := range found {
		if again[path] != id {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// mirrorLocks returns the lock files of mirrored refs with their inodes.
func (a *Remote) mirrorLocks() map[string]uint64 {
	locks := map[string]uint64{}
	root := filepath.Join(a.repo.CommonDir, filepath.FromSlash(a.mirror))
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".lock") {
			return nil // a lock that cannot be looked at stays
		}
		if st, err := d.Info(); err == nil {
			locks[path] = inode(st)
		}
		return nil
	})
	return locks
}

// maxStacked is how many entries one transaction puts on a ref at most.
const maxStacked = 4

// abandoned reports whether a lock file holds what only a killed transaction
// of ours leaves: nothing yet, or what it intended, which stands on ref's
// current tip. A lock that holds anything else is a living git's.
func (r *Repo) abandoned(ctx context.Context, ref, path string, intended OID) bool {
	b, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	if len(b) == 0 {
		return true
	}
	id, ok := ParseOID(strings.TrimSpace(string(b)))
	if !ok || id != intended {
		return false
	}
	tips, err := r.list(ctx, []string{ref}, func(name string) (string, bool) { return name, name == ref })
	if err != nil || len(tips) > 1 {
		return false
	}
	var tip OID
	if len(tips) == 1 {
		tip = tips[0].ID
	}
	return r.standsOn(ctx, ref, id, tip)
}

// standsOn reports whether id is what a transaction puts on top of ref's tip:
// one commit on a branch, moved by a ride; a few entries on a ref of ours.
func (r *Repo) standsOn(ctx context.Context, ref string, id, tip OID) bool {
	objects := r.objects()
	defer objects.Close()
	for range maxStacked {
		c, err := objects.commit(ctx, id)
		if err != nil {
			return false
		}
		var parent OID
		if len(c.parents) > 0 {
			parent = c.parents[0]
		}
		if !strings.HasPrefix(ref, "refs/dos/") {
			return parent == tip
		}
		if _, _, err = parseMessage(ref, c.message); err != nil {
			return false
		}
		if parent == tip {
			return true
		}
		id = parent
	}
	return false
}
