package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func lintRepo(t *testing.T, dir string) *refstore.Repo {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func TestLintTextIsTheWorkTrees(t *testing.T) {
	h := newHistory(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	check := func(claim, dir, want string, found bool) {
		t.Helper()
		data, ok, err := LintText(context.Background(), lintRepo(t, dir))
		if err != nil || ok != found || string(data) != want {
			t.Errorf("%s: %q, %t, %v", claim, data, ok, err)
		}
	}
	check("none in an empty repository", h.dir, "", false)
	h.git("clone", "-q", "--bare", h.dir, bare)
	check("none in an empty bare one", bare, "", false)
	h.commit("root", "a", "1")
	h.git("push", "-q", bare, "HEAD")
	check("none in HEAD", bare, "", false)
	h.commit("rules", "dos.toml", fiveMinutes)
	h.git("push", "-q", bare, "HEAD")
	check("a bare repository has HEAD's", bare, fiveMinutes, true)
	path := filepath.Join(h.dir, "dos.toml")
	if err := os.WriteFile(path, []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("a work tree has its own, broken or not", h.dir, "broken", true)
}

// A file that is there and cannot be read is not the absence of one.
func TestLintTextFailsClosed(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", fiveMinutes)
	for _, object := range []string{"HEAD", "HEAD^{tree}", "HEAD:dos.toml"} {
		bare := filepath.Join(t.TempDir(), "bare.git")
		h.git("clone", "-q", "--bare", "--no-hardlinks", h.dir, bare)
		id := h.git("rev-parse", object)
		if err := os.Remove(filepath.Join(bare, "objects", id[:2], id[2:])); err != nil {
			t.Fatal(err)
		}
		if _, _, err := LintText(context.Background(), lintRepo(t, bare)); !errors.Is(err, ancestry.ErrMissing) {
			t.Errorf("without %s: %v, want ErrMissing", object, err)
		}
	}
	path := filepath.Join(h.dir, "dos.toml")
	for claim, make := range map[string]func() error{
		"a directory":       func() error { return os.Mkdir(path, 0o755) },
		"a link to nothing": func() error { return os.Symlink("nowhere", path) },
	} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if _, found, err := LintText(context.Background(), lintRepo(t, h.dir)); err == nil {
			t.Errorf("%s: found %t and no error", claim, found)
		}
	}
}

func TestLintPlansAreTheTrackedOnes(t *testing.T) {
	h := newHistory(t)
	h.commit("plans", "docs/1-plan.md", "x", "docs/x/2-plan.md", "x", "docs/3.md", "x", "other/4-plan.md", "x")
	bare := filepath.Join(t.TempDir(), "bare.git")
	h.git("clone", "-q", "--bare", h.dir, bare)
	for _, name := range []string{"docs/5-plan.md", "docs/6-plan.md"} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.git("add", "docs/5-plan.md")
	const glob = "docs/**/*-plan.md"
	for dir, want := range map[string][]string{
		h.dir:                        {"docs/1-plan.md", "docs/5-plan.md", "docs/x/2-plan.md"},
		filepath.Join(h.dir, "docs"): {"docs/1-plan.md", "docs/5-plan.md", "docs/x/2-plan.md"},
		bare:                         {"docs/1-plan.md", "docs/x/2-plan.md"},
	} {
		got, err := LintPlans(context.Background(), lintRepo(t, dir), glob)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", dir, got, err, want)
		}
	}
}
