package ancestry

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// changes renders the changed paths of commits: "a b | c".
func changes(t *testing.T, r *repo, commits ...Commit) string {
	t.Helper()
	paths := map[refstore.OID][]string{}
	for c, err := range Changed(context.Background(), r.runner(), commits...) {
		if err != nil {
			t.Fatal(err)
		}
		paths[c.Commit] = append(paths[c.Commit], c.Path)
	}
	var out []string
	for _, c := range commits {
		out = append(out, strings.Join(paths[c.ID], " "))
	}
	return strings.Join(out, " | ")
}

func changedErr(r *repo, commits ...Commit) error {
	for _, err := range Changed(context.Background(), r.runner(), commits...) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *repo) read(id string) Commit {
	for c, err := range Read(context.Background(), r.runner(), []refstore.OID{refstore.OID(id)}) {
		if err != nil {
			r.t.Fatal(err)
		}
		return c
	}
	r.t.Fatal("nothing read")
	return Commit{}
}

func TestChangedPaths(t *testing.T) {
	r := newRepo(t)
	root := r.commit("root\n", r.tree("dir/a", "1", "b", "1"))
	renamed := r.commit("rename\n", r.tree("dir/c", "1", "b", "1"), root)
	empty := r.commit("empty\n", r.tree("dir/c", "1", "b", "1"), renamed)
	side := r.commit("side\n", r.tree("dir/a", "1", "b", "1", "side", "1"), root)
	merge := r.commit("merge\n", r.tree("dir/c", "1", "b", "1", "side", "1"), empty, side)
	ours := r.commit("merge -s ours\n", r.tree("dir/c", "1", "b", "1"), empty, side)
	hostile := r.commit("paths\n", r.tree("\xff\xe9", "1", "a\nb", "1", "\"q\" \t", "1", ":100644 100644 "+root, "1", root, "1"), r.commit("none\n", r.tree()))
	for name, c := range map[string]struct{ id, want string }{
		"a root is against nothing":            {root, "b dir/a"},
		"a rename shows both its paths":        {renamed, "dir/a dir/c"},
		"an empty commit changes nothing":      {empty, ""},
		"a merge is against its first parent":  {merge, "side"},
		"a merge that takes nothing is empty":  {ours, ""},
		"paths are raw bytes and never quoted": {hostile, "\"q\" \t " + root + " :100644 100644 " + root + " a\nb \xff\xe9"},
	} {
		got := changes(t, r, r.read(c.id))
		if name == "paths are raw bytes and never quoted" {
			if len(got) != len(c.want) || !strings.Contains(got, "a\nb") || !strings.Contains(got, "\xff\xe9") {
				t.Errorf("%s: got %q, want %q", name, got, c.want)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := changes(t, r, r.read(merge), r.read(empty), r.read(root)); got != "side |  | b dir/a" {
		t.Errorf("several at once: %q", got)
	}
}

func TestAChangeCarriesModesAndBlobs(t *testing.T) {
	r := newRepo(t)
	root := r.commit("root\n", r.tree("a", "1"))
	next := r.commit("next\n", r.tree("a", "2", "b", "1"), root)
	var got []Change
	for c, err := range Changed(context.Background(), r.runner(), r.read(next)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	if len(got) != 2 || got[0].Old == "" || got[0].New == got[0].Old || got[1].Old != "" || got[1].OldMode != "000000" || got[1].NewMode != "100644" {
		t.Errorf("got %+v", got)
	}
}

func TestTreesThatAreNotHereAreMissingAndNotFetched(t *testing.T) {
	r := newRepo(t)
	root := r.commit("root\n", r.tree("dir/a", "1"))
	tip := r.commit("tip\n", r.tree("dir/a", "2"), root)
	r.git("update-ref", "refs/heads/main", tip)
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	r.git("clone", "-q", "--bare", "--filter=tree:0", "file://"+r.dir, filepath.Join(r.dir, "partial"))
	p := &repo{t: t, dir: filepath.Join(r.dir, "partial")}
	commits, boundary, err := p.walk(tip)
	if err != nil || len(commits) != 2 || len(boundary) != 0 {
		t.Fatalf("walk: %d commits, %v", len(commits), err)
	}
	if err := changedErr(p, commits[0]); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
	if got := p.git("diff-tree", "-r", "--name-only", "--no-commit-id", tip); got != "dir/a" {
		t.Errorf("git itself, which fetches, answers %q", got)
	}
}
