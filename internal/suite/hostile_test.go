//go:build unix

package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// gone waits for a process to end.
func gone(t *testing.T, pid int) bool {
	t.Helper()
	for range 100 {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(stat), ") Z ") {
			return true // ended, and nobody has asked how
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

func pidIn(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestTheDeadlineEndsAllThatTheCommandStarted(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("a", "x")
	note := filepath.Join(t.TempDir(), "pid")
	began := time.Now()
	r, err := Run(context.Background(), s.open(s.dir), tip,
		[]string{"sh", "-c", "trap '' TERM; sleep 100 & echo $! > " + note + "; echo begun; wait; sleep 100"}, 300*time.Millisecond)
	if err != nil || !r.TimedOut || r.Passed() || r.Output != "begun\n" {
		t.Errorf("%+v, %v", r, err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	if !gone(t, pidIn(t, note)) {
		t.Error("what the command had started runs on")
	}
	nothingLeft(t)
}

func TestWhatACommandLeavesBehindIsEnded(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("a", "x")
	note := filepath.Join(t.TempDir(), "pid")
	began := time.Now()
	r := s.shell(tip, "sleep 100 & echo $! > "+note+"; echo done")
	if !r.Passed() || r.Output != "done\n" {
		t.Errorf("%+v", r)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("waited %s for it", took)
	}
	if !gone(t, pidIn(t, note)) {
		t.Error("it runs on")
	}
	nothingLeft(t)
}

func TestAnInterruptEndsTheCommandAndCleansUp(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("a", "x")
	note := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the caller left")
	go func() {
		for range 500 {
			if data, err := os.ReadFile(note); err == nil && len(data) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel(why)
	}()
	r, err := Run(ctx, s.open(s.dir), tip, []string{"sh", "-c", "echo $$ > " + note + "; sleep 100"}, time.Minute)
	if !errors.Is(err, why) || r.Passed() || r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
	if !gone(t, pidIn(t, note)) {
		t.Error("it runs on")
	}
	nothingLeft(t)
}

func TestOnlyTheEndOfTheOutputIsKept(t *testing.T) {
	s := newScratch(t)
	r := s.shell(s.commit("a", "x"), "head -c 3000000 /dev/zero | tr '\\0' x; echo the end")
	if !r.Cut || len(r.Output) > MaxKept || !strings.HasSuffix(r.Output, "xthe end\n") || !r.Passed() {
		t.Errorf("cut %v, %d bytes, exit %d", r.Cut, len(r.Output), r.Exit)
	}
}

func TestFoldersThatNobodyMayWriteToAreRemovedToo(t *testing.T) {
	s := newScratch(t)
	r := s.shell(s.commit("a/b/c", "x"), "mkdir -p d/e && touch d/e/f && chmod 500 d/e d a/b && chmod 000 a && touch $TMPDIR/y")
	if !r.Passed() {
		t.Errorf("%+v", r)
	}
	nothingLeft(t)
}

// The command is told nothing by which it could act on the caller's
// repository, lease or work tree.
func TestTheEnvironmentIsNotTheCallers(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("a", "x")
	repo := s.open(s.dir)
	for _, name := range []string{"GIT_DOS_NONCE", "GIT_DOS_WORKSPACE", "GIT_DOS_OVERRIDE", "DISPATCH_WORKSPACE", "FLEET_WORKER_ID", "GIT_PREFIX", "GIT_REFLOG_ACTION"} {
		t.Setenv(name, "callers")
	}
	t.Setenv("GIT_CONFIG_COUNT", "0")
	r := s.run(repo, tip, "env")
	for line := range strings.Lines(r.Output) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch {
		case value == "callers", name == "GIT_DIR", name == "GIT_OBJECT_DIRECTORY", name == "GIT_CONFIG_COUNT", name == "GIT_PREFIX":
			t.Errorf("%s is %q", name, value)
		}
	}
	for _, want := range []string{"HOME=", "PATH=", "GIT_AUTHOR_NAME=worker"} {
		if !strings.Contains("\n"+r.Output, "\n"+want) {
			t.Errorf("%s is not there:\n%s", want, r.Output)
		}
	}
	// Not even a git of its own finds a repository around it.
	t.Setenv("TMPDIR", s.dir)
	if r := s.shell(tip, "git rev-parse --git-dir"); r.Exit == 0 {
		t.Errorf("a repository was found: %q", r.Output)
	}
}

// Neither the hooks nor the attributes of the caller's work tree take part, and
// those of the tree do.
func TestTheCheckoutIsTheTreesOwn(t *testing.T) {
	s := newScratch(t)
	tip := s.commit(".gitattributes", "win eol=crlf\nwin text\n", "win", "a\n", "sub/.gitattributes", "*.w text eol=crlf\n", "sub/-.w", "b\n")
	if err := os.WriteFile(filepath.Join(s.dir, ".gitattributes"), []byte("* -text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "post-checkout"} {
		if err := os.WriteFile(filepath.Join(s.dir, ".git", "hooks", hook), []byte("#!/bin/sh\ntouch "+s.dir+"/hooked\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := s.shell(tip, "cat win sub/-.w | od -c | head -1")
	if got := strings.Join(strings.Fields(r.Output), " "); got != `0000000 a \r \n b \r \n` {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "hooked")); err == nil {
		t.Error("a hook ran")
	}
}

func TestLinksAndSubmodules(t *testing.T) {
	s := newScratch(t)
	s.commit("a", "x")
	if err := os.Symlink("/etc", filepath.Join(s.dir, "out")); err != nil {
		t.Fatal(err)
	}
	s.git("add", "-A")
	s.git("update-index", "--add", "--cacheinfo", "160000,"+s.git("rev-parse", "HEAD")+",module")
	s.git("commit", "-q", "-m", "links")
	r := s.shell(refstore.OID(s.git("rev-parse", "HEAD")), "readlink out; ls -A module | wc -l")
	if got := strings.Join(strings.Fields(r.Output), " "); got != "/etc 0" || r.Submodules != 1 {
		t.Errorf("%q, %d submodules", got, r.Submodules)
	}
}

// A tree that names a path outside itself is refused, not obeyed.
func TestATreeCannotWriteElsewhere(t *testing.T) {
	s := newScratch(t)
	s.commit("a", "x")
	blob := s.git("rev-parse", "HEAD:a")
	for _, name := range []string{"..", ".git", "."} {
		raw := "100644 escaped\x00" + hexBytes(blob)
		sub := s.object("tree", raw)
		tree := s.object("tree", "40000 "+name+"\x00"+hexBytes(sub))
		r, err := Run(context.Background(), s.open(s.dir), refstore.OID(tree), []string{"true"}, time.Minute)
		if !errors.Is(err, ErrMissing) || r.Passed() {
			t.Errorf("%s: %v", name, err)
		}
	}
	nothingLeft(t)
}

func hexBytes(id string) string {
	var b []byte
	for i := 0; i < len(id); i += 2 {
		n, _ := strconv.ParseUint(id[i:i+2], 16, 8)
		b = append(b, byte(n))
	}
	return string(b)
}

func (s scratch) object(kind, raw string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "raw")
	if err := os.WriteFile(file, []byte(raw), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return s.git("hash-object", "-t", kind, "-w", "--literally", file)
}
