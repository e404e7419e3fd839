package pushed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

// A place is a repository driven by real git.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{t, filepath.Join(t.TempDir(), "repo")}
	p.in(filepath.Dir(p.dir), "init", "-q", p.dir)
	return p
}

func (p place) git(args ...string) string { p.t.Helper(); return p.in(p.dir, args...) }

func (p place) in(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p place) write(path, text string) {
	p.t.Helper()
	at := filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// commit writes one file and commits everything.
func (p place) commit(path, text, message string) string {
	p.t.Helper()
	p.write(path, text)
	p.git("add", "-A")
	p.git("commit", "-q", "--no-verify", "-m", message)
	return p.git("rev-parse", "HEAD")
}

func (p place) open() *refstore.Repo {
	p.t.Helper()
	repo, err := refstore.Open(context.Background(), p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return repo
}

// subjects renders what a history brings.
func subjects(t *testing.T, h hooks.History) string {
	t.Helper()
	var all []string
	for c, err := range h.Commits(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Subject)
	}
	return strings.Join(all, " ")
}

// changed renders what its commits change.
func changed(t *testing.T, h hooks.History) string {
	t.Helper()
	var all []string
	for c, err := range h.Commits(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Changes {
			all = append(all, fmt.Sprintf("%c %s %d", f.Status, f.Path, f.Size))
		}
	}
	return strings.Join(all, ", ")
}

// added renders the lines it adds.
func added(t *testing.T, h hooks.History) string {
	t.Helper()
	var all []string
	for l, err := range h.Added(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if l.Path != "" {
			all = append(all, fmt.Sprintf("%s:%d %s", l.Path, l.Number, l.Text))
		}
	}
	return strings.Join(all, "|")
}

func (p place) outgoing(remote string, updates ...hooks.Update) hooks.History {
	p.t.Helper()
	h, err := Outgoing(context.Background(), p.open(), hooks.Push{Remote: remote, URL: remote, Updates: updates})
	if err != nil {
		p.t.Fatal(err)
	}
	return h
}

func TestAPushBringsWhatTheRemoteDoesNotHave(t *testing.T) {
	p := newPlace(t)
	one := p.commit("a", "1\n", "one")
	two := p.commit("a", "2\n", "two")
	p.git("remote", "add", "origin", "/nowhere/hub.git")
	p.git("remote", "add", "other", "/nowhere/other.git")
	p.git("remote", "add", "new", "/nowhere/new.git")
	p.git("config", "--add", "remote.origin.pushurl", "/nowhere/second.git")
	p.git("update-ref", "refs/remotes/origin/main", two)
	three := p.commit("a", "3\n", "three")
	p.git("update-ref", "refs/remotes/other/main", three)
	four := p.commit("a", "4\n", "four")
	p.git("tag", "-a", "-m", "release", "v1")
	tag := p.git("rev-parse", "refs/tags/v1")
	blob := p.git("rev-parse", "HEAD:a")
	absent := strings.Repeat("1", 40)

	ref := func(name, old, id string) hooks.Update { return hooks.Update{Ref: name, Old: old, New: id} }
	tests := []struct {
		claim, remote string
		updates       []hooks.Update
		want          string
	}{
		{"the first push of a branch is not all of history", "origin", []hooks.Update{ref("refs/heads/x", "", four)}, "four three"},
		{"another remote has what it has", "other", []hooks.Update{ref("refs/heads/x", "", four)}, "four"},
		{"one that was never fetched is not sent all of history", "new", []hooks.Update{ref("refs/heads/x", "", four)}, "four"},
		{"an address is that of its remote", "/nowhere/hub.git", []hooks.Update{ref("refs/heads/x", "", four)}, "four three"},
		{"a push address too", "/nowhere/second.git", []hooks.Update{ref("refs/heads/x", "", four)}, "four three"},
		{"an address of nothing goes by the old id", "/elsewhere", []hooks.Update{ref("refs/heads/main", one, four)}, "four three two"},
		{"without one here, by all remotes", "/elsewhere", []hooks.Update{ref("refs/heads/main", absent, four)}, "four"},
		{"an old id that is not here hides nothing", "origin", []hooks.Update{ref("refs/heads/main", absent, four)}, "four three"},
		{"a tag stands for its commit", "origin", []hooks.Update{ref("refs/tags/v1", "", tag)}, "four three"},
		{"a commit in several refs comes once", "origin", []hooks.Update{ref("refs/tags/v1", "", tag), ref("refs/heads/x", "", four), ref("refs/heads/y", "", three)}, "four three"},
		{"a deletion brings nothing", "origin", []hooks.Update{ref("refs/heads/x", three, "")}, ""},
		{"a blob brings no commit", "origin", []hooks.Update{ref("refs/tags/b", "", blob)}, ""},
		{"what is there brings nothing", "origin", []hooks.Update{ref("refs/heads/x", "", two)}, ""},
		{"nothing brings nothing", "origin", nil, ""},
	}
	for _, tt := range tests {
		if got := subjects(t, p.outgoing(tt.remote, tt.updates...)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}
	if _, err := Outgoing(context.Background(), p.open(), hooks.Push{Remote: "origin", Updates: []hooks.Update{ref("refs/heads/x", "", absent)}}); !errors.Is(err, ancestry.ErrMissing) {
		t.Errorf("a new id that is not here: %v", err)
	}
	five := p.commit("a", "5\n", "five")
	six := p.commit("a", "6\n", "six")
	p.git("update-ref", "refs/dos/meta/probe-x", five)
	p.git("update-ref", "refs/heads/fleet/lane/api", six)
	p.git("reset", "-q", "--hard", four)
	for claim, tt := range map[string]struct {
		prefix string
		update hooks.Update
		want   string
	}{
		"what a ref here reaches is not new":          {"", ref("refs/heads/main", three, four), ""},
		"what a ref of git-dos alone reaches is new":  {"refs/heads/fleet", ref("refs/heads/main", three, five), "five"},
		"and so it is under the prefix of the fleet":  {"refs/heads/fleet", ref("refs/heads/main", three, six), "six five"},
		"which is a branch where it is no prefix":     {"", ref("refs/heads/main", three, six), ""},
		"what a pusher says was there counts nothing": {"refs/heads/fleet", ref("refs/heads/main", six, six), "six five"},
	} {
		h, err := Incoming(context.Background(), p.open(), hooks.Push{Updates: []hooks.Update{tt.update}}, tt.prefix)
		if err != nil {
			t.Fatal(err)
		}
		if got := subjects(t, h); got != tt.want {
			t.Errorf("%s: %q, want %q", claim, got, tt.want)
		}
	}
}

// A receipt says which commits it is of by a tip and what that stands on.
func TestTheBaseIsWhereTheNewBegins(t *testing.T) {
	p := newPlace(t)
	one := p.commit("a", "1\n", "one")
	p.git("remote", "add", "origin", "/nowhere")
	p.git("update-ref", "refs/remotes/origin/main", one)
	p.git("checkout", "-q", "-b", "side")
	p.commit("b", "1\n", "side")
	p.git("checkout", "-q", "main")
	p.commit("a", "2\n", "two")
	p.git("merge", "-q", "side", "-m", "merge")
	h := p.outgoing("origin", hooks.Update{Ref: "refs/heads/main", Old: one, New: p.git("rev-parse", "HEAD")}).(*History)
	base, err := h.Base(context.Background())
	if err != nil || len(base) != 1 || string(base[0]) != one || len(h.IDs()) != 3 {
		t.Errorf("base %v, %d commits, %v", base, len(h.IDs()), err)
	}
}

func TestChangesAreOfEachCommitItself(t *testing.T) {
	p := newPlace(t)
	first := p.commit("keep/a", "1\n", "one")
	p.git("mv", "keep/a", "new name\twith tab")
	p.commit("big", strings.Repeat("x", 1000), "two")
	if got, want := changed(t, p.outgoing("x", hooks.Update{Ref: "refs/heads/main", Old: first, New: p.git("rev-parse", "HEAD")})),
		"A big 1000, D keep/a 0, A new name\twith tab 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	p.git("checkout", "-q", "-b", "side", first)
	p.commit("s", "side\n", "three")
	p.git("update-index", "--add", "--cacheinfo", "160000,"+first+",sub")
	p.git("commit", "-q", "-m", "four")
	p.git("checkout", "-q", "-f", "main")
	before := p.git("rev-parse", "HEAD")
	p.git("merge", "-q", "--no-commit", "side")
	p.write("evil", "only the merge has it\n")
	p.git("add", "evil")
	p.git("commit", "-q", "-m", "merge")
	h := p.outgoing("x", hooks.Update{Ref: "refs/heads/main", Old: before, New: p.git("rev-parse", "HEAD")})
	if got, want := changed(t, h), "A evil 22, A sub 0, A s 5"; got != want {
		t.Errorf("of a merge: %q, want %q", got, want)
	}
	if got, want := added(t, h), "evil:1 only the merge has it|sub:1 Subproject commit "+first+"|s:1 side"; got != want {
		t.Errorf("of a merge: %q, want %q", got, want)
	}
}

func TestHistoryThatCannotBeReadIsNoHistory(t *testing.T) {
	for _, kind := range []string{"commit", "tree", "blob"} {
		p := newPlace(t)
		first := p.commit("a", "1\n", "one")
		p.commit("dir/b", "2\n", "two")
		victim := p.git("rev-parse", map[string]string{"commit": "HEAD", "tree": "HEAD:dir", "blob": "HEAD:dir/b"}[kind])
		p.commit("c", "3\n", "three")
		up := hooks.Update{Ref: "refs/heads/main", Old: first, New: p.git("rev-parse", "HEAD")}
		if err := os.Remove(filepath.Join(p.dir, ".git/objects", victim[:2], victim[2:])); err != nil {
			t.Fatal(err)
		}
		h, err := Outgoing(context.Background(), p.open(), hooks.Push{Remote: "x", Updates: []hooks.Update{up}})
		if err == nil {
			for _, e := range h.Commits(context.Background()) {
				err = e
			}
		}
		if !errors.Is(err, ancestry.ErrMissing) {
			t.Errorf("without a %s: %v", kind, err)
		}
	}
}
