package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
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

func TestOwnFileIsTheWorkTrees(t *testing.T) {
	h := newHistory(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	check := func(claim, dir, want string, found bool) {
		t.Helper()
		f, err := ownFile(context.Background(), lintRepo(t, dir), policyFile)
		if err != nil || (f.source != "") != found || string(f.data) != want {
			t.Errorf("%s: %q of %q, %v", claim, f.data, f.source, err)
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
func TestOwnFileFailsClosed(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", fiveMinutes)
	for _, object := range []string{"HEAD", "HEAD^{tree}", "HEAD:dos.toml"} {
		bare := filepath.Join(t.TempDir(), "bare.git")
		h.git("clone", "-q", "--bare", "--no-hardlinks", h.dir, bare)
		id := h.git("rev-parse", object)
		if err := os.Remove(filepath.Join(bare, "objects", id[:2], id[2:])); err != nil {
			t.Fatal(err)
		}
		if _, err := ownFile(context.Background(), lintRepo(t, bare), policyFile); !errors.Is(err, ancestry.ErrMissing) {
			t.Errorf("without %s: %v, want ErrMissing", object, err)
		}
	}
	path := filepath.Join(h.dir, "dos.toml")
	for claim, make := range map[string]func() error{
		"a directory":        func() error { return os.Mkdir(path, 0o755) },
		"a link to nothing":  func() error { return os.Symlink("nowhere", path) },
		"a link to a device": func() error { return os.Symlink(os.DevNull, path) },
	} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if f, err := ownFile(context.Background(), lintRepo(t, h.dir), policyFile); err == nil {
			t.Errorf("%s: %q and no error", claim, f.data)
		}
		if _, err := rulesOf(t, h.dir); err == nil {
			t.Errorf("%s: reads as no rules", claim)
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
		files, err := tracked(context.Background(), lintRepo(t, dir))
		got := plansAmong(files, glob)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", dir, got, err, want)
		}
	}
}

func TestLintNames(t *testing.T) {
	p, err := policy.Parse([]byte(`[lanes]
concurrent = ["api"]
autopick = ["later"]
[lanes.trees]
api = ["api/**"]
later = ["later/**"]
release = ["CHANGES"]
loose = ["loose/**"]
[lanes.aliases]
front = "api"
loose = "api"
[plans]
ONE = "api"
TWO = "front"
FIVE = "loose"
THREE = "release"
FOUR = "aip"
[fleet]
lanes = ["nope", "api", "front", "release", "loose"]
`))
	if err != nil {
		t.Fatal(err)
	}
	found := lintNames(p)
	lane.SortFindings(found)
	if len(found) != 3 || found[0].Kind != lintFleetLane || found[0].Subject != "nope" || found[0].Line != 19 ||
		found[1].Kind != lintPlanLane || found[1].Subject != "FOUR" || found[1].Line != 17 ||
		found[2].Kind != lintLooseTree || found[2].Subject != "loose" || found[2].Line != 8 {
		t.Errorf("%+v", found)
	}
}

func TestLintTreesThatHoldNoFile(t *testing.T) {
	p := policy.Policy{Lanes: policy.Lanes{Trees: map[string][]string{
		"api": {"api/**"}, "case": {"API/**"}, "none": {"none/**", "no/**"}, "half": {"none/**", "api"}, "blank": {""},
	}}}
	for _, tt := range []struct{ files, want []string }{
		{nil, nil},
		{[]string{"api/x/f"}, []string{"case", "none"}},
		{[]string{"README"}, []string{"api", "case", "half", "none"}},
	} {
		var got []string
		for _, f := range lintTrees(p, tt.files) {
			got = append(got, f.Subject)
		}
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.files, got, tt.want)
		}
	}
}
