package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is appended can be taken off again, whatever the text looks like.
func TestAppendingAndTakingBack(t *testing.T) {
	tests := []struct{ claim, text, want string }{
		{"an empty file", "", ".dos/\n"},
		{"a file with a final line end", "*.o\n", "*.o\n.dos/\n"},
		{"a file without one", "*.o", "*.o\n.dos/\n"},
		{"line ends of Windows", "*.o\r\n", "*.o\r\n.dos/\r\n"},
		{"line ends of Windows, no final one", "a\r\n*.o", "a\r\n*.o\r\n.dos/\r\n"},
	}
	for _, tt := range tests {
		add := string(appended([]byte(tt.text), []byte(".dos/\n")))
		got := tt.text + add
		if got != tt.want || !ignores([]byte(got)) || ignores([]byte(tt.text)) {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
		if back, ok := withoutLine([]byte(got), add); !ok || string(back) != tt.text {
			t.Errorf("%s: taken back to %q, want %q", tt.claim, back, tt.text)
		}
	}
}

func TestTakingBackALine(t *testing.T) {
	tests := []struct{ claim, text, added, want string }{
		{"from the middle, later lines stay", "*.o\n.dos/\n*.tmp\n", "\n.dos/\n", "*.o\n*.tmp\n"},
		{"from the start", ".dos/\n*.tmp\n", ".dos/\n", "*.tmp\n"},
		{"not from inside another line", "old.dos/\n.dos/\nx\n", ".dos/\n", "old.dos/\nx\n"},
		{"nothing that is not there", "old.dos/\nx\n", ".dos/\n", "none"},
		{"nothing that was not added", ".dos/\n", "", "none"},
	}
	for _, tt := range tests {
		got, ok := withoutLine([]byte(tt.text), tt.added)
		if !ok {
			got = []byte("none")
		}
		if string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}
}

func TestIgnoresAnySpelling(t *testing.T) {
	for text, want := range map[string]bool{
		".dos/": true, "/.dos\r\n": true, "x\n.dos  \n": true, "/.dos/\n": true,
		"#.dos/\n": false, "!.dos/\n": false, "a/.dos/\n": false, "": false,
	} {
		if ignores([]byte(text)) != want {
			t.Errorf("%q: %v, want %v", text, !want, want)
		}
	}
}

func TestFilesAreNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dos.toml")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(create(path, []byte("one")))
	if err := create(path, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create over a file: %v, want %v", err, fs.ErrExist)
	}
	must(os.Chmod(path, 0o600))
	f, err := readFile(path)
	must(err)
	must(os.WriteFile(path, []byte("edited"), 0o600))
	if err := f.replace([]byte("three")); err == nil || !strings.Contains(err.Error(), "changed while") {
		t.Errorf("replace what changed since it was read: %v", err)
	}
	f, err = readFile(path)
	must(err)
	must(f.replace([]byte("three")))
	f, err = readFile(path)
	must(err)
	if string(f.data) != "three" || f.mode != 0o600 {
		t.Errorf("%q with mode %v, want three with -rw-------", f.data, f.mode)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	must(err)
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link} {
		if _, err := readFile(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v, want an error about a regular file", path, err)
		}
	}
	if f, err := readFile(filepath.Join(dir, "absent")); err != nil || f.exists {
		t.Errorf("an absent file: %+v, %v", f, err)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readFile(big); err == nil {
		t.Error("a file above the limit was read")
	}
}
