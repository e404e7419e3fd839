package tasks

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

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

const rules = `[trunk]
ref = "main"
[lanes]
concurrent = ["api", "docs"]
[lanes.trees]
api = ["api/**"]
docs = ["docs/**"]
[overlap]
policy = "glob"
`

var t0 = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return githome.Git(t, dir, args...)
}

// commit writes files and commits them.
func commit(t testing.TB, dir, message string, files ...string) string {
	t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", "--", files[i])
	}
	git(t, dir, "commit", "--quiet", "--allow-empty", "-m", message)
	return git(t, dir, "rev-parse", "HEAD")
}

// local is a repository that is its own authority.
func local(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	commit(t, dir, "root", "dos.toml", rules, "api/a.go", "package api\n", "docs/d.md", "d\n")
	return dir
}

// clones are clones of one hub that is a fleet's.
func clones(t testing.TB, n int) (hub string, dirs []string) {
	t.Helper()
	root := t.TempDir()
	hub = filepath.Join(root, "hub.git")
	git(t, root, "init", "--quiet", "--bare", hub)
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("clone%d", i))
		git(t, root, "clone", "--quiet", hub, dir)
		if i == 0 {
			commit(t, dir, "root", "dos.toml", rules+"[fleet]\nid = \"fleet-1\"\n", "api/a.go", "package api\n")
			git(t, dir, "push", "--quiet", "origin", "main")
			git(t, dir, "remote", "set-head", "origin", "main")
		}
		git(t, dir, "config", "dos.remote", "origin")
		dirs = append(dirs, dir)
	}
	repo, err := refstore.Open(context.Background(), dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	remote, err := repo.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = repo.Update(context.Background(), remote, refstore.Query{Kinds: []string{"meta"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{{Ref: "refs/dos/meta/format", Entry: refstore.Entry{Op: "INIT", Gen: 1, Payload: []byte(`{"v":1,"fleet":"fleet-1","created_at":"2026-01-02T12:00:00Z"}`), At: t0}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hub, dirs
}

func desk(t testing.TB, dir string) *admit.Desk {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := admit.Open(context.Background(), repo, func() time.Time { return t0 })
	if err != nil {
		t.Fatal(err)
	}
	if err := d.EnsureNode(context.Background()); err != nil {
		t.Fatal(err)
	}
	return d
}

func task(n int, change ...func(*queue.Task)) queue.Task {
	t := queue.Task{ID: fmt.Sprintf("%012x", n), Title: fmt.Sprintf("thing %d", n), Kind: queue.Work, Until: &queue.Until{Text: "it works"}, By: "w", Created: t0, Updated: t0}
	for _, c := range change {
		c(&t)
	}
	return t
}

func add(d *admit.Desk, t queue.Task) (queue.Verdict, error) {
	return Edit(context.Background(), d, func(f *queue.Fold) (queue.Verdict, []queue.Entry, error) {
		return queue.DecideAdd(f, queue.Machine{}, t)
	})
}

func change(d *admit.Desk, c queue.Change) (queue.Verdict, error) {
	c.At = t0
	return Edit(context.Background(), d, func(f *queue.Fold) (queue.Verdict, []queue.Entry, error) {
		return queue.DecideChange(f, queue.Machine{}, c)
	})
}

func mustAdd(t testing.TB, d *admit.Desk, list ...queue.Task) {
	t.Helper()
	for _, x := range list {
		if v, err := add(d, x); err != nil || v.Outcome != queue.Added {
			t.Fatalf("%+v, %v", v, err)
		}
	}
}

func read(t testing.TB, d *admit.Desk) *Book {
	t.Helper()
	b, err := Read(context.Background(), d, false)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Clones that edit at once lose nothing, and every answer is about what stands.
func TestEightClonesLoseNoEdit(t *testing.T) {
	const writers, each = 8, 4
	hub, dirs := clones(t, writers)
	first := desk(t, dirs[0])
	mustAdd(t, first, task(0xfff))
	var wg sync.WaitGroup
	held := make([]queue.Outcome, writers)
	for w := range writers {
		d := desk(t, dirs[w])
		wg.Go(func() {
			for i := range each {
				x := task(1 + w*each + i)
				if v, err := add(d, x); err != nil || v.Outcome != queue.Added || v.Task.ID != x.ID {
					t.Errorf("writer %d: %+v, %v", w, v, err)
				}
			}
			v, err := change(d, queue.Change{ID: task(0xfff).ID, Op: queue.OpHold, Why: "the vendor", By: "w"})
			if held[w] = v.Outcome; err != nil {
				t.Errorf("writer %d: %v", w, err)
			}
		})
	}
	wg.Wait()
	holds := 0
	for _, o := range held {
		if o == queue.Holding {
			holds++
		} else if o != queue.Known {
			t.Errorf("a hold ended as %q", o)
		}
	}
	if holds != 1 {
		t.Errorf("%d say that they held the task, want one", holds)
	}
	for _, dir := range []string{dirs[0], dirs[writers-1]} {
		d := desk(t, dir)
		if err := os.RemoveAll(filepath.Join(dir, ".git", "dos", "at-origin.fetched")); err != nil {
			t.Fatal(err)
		}
		if got := read(t, d).Fold.Len(); got != 1+writers*each {
			t.Errorf("%d tasks, want %d", got, 1+writers*each)
		}
	}
	if n := git(t, hub, "rev-list", "--count", Ref); n != fmt.Sprint(2+writers*each) {
		t.Errorf("%s entries, want one an edit", n)
	}
}

func TestACheckpointEndsTheReading(t *testing.T) {
	d := desk(t, local(t))
	for n := 1; n < fewest; n++ {
		mustAdd(t, d, task(n))
	}
	ops := func() string { return git(t, d.Repo.CommonDir, "log", "--format=%s", Ref) }
	if strings.Contains(ops(), "CHECKPOINT") {
		t.Fatal("a checkpoint before one was due")
	}
	mustAdd(t, d, task(fewest))
	if !strings.HasPrefix(ops(), "dos queue: CHECKPOINT tasks g0") || read(t, d).Fold.Len() != fewest {
		t.Errorf("%d tasks under\n%.100s", read(t, d).Fold.Len(), ops())
	}
	if v, err := change(d, queue.Change{ID: task(3).ID, Op: queue.OpHold, Why: "w"}); err != nil || v.Outcome != queue.Holding {
		t.Errorf("%+v, %v", v, err)
	}

	// What is below it is not read again.
	below := git(t, d.Repo.CommonDir, "rev-parse", Ref+"~2")
	if err := os.Remove(filepath.Join(d.Repo.Objects, below[:2], below[2:])); err != nil {
		t.Fatal(err)
	}
	b := read(t, d)
	if x, _ := b.Fold.Task(task(3).ID); b.Fold.Len() != fewest || x.State != queue.Held {
		t.Errorf("%d tasks, %+v", b.Fold.Len(), x)
	}
}

func TestDue(t *testing.T) {
	for claim, tt := range map[string]struct {
		above
		entries, bytes int
		want           bool
	}{
		"too few":                        {above{fewest - 2, 1000, 0}, 1, 10, false},
		"enough":                         {above{fewest - 1, 1000, 0}, 1, 10, true},
		"enough was there before":        {above{fewest, 1000, 0}, 1, 10, false},
		"enough, and small beside it":    {above{fewest - 1, 1000, 1 << 20}, 1, 10, false},
		"grown to half of it":            {above{fewest, 1000, 4000}, 1, 1000, true},
		"very many, and small beside it": {above{most - 1, 1000, 1 << 20}, 1, 10, true},
	} {
		if got := tt.due(tt.entries, tt.bytes); got != tt.want {
			t.Errorf("%s: %v", claim, got)
		}
	}
}

// A queue that cannot be read is never an empty one, for a reader or a writer.
func TestAnUnreadableQueueIsNotEmpty(t *testing.T) {
	for claim, e := range map[string]refstore.Entry{
		"a newer version":   {Op: "ADD", Payload: []byte(`{"v":2,"op":"ADD","at":"2026-01-02T12:00:00Z"}`), At: t0},
		"an unknown op":     {Op: "DONE", Payload: []byte(`{"v":1,"op":"DONE","at":"2026-01-02T12:00:00Z","id":"000000000001"}`), At: t0},
		"no tasks of some":  {Op: "CHECKPOINT", Payload: []byte(`{"v":1,"op":"CHECKPOINT","at":"2026-01-02T12:00:00Z"}`), At: t0},
		"another's payload": {Op: "ADD", Payload: []byte(`{}`), At: t0},
		"a dependency that is not there": {Op: "ADD", At: t0, Payload: []byte(`{"v":1,"op":"ADD","at":"2026-01-02T12:00:00Z","tasks":[{"id":"000000000002","title":"b","kind":"task","deps":["000000000009"],` +
			`"done_when":{"text":"x"},"state":"open","created_at":"2026-01-02T12:00:00Z","updated_at":"2026-01-02T12:00:00Z"}]}`)},
	} {
		d := desk(t, local(t))
		mustAdd(t, d, task(1))
		if _, err := d.Edit(context.Background(), []string{Kind}, func(refstore.Snapshot) ([]refstore.Write, error) {
			return []refstore.Write{{Ref: Ref, Entry: e}}, nil
		}); err != nil {
			t.Fatal(err)
		}
		tip := git(t, d.Repo.CommonDir, "rev-parse", Ref)
		var store *admit.StoreError
		if _, err := Read(context.Background(), d, false); !errors.As(err, &store) || store.Hint == "" {
			t.Errorf("%s: read: %v", claim, err)
		}
		if _, err := add(d, task(5)); !errors.As(err, &store) {
			t.Errorf("%s: add: %v", claim, err)
		}
		if now := git(t, d.Repo.CommonDir, "rev-parse", Ref); now != tip {
			t.Errorf("%s: something was written on top", claim)
		}
	}
	d := desk(t, local(t))
	mustAdd(t, d, task(1))
	git(t, d.Repo.CommonDir, "update-ref", Ref, git(t, d.Repo.CommonDir, "rev-parse", "main"))
	if _, err := Read(context.Background(), d, false); err == nil {
		t.Error("a branch's commit on the ref reads as a queue")
	}
}

// A task is done by what the trunk shows, and no longer once that is taken back.
func TestWhatTheTrunkShows(t *testing.T) {
	dir := local(t)
	d := desk(t, dir)
	of := func(u queue.Until) func(*queue.Task) { return func(t *queue.Task) { t.Until = &u } }
	mustAdd(t, d, task(1, of(queue.Until{Unit: "AUTH/1"})), task(2, of(queue.Until{Issue: 12})), task(3), task(4), task(5, of(queue.Until{Issue: 13})), task(6))
	status := func() (all []queue.Status) {
		t.Helper()
		b := read(t, d)
		ev, unread, err := b.Evidence(context.Background(), t0)
		if err != nil || unread != nil {
			t.Fatal(unread, err)
		}
		for _, i := range queue.Rank(ev) {
			all = append(all, i.Status)
		}
		return all
	}
	expect := func(claim, want string) {
		t.Helper()
		if got := fmt.Sprint(status()); got != want {
			t.Errorf("%s: %s, want %s", claim, got, want)
		}
	}
	expect("before", "[open open open open open open]")
	commit(t, dir, "AUTH: 1: log in", "api/login.go", "package api\n\nfunc Login() {}\n")
	commit(t, dir, "fix: names\n\nFixes #12", "api/names.go", "package api\n\nfunc Names() {}\n")
	third := commit(t, dir, "feat: a thing\n\nDos-Task: "+task(3).ID, "api/thing.go", "package api\n\nfunc Thing() {}\n")
	commit(t, dir, "fix: all of it\n\nCloses #13\n\nDos-Task: "+task(4).ID) // changes nothing
	commit(t, dir, "feat: words\n\nwe will do Dos-Task: "+task(6).ID+" later", "api/words.go", "package api\n")
	expect("after", "[done done done open open open]")
	git(t, dir, "revert", "--no-edit", third)
	expect("reverted", "[done done open open open open]")
	git(t, dir, "checkout", "--quiet", "-b", "side")
	commit(t, dir, "feat: a thing again\n\nDos-Task: "+task(3).ID, "api/again.go", "package api\n\nfunc Again() {}\n")
	expect("on a branch", "[done done open open open open]")
}

// One task is proven as all are, on the trunk or on another ref.
func TestTheProofOfOneTask(t *testing.T) {
	dir := local(t)
	d := desk(t, dir)
	closing := task(1, func(x *queue.Task) { x.Until = &queue.Until{Issue: 12} })
	mustAdd(t, d, closing, task(2))
	sha := commit(t, dir, "fix(api): names\n\nFixes #12", "api/names.go", "package api\n\nfunc Names() {}\n")
	git(t, dir, "checkout", "--quiet", "-b", "other")
	other := commit(t, dir, "feat(api): log in\n\nDos-Task: "+task(2).ID, "api/in.go", "package api\n\nfunc In() {}\n")
	d = desk(t, dir)
	b := read(t, d)
	ev, _, err := b.Evidence(context.Background(), t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		claim, id, ref, want string
	}{
		{"by the issue that it closes", closing.ID, "", sha},
		{"what another branch has is not done", task(2).ID, "", ""},
		{"unless that is asked of", task(2).ID, "refs/heads/other", other},
		{"what the queue does not have is not done", task(9).ID, "", ""},
	} {
		p, err := b.Proof(context.Background(), c.id, c.ref)
		if err != nil || (p.Done == queue.Yes) != (c.want != "") || p.Done == queue.Unknown || c.want != "" && p.Commit != c.want {
			t.Errorf("%s: %+v, %v; want %q", c.claim, p, err, c.want)
		}
		if all := ev.Proofs[c.id]; c.ref == "" && all != p && all != (queue.Proof{}) {
			t.Errorf("%s: alone %+v, with all %+v", c.claim, p, all)
		}
	}
	if _, err := b.Proof(context.Background(), task(2).ID, "refs/heads/none"); err == nil {
		t.Error("a ref that does not exist has an answer")
	}
}

// In a history that is cut short, what is not done cannot be told.
func TestAShallowCloneCannotTell(t *testing.T) {
	dir := local(t)
	d := desk(t, dir)
	mustAdd(t, d, task(1))
	commit(t, dir, "one")
	commit(t, dir, "two")
	cut := filepath.Join(t.TempDir(), "cut")
	git(t, dir, "clone", "--quiet", "--depth=1", "file://"+dir, cut)
	c := desk(t, cut)
	mustAdd(t, c, task(1))
	ev, _, err := read(t, c).Evidence(context.Background(), t0)
	if err != nil {
		t.Fatal(err)
	}
	if i := queue.Rank(ev)[0]; i.Status != queue.Uncertain || i.Ready {
		t.Errorf("%+v", i)
	}
}

// A queue of this repository alone is not the fleet's, and said to be there.
func TestAQueueFromBeforeTheFleet(t *testing.T) {
	_, dirs := clones(t, 1)
	d := desk(t, dirs[0])
	mustAdd(t, d, task(1))
	if read(t, d).Behind {
		t.Error("behind, with the queue on the remote")
	}
	git(t, dirs[0], "update-ref", Ref, git(t, dirs[0], "rev-parse", "refs/dos/at/origin/queue/tasks"))
	if !read(t, d).Behind {
		t.Error("a queue of its own is not noticed")
	}
}
