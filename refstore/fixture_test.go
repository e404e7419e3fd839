package refstore_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A fixture is one authority with a second writer on it and a way to look at
// its refs behind its back.
type fixture struct {
	repo, peerRepo *refstore.Repo
	auth, peer     refstore.Authority
	raw            string // the git directory that holds the refs
	prefix         string // of the refs in it
	remote         bool
	before         func() // runs before each case's steps
}

// name is what raw calls a ref.
func (f *fixture) name(ref string) string { return f.prefix + strings.TrimPrefix(ref, "refs/dos") }

// rev is the object a ref of the authority holds, "" when it has none.
func (f *fixture) rev(t testing.TB, ref string) refstore.OID {
	t.Helper()
	return refstore.OID(gitIn(t, f.raw, "for-each-ref", "--format=%(objectname)", f.name(ref)))
}

// plant stores an object on the authority and points a ref at it.
func (f *fixture) plant(t testing.TB, ref, kind, body string) refstore.OID {
	t.Helper()
	id := f.hash(t, kind, body)
	gitIn(t, f.raw, "update-ref", f.name(ref), string(id))
	return id
}

func (f *fixture) hash(t testing.TB, kind, body string) refstore.OID {
	t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", kind, "-w", "--stdin", "--literally")
	cmd.Dir, cmd.Env, cmd.Stdin = f.raw, elsewhere(), strings.NewReader(body)
	return refstore.OID(run(t, cmd))
}

// commit is the body of a commit with the given message and parents.
func (f *fixture) commit(t testing.TB, msg string, parents ...refstore.OID) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("tree " + string(f.hash(t, "tree", "")) + "\n")
	for _, p := range parents {
		b.WriteString("parent " + string(p) + "\n")
	}
	b.WriteString("author a <a@b> 1700000000 +0000\ncommitter a <a@b> 1700000000 +0000\n\n" + msg)
	return b.String()
}

// message is an entry's message as the layout has it.
func message(kind, leaf, op, gen, payload, format string) string {
	return "dos " + kind + ": " + op + " " + leaf + " g" + gen + "\n\n" + payload + "\n\nDos-Format: " + format +
		"\nDos-Op: " + op + "\nDos-Gen: " + gen + "\nDos-Attempt: 00112233445566aa\n"
}

// append adds one entry through a writer and returns its id.
func (f *fixture) append(t testing.TB, r *refstore.Repo, a refstore.Authority, ref string, e refstore.Entry) refstore.OID {
	t.Helper()
	name, _ := refstore.SplitRef(ref)
	u, err := r.Update(context.Background(), a, refstore.Query{Kinds: []string{name.Kind}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{{Ref: ref, Entry: e}}, nil
	})
	if err != nil {
		t.Fatalf("append to %s: %v", ref, err)
	}
	return u.Wrote[0].New
}

// update appends one entry within a deadline.
func (f *fixture) update(t testing.TB, limit time.Duration, refs ...string) (refstore.Update, error) {
	t.Helper()
	short, cancel := timeout(limit)
	defer cancel()
	return f.repo.Update(short, f.auth, queryFor(refs...), func(s refstore.Snapshot) ([]refstore.Write, error) {
		var out []refstore.Write
		for _, ref := range refs {
			out = append(out, refstore.Write{Ref: ref, Entry: entry("MOVE", s.Tip(ref).Entry.Gen+1, `{}`)})
		}
		return out, nil
	})
}

func queryFor(refs ...string) refstore.Query {
	var q refstore.Query
	for _, ref := range refs {
		if name, ok := refstore.SplitRef(ref); ok {
			q.Kinds = append(q.Kinds, name.Kind)
		} else {
			q.Branches = append(q.Branches, ref)
		}
	}
	return q
}

// outcome is how an update ended, as its callers branch on it.
func outcome(t testing.TB, err error) refstore.Outcome {
	t.Helper()
	var o *refstore.OutcomeError
	if !errors.As(err, &o) {
		t.Fatalf("ended with %v, no outcome", err)
	}
	return o.Outcome
}

func (f *fixture) read(t testing.TB, kind string) refstore.Snapshot {
	t.Helper()
	s, err := f.auth.Read(context.Background(), refstore.Query{Kinds: []string{kind}})
	if err != nil {
		t.Fatalf("read %s: %v", kind, err)
	}
	return s
}

// makeFixture opens both writers on local refs in dir.
func localFixture(t testing.TB, dir string) *fixture {
	t.Helper()
	r, peer := open(t, dir), open(t, dir)
	return &fixture{repo: r, peerRepo: peer, auth: r.Local(), peer: peer.Local(), raw: r.CommonDir, prefix: "refs/dos"}
}

func remoteFixture(t testing.TB, by transport, prefix string) *fixture {
	t.Helper()
	root := t.TempDir()
	hub := hubAt(t, root)
	url, config := by.serve(t, root)
	f := &fixture{raw: hub, prefix: prefix, remote: true}
	if prefix == "" {
		f.prefix = "refs/dos"
	}
	f.repo, f.auth = cloneAuthority(t, url+"/hub.git", config, prefix)
	f.peerRepo, f.peer = cloneAuthority(t, url+"/hub.git", config, prefix)
	return f
}

func cloneAuthority(t testing.TB, url string, config []string, prefix string) (*refstore.Repo, *refstore.Remote) {
	t.Helper()
	r := open(t, cloneOf(t, url, config))
	a, err := r.Remote("origin", prefix)
	if err != nil {
		t.Fatal(err)
	}
	return r, a
}

// A shape is a kind of repository that refs may live in.
type shape struct {
	name string
	make func(t *testing.T) *fixture
	env  bool // it changes the environment
}

var shapes = []shape{
	{name: "plain repository", make: func(t *testing.T) *fixture { return localFixture(t, committed(t)) }},
	{name: "bare repository", make: func(t *testing.T) *fixture { return localFixture(t, initRepo(t, "--bare")) }},
	{name: "unborn branch", make: func(t *testing.T) *fixture { return localFixture(t, initRepo(t)) }},
	{name: "repository that signs its entries", make: func(t *testing.T) *fixture { return localFixture(t, signingIn(t, initRepo(t))) }},
	{name: "sha256 repository", make: func(t *testing.T) *fixture { return localFixture(t, initRepo(t, "--object-format=sha256")) }},
	{name: "folder below the top level", make: func(t *testing.T) *fixture {
		sub := filepath.Join(committed(t), "a", "b")
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		return localFixture(t, sub)
	}},
	{name: "linked worktree with GIT_DIR exported", make: linkedWorktree, env: true},
	{name: "GIT_DIR given from elsewhere", env: true, make: func(t *testing.T) *fixture {
		dir := committed(t)
		t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
		return localFixture(t, t.TempDir())
	}},
	{name: "separate git dir", make: func(t *testing.T) *fixture {
		return localFixture(t, initRepo(t, "--separate-git-dir="+filepath.Join(t.TempDir(), "apart.git")))
	}},
	{name: "submodule", make: func(t *testing.T) *fixture {
		outer := committed(t)
		gitIn(t, outer, "submodule", "--quiet", "add", committed(t), "inner")
		return localFixture(t, filepath.Join(outer, "inner"))
	}},
	{name: "sparse checkout with worktreeConfig", make: func(t *testing.T) *fixture {
		dir := committed(t)
		gitIn(t, dir, "sparse-checkout", "set", "src")
		if gitIn(t, dir, "config", "extensions.worktreeConfig") != "true" {
			t.Fatal("this git's sparse checkout does not set worktreeConfig: the shape is not tested")
		}
		return localFixture(t, dir)
	}},
	{name: "shallow clone", make: func(t *testing.T) *fixture { return localFixture(t, clonedWith(t, "--depth=1")) }},
	{name: "partial clone", make: func(t *testing.T) *fixture { return localFixture(t, clonedWith(t, "--filter=blob:none")) }},
	{name: "clone that shares objects", make: func(t *testing.T) *fixture { return localFixture(t, clonedWith(t, "--shared")) }},
	{name: "repository whose refs are packed before each step", make: func(t *testing.T) *fixture {
		f := localFixture(t, committed(t))
		f.before = func() { gitIn(t, f.raw, "pack-refs", "--all") }
		f.auth = stepping{f.auth, f.before}
		return f
	}},
}

func linkedWorktree(t *testing.T) *fixture {
	dir := committed(t)
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", tree)
	t.Setenv("GIT_DIR", gitIn(t, tree, "rev-parse", "--absolute-git-dir"))
	f := localFixture(t, tree)
	if f.repo.GitDir == f.repo.CommonDir {
		t.Fatalf("%s is no linked worktree", tree)
	}
	return f
}

// committed makes a repository with a few commits and a file.
func committed(t testing.TB) string {
	t.Helper()
	dir := initRepo(t)
	write(t, filepath.Join(dir, "README"), "text\n")
	gitIn(t, dir, "add", "README")
	for range 3 {
		gitIn(t, dir, "commit", "--quiet", "--allow-empty", "-m", "work")
	}
	return dir
}

func clonedWith(t testing.TB, flag string) string {
	t.Helper()
	dir, source := filepath.Join(t.TempDir(), "clone"), committed(t)
	gitIn(t, source, "config", "uploadpack.allowFilter", "true")
	gitIn(t, source, "clone", "--quiet", flag, "file://"+source, dir)
	return dir
}

// stepping does something before each step of an authority.
type stepping struct {
	refstore.Authority
	before func()
}

func (s stepping) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	s.before()
	return s.Authority.Read(ctx, q)
}

func (s stepping) Lock(ctx context.Context) (func(), error) {
	s.before()
	return s.Authority.Lock(ctx)
}

func (s stepping) Txn(ctx context.Context, moves []refstore.Move) refstore.Outcome {
	s.before()
	return s.Authority.Txn(ctx, moves)
}
