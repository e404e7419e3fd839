//go:build unix

package replan

import (
	"os"
	"path/filepath"
	"testing"
)

func TestALinkIsNotFollowed(t *testing.T) {
	r := repo(t, "## 1. A A1 — x\n")
	f, err := openFiles(r.WorkTree)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for link, to := range map[string]string{"linked": "docs", "file.md": doc, "away": t.TempDir()} {
		if err := os.Symlink(to, filepath.Join(r.WorkTree, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"linked/a-plan.md", "file.md", "away/x"} {
		if _, err := f.read(name); err == nil {
			t.Errorf("%s was read", name)
		}
		if err := f.replace(name, []byte("## 1. A A1 — x\n"), []byte("x")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if got := read(t, r, doc); got != "## 1. A A1 — x\n" {
		t.Errorf("%q", got)
	}
}
