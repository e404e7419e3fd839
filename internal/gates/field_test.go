package gates

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

const lanesToml = `[lanes]
concurrent = ["api", "web"]
[lanes.trees]
api = ["api/**"]
web = ["web/**"]
[overlap]
policy = "glob"
`

const onMain = "refs/heads/main"

// A field is a repository that is its own authority.
type field struct {
	t   *testing.T
	dir string
	now time.Time
}

func newField(t *testing.T) *field {
	t.Helper()
	f := &field{t, t.TempDir(), time.Now()}
	f.git("init", "-q")
	f.commit("root", "dos.toml", lanesToml, "api/a", "1\n", "web/w", "1\n")
	return f
}

func (f *field) git(args ...string) string { f.t.Helper(); return githome.Git(f.t, f.dir, args...) }

// commit writes files (path, text, path, text...) and commits all there is.
func (f *field) commit(message string, files ...string) string {
	f.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		f.write(files[i], files[i+1])
	}
	f.git("add", "-A")
	f.git("commit", "-q", "--allow-empty", "-m", message)
	return f.git("rev-parse", "HEAD")
}

func (f *field) write(path, text string) {
	f.t.Helper()
	full := filepath.Join(f.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *field) repo() *refstore.Repo {
	f.t.Helper()
	r, err := refstore.Open(f.t.Context(), f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *field) desk() *admit.Desk {
	f.t.Helper()
	d, err := admit.Open(f.t.Context(), f.repo(), func() time.Time { return f.now })
	if err == nil {
		err = d.EnsureNode(f.t.Context())
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return d
}

// acquire takes a lane; this worktree remembers it where it is said to.
func (f *field) acquire(name, owner string, remember bool) lease.Record {
	f.t.Helper()
	d := f.desk()
	v, err := d.Acquire(f.t.Context(), admit.Request{Lanes: []string{name}, RunID: "run-" + owner, Owner: owner, TTL: 15 * time.Minute})
	if err != nil || v.Outcome != lease.Acquired {
		f.t.Fatalf("acquire %s: %+v, %v", name, v, err)
	}
	if remember {
		if err := d.Remember(*v.Lease); err != nil {
			f.t.Fatal(err)
		}
	}
	return *v.Lease
}

// site is what a hook would ask, with the trunk as an id and the ref that has it.
func (f *field) site(trunk, ref string, gates policy.Gates) *Site {
	repo := f.repo()
	now := func() time.Time { return f.now }
	return &Site{
		Repo: repo, Gates: gates, Now: now,
		Trunk: facts.Trunk{Branch: onMain, Ref: ref, ID: refstore.OID(trunk)},
		Desk:  func(ctx context.Context) (*admit.Desk, error) { return admit.Open(ctx, repo, now) },
	}
}

func update(old, tip string) (hooks.Push, hooks.Update) {
	u := hooks.Update{Ref: onMain, Old: old, New: tip}
	return hooks.Push{Hook: hooks.PrePush, Remote: "origin", URL: "/nowhere", Trunk: onMain, Updates: []hooks.Update{u}}, u
}

func recordJSON(t *testing.T, r lease.Record) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
