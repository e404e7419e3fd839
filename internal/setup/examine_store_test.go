package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestWhatGoGitWillNotOpenIsTold(t *testing.T) {
	for _, tt := range []struct {
		claim  string
		format refstore.Format
		conf   settings
		says   string // "" for nothing
	}{
		{"a plain repository", refstore.SHA1, settings{}, ""},
		{"refs in files, said so", refstore.SHA1, settings{"extensions.refstorage": {"files"}, "extensions.worktreeconfig": {"false"}}, ""},
		{"long ids", refstore.SHA256, settings{}, "objects are sha256"},
		{"settings of a worktree", refstore.SHA1, settings{"extensions.worktreeconfig": {"true"}}, "extensions.worktreeconfig is set"},
		{"a key without a value is true", refstore.SHA1, settings{"extensions.worktreeconfig": {""}}, "extensions.worktreeconfig is set"},
		{"a partial clone", refstore.SHA1, settings{"extensions.partialclone": {"origin"}}, "extensions.partialclone is set"},
		{"a reftable", refstore.SHA1, settings{"extensions.refstorage": {"reftable"}}, "extensions.refstorage is set"},
	} {
		x := &examiner{repo: &refstore.Repo{Format: tt.format}}
		x.goGit(tt.conf)
		if tt.says == "" {
			if len(x.Checks) > 0 {
				t.Errorf("%s: %+v", tt.claim, x.Checks)
			}
			continue
		}
		if len(x.Checks) != 1 || x.Checks[0].Severity != Info || x.Checks[0].Number != "D014" || !strings.Contains(x.Checks[0].Detail, tt.says) {
			t.Errorf("%s: %+v, want %q", tt.claim, x.Checks, tt.says)
		}
	}
}

func TestPackedRefsAreWarnedOfWhenTheyAreMany(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "packed-refs")
	for size, want := range map[int64]Severity{-1: "", 0: OK, manyRefs - 1: OK, manyRefs: Warn} {
		if size >= 0 {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		x := &examiner{repo: &refstore.Repo{CommonDir: dir}}
		x.packed(context.Background())
		var got Severity
		if len(x.Checks) > 0 {
			got = x.Checks[0].Severity
		}
		if got != want || got == Warn && x.Checks[0].Remedy == "" {
			t.Errorf("%d bytes: %+v, want %q", size, x.Checks, want)
		}
	}
}
