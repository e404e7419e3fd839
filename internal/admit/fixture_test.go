package admit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// TestMain gives all tests a home of their own, and lets the test binary be a
// worker process.
func TestMain(m *testing.M) {
	if name := os.Getenv(workerVar); name != "" {
		os.Exit(runWorker(name, os.Args[1:]))
	}
	os.Exit(githome.Run(m, nil))
}

const lanesToml = `[lanes]
concurrent = ["api", "web", "docs"]
exclusive = ["all"]
autopick = ["api"]
[lanes.trees]
api = ["api/**"]
web = ["web/**"]
docs = ["docs/**"]
all = ["**/*"]
[lanes.aliases]
server = "api"
[overlap]
policy = "glob"
`

const fleetToml = lanesToml + "[fleet]\nid = \"fleet-1\"\nlanes = \"all\"\n"

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return githome.Git(t, dir, args...)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// commit writes files (path, text, path, text...) and commits them.
func commit(t testing.TB, dir, message string, files ...string) refstore.OID {
	t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		write(t, filepath.Join(dir, files[i]), files[i+1])
		gitIn(t, dir, "add", "--", files[i])
	}
	gitIn(t, dir, "commit", "--quiet", "--allow-empty", "-m", message)
	return refstore.OID(gitIn(t, dir, "rev-parse", "HEAD"))
}

// localRepo is a repository that is its own authority.
func localRepo(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "init", "--quiet")
	commit(t, dir, "root", "dos.toml", lanesToml, "api/a", "1\n", "web/w", "1\n")
	return dir
}

// A testFleet is a bare remote, initialised, and its clones.
type testFleet struct {
	root, hub string
	clones    int
}

// newFleet copies the hub of the first one.
func newFleet(t testing.TB) *testFleet {
	t.Helper()
	f := &testFleet{root: t.TempDir()}
	f.hub = filepath.Join(f.root, "hub.git")
	first := filepath.Join(os.Getenv("HOME"), "hub.git")
	makeHub.Do(func() {
		m := &testFleet{root: t.TempDir(), hub: first}
		gitIn(t, m.root, "init", "--quiet", "--bare", first)
		dir := m.clone(t)
		commit(t, dir, "root", "dos.toml", fleetToml, "api/a", "1\n", "web/w", "1\n")
		gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
		m.setMeta(t, Meta{V: LayoutVersion, Fleet: "fleet-1"})
	})
	if err := os.CopyFS(f.hub, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	return f
}

var makeHub sync.Once

// setMeta writes meta/format on the hub, whatever is there.
func (f *testFleet) setMeta(t testing.TB, m Meta) {
	t.Helper()
	gitIn(t, f.hub, "update-ref", "-d", metaRef)
	w, err := m.write(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, f.hub, w)
}

func (f *testFleet) clone(t testing.TB) string {
	t.Helper()
	f.clones++
	dir := filepath.Join(f.root, fmt.Sprint("clone", f.clones))
	gitIn(t, f.root, "clone", "--quiet", f.hub, dir)
	return dir
}

// appendTo writes entries straight to the refs of a repository.
func appendTo(t testing.TB, dir string, writes ...refstore.Write) {
	t.Helper()
	r := openRepo(t, dir)
	_, err := r.Update(context.Background(), r.Local(), refstore.Query{Kinds: []string{"meta", "lane", "order"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return writes, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func openRepo(t testing.TB, dir string) *refstore.Repo {
	t.Helper()
	r, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open is the desk of a worker in dir.
func open(t testing.TB, dir string) *Desk {
	t.Helper()
	d, err := Open(context.Background(), openRepo(t, dir), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.EnsureNode(context.Background()); err != nil {
		t.Fatal(err)
	}
	return d
}

// ask is an ordinary request for a lane.
func ask(name, owner string) Request {
	return Request{Lanes: []string{name}, RunID: "run-" + owner, Owner: owner, TTL: 15 * time.Minute}
}

// acquire takes a lane and fails the test unless it is granted.
func acquire(t testing.TB, d *Desk, name, owner string) lease.Record {
	t.Helper()
	v, err := d.Acquire(context.Background(), ask(name, owner))
	if err != nil || v.Outcome != lease.Acquired {
		t.Fatalf("acquire %s for %s: %+v %v", name, owner, v, err)
	}
	return *v.Lease
}

// wantVerdict checks an answer of a lease verb.
func wantVerdict(t testing.TB, v lease.Verdict, err error, want lease.Outcome, class string) {
	t.Helper()
	if err != nil || v.Outcome != want || v.ReasonClass != class {
		t.Errorf("got %q %q (%s), error %v; want %q %q", v.Outcome, v.ReasonClass, v.Reason, err, want, class)
	}
}

// wantStore checks that an answer is no verdict because of the store.
func wantStore(t testing.TB, v lease.Verdict, err error, words string) {
	t.Helper()
	var store *StoreError
	if !errors.As(err, &store) || !strings.Contains(err.Error(), words) || v.ExitCode() == 0 {
		t.Errorf("got %q, error %v; want a store error with %q", v.Outcome, err, words)
	}
}

// opsOf lists the ops of a ref's chain, oldest first.
func opsOf(t testing.TB, dir, ref string) string {
	t.Helper()
	if gitIn(t, dir, "for-each-ref", ref) == "" {
		return ""
	}
	out := gitIn(t, dir, "log", "--reverse", "--format=%s", ref)
	var ops []string
	for line := range strings.SplitSeq(out, "\n") {
		ops = append(ops, strings.Fields(line)[2])
	}
	return strings.Join(ops, " ")
}

// stateOf reads a lane straight from the refs of a repository.
func stateOf(t testing.TB, dir, name string) lease.Record {
	t.Helper()
	r := openRepo(t, dir)
	s, err := r.Local().Read(context.Background(), refstore.Query{Kinds: []string{"lane"}})
	if err != nil {
		t.Fatal(err)
	}
	target, err := ref(name)
	if err != nil {
		t.Fatal(err)
	}
	tip := s.Tip(target)
	if tip.ID == "" && tip.Err == nil {
		return lease.Record{}
	}
	rec, err := record(tip)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// admissions reads the order straight from the refs of a repository.
func admissions(t testing.TB, dir string) lease.Order {
	t.Helper()
	s, err := openRepo(t, dir).Local().Read(context.Background(), refstore.Query{Kinds: []string{"order"}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := orderOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// script writes a shell script that can be run.
func script(t testing.TB, path, text string) string {
	t.Helper()
	write(t, path, "#!/bin/sh\n"+text)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func long() bool { return os.Getenv("GITDOS_LONG") != "" }
