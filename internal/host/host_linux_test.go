package host

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestProcessNamesTheSameProcessTwiceAlike(t *testing.T) {
	a, err := Process(int64(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Process(int64(os.Getpid()))
	if err != nil || a != b {
		t.Errorf("%+v, then %+v, %v", a, b, err)
	}
	if a.PID != int64(os.Getpid()) || a.Start == "" || len(a.Boot) != 36 || !strings.HasPrefix(a.PIDNS, "pid:[") {
		t.Errorf("%+v is not a whole name", a)
	}
	parent, err := Process(int64(os.Getppid()))
	if err != nil || parent.Start == a.Start && parent.PID == a.PID {
		t.Errorf("the parent is %+v, %v", parent, err)
	}
}

func TestProcessThatEndedIsNone(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := int64(cmd.Process.Pid)
	if _, err := Process(pid); err != nil {
		t.Errorf("while it runs: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if _, err := Process(pid); !errors.Is(err, ErrNoProcess) {
		t.Errorf("after its end: %v, want ErrNoProcess", err)
	}
}

func TestProcessNumbers(t *testing.T) {
	for _, pid := range []int64{0, -1, 1 << 40} {
		p, err := Process(pid)
		if err == nil || strings.Contains(err.Error(), "above 0") != (pid <= 0) {
			t.Errorf("%d is %+v, %v; want an error that says why", pid, p, err)
		}
	}
}

// fields are those of a stat file after the name.
const fields = " S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 9"

// A folder in the shape of /proc stands in for processes that cannot be had.
func TestProcessIn(t *testing.T) {
	tests := []struct{ claim, status, stat, want string }{
		{"a plain name", "Name:\tx\nTgid:\t7\n", "7 (x)" + fields, "4711"},
		{"a name that looks like fields", "Tgid:\t7\n", "7 (a) Z 1 ) (b)" + fields, "4711"},
		{"a thread", "Tgid:\t6\n", "7 (x)" + fields, "!thread of process 6"},
		{"no group at all", "Name:\tx\n", "7 (x)" + fields, "!thread"},
		{"ended and not collected", "Tgid:\t7\n", "7 (x)" + strings.Replace(fields, " S", " Z", 1), "!has ended"},
		{"cut short", "Tgid:\t7\n", "7 (x) S 1 1", "!too few"},
		{"empty", "Tgid:\t7\n", "", "!too few"},
		{"a start that is no number", "Tgid:\t7\n", "7 (x)" + strings.Replace(fields, "4711", "soon", 1), "!does not say when"},
	}
	for _, tt := range tests {
		proc := folder(t, map[string]string{"7/status": tt.status, "7/stat": tt.stat, "sys/kernel/random/boot_id": "b-o-o-t\n"})
		p, err := processIn(proc, 1, 7)
		want, fails := strings.CutPrefix(tt.want, "!")
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %+v, %v, want an error with %q", tt.claim, p, err, want)
		case !fails && (err != nil || p != Proc{PID: 7, Start: want, Boot: "b-o-o-t", PIDNS: "pid:[42]"}):
			t.Errorf("%s: %+v, %v", tt.claim, p, err)
		}
	}
}

func TestProcessInAnotherNamespaceIsNotNamed(t *testing.T) {
	proc := folder(t, map[string]string{"7/status": "Tgid:\t7\n", "7/stat": "7 (x)" + fields, "sys/kernel/random/boot_id": "b\n"})
	if _, err := processIn(proc, 2, 7); err == nil || !strings.Contains(err.Error(), "another pid namespace") {
		t.Errorf("a /proc of another namespace: %v", err)
	}
	if _, err := processIn(t.TempDir(), 1, 7); err == nil {
		t.Error("no /proc at all: no error")
	}
	if _, err := processIn(proc, 1, 8); !errors.Is(err, ErrNoProcess) {
		t.Errorf("a number nobody has: %v", err)
	}
	blank := folder(t, map[string]string{"7/status": "Tgid:\t7\n", "7/stat": "7 (x)" + fields, "sys/kernel/random/boot_id": "\n"})
	if _, err := processIn(blank, 1, 7); err == nil {
		t.Error("a boot without an id: no error")
	}
	if err := os.Remove(filepath.Join(proc, "1/ns/pid")); err != nil {
		t.Fatal(err)
	}
	if _, err := processIn(proc, 1, 7); err == nil {
		t.Error("no namespace: no error")
	}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	proc := t.TempDir()
	for name, text := range files {
		path := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(proc, "1/ns"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"self": strconv.Itoa(1), "1/ns/pid": "pid:[42]"} {
		if err := os.Symlink(target, filepath.Join(proc, link)); err != nil {
			t.Fatal(err)
		}
	}
	return proc
}

// Root may look at every process, so this is told from the error alone.
func TestProcessOfAnotherUserSaysSo(t *testing.T) {
	for _, cause := range []error{syscall.EACCES, syscall.EPERM} {
		err := unreadable(&fs.PathError{Op: "open", Path: "/proc/7/stat", Err: cause})
		if errors.Is(err, ErrNoProcess) || !strings.Contains(err.Error(), "another user's") {
			t.Errorf("%v reads as %v", cause, err)
		}
	}
	for _, cause := range []error{syscall.ENOENT, syscall.ESRCH} {
		if err := unreadable(&fs.PathError{Op: "read", Path: "/proc/7/stat", Err: cause}); !errors.Is(err, ErrNoProcess) {
			t.Errorf("%v reads as %v", cause, err)
		}
	}
}
