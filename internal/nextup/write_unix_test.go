//go:build unix

package nextup

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestAFolderBehindALinkIsNotWrittenTo(t *testing.T) {
	r := repo(t)
	if err := os.Mkdir(filepath.Join(r.WorkTree, "api"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("api", filepath.Join(r.WorkTree, "out")); err != nil {
		t.Fatal(err)
	}
	f := folder(t, r)
	var told *FolderError
	if _, _, err := f.Write(t.Context(), live("A1")); !errors.As(err, &told) || told.Error() != "packets go to out/next, and out is a symbolic link" {
		t.Error(err)
	}
	if _, _, err := f.Race(refstore.Holder{}, at); !errors.As(err, &told) {
		t.Error(err)
	}
	if found, err := os.ReadDir(filepath.Join(r.WorkTree, "api")); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestAFolderLeadsNowhereElse(t *testing.T) {
	r := repo(t)
	away := t.TempDir()
	if err := os.Symlink(away, filepath.Join(r.WorkTree, "out")); err != nil {
		t.Fatal(err)
	}
	f := folder(t, r)
	if _, _, err := f.Write(t.Context(), live("A1")); err == nil {
		t.Error("a link out of the work tree was followed")
	}
	if _, _, err := f.Race(refstore.Holder{}, at); err == nil {
		t.Error("a link out of the work tree was followed by the loser")
	}
	if found, err := os.ReadDir(away); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
