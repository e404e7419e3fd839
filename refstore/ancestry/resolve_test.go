package ancestry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestResolve(t *testing.T) {
	r := newRepo(t)
	ctx := context.Background()
	if _, err := Resolve(ctx, r.runner(), "HEAD"); !errors.Is(err, ErrUnborn) {
		t.Errorf("HEAD of an empty repository: %v, want ErrUnborn", err)
	}
	if _, err := Resolve(ctx, r.runner(), "main"); !errors.Is(err, ErrUnborn) {
		t.Errorf("its branch: %v, want ErrUnborn", err)
	}
	tree := r.tree("a", "1")
	tip := r.commit("tip\n", tree)
	r.git("update-ref", "refs/heads/main", tip)
	r.git("tag", "-a", "-m", "v", "v1", tip)
	r.git("update-ref", "refs/tags/tree", tree)
	for name, c := range map[string]struct {
		rev  string
		want error
	}{
		"a branch":                       {"main", nil},
		"a tag is peeled":                {"v1", nil},
		"a full ref":                     {"refs/heads/main", nil},
		"an id":                          {tip, nil},
		"a ref that is not there":        {"refs/heads/nope", ErrNoRevision},
		"a word that is no rev":          {"nope", ErrNoRevision},
		"an option is no rev":            {"--all", ErrNoRevision},
		"a range is no rev":              {"main..main", ErrNoRevision},
		"a tree is no commit":            {"tree", ErrNoRevision},
		"nor is a file":                  {"main:a", ErrNoRevision},
		"a folder is no ref":             {"refs/heads/main/", ErrNoRevision},
		"nothing has so long a name":     {strings.Repeat("x", maxRev+1), ErrNoRevision},
		"an id whose object is not here": {strings.Repeat("1", 40), ErrMissing},
	} {
		id, err := Resolve(ctx, r.runner(), c.rev)
		if !errors.Is(err, c.want) || c.want == nil && id != refstore.OID(tip) {
			t.Errorf("%s: %q, %v; want %v", name, id, err, c.want)
		}
	}
	if got := FullName(ctx, r.runner(), "main"); got != "refs/heads/main" {
		t.Errorf("FullName(main) = %q", got)
	}
	if got := FullName(ctx, r.runner(), "main~0"); got != "" {
		t.Errorf("FullName(main~0) = %q", got)
	}
}

func TestABrokenRefIsNotAbsent(t *testing.T) {
	r := newRepo(t)
	r.git("update-ref", "refs/heads/side", r.commit("x\n", r.tree()))
	for name, content := range map[string]string{"empty": "", "torn": "1234", "points at nothing here": strings.Repeat("1", 40) + "\n"} {
		for branch, revs := range map[string][]string{"main": {"HEAD", "main", "refs/heads/main"}, "side": {"side", "refs/heads/side"}} {
			path := filepath.Join(r.dir, ".git", "refs", "heads", branch)
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, rev := range revs {
				if id, err := Resolve(context.Background(), r.runner(), rev); !errors.Is(err, ErrMissing) {
					t.Errorf("%s as %s: %q, %v; want ErrMissing", name, rev, id, err)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
