package life

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
)

func TestARunIsFoundByItsIDAlone(t *testing.T) {
	t.Parallel()
	f := newField(t)
	var unknown *UnknownRunError
	if _, err := f.book().Run(t.Context(), "run-1"); !errors.As(err, &unknown) {
		t.Errorf("a run nobody knows: %v", err)
	}
	f.take("api", "run-1")
	r := f.run("run-1")
	if r.Lease == nil || !r.Live || r.Lane != "api" || string(r.Start) != f.head() {
		t.Errorf("by its lease: %+v", r)
	}
	if _, err := f.desk().Release(t.Context(), "api", lease.Identity{RunID: "run-1"}); err != nil {
		t.Fatal(err)
	}
	if r = f.run("run-1"); r.Lease == nil || r.Live {
		t.Errorf("by the lease it had: %+v", r)
	}
	f.add("run-2", intentOf(f.head()))
	if r, err := f.book().Run(t.Context(), "run-2"); err != nil || r.Lease != nil || r.Intent.Goal() != "g" {
		t.Errorf("by its intent: %+v, %v", r, err)
	}
	if _, err := ledger.RecordBeat(t.Context(), f.desk().Repo, "box", "tick", ledger.Beat{At: noon, RunID: "run-3"}); err != nil {
		t.Fatal(err)
	}
	if r, err := f.book().Run(t.Context(), "run-3"); err != nil || len(r.Beats()) != 1 {
		t.Errorf("by its beat: %+v, %v", r, err)
	}
}

// A lane that others have had since still tells which tree the run was at work on.
func TestTheLeaseOfARunIsFoundBelowThoseOfLaterRuns(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.take("api", "run-1")
	f.add("run-1", intentOf(f.head()))
	for _, next := range []string{"run-2", "run-3"} {
		was := map[string]string{"run-2": "run-1", "run-3": "run-2"}[next]
		if _, err := f.desk().Release(t.Context(), "api", lease.Identity{RunID: was}); err != nil {
			t.Fatal(err)
		}
		f.take("api", next)
	}
	r := f.run("run-1")
	if r.Lease == nil || r.Live || r.Lease.RunID != "run-1" || r.Lease.Gen != 1 || r.Lane != "api" {
		t.Fatalf("%+v", r)
	}
	f.commit("web/x", "")
	if v := f.plan("run-1"); v.Outcome != resume.Resumable {
		t.Errorf("work on another lane: %s", v)
	}
	f.commit("api/x", "run-3")
	if v := f.plan("run-1"); v.Outcome != resume.Diverged || v.Others != 1 {
		t.Errorf("work of a later run on the lane: %s", v)
	}
	if v := f.plan("run-2"); v.Outcome != resume.Unresumable {
		t.Errorf("a run without an intent: %s", v)
	}
}

// The start of a run is another history's: nothing is younger than it.
func TestNothingIsDoneOfARunWhoseStartIsNotInHistory(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.git("switch", "--quiet", "--orphan", "other")
	f.git("commit", "--quiet", "--allow-empty", "-m", "other")
	other := f.head()
	f.git("switch", "--quiet", "main")
	for name, start := range map[string]string{"another history": other, "no commit here": strings.Repeat("b", 40)} {
		id := "run-" + start[:4]
		f.add(id, intentOf(start, "one"))
		own := f.commit("api/"+start[:4], id)
		f.forge("box", forged(id, "one", own))
		v := f.plan(id)
		if v.Outcome != resume.Resumable || v.ResumeSha != "" || len(v.Verified) != 0 {
			t.Errorf("%s: %s", name, v)
		}
	}
}

// The worktree that has the lease counts, not only the one that asks.
func TestTheHistoryOfTheWorktreeAtWorkCounts(t *testing.T) {
	t.Parallel()
	f := newField(t)
	asks := *f
	f.add("run-1", intentOf(f.head(), "one"))
	side := filepath.Join(t.TempDir(), "side")
	f.git("worktree", "add", "--quiet", "-b", "side", side)
	at := &field{t: t, dir: side, node: "box", now: noon}
	d := at.desk()
	v, err := d.Acquire(t.Context(), admit.Request{Lanes: []string{"api"}, RunID: "run-1", Owner: "alice", TTL: 15 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	own := at.commit("api/own", "run-1")
	f.forge("box", forged("run-1", "one", own))
	if v := asks.plan("run-1"); len(v.Verified) != 0 {
		t.Errorf("nobody says where the run is at work: %s", v)
	}
	if err := d.Remember(*v.Lease); err != nil {
		t.Fatal(err)
	}
	if v := asks.plan("run-1"); v.Outcome != resume.Complete {
		t.Errorf("%s", v)
	}
	ev, err := asks.run("run-1").Liveness(t.Context(), Probe{}, nil)
	if err != nil || ev.Workspace == nil || !*ev.Workspace || ev.Commits != 1 {
		t.Errorf("%+v, %v", ev, err)
	}
	if err := os.RemoveAll(side); err != nil {
		t.Fatal(err)
	}
	ev, err = asks.run("run-1").Liveness(t.Context(), Probe{}, nil)
	if err != nil || ev.Workspace == nil || *ev.Workspace {
		t.Errorf("its folder is gone: %+v, %v", ev, err)
	}
	if v := liveness.Decide(ev); v.Class != liveness.WorkspaceMissing {
		t.Errorf("%s", v)
	}
}

func TestAStampFromTheFutureNeitherFreshensNorKills(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.take("api", "run-1")
	f.now = noon.Add(-2 * time.Minute)
	ev, err := f.run("run-1").Liveness(t.Context(), Probe{}, nil)
	var mint *MintError
	if !errors.As(err, &mint) {
		t.Errorf("it began in the future: %+v, %v", ev, err)
	}
	f.now = noon.Add(3 * time.Hour)
	if _, err := ledger.RecordBeat(t.Context(), f.desk().Repo, "box", "tick", ledger.Beat{At: noon.Add(9 * time.Hour), RunID: "run-1"}); err != nil {
		t.Fatal(err)
	}
	ev, err = f.run("run-1").Liveness(t.Context(), Probe{}, nil)
	if v := liveness.Decide(ev); err != nil || v.Class != liveness.Skewed {
		t.Errorf("%s, %v", v, err)
	}
}

// Of a run that checkpoints have let go of, every row is looked at.
func TestWhatACheckpointLetGoOfIsReadFromHistory(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.add("run-1", intentOf(f.head(), "one", "two"))
	r := f.run("run-1")
	r.Story.Complete, r.Story.Rows = false, nil
	r.Intent = resume.New("run-1")
	if err := r.fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.Intent.Declared(); !slices.Equal(got, []string{"one", "two"}) || len(r.Story.Rows) != 1 {
		t.Errorf("%v, %+v", got, r.Story)
	}
}

// A checkpoint of an older version carries no state: the rows are read.
func TestACheckpointWithoutAStateHidesNoRow(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.add("run-1", intentOf(f.head(), "one", "two"))
	repo := f.desk().Repo
	_, err := repo.Compact(t.Context(), repo.Local(), "refs/dos/journal/box", noon, func(tip refstore.Tip) refstore.Folded {
		return refstore.Folded{Payload: tip.Entry.Payload}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.run("run-1").Intent.Declared(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%v", got)
	}
	f.add("run-1", resume.Row{Op: resume.OpIntent, DeclaredSteps: []string{"one", "two", "three"}})
	if got := f.run("run-1").Intent.Declared(); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

func TestRowsThatCannotBeReadKeepARunFromBeingGoneOnWith(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]string{
		"of another type":     `{"v":1,"op":"INTENT","at":"2026-01-02T12:00:00Z","run_id":"run-1","declared_steps":7}`,
		"a shorter list":      `{"v":1,"op":"INTENT","at":"2026-01-02T12:00:00Z","run_id":"run-1","declared_steps":["two"]}`,
		"a region of its own": `{"v":1,"op":"INTENT","at":"2026-01-02T12:00:00Z","run_id":"run-1","step_regions":{"one":["web/**"]}}`,
	} {
		f := newField(t)
		first := intentOf(f.head(), "one")
		first.StepRegions = map[string][]string{"one": {"api/**"}}
		f.add("run-1", first)
		own := f.commit("api/own", "run-1")
		f.forge("box", forged("run-1", "one", own))
		if v := f.plan("run-1"); v.Outcome != resume.Complete {
			t.Fatalf("%s before: %s", name, v)
		}
		f.forge("mallory", row)
		if v := f.plan("run-1"); v.Outcome != resume.Unresumable || !v.Unreadable || v.Reach() != resume.Reachable {
			t.Errorf("%s: %s", name, v)
		}
		r := f.run("run-1")
		var bad *RowError
		if _, err := r.Append(t.Context(), resume.Row{Op: resume.OpIntent, Goal: "other"}); !errors.As(err, &bad) {
			t.Errorf("%s: it was added to: %v", name, err)
		}
	}
}

// What is not in history may not be said to be, however much there is.
func TestMoreHistoryThanIsLookedAtIsNoVerdict(t *testing.T) {
	t.Parallel()
	f := newField(t)
	start := f.head()
	var in strings.Builder
	for i := range maxWalked + 5 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter w <w@example.com> %d +0000\ndata 1\nx\n", noon.Unix()+int64(i))
		if i == 0 {
			fmt.Fprintf(&in, "from %s\n", start)
		}
	}
	cmd := gitCommand(f, "fast-import", "--quiet", "--force")
	cmd.Stdin = strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f.add("run-1", intentOf(start, "one"))
	if v := f.plan("run-1"); v.Err() == nil {
		t.Errorf("%s", v)
	}
}

// A clone without the whole history does not know that the start is in none.
func TestAStartBeyondTheEdgeOfAShallowCloneIsNoVerdict(t *testing.T) {
	t.Parallel()
	f := newField(t)
	start := f.head()
	f.commit("api/a", "")
	f.commit("api/b", "")
	f.add("run-1", intentOf(start, "one"))
	g := &field{t: t, dir: filepath.Join(t.TempDir(), "clone"), node: "box", now: noon}
	f.git("clone", "--quiet", "--depth", "1", "file://"+f.dir, g.dir)
	g.git("fetch", "--quiet", "origin", "refs/dos/journal/box:refs/dos/journal/box")
	_, err := g.run("run-1").Resume(t.Context(), false)
	var unseen *UnseenError
	if !errors.As(err, &unseen) {
		t.Errorf("%v", err)
	}
}

func TestANodeThatCannotBeReadIsNamedAndNoOtherSuffers(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.add("run-1", intentOf(f.head(), "one"))
	f.node = "other"
	f.add("run-2", intentOf(f.head(), "one"))
	if err := os.WriteFile(filepath.Join(f.dir, ".git", "refs", "dos", "journal", "other"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f.node = "box"
	b := f.book()
	if got := b.UnreadNodes(); !slices.Equal(got, []string{"other"}) {
		t.Fatalf("%v", got)
	}
	r, err := b.Run(t.Context(), "run-1")
	if err != nil || r.Known() != nil || r.Sure() != nil {
		t.Errorf("the other node's run: %v, %v, %v", err, r.Known(), r.Sure())
	}
	var store *admit.StoreError
	if _, err := b.Run(t.Context(), "run-2"); !errors.As(err, &store) {
		t.Errorf("a run that only the unread node can know: %v", err)
	}
	f.take("api", "run-3")
	if r = f.run("run-3"); r.Known() != nil || !errors.As(r.Sure(), &store) {
		t.Errorf("a run with a lease and no intent that can be read: %v, %v", r.Known(), r.Sure())
	}
	f.node = "other"
	f.take("web", "run-1")
	if r = f.run("run-1"); !errors.As(r.Known(), &store) {
		t.Errorf("a run that went to the unread node: %v", r.Known())
	}
}

func TestACancelledLookSaysSo(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.add("run-1", intentOf(f.head(), "one"))
	ctx, cancel := context.WithCancel(t.Context())
	d := f.desk()
	cancel()
	if _, err := Open(ctx, d, false); err == nil {
		t.Error("it answered")
	}
}

// A commit that names no run is taken for the run's own while it has the lease, and
// not for having been made on its lane before or after.
func TestAPlainCommitIsTheRunsOnlyUnderItsLease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes time.Time // when the run takes the lane; the commit is of noon
		ends  time.Time // when it gives it back, zero for not yet
		want  int64
	}{
		"under the lease":     {takes: noon, want: 1},
		"before it was taken": {takes: noon.Add(time.Minute)},
		"after it had ended":  {takes: noon.Add(-2 * time.Minute), ends: noon.Add(-time.Minute)},
	} {
		f := newField(t)
		f.now = c.takes
		f.take("api", "run-1")
		if !c.ends.IsZero() {
			f.now = c.ends
			if _, err := f.desk().Release(t.Context(), "api", lease.Identity{RunID: "run-1"}); err != nil {
				t.Fatal(err)
			}
		}
		f.commit("api/plain", "")
		f.commit("api/theirs", "run-2")
		f.commit("web/plain", "")
		f.now = noon.Add(2 * time.Minute)
		ev, err := f.run("run-1").Liveness(t.Context(), Probe{}, nil)
		if err != nil || ev.Commits != c.want {
			t.Errorf("%s: %d commits, want %d: %v", name, ev.Commits, c.want, err)
		}
	}
}

// What a checkpoint says it could not read counts against the run.
func TestWhatAnotherVersionWroteKeepsARunFromBeingGoneOnWith(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.add("run-1", intentOf(f.head(), "one"))
	for name, doubt := range map[string]func(*Run){
		"a later version":   func(r *Run) { r.Story.Newer = true },
		"an unreadable row": func(r *Run) { r.Story.Corrupt = true },
	} {
		r := f.run("run-1")
		r.Intent = resume.New("run-1")
		doubt(&r)
		if err := r.fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		ev, err := r.Resume(t.Context(), false)
		if v := resume.Decide(ev); err != nil || v.Outcome != resume.Unresumable || !v.Unreadable {
			t.Errorf("%s: %s, %v", name, v, err)
		}
	}
}
