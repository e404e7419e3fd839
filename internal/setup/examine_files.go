package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// staleAge is the age from which on a lock file counts as left behind: a
// living git holds one for milliseconds.
const staleAge = 10 * time.Second

// locks reports the files that keep refs from being written.
func (x *examiner) locks(context.Context) {
	found, err := lockFiles(x.repo.CommonDir)
	if err != nil {
		x.unknown("STALE_LOCK", err)
	}
	for _, path := range found {
		age, ok := ageOf(path)
		switch {
		case !ok: // its owner has just removed it
		case age < staleAge:
			x.add(Check{ID: "LOCK", Severity: Info, Target: path, Detail: "is being held; that is normal for a moment"})
		case filepath.Base(path) == packedLock:
			x.staleLock(Warn, path, age, "refs from being packed or deleted")
		case filepath.Base(path) == configLock:
			x.staleLock(Error, path, age, "settings from being written")
		default:
			x.staleLock(Error, path, age, "its ref from being written")
		}
	}
	x.intent()
}

func (x *examiner) staleLock(severity Severity, path string, age time.Duration, prevents string) {
	x.add(Check{
		ID: "STALE_LOCK", Severity: severity, Target: path, Remedy: "rm " + verdict.ShellWord(path),
		Detail: fmt.Sprintf("is %s old and keeps %s; remove it if no git process is running here", age.Round(time.Second), prevents),
	})
}

// scratches reports temporary folders whose processes are gone.
func (x *examiner) scratches(context.Context) {
	left, err := refstore.LeftScratches()
	if err != nil {
		x.unknown("SCRATCH", err)
	}
	for _, l := range left {
		x.add(Check{
			ID: "SCRATCH", Severity: Warn, Target: l.Path, Remedy: "git dos doctor --fix",
			Detail: fmt.Sprintf("is %s old, and the git-dos that made it is gone", l.Age.Round(time.Second)),
		})
	}
}

const (
	packedLock = "packed-refs.lock"
	configLock = "config.lock"
)

// lockFiles lists the lock files of the refs of git-dos, of packed refs and of
// the settings.
func lockFiles(commonDir string) (found []string, err error) {
	for _, name := range []string{configLock, packedLock} {
		if path := filepath.Join(commonDir, name); exists(path) {
			found = append(found, path)
		}
	}
	err = filepath.WalkDir(filepath.Join(commonDir, "refs", "dos"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// ageOf is by the machine's clock, which is the file system's.
func ageOf(path string) (time.Duration, bool) {
	st, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	return time.Since(st.ModTime()), true
}

func (x *examiner) intentPath() string { return filepath.Join(x.repo.CommonDir, "dos", "intent") }

// cutOff reports whether a write is under way or was cut off.
func (x *examiner) cutOff() bool {
	st, err := os.Lstat(x.intentPath())
	return err == nil && st.Size() > 0
}

// intent reports a write that was cut off.
func (x *examiner) intent() {
	if !x.cutOff() {
		return
	}
	path := x.intentPath()
	if age, ok := ageOf(path); ok && age >= staleAge {
		x.add(Check{ID: "INTENT", Severity: Warn, Target: path, Detail: fmt.Sprintf("a write to refs was cut off %s ago", age.Round(time.Second)),
			Remedy: "nothing: the next verb that writes cleans up after it"})
	}
}

// node reports whether this clone has a name of its own.
func (x *examiner) node(ctx context.Context) {
	const id = "NODE"
	n, err := admit.Unready(x.repo, x.now).LookNode(ctx)
	switch {
	case err != nil:
		x.unknown(id, err)
	case n.Environment:
		x.add(Check{ID: id, Severity: Info, Detail: n.ID + ", from the environment"})
	case n.ID == "":
		x.add(Check{ID: id, Severity: Info, Detail: "none yet; the first verb that writes makes one"})
	case n.Copied:
		x.add(Check{ID: id, Severity: Warn, Detail: n.ID + " was made for another directory or machine, of which this is a copy; the next verb that writes makes a new one"})
	case !n.Bound:
		x.add(Check{ID: id, Severity: Info, Detail: n.ID + ", set by hand: a copy of this clone keeps it"})
	default:
		x.add(Check{ID: id, Severity: OK, Detail: n.ID})
	}
}

// held reports leases that this worktree remembers and has no more.
func (x *examiner) held(ctx context.Context) {
	const id = "HELD_LEASE"
	if !exists(filepath.Join(x.repo.GitDir, "dos", "leases")) {
		return
	}
	desk, err := admit.Open(ctx, x.repo, x.now)
	if err != nil {
		x.add(Check{ID: id, Severity: Warn, Detail: "what this worktree holds was not compared: its rules cannot be read"})
		return
	}
	mine, err := desk.RecallAll()
	if err != nil {
		x.unknown(id, err)
		return
	}
	for _, h := range mine {
		r, _, err := desk.Lease(ctx, h.Lane, true)
		switch {
		case err != nil:
			x.add(Check{ID: id, Severity: Warn, Target: h.Lane, Detail: "remembered here, and the lane cannot be read: " + err.Error()})
		case ours(r, h):
			x.add(Check{ID: id, Severity: OK, Target: h.Lane, Detail: "held by this worktree"})
		default:
			x.add(Check{ID: id, Severity: Warn, Target: h.Lane, Detail: "this worktree remembers a lease that is not its own any more",
				Remedy: "stop working on it; git dos lease release --lane " + verdict.ShellWord(h.Lane) + " forgets it"})
		}
	}
}

func ours(r *lease.Record, h admit.Held) bool {
	return r != nil && r.Nonce == h.Nonce && slices.Contains([]lane.State{lane.Held, lane.Waiting, lane.Parked}, r.State)
}

// Free space below which writes are about to fail.
const (
	lowSpace  = 256 << 20
	fullSpace = 16 << 20
)

func (x *examiner) disk(context.Context) {
	const id = "DISK"
	free, err := freeSpace(x.repo.CommonDir)
	if err != nil {
		x.add(Check{ID: id, Severity: Info, Detail: "free space is not known: " + err.Error()})
		return
	}
	c := Check{ID: id, Severity: OK, Target: x.repo.CommonDir, Detail: fmt.Sprintf("%d MB free", free>>20)}
	if free < lowSpace {
		c.Severity, c.Remedy = Warn, "make room: a write that fails half-way costs time to sort out"
	}
	if free < fullSpace {
		c.Severity = Error
	}
	x.add(c)
}
