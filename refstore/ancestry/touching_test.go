package ancestry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

func TestTouchingTakesPathsAsTheyAre(t *testing.T) {
	r := newRepo(t)
	odd := ":(glob)src/*.go"
	a := r.commit("a\n", r.tree("src/a.go", "1", "docs/x", "1"))
	b := r.commit("b\n", r.tree("src/a.go", "2", "docs/x", "1"), a)
	c := r.commit("c\n", r.tree("src/a.go", "2", "docs/x", "1", odd, "1"), b)
	side := r.commit("side\n", r.tree("src/a.go", "3", "docs/x", "1"), a)
	m := r.commit("merge\n", r.tree("src/a.go", "2", "docs/x", "1", odd, "1"), c, side)
	sub := filepath.Join(r.dir, "src")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{r.dir, sub} { // wherever the caller stands
		t.Setenv("GIT_LITERAL_PATHSPECS", "1")
		for want, paths := range map[string][]string{
			m + side + b + a: {"src/a.go"},
			m + c:            {odd}, // the merge brings the file to the side that had none
			a:                {"docs/x"},
			"":               {"src/*.go"},
		} {
			got, err := Touching(context.Background(), git.Runner{Dir: dir}, refstore.OID(m), paths)
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, id := range got {
				all.WriteString(string(id))
			}
			if all.String() != want {
				t.Errorf("in %s, %q: got %s, want %s", filepath.Base(dir), paths, all.String(), want)
			}
		}
	}
	for _, path := range []string{"", "a\nb", "a\x00b"} {
		if _, err := Touching(context.Background(), r.runner(), refstore.OID(m), []string{path}); err == nil {
			t.Errorf("path %q was looked for", path)
		}
	}
	if _, err := Touching(context.Background(), r.runner(), "0123456789012345678901234567890123456789", []string{"a"}); !errors.Is(err, ErrMissing) {
		t.Errorf("a tip that is not here: %v", err)
	}
}

func TestBodyIsWhatFollowsTheTitle(t *testing.T) {
	for message, want := range map[string]string{
		"title\n\nbody\nmore\n": "body\nmore\n",
		"title\n":               "",
		"title":                 "",
		"\n\n title\nwrapped\n \n\n\nbody\n\nlast": "body\n\nlast",
		"": "",
	} {
		if got := string(Body([]byte(message))); got != want {
			t.Errorf("body of %q is %q, want %q", message, got, want)
		}
	}
}

func TestFileTakesItsPathAsItIs(t *testing.T) {
	r := newRepo(t)
	odd := ":(glob)*"
	tip := refstore.OID(r.commit("x\n", r.tree("a", "1", odd, "2")))
	for path, want := range map[string]string{"a": "1", odd: "2", "*": "", "b": ""} {
		data, found, err := File(context.Background(), r.runner(), tip, path)
		if err != nil || string(data) != want || found != (want != "") {
			t.Errorf("%s: %q, %v, %v", path, data, found, err)
		}
	}
}
