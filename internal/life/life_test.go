package life

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
)

// TestMain gives all tests a home and an identity of their own.
func TestMain(m *testing.M) {
	stamp := noon.Format(time.RFC3339)
	os.Exit(githome.Run(m, map[string]string{"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}))
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const policyText = `[lanes]
concurrent = ["api", "web"]
[lanes.trees]
api = ["api/**"]
web = ["web/**"]
`

// A field is a repository in which runs are at work.
type field struct {
	t    testing.TB
	dir  string
	node string
	now  time.Time
}

func newField(t testing.TB) *field {
	t.Helper()
	f := &field{t: t, dir: t.TempDir(), node: "box", now: noon}
	f.git("init", "--quiet")
	f.write("dos.toml", policyText)
	f.write("api/base", "base\n")
	f.git("add", ".")
	f.git("commit", "--quiet", "-m", "root")
	return f
}

func (f *field) git(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (f *field) write(path, text string) {
	f.t.Helper()
	full := filepath.Join(f.dir, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		f.t.Fatal(err)
	}
}

// commit makes a commit that changes one file and returns its id. run is what its
// trailer says, "" for none.
func (f *field) commit(path, run string) string {
	f.t.Helper()
	f.write(path, f.git("rev-parse", "HEAD")+path)
	f.git("add", ".")
	args := []string{"commit", "--quiet", "-m", path}
	if run != "" {
		args = append(args, "-m", "Dos-Run: "+run)
	}
	f.git(args...)
	return f.git("rev-parse", "HEAD")
}

func (f *field) desk() *admit.Desk {
	f.t.Helper()
	repo, err := refstore.Open(f.t.Context(), f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	d, err := admit.Open(f.t.Context(), repo, func() time.Time { return f.now })
	if err != nil {
		f.t.Fatal(err)
	}
	d.Node = f.node
	return d
}

func (f *field) book() *Book {
	f.t.Helper()
	b, err := Open(f.t.Context(), f.desk(), false)
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

// run looks a run up, known or not.
func (f *field) run(id string) Run {
	f.t.Helper()
	r, err := f.book().Adding(f.t.Context(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// add appends rows about a run as its verbs do.
func (f *field) add(id string, rows ...resume.Row) {
	f.t.Helper()
	for _, row := range rows {
		r := f.run(id)
		if _, err := r.Append(f.t.Context(), row); err != nil {
			f.t.Fatal(err)
		}
	}
}

// forge appends a row as anybody could.
func (f *field) forge(node, row string) {
	f.t.Helper()
	if _, err := ledger.Append(f.t.Context(), f.desk().Repo, node, ledger.JSON(row)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *field) take(lane, run string) {
	f.t.Helper()
	v, err := f.desk().Acquire(f.t.Context(), admit.Request{Lanes: []string{lane}, RunID: run, Owner: "alice", TTL: 15 * time.Minute})
	if err != nil || v.Lease == nil {
		f.t.Fatalf("%+v, %v", v, err)
	}
}

func (f *field) plan(id string) resume.Verdict {
	f.t.Helper()
	r := f.run(id)
	ev, err := r.Resume(f.t.Context(), false)
	if err != nil {
		f.t.Fatal(err)
	}
	return resume.Decide(ev)
}

func (f *field) head() string { return f.git("rev-parse", "HEAD") }

func intentOf(start string, steps ...string) resume.Row {
	return resume.Row{Op: resume.OpIntent, Goal: "g", StartSha: start, DeclaredSteps: steps}
}

func forged(run, step, sha string) string {
	return fmt.Sprintf(`{"v":1,"op":"STEP_VERIFIED","at":"2026-01-02T12:00:00Z","run_id":%q,"step_id":%q,"sha":%q,"via":"file-path"}`, run, step, sha)
}

func TestARowThatSaysVerifiedCountsForNothingByItself(t *testing.T) {
	t.Parallel()
	f := newField(t)
	old := f.head()
	f.add("run-1", intentOf(old, "one", "two"))
	theirs := f.commit("api/theirs", "run-2")
	own := f.commit("api/own", "run-1")
	elsewhere := f.commit("web/x", "")
	empty := strings.Repeat("a", 40)
	for name, c := range map[string]struct {
		shas []string
		want int
	}{
		"a commit from before the run":        {[]string{old, old}, 0},
		"another run's commit":                {[]string{theirs, own}, 0},
		"a commit that does not exist":        {[]string{empty, own}, 0},
		"an abbreviation of nothing":          {[]string{"abcdef", own}, 0},
		"an option":                           {[]string{"--all", own}, 0},
		"one commit for two steps":            {[]string{own, own}, 1},
		"the run's own, and one of nobody's":  {[]string{own, elsewhere}, 2},
		"a gap: the second step without one":  {[]string{"", elsewhere}, 0},
		"the abbreviation of the run's own":   {[]string{own[:12], ""}, 1},
		"the start of the run as its own end": {[]string{f.git("rev-parse", own+"~1"), ""}, 0},
	} {
		g := copyOf(t, f)
		for i, step := range []string{"one", "two"} {
			if c.shas[i] != "" {
				g.forge("mallory", forged("run-1", step, c.shas[i]))
			}
		}
		if v := g.plan("run-1"); len(v.Verified) != c.want {
			t.Errorf("%s: %v verified, want %d: %s", name, v.Verified, c.want, v)
		}
	}
}

// copyOf is a field with the same history and refs.
func copyOf(t testing.TB, f *field) *field {
	t.Helper()
	g := &field{t: t, dir: filepath.Join(t.TempDir(), "copy"), node: f.node, now: f.now}
	if out, err := exec.Command("cp", "-R", f.dir, g.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return g
}

// gitCommand is a git in the field, to be run.
func gitCommand(f *field, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	return cmd
}
