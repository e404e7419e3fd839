package admit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Who only reads may not be able to write.
func TestRecallingNothingMakesNothing(t *testing.T) {
	dir := t.TempDir()
	gitIn(t, dir, "init", "--quiet")
	d := open(t, dir)
	held, err := d.RecallAll()
	if err != nil || len(held) > 0 {
		t.Errorf("%v, %v", held, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git", "dos", heldDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git", "dos"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".git", "dos", heldDir), "a file")
	if held, err := d.RecallAll(); err == nil {
		t.Errorf("what cannot be read holds %v", held)
	}
}
