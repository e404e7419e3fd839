package wholefile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAFileIsMadeAndReplacedWithItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"one\n", "two, which is longer\n", ""} {
		if err := Write(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode() != 0o640 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	alone(t, path)
}

func TestAWriteThatFailsLeavesWhatWas(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(folder, "in it"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, []byte("text"), 0o644); err == nil {
		t.Error("a folder was replaced by a file")
	}
	alone(t, folder)
	if err := Write(filepath.Join(folder, "none", "file"), nil, 0o644); err == nil {
		t.Error("a folder was made for the file")
	}
}

func TestALinkIsReplacedAndWhatItLeadsToIsNot(t *testing.T) {
	dir := t.TempDir()
	other, link := filepath.Join(dir, "other"), filepath.Join(dir, "link")
	if err := os.WriteFile(other, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, []byte("ours"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != "theirs" {
		t.Errorf("what it led to is %q, %v", got, err)
	}
}

// alone says that nothing stands beside a file that is not to.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside %s there are %v, %v", path, entries, err)
	}
}
