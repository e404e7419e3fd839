//go:build unix

package nextup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestAFolderLeadsNowhereElse(t *testing.T) {
	r := repo(t)
	away := t.TempDir()
	if err := os.Symlink(away, filepath.Join(r.WorkTree, "out")); err != nil {
		t.Fatal(err)
	}
	f := folder(t, r)
	if _, _, err := f.Write(live("A1")); err == nil {
		t.Error("a link out of the work tree was followed")
	}
	if _, _, err := f.Race(refstore.Holder{}, at); err == nil {
		t.Error("a link out of the work tree was followed by the loser")
	}
	if found, err := os.ReadDir(away); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
