//go:build unix

package refstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// An arena is an authority on which writers are killed, with what its
// survivors have been promised.
type arena struct {
	*fixture
	dir, remote string // what a killed worker is given
	halves      int    // transactions that stopped between the two refs
	tally       tally
}

type tally struct{ kills, stale, healed, halves int }

func (a *tally) add(b tally) {
	a.kills, a.stale, a.healed, a.halves = a.kills+b.kills, a.stale+b.stale, a.healed+b.healed, a.halves+b.halves
}

func (t tally) String() string {
	return fmt.Sprintf("%d kills, %d stale locks, %d healed, %d half transactions", t.kills, t.stale, t.healed, t.halves)
}

func localArena(t testing.TB) *arena {
	dir := initRepo(t)
	return &arena{fixture: localFixture(t, dir), dir: dir}
}

func remoteArena(t testing.TB) *arena {
	f := remoteFixture(t, transports[0], "")
	return &arena{fixture: f, dir: f.repo.WorkTree, remote: "origin"}
}

// TestKilledWriterBlocksNobodyAndLosesNothing kills writers at random moments,
// alone and with the git they started.
func TestKilledWriterBlocksNobodyAndLosesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make  func(testing.TB) *arena
		kills int
	}{"local": {localArena, full(32, 300)}, "remote": {remoteArena, full(8, 60)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var sum tally
			var wait sync.WaitGroup
			const arenas = 4
			for range arenas {
				a := c.make(t)
				wait.Go(func() {
					for i := range c.kills / arenas {
						a.killOne(t, i%2 == 1)
						a.survive(t)
					}
					mu.Lock()
					defer mu.Unlock()
					sum.add(a.tally)
				})
			}
			wait.Wait()
			t.Log(sum)
		})
	}
}

// killOne starts a writer, lets it write for a random while and kills it.
func (a *arena) killOne(t *testing.T, group bool) {
	var out bytes.Buffer
	cmd := worker(t, "move", nil, a.dir, a.remote, killedLane, killedOrder, "1000000")
	cmd.Stdout, cmd.Stderr = &out, nil
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	reach := 60 * time.Millisecond // a few writes
	if a.remote != "" {
		reach = 300 * time.Millisecond
	}
	time.Sleep(10*time.Millisecond + rand.N(reach))
	if group {
		_ = cmd.Process.Signal(syscall.SIGSTOP) // so that it starts no further git
		for _, pid := range descendants(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is as good
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	a.tally.kills++
	a.keepsPromises(t, acked(t, &out))
}

// descendants lists the processes below pid, by /proc where there is one.
func descendants(pid int) (all []int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		more, _ := os.ReadFile(task)
		b = append(append(b, ' '), more...)
	}
	seen := map[int]bool{}
	for f := range strings.FieldsSeq(string(b)) {
		if child, err := strconv.Atoi(f); err == nil && !seen[child] {
			seen[child] = true
			all = append(append(all, child), descendants(child)...)
		}
	}
	return all
}

// keepsPromises holds the refs to what a killed writer was told.
func (a *arena) keepsPromises(t *testing.T, acks [][]string) {
	t.Helper()
	for _, pair := range acks[max(0, len(acks)-3):] { // each stands on all before it
		for i, ref := range []string{killedLane, killedOrder} {
			cmd := exec.Command("git", "merge-base", "--is-ancestor", pair[i], ref)
			cmd.Dir, cmd.Env = a.raw, elsewhere()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("acknowledged %s is not in %s: %v: %s", pair[i], ref, err, out)
			}
		}
	}
}

// survive checks what a kill left and that the next writer gets through.
func (a *arena) survive(t *testing.T) {
	t.Helper()
	stale := locksBelow(t, a.raw)
	if a.remote != "" {
		stale = append(stale, locksBelow(t, a.repo.CommonDir)...)
	}
	a.tally.stale += len(stale)
	emptyRefs(t, a.raw)
	short, cancel := timeout(30 * time.Second)
	defer cancel()
	_, err := movePair(short, a.repo, a.auth, killedLane, killedOrder)
	if path := lockNamed(err); a.remote != "" && strings.HasPrefix(path, a.raw+"/") {
		// The kill took the server's git too. Nobody here may touch its lock
		// files, but the one in the way is named, and removing it is enough.
		for _, left := range locksBelow(t, a.raw) {
			remove(t, left)
		}
		_, err = movePair(short, a.repo, a.auth, killedLane, killedOrder)
	}
	if err != nil {
		t.Errorf("the next writer, after %v: %v", stale, err)
		return
	}
	for _, path := range stale {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		} else {
			a.tally.healed++
		}
	}
	a.onlyPrefixes(t)
	for _, dir := range []string{a.raw, a.repo.CommonDir} {
		gitIn(t, dir, "fsck", "--strict", "--no-dangling", "--connectivity-only")
	}
}

// lockNamed is the path of the lock file that an outcome blames, with its age,
// "" for any other error.
func lockNamed(err error) string {
	var o *refstore.OutcomeError
	if !errors.As(err, &o) || o.Outcome.Result != refstore.Locked || o.Outcome.Age <= 0 {
		return ""
	}
	return o.Outcome.Path
}

// onlyPrefixes counts half transactions: the first ref may be ahead, by one
// for each kill, and never the second.
func (a *arena) onlyPrefixes(t *testing.T) {
	t.Helper()
	s, err := a.auth.Read(ctx, refstore.Query{Kinds: []string{"lane", "order"}})
	if err != nil {
		t.Errorf("read: %v", err)
		return
	}
	lane, order := s.Tip(killedLane), s.Tip(killedOrder)
	ahead := int(lane.Entry.Gen) - int(order.Entry.Gen)
	if lane.Err != nil || order.Err != nil || ahead < a.halves || ahead > a.halves+1 {
		t.Errorf("lane at %d, order at %d (%v, %v), %d halves before", lane.Entry.Gen, order.Entry.Gen, lane.Err, order.Err, a.halves)
	}
	a.tally.halves += ahead - a.halves
	a.halves = ahead
}

func locksBelow(t testing.TB, dir string) (paths []string) {
	t.Helper()
	_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

func emptyRefs(t testing.TB, dir string) {
	t.Helper()
	_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
			if b, err := os.ReadFile(path); err == nil && len(b) < 41 {
				t.Errorf("%s holds %q", path, b)
			}
		}
		return nil
	})
}

// needStrace is how kills hit exactly before a rename.
func needStrace(t testing.TB) {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(path, "-f", "-o", "/dev/null", "-e", "trace=rename", "true").Run()
	}
	if err != nil {
		t.Skip("no strace that may trace on this machine: kills exactly before a rename are not tested")
	}
}

// killAt is a shell line that runs "$@" and kills it right before its n-th
// rename of a ref.
func killAt(n string) string {
	return "strace -f -qq -o /dev/null -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:signal=SIGKILL:when=" + n
}

// unlessIdle reads standard input into $in. A git that was started ahead and is
// told nothing, since its writer has to read again, moves no ref: it is not the
// one to kill, and leaves the flag to the next.
const unlessIdle = `in=$(mktemp); cat >$in; [ -s $in ] || { : >$FLAG; exec $REAL "$@" <$in; }; `

// orphan lets what follows outlive its parent: strace stops its child for a
// moment, and a stopped child whose parent dies is hung up on.
const orphan = "trap '' HUP; "

// gitThat puts a git before the real one on the PATH of a worker. Once, when
// it is given the word, it runs line instead, which finds the real git as
// $REAL; $FLAG vanishes when that happens.
func gitThat(t testing.TB, word, line string) (env []string, flag string) {
	t.Helper()
	dir := t.TempDir()
	flag = filepath.Join(dir, "flag")
	realGit, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(dir, "git"), fmt.Sprintf("REAL=%s FLAG=%s\nfor a; do\n\tif [ \"$a\" = %s ] && rm $FLAG 2>/dev/null; then\n\t\t%s\n\tfi\ndone\nexec $REAL \"$@\"",
		realGit, flag, word, line))
	write(t, flag, "")
	return []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}, flag
}

// TestGitKilledRightBeforeARenameIsHealed kills git itself before its first or
// second rename, and with it the writer that started it or not.
func TestGitKilledRightBeforeARenameIsHealed(t *testing.T) {
	needStrace(t)
	var mu sync.Mutex
	var sum tally
	t.Run("kills", func(t *testing.T) {
		for _, parent := range []bool{false, true} {
			for n := 1; n <= 2; n++ {
				t.Run(fmt.Sprintf("rename %d, parent dies %t", n, parent), func(t *testing.T) {
					t.Parallel()
					a := localArena(t)
					for range full(2, 25) { // a create, then advances
						a.killAtRename(t, n, parent)
					}
					mu.Lock()
					defer mu.Unlock()
					sum.add(a.tally)
				})
			}
		}
	})
	t.Log(sum)
}

func (a *arena) killAtRename(t *testing.T, n int, parent bool) {
	t.Helper()
	line := "exec " + killAt(strconv.Itoa(n)) + " $REAL \"$@\" <$in"
	if parent {
		line = orphan + unlessIdle + "kill -9 $PPID; " + line + " >/dev/null 2>&1"
	} else {
		line = unlessIdle + line
	}
	env, flag := gitThat(t, "update-ref", line)
	var out bytes.Buffer
	cmd := worker(t, "move", env, a.dir, "", killedLane, killedOrder, "1")
	cmd.Stdout = &out
	err := cmd.Run()
	if _, ferr := os.Lstat(flag); ferr == nil {
		t.Fatal("git was not killed")
	}
	if parent != (err != nil) {
		t.Errorf("the writer ended with %v: %s", err, out.String())
	}
	a.tally.kills++
	waitForLock(t, a.dir)
	if locks := locksBelow(t, a.raw); parent && len(locks) != 3-n {
		t.Errorf("a kill before rename %d left %v (%v, %q; lane %s, order %s)", n, locks, err, out.String(), a.rev(t, killedLane), a.rev(t, killedOrder))
	}
	a.keepsPromises(t, acked(t, &out))
	a.survive(t)
}

// waitForLock waits until no child of a killed writer holds its lock.
func waitForLock(t testing.TB, dir string) {
	t.Helper()
	short, cancel := timeout(20 * time.Second)
	defer cancel()
	unlock, err := open(t, dir).LockShared(short, "lock")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
