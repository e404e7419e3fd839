package cherry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

// A bench is a repository on whose main branch files a, b and dir/c stand.
type bench struct {
	t    *testing.T
	dir  string
	repo *refstore.Repo
	root refstore.OID
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, dir: t.TempDir()}
	githome.Git(t, b.dir, "init", "--quiet")
	b.root = b.commit("root", "a=1", "b=1", "dir/c=1")
	repo, err := refstore.Open(t.Context(), b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.repo = repo
	return b
}

// commit writes files, name=text and name= for one that goes, and commits all.
func (b *bench) commit(message string, files ...string) refstore.OID {
	b.t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		at := filepath.Join(b.dir, filepath.FromSlash(name))
		if text == "" {
			if err := os.RemoveAll(at); err != nil {
				b.t.Fatal(err)
			}
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666)); err != nil {
			b.t.Fatal(err)
		}
	}
	githome.Git(b.t, b.dir, "add", "-A")
	githome.Git(b.t, b.dir, "commit", "--quiet", "--allow-empty", "-m", message)
	return refstore.OID(githome.Git(b.t, b.dir, "rev-parse", "HEAD"))
}

func (b *bench) at(id refstore.OID) {
	b.t.Helper()
	githome.Git(b.t, b.dir, "checkout", "--quiet", string(id))
}

func (b *bench) files(id refstore.OID) string {
	b.t.Helper()
	return strings.ReplaceAll(githome.Git(b.t, b.dir, "ls-tree", "-r", "--name-only", string(id)), "\n", " ")
}

func TestACommitIsMadeAnewOnTopOfWhatOthersDid(t *testing.T) {
	b := newBench(t)
	mine := b.commit("mine: é\n\nwhy\n\nDos-Run: r", "a=2", "new/x=1", "b=")
	last := b.commit("mine too", "new/y=1")
	b.at(b.root)
	theirs := b.commit("theirs", "dir/c=2", "other=1")

	tip, err := Pick(t.Context(), b.repo, theirs, []refstore.OID{mine, last})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.files(tip); got != "a dir/c new/x new/y other" {
		t.Errorf("files %q", got)
	}
	if got := githome.Git(t, b.dir, "show", string(tip)+":a") + githome.Git(t, b.dir, "show", string(tip)+":dir/c"); got != "22" {
		t.Errorf("contents %q", got)
	}
	one := string(tip) + "^"
	for _, format := range []string{"%B", "%an %ae %ad %cn %ce %cd"} {
		if was, is := githome.Git(t, b.dir, "show", "-s", "--format="+format, string(mine)), githome.Git(t, b.dir, "show", "-s", "--format="+format, one); was != is {
			t.Errorf("%s: %q, want %q", format, is, was)
		}
	}
	if got := githome.Git(t, b.dir, "rev-parse", string(tip)+"~2"); got != string(theirs) {
		t.Errorf("it stands on %s, want %s", got, theirs)
	}
	if again, err := Pick(t.Context(), b.repo, theirs, []refstore.OID{mine, last}); err != nil || again != tip {
		t.Errorf("the second time: %s, %v; want %s", again, err, tip)
	}
	if again, err := Pick(t.Context(), b.repo, tip, []refstore.OID{mine, last}); err != nil || again != tip {
		t.Errorf("on top of itself: %s, %v; want %s", again, err, tip)
	}
	if status := githome.Git(t, b.dir, "status", "--short"); status != "" {
		t.Errorf("the work tree has changed: %s", status)
	}
	if left, err := filepath.Glob(filepath.Join(b.dir, ".git", "dos", "cherry*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestACommitThatIsThereOrFollowsIsTakenAsItIs(t *testing.T) {
	b := newBench(t)
	one := b.commit("one", "a=2")
	two := b.commit("two", "a=3")
	for name, c := range map[string]struct {
		onto refstore.OID
		list []refstore.OID
		want refstore.OID
	}{
		"it follows":            {b.root, []refstore.OID{one, two}, two},
		"the first is there":    {one, []refstore.OID{one, two}, two},
		"all are there":         {two, []refstore.OID{one, two}, two},
		"there are none to add": {one, nil, one},
	} {
		if got, err := Pick(t.Context(), b.repo, c.onto, c.list); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

func TestWhatBothSidesChangedIsNotGuessed(t *testing.T) {
	for name, c := range map[string]struct {
		mine, theirs []string
		path         string // of the conflict, "" for none
	}{
		"the same file":                    {[]string{"a=2"}, []string{"a=3"}, "a"},
		"the same file, to the same":       {[]string{"a=2", "b=2"}, []string{"a=2"}, ""},
		"one that they deleted":            {[]string{"a=2"}, []string{"a="}, "a"},
		"one that we delete":               {[]string{"a="}, []string{"a=2"}, "a"},
		"both deleted":                     {[]string{"a=", "b=2"}, []string{"a="}, ""},
		"both added":                       {[]string{"x=1"}, []string{"x=2"}, "x"},
		"a file where they made a folder":  {[]string{"x=1"}, []string{"x/y=1"}, "x"},
		"a folder where they made a file":  {[]string{"x/y=1"}, []string{"x=1"}, "x/y"},
		"a file beside one of a like name": {[]string{"x=1"}, []string{"xy/z=1"}, ""},
	} {
		b := newBench(t)
		mine := b.commit("mine", c.mine...)
		b.at(b.root)
		theirs := b.commit("theirs", c.theirs...)
		_, err := Pick(t.Context(), b.repo, theirs, []refstore.OID{mine})
		var conflict *ConflictError
		switch {
		case c.path == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.path != "" && (!errors.As(err, &conflict) || conflict.Path != c.path || conflict.Commit != mine):
			t.Errorf("%s: %v, want a conflict in %s", name, err, c.path)
		}
	}
}

func TestMergesAndRootsAreNotMadeAnew(t *testing.T) {
	b := newBench(t)
	one := b.commit("one", "a=2")
	b.at(b.root)
	b.commit("two", "b=2")
	githome.Git(t, b.dir, "merge", "--quiet", "--no-ff", "-m", "both", string(one))
	merge := refstore.OID(githome.Git(t, b.dir, "rev-parse", "HEAD"))
	b.at(b.root)
	other := b.commit("other", "dir/c=3")
	githome.Git(t, b.dir, "checkout", "--quiet", "--orphan", "alone")
	root := b.commit("alone", "z=1")
	for _, id := range []refstore.OID{merge, root} {
		if _, err := Pick(t.Context(), b.repo, other, []refstore.OID{id}); !errors.Is(err, ErrMerge) {
			t.Errorf("%s: %v", id, err)
		}
	}
}
