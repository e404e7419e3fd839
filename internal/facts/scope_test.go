package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func scopeRules(t *testing.T, dir string) (Rules, error) {
	t.Helper()
	repo := openScope(t, dir)
	r, err := LoadRules(context.Background(), repo)
	if err != nil {
		return r, err
	}
	return ScopeRules(context.Background(), repo, r)
}

func openScope(t *testing.T, dir string) *refstore.Repo {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// The policy that judges work is the trunk's, and the work tree's only where
// the trunk has none.
func TestScopeRules(t *testing.T) {
	h := newHistory(t)
	check := func(claim, ttl string) {
		t.Helper()
		r, err := scopeRules(t, h.dir)
		if err != nil || r.Policy.Lease.TTL.String() != ttl {
			t.Errorf("%s: ttl %s from %s, %v; want %s", claim, r.Policy.Lease.TTL, r.Source, err, ttl)
		}
	}
	own := func(text string) {
		if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	own(tenMinutes)
	check("before the first commit", "10m0s")
	h.commit("root", "a", "1")
	check("a trunk without one", "10m0s")
	h.commit("rules", "dos.toml", fiveMinutes)
	own(tenMinutes)
	check("the trunk has the say", "5m0s")
	h.git("checkout", "-q", "-f", "-b", "wide")
	own("[trunk]\nref = \"main\"\n" + tenMinutes)
	check("also against a branch", "5m0s")
	own("[lease\n")
	if _, err := scopeRules(t, h.dir); err == nil {
		t.Error("a broken dos.toml: no error")
	}
}

// In a clone without a fleet no branch judges itself, whatever it calls the
// trunk.
func TestScopeRulesOfAClone(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", fiveMinutes)
	clone := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.dir, clone)
	c := &history{t: t, dir: clone}
	check := func(claim string) {
		t.Helper()
		if r, err := scopeRules(t, clone); err != nil || r.Policy.Lease.TTL.String() != "5m0s" {
			t.Errorf("%s: ttl %s from %s, %v", claim, r.Policy.Lease.TTL, r.Source, err)
		}
	}
	c.git("checkout", "-q", "-b", "feat")
	c.commit("wide", "dos.toml", tenMinutes)
	check("its own dos.toml")
	c.commit("wider", "dos.toml", "[trunk]\nref = \"feat\"\n"+tenMinutes)
	check("and its own trunk")
	h.commit("trunk", "dos.toml", "[trunk]\nref = \"main\"\n"+fiveMinutes)
	c.git("fetch", "-q")
	check("against a stated trunk")
	c.git("checkout", "-q", "--detach")
	check("without a branch")
}

func TestScopeChanged(t *testing.T) {
	ctx := context.Background()
	h := newHistory(t)
	h.commit("root", "a/1", strings.Repeat("text\n", 40), "b/1", "1")
	h.git("config", "diff.renames", "copies")
	h.git("checkout", "-q", "-b", "work")
	h.git("mv", "a/1", "b/\xff")
	h.git("commit", "-q", "-m", "move")
	h.git("checkout", "-q", "main")
	h.commit("trunk", "c/1", "1")
	repo := openScope(t, h.dir)
	changed := func(base, head string) ([]string, error) {
		s, err := ScopeSpan(ctx, repo, base, head)
		if err != nil {
			return nil, err
		}
		paths, links, err := ScopeChanged(ctx, repo, s)
		for _, l := range links {
			paths = append(paths, l.Path+" -> "+strings.Join(l.Leads, ","))
		}
		return paths, err
	}
	want := func(claim, base, head string, want ...string) {
		t.Helper()
		if got, err := changed(base, head); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", claim, got, err, want)
		}
	}
	both := []string{"a/1", "b/\xff"}
	want("both sides of a rename, and not the trunk's work", "main", "work", both...)
	want("the same the other way", "work", "main", "c/1")
	want("itself", "work", "work")
	want("an ancestor changed nothing", "work", "work~1")
	h.git("checkout", "-q", "work")
	h.git("merge", "-q", "--no-edit", "main")
	want("merged trunk work is the trunk's", "main", "work", both...)
	h.git("tag", "-a", "-m", "t", "v1")
	want("a tag is its commit", "main", "v1", both...)

	for link, text := range map[string]string{"a/out": "../b/x", "a/far": "/etc", "a/in": "1"} {
		if err := os.MkdirAll(filepath.Join(h.dir, "a"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(text, filepath.Join(h.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	h.git("add", "a")
	h.git("commit", "-q", "-m", "links")
	want("links with where they lead", "work~1", "work", "a/far", "a/in", "a/out", "a/far -> ", "a/in -> a/1", "a/out -> b/x")
	h.git("reset", "-q", "--hard", "work~1")

	h.git("checkout", "-q", "--orphan", "other")
	h.git("commit", "-q", "-m", "other")
	if got, err := changed("main", "other"); !errors.Is(err, ErrNoCommonBase) {
		t.Errorf("%q, %v; want ErrNoCommonBase", got, err)
	}
	for _, rev := range []string{"nosuch", "--all", "HEAD:a", ""} {
		if got, err := changed("main", rev); err == nil {
			t.Errorf("%q: %q, want an error", rev, got)
		}
	}
	tree := h.git("rev-parse", "work^{tree}")
	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if got, err := changed("main", "work"); !errors.Is(err, ancestry.ErrMissing) {
		t.Errorf("without a tree: %q, %v; want ErrMissing", got, err)
	}
}
