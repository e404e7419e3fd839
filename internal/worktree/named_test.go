package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
)

// An absolute name is that of the same place whatever links lead there, but a
// link inside the work tree stays a link.
func TestAbsoluteNames(t *testing.T) {
	s := based(t, "a/1", "1")
	link := filepath.Join(filepath.Dir(s.dir), "link")
	if err := os.Symlink(s.dir, link); err != nil {
		t.Fatal(err)
	}
	s.link("a", "l")
	for _, top := range []string{s.dir, link} {
		repo, err := refstore.Open(context.Background(), link)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Open(context.Background(), repo)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"a/1": "a/1", "a/gone/x": "a/gone/x", "a/../b": "b", "l/1": "l/1"} {
			if got, err := tr.Named([]string{top + "/" + name}); err != nil || !slices.Equal(got, []string{want}) {
				t.Errorf("%s/%s: %q, %v; want %q", top, name, got, err, want)
			}
		}
		for _, name := range []string{"", "/..", "/../other", "/.git/x", "x/a"} {
			if got, err := tr.Named([]string{top + name}); !errors.As(err, new(*PathError)) {
				t.Errorf("%s%s: %q, %v; want a PathError", top, name, got, err)
			}
		}
	}
	s.write("a/1", "x")
	s.commit(ask{paths: []string{filepath.Join(link, "a", "1")}}, "a/1")
	s.write("a/1", "y")
	s.refuse(ask{paths: []string{filepath.Join(link, "l", "1")}}, scope.SymlinkEscape, "l/1")
}

func TestBeyond(t *testing.T) {
	s := based(t, "a/1", "1", "b/1", "1")
	s.link("../b", "a/l")
	s.link("1", "a/in")
	s.link("l/1", "a/twice")
	s.link("/etc", "a/far")
	tr := s.tree("")
	for p, want := range map[string][]string{
		"a/1": nil, "a/gone/x": nil, "a/1/x": nil, "a/in": {"a/1", "a/1"}, "a/l": {"b", "b"}, "a/l/1": {"b/1", "b/1"}, "a/l/gone": {"b/gone", "b/gone"},
		"a/twice": {"a/l/1", "b/1"}, "a/far/passwd": {"", ""},
	} {
		links, err := tr.Beyond([]string{p})
		var got []string
		for _, l := range links {
			if l.Path != p {
				t.Errorf("%s: %+v", p, l)
			}
			got = append(got, l.Leads...)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s leads to %q, %v; want %q", p, got, err, want)
		}
	}
	s.git("add", "-A")
	staged, err := tr.StagedLinks(context.Background(), []string{"a/1", "a/l", "a/far"})
	if err != nil || len(staged) != 2 || staged[0].Path != "a/far" || staged[0].Leads[0] != "" || staged[1].Leads[0] != "b" {
		t.Errorf("%+v, %v", staged, err)
	}
}
