package refstore_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

func TestAScratchIsLeftOnlyWhenItsProcessIsGone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	old := time.Now().Add(-time.Hour)
	made := map[string]*refstore.Scratch{}
	for _, use := range []string{"push", "suite", "objects"} {
		s, err := refstore.MakeScratch(use)
		if err != nil {
			t.Fatal(err)
		}
		made[use] = s
	}
	if s, err := refstore.MakeScratch("other"); err == nil {
		t.Errorf("%s is made for what nobody would look for", s.Dir)
	}
	made["suite"].Abandon()
	made["objects"].Abandon()
	for _, use := range []string{"push", "suite"} {
		if err := os.Chtimes(made[use].Dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	left, err := refstore.LeftScratches()
	if err != nil || len(left) != 1 || left[0].Path != made["suite"].Dir || left[0].Age < 59*time.Minute {
		t.Fatalf("left are %v (%v), want that of the suite: one is in use and one is young", left, err)
	}
	if err := (refstore.LeftScratch{Path: made["push"].Dir}).Remove(); err == nil {
		t.Error("a folder in use is removed")
	}
	if err := os.MkdirAll(filepath.Join(left[0].Path, "shut", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(left[0].Path, "shut"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := left[0].Remove(); err != nil {
		t.Error(err)
	}
	if err := made["push"].Close(); err != nil {
		t.Error(err)
	}
	if is := under(t, os.TempDir()); !slices.Equal(is, []string{filepath.Base(made["objects"].Dir)}) {
		t.Errorf("there are %q", is)
	}
}

// A link of that name, and one in place of the lock, lead nowhere.
func TestALinkIsNoScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	elsewhere := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{elsewhere, filepath.Join(os.TempDir(), "git-dos-push-1")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "git-dos.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, elsewhere, filepath.Join(os.TempDir(), "git-dos-push-2"))
	link(t, filepath.Join(elsewhere, "git-dos.lock"), filepath.Join(os.TempDir(), "git-dos-push-1", "git-dos.lock"))
	for _, dir := range []string{elsewhere, filepath.Join(os.TempDir(), "git-dos-push-1")} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := refstore.LeftScratches(); err != nil || len(left) != 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Skip("no links here: ", err)
	}
}

func under(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
